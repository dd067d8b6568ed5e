// SPDX-License-Identifier: Apache-2.0
//! Crate trueno, and aprender-compute, as it is called now; neither with its feature `parallel`.
//! `backend` is the function of one instruction set, `slice` chooses one, and `vector` is the type
//! that people are told to use: its input is a copy, and it allocates its result.
use peer_common::{peer, Elementwise, Map, Row};
use trueno::backends::{avx2::Avx2Backend, sse2::Sse2Backend, VectorBackend};
use trueno::{Backend, TruenoError, Vector};

macro_rules! maps {
    ($($name:ident: $apply:expr;)*) => {
        $(struct $name;
        impl Map<f32> for $name {
            fn apply(x: &[f32], y: &mut [f32]) {
                let apply: fn(&[f32], &mut [f32]) = $apply;
                apply(x, y)
            }
        })*
    };
}

fn vector(x: &[f32], backend: Backend) -> Vector<f32> {
    Vector::from_slice_with_backend(x, backend)
}

/// An empty vector is an error there.
fn put(result: Result<Vector<f32>, TruenoError>, y: &mut [f32]) {
    match result {
        Err(TruenoError::EmptyVector) => (),
        vector => y.copy_from_slice(vector.expect("a vector").as_slice()),
    }
}

maps! {
    ReluAvx2: |x, y| unsafe { Avx2Backend::relu(x, y) };
    ReluSse2: |x, y| unsafe { Sse2Backend::relu(x, y) };
    ReluSlice: |x, y| trueno::blis::elementwise::relu(x, y).expect("equal lengths");
    ReluVectorAvx2: |x, y| put(vector(x, Backend::AVX2).relu(), y);
    ReluVectorSse2: |x, y| put(vector(x, Backend::SSE2).relu(), y);
    TanhAvx2: |x, y| unsafe { Avx2Backend::tanh(x, y) };
    TanhSse2: |x, y| unsafe { Sse2Backend::tanh(x, y) };
    TanhVectorAvx2: |x, y| put(vector(x, Backend::AVX2).tanh(), y);
    TanhVectorSse2: |x, y| put(vector(x, Backend::SSE2).tanh(), y);
}

fn relu<M: Map<f32>>(isa: &str, variant: &str) -> Row {
    let row = Row::of::<Elementwise<M, f32>, f32>("relu", isa, variant);
    row.layout("separate").roof("copy")
}

fn tanh<M: Map<f32>>(isa: &str, variant: &str) -> Row {
    Row::of::<Elementwise<M, f32>, f32>("tanh", isa, variant)
}

peer!(
    relu::<ReluAvx2>("avx2", "backend"),
    relu::<ReluSse2>("sse2", "backend"),
    relu::<ReluSlice>("lib", "slice"),
    relu::<ReluVectorAvx2>("avx2", "vector"),
    relu::<ReluVectorSse2>("sse2", "vector"),
    tanh::<TanhAvx2>("avx2", "backend"),
    tanh::<TanhSse2>("sse2", "backend"),
    tanh::<TanhVectorAvx2>("avx2", "vector"),
    tanh::<TanhVectorSse2>("sse2", "vector"),
);
