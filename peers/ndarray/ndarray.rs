// SPDX-License-Identifier: Apache-2.0
//! Crate ndarray, whose products are those of matrixmultiply: `into` writes to memory that is
//! there, `dot` allocates its result, which is copied.
use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2, LinalgScalar, ShapeBuilder};
use peer_common::{peer, Element, Gemm, Matrix, Product, Row};

#[derive(Default)]
struct Views<const INTO: bool>;

impl<T: Element + LinalgScalar, const INTO: bool> Product<T> for Views<INTO> {
    fn multiply(
        &mut self,
        [m, n, k]: [usize; 3],
        (a, a_row): Matrix<T>,
        (b, b_row): Matrix<T>,
        c: &mut [T],
        c_row: usize,
    ) {
        // A matrix without elements must have no strides.
        let shape = |rows: usize, columns: usize, row: usize| {
            let step = (rows * columns).min(1);
            (rows, columns).strides((row * step, step))
        };
        let a = ArrayView2::from_shape(shape(m, k, a_row), a).expect("A");
        let b = ArrayView2::from_shape(shape(k, n, b_row), b).expect("B");
        let mut c = ArrayViewMut2::from_shape(shape(m, n, c_row), c).expect("C");
        if INTO {
            general_mat_mul(T::one(), &a, &b, T::zero(), &mut c);
        } else {
            c.assign(&a.dot(&b));
        }
    }
}

fn row<T: Element + LinalgScalar, const INTO: bool>() -> Row {
    let variant = if INTO { "into" } else { "dot" };
    Row::of::<Gemm<Views<INTO>, T>, T>("gemm", "avx2", variant).semiring("plustimes").roof("fma")
}

peer!(row::<f32, true>(), row::<f32, false>(), row::<f64, true>(), row::<f64, false>());
