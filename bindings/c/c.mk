# SPDX-License-Identifier: Apache-2.0
# LDFLAGS='-L. -Wl,-rpath,$PWD' LDLIBS=-lmine link a library whose functions are called.
CFLAGS = -O3 -march=x86-64-v3 -Wall -Wextra
LDLIBS =
my_gemm.so: my_gemm.c simdbench.h; $(CC) $(CFLAGS) $(LDFLAGS) -shared -fPIC -o $@ my_gemm.c $(LDLIBS) -lm
