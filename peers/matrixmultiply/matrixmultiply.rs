// SPDX-License-Identifier: Apache-2.0
//! Crate matrixmultiply, without threads and AVX-512.
use peer_common::{peer, Gemm, Matrix, Product, Row};

#[derive(Default)]
struct Plain;

macro_rules! products {
    ($($type:ty: $gemm:ident;)*) => {
        $(impl Product<$type> for Plain {
            fn multiply(
                &mut self,
                [m, n, k]: [usize; 3],
                (a, a_row): Matrix<$type>,
                (b, b_row): Matrix<$type>,
                c: &mut [$type],
                c_row: usize,
            ) {
                let [a_row, b_row, c_row] = [a_row, b_row, c_row].map(|row| row as isize);
                let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr());
                // Slices hold all elements of their matrices.
                unsafe {
                    matrixmultiply::$gemm(m, k, n, 1.0, a, a_row, 1, b, b_row, 1, 0.0, c, c_row, 1)
                }
            }
        })*
    };
}
products! { f32: sgemm; f64: dgemm; }

peer!(
    Row::of::<Gemm<Plain, f32>, f32>("gemm", "avx2", "sgemm").semiring("plustimes").roof("fma"),
    Row::of::<Gemm<Plain, f64>, f64>("gemm", "avx2", "dgemm").semiring("plustimes").roof("fma"),
);
