// SPDX-License-Identifier: Apache-2.0
//! A module with one kernel of op gemm: max-plus, for the compiler to vectorise.
use simdbench_plugin::{Kernel, Operands, Outputs, Row, Unsupported};

struct Rows;

impl Kernel for Rows {
    fn prepare(operands: &Operands) -> Result<Self, Unsupported> {
        if operands.dims().len() != 3 {
            return Err(Unsupported("rows multiplies one matrix, no batch".to_string()));
        }
        Ok(Rows)
    }

    /// c[i][j] = max over l of a[i][l] + b[l][j]; -infinity if there is no l.
    fn run(&mut self, operands: &Operands, outputs: &mut Outputs) {
        let (a, b) = (operands.input::<f32>(0), operands.input::<f32>(1));
        let c = outputs.output::<f32>(2);
        let (lda, ldb, ldc) = (operands.ld(0), operands.ld(1), operands.ld(2));
        if let [m, n, k] = *operands.dims() {
            for i in 0..m as usize {
                let to = &mut c[i * ldc..][..n as usize];
                to.fill(f32::NEG_INFINITY);
                for l in 0..k as usize {
                    let one = a[i * lda + l];
                    for (best, other) in to.iter_mut().zip(&b[l * ldb..][..n as usize]) {
                        *best = best.max(one + other);
                    }
                }
            }
        }
    }
}

simdbench_plugin::module!(
    "my_gemm",
    Row::of::<Rows, f32>("gemm", "avx2", "rows").semiring("maxplus").roof("fma_max"),
);
