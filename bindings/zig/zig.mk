# SPDX-License-Identifier: Apache-2.0
ZIG = $(if $(shell command -v zig || :),zig,python3 -m ziglang)
ZIGFLAGS = -O ReleaseFast -mcpu=x86_64_v3
my_gemm.so: my_gemm.zig simdbench.zig; $(ZIG) build-lib -dynamic $(ZIGFLAGS) -femit-bin=$@ my_gemm.zig
