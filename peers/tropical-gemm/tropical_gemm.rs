// SPDX-License-Identifier: Apache-2.0
//! Crate tropical-gemm without its feature `parallel`: one thread. Variant `workspace` keeps the
//! memory of packed panels from call to call, `alloc` does not.
use peer_common::{peer, Element, Gemm, Matrix, Product, Row};
use tropical_gemm::{
    GemmWorkspace, KernelDispatch, MaxMul, MaxPlus, MinPlus, TropicalGemm, TropicalSemiring,
};

struct Tropical<S: TropicalSemiring, const KEEPS: bool>(GemmWorkspace<S::Scalar>);

impl<S: TropicalSemiring, const KEEPS: bool> Default for Tropical<S, KEEPS> {
    fn default() -> Self {
        Tropical(GemmWorkspace::new())
    }
}

impl<S, T, const KEEPS: bool> Product<T> for Tropical<S, KEEPS>
where
    S: TropicalSemiring<Scalar = T> + KernelDispatch,
    T: Element + tropical_gemm::TropicalScalar,
{
    fn multiply(
        &mut self,
        [m, n, k]: [usize; 3],
        (a, a_row): Matrix<T>,
        (b, b_row): Matrix<T>,
        c: &mut [T],
        c_row: usize,
    ) {
        // The crate's semirings are transparent structs around a number.
        let c = unsafe { std::slice::from_raw_parts_mut(c.as_mut_ptr() as *mut S, c.len()) };
        if !KEEPS {
            self.0.clear();
        }
        TropicalGemm::<S>::new(m, n, k)
            .execute_with_workspace(a, a_row, b, b_row, c, c_row, &mut self.0);
    }
}

/// Rows of one semiring and type: both variants.
fn row<S, T, const KEEPS: bool>(semiring: &str, roof: &str) -> Row
where
    S: TropicalSemiring<Scalar = T> + KernelDispatch,
    T: Element + tropical_gemm::TropicalScalar,
{
    let variant = if KEEPS { "workspace" } else { "alloc" };
    Row::of::<Gemm<Tropical<S, KEEPS>, T>, T>("gemm", "avx2", variant).semiring(semiring).roof(roof)
}

peer!(
    row::<MaxPlus<f32>, f32, true>("maxplus", "add_max"),
    row::<MaxPlus<f32>, f32, false>("maxplus", "add_max"),
    row::<MaxPlus<f64>, f64, true>("maxplus", "add_max"),
    row::<MaxPlus<f64>, f64, false>("maxplus", "add_max"),
    row::<MinPlus<f32>, f32, true>("minplus", "add_max"),
    row::<MinPlus<f32>, f32, false>("minplus", "add_max"),
    row::<MinPlus<f64>, f64, true>("minplus", "add_max"),
    row::<MinPlus<f64>, f64, false>("minplus", "add_max"),
    row::<MaxMul<f32>, f32, true>("maxtimes", "mul_max"),
    row::<MaxMul<f32>, f32, false>("maxtimes", "mul_max"),
    row::<MaxMul<f64>, f64, true>("maxtimes", "mul_max"),
    row::<MaxMul<f64>, f64, false>("maxtimes", "mul_max"),
);
