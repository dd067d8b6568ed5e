# SPDX-License-Identifier: Apache-2.0
CFLAGS = -O3 -march=x86-64-v3 -Wall
my_gemm.so: my_gemm.c simdbench.h; $(CC) $(CFLAGS) -shared -fPIC -o $@ my_gemm.c -lm
