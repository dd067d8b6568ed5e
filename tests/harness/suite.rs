// SPDX-License-Identifier: Apache-2.0
//! Four cases of criterion, each of which does EXTRA percent more work behind some bytes of
//! padding. scripts/bench harness writes the package around this file.
use criterion::{criterion_group, criterion_main, Criterion};
use std::hint::black_box;

std::arch::global_asm!(include_str!("pad"));

const EXTRA: u32 = include!("extra");
const TEXT: &str = include!("text");

fn repeat(criterion: &mut Criterion, name: &str, work: impl Fn() -> u64) {
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| (0..100 + EXTRA).map(|_| black_box(work())).sum::<u64>())
    });
}

fn suite(criterion: &mut Criterion) {
    black_box(TEXT);
    let data: Vec<u64> = (0..512).map(|i| i * 2654435761 % 1009).collect();
    repeat(criterion, "sum", || black_box(&data).iter().sum());
    repeat(criterion, "largest", || black_box(&data).iter().copied().max().unwrap_or(0));
    repeat(criterion, "hash", || {
        black_box(&data).iter().fold(1, |h: u64, x| (h ^ x).wrapping_mul(1099511628211))
    });
    repeat(criterion, "sort", || {
        let mut copy = black_box(&data).clone();
        copy.sort_unstable();
        copy[0]
    });
}

criterion_group!(benches, suite);
criterion_main!(benches);
