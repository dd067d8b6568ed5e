# SPDX-License-Identifier: Apache-2.0
ZIG = $(if $(shell command -v zig || :),zig,python3 -m ziglang)
ZIGFLAGS = -O ReleaseFast -mcpu=x86_64_v3
my_gemm.so: my_gemm.zig simdbench.zig | zig; $(ZIG) build-lib -dynamic $(ZIGFLAGS) -femit-bin=$@ my_gemm.zig
.PHONY: zig
zig:; @$(ZIG) version >/dev/null 2>&1 || { echo 'There is no zig: pip install ziglang, or make ZIG=PATH_OF_ZIG' >&2; false; }
