# SPDX-License-Identifier: Apache-2.0
CXXFLAGS = -O3 -march=x86-64-v3 -std=c++17 -Wall
my_gemm.so: my_gemm.cpp simdbench.h; $(CXX) $(CXXFLAGS) -shared -fPIC -o $@ my_gemm.cpp
