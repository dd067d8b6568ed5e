// SPDX-License-Identifier: Apache-2.0
//! Convolution by two backends of burn, without threads. A call reads x where it is, allocates
//! its result, and copies that to y.
// burn-ndarray is deprecated, and the one that burn's own report is about.
#![allow(deprecated)]

use std::mem::ManuallyDrop;

use burn_backend::ops::ConvOptions;
use burn_backend::{Backend, TensorData};
use burn_flex::{Flex, FlexTensor};
use burn_ndarray::{NdArray, NdArrayTensor};
use ndarray::ArrayViewMut4;
use peer_common::{peer, Kernel, Operands, Outputs, Row, Unsupported};

trait Copies: Backend {
    /// Writes a tensor of that shape, row-major.
    fn copy(tensor: &Self::FloatTensorPrimitive, shape: [usize; 4], y: &mut [f32]);
}

impl Copies for Flex {
    fn copy(tensor: &FlexTensor, _: [usize; 4], y: &mut [f32]) {
        y.copy_from_slice(tensor.to_contiguous().storage());
    }
}

impl Copies for NdArray {
    fn copy(tensor: &NdArrayTensor, shape: [usize; 4], y: &mut [f32]) {
        let NdArrayTensor::F32(storage) = tensor else { panic!("no f32") };
        ArrayViewMut4::from_shape(shape, y).expect("y").assign(&storage.view());
    }
}

struct Conv<B: Copies> {
    x: ManuallyDrop<B::FloatTensorPrimitive>,
    weights: B::FloatTensorPrimitive,
    options: ConvOptions<2>,
    result: [usize; 4],
}

fn tensor<B: Backend>(values: Vec<f32>, shape: [usize; 4]) -> B::FloatTensorPrimitive {
    B::float_from_data(TensorData::new(values, shape), &Default::default())
}

impl<B: Copies> Kernel for Conv<B> {
    fn prepare(operands: &Operands) -> Result<Self, Unsupported> {
        let dims: Vec<usize> = operands.dims().iter().map(|&d| d as usize).collect();
        let [n, c, h, w, k, r, s, u, v, p, q, d, g, _] = dims[..] else { unreachable!() };
        let out = |size: usize, pad: usize, window: usize, stride: usize| {
            (size + 2 * pad - d * (window - 1) - 1) / stride + 1
        };
        let (x, weights) = (operands.input::<f32>(0), operands.input::<f32>(1).to_vec());
        // The tensor lends the memory of the operand: nobody writes to it or frees it.
        let x = unsafe { Vec::from_raw_parts(x.as_ptr() as *mut f32, x.len(), x.len()) };
        Ok(Conv {
            x: ManuallyDrop::new(tensor::<B>(x, [n, c, h, w])),
            weights: tensor::<B>(weights, [k, c / g, r, s]),
            options: ConvOptions::new([u, v], [p, q], [d, d], g),
            result: [n, k, out(h, p, r, u), out(w, q, s, v)],
        })
    }

    fn run(&mut self, _: &Operands, outputs: &mut Outputs) {
        let (x, weights) = (ManuallyDrop::into_inner(self.x.clone()), self.weights.clone());
        let result = B::conv2d(x, weights, None, self.options.clone());
        B::copy(&result, self.result, outputs.output(2));
    }
}

fn row<B: Copies + 'static>(variant: &str) -> Row {
    Row::of::<Conv<B>, f32>("conv", "lib", variant).layout("nchw").roof("fma")
}

peer!(row::<NdArray>("ndarray"), row::<Flex>("flex"));
