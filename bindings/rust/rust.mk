# SPDX-License-Identifier: Apache-2.0
RUSTC = rustc
RUSTFLAGS = --edition=2021 -O -C target-cpu=x86-64-v3
my_gemm.so: my_gemm.rs libsimdbench_plugin.rlib; $(RUSTC) $(RUSTFLAGS) --crate-type=cdylib --crate-name=plugin --extern simdbench_plugin=libsimdbench_plugin.rlib -o $@ my_gemm.rs
libsimdbench_plugin.rlib: simdbench_plugin.rs; $(RUSTC) $(RUSTFLAGS) --crate-type=rlib -o $@ simdbench_plugin.rs
