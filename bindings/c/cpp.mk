# SPDX-License-Identifier: Apache-2.0
# LDFLAGS='-L. -Wl,-rpath,$PWD' LDLIBS=-lmine link a library whose functions are called.
CXXFLAGS = -O3 -march=x86-64-v3 -std=c++17 -Wall -Wextra
LDLIBS =
my_gemm.so: my_gemm.cpp simdbench.h; $(CXX) $(CXXFLAGS) $(LDFLAGS) -shared -fPIC -o $@ my_gemm.cpp $(LDLIBS)
