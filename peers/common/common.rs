// SPDX-License-Identifier: Apache-2.0
//! Kernels of simdbench's operations around a function of somebody else.
use std::marker::PhantomData;

pub use simdbench_plugin::{Element, Kernel, Operands, Outputs, Row, Unsupported};

/// The module of this package: its name and version are those that the build script found.
#[macro_export]
macro_rules! peer {
    ($($row:expr),+ $(,)?) => {
        simdbench_plugin::module!(env!("PEER_NAME"), version: env!("PEER_VERSION"), $($row),+);
    };
}

/// A matrix that is read, with the distance of its rows.
pub type Matrix<'a, T> = (&'a [T], usize);

/// A product of two matrices, row-major; what it keeps from call to call is its own.
pub trait Product<T: Element>: Default {
    fn multiply(
        &mut self,
        mnk: [usize; 3],
        a: Matrix<T>,
        b: Matrix<T>,
        c: &mut [T],
        c_row: usize,
    );
}

/// Op gemm by a [`Product`].
pub struct Gemm<P, T>(P, [usize; 3], PhantomData<T>);

impl<P: Product<T>, T: Element> Kernel for Gemm<P, T> {
    fn prepare(operands: &Operands) -> Result<Self, Unsupported> {
        match *operands.dims() {
            [m, n, k] => Ok(Gemm(P::default(), [m, n, k].map(|d| d as usize), PhantomData)),
            _ => Err(Unsupported("it multiplies one matrix, no batch".to_string())),
        }
    }

    fn run(&mut self, operands: &Operands, outputs: &mut Outputs) {
        let matrix = |index| (operands.input::<T>(index), operands.ld(index));
        let c = outputs.output::<T>(2);
        self.0.multiply(self.1, matrix(0), matrix(1), c, operands.ld(2));
    }
}

/// A function of each element.
pub trait Map<T: Element> {
    fn apply(x: &[T], y: &mut [T]);
}

/// Ops tanh, and relu of layout `separate`, by a [`Map`].
pub struct Elementwise<M, T>(PhantomData<(M, T)>);

impl<M: Map<T>, T: Element> Kernel for Elementwise<M, T> {
    fn prepare(_: &Operands) -> Result<Self, Unsupported> {
        Ok(Elementwise(PhantomData))
    }

    fn run(&mut self, operands: &Operands, outputs: &mut Outputs) {
        M::apply(operands.input(0), outputs.output(1));
    }
}
