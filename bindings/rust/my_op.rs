// SPDX-License-Identifier: Apache-2.0
//! A module with an operation of its own, y = x * x + 1, and one kernel for it.
use simdbench_plugin::{abi, Element, Kernel, Layout, Op, Operands, Outputs, Row, Unsupported};

/// Elements of x and y.
type Item = f32;

struct Square;

impl Op for Square {
    type Output = Item;
    const NAME: &'static str = "my_op";
    const SUMMARY: &'static str = "y = x * x + 1";
    const SHAPE_HELP: &'static str = "N, a number of elements";
    const DEFAULT_SHAPES: &'static str = "1000,100000";
    const INPUTS: &'static str = "uniform:-1..1";

    fn parse(text: &str) -> Result<Vec<i64>, String> {
        match text.parse() {
            Ok(n) if n > 0 => Ok(vec![n]),
            _ => Err(format!("'{}' is no number of elements", text)),
        }
    }
    fn format(dims: &[i64]) -> String {
        dims[0].to_string()
    }
    /// Operands x and y, n elements each.
    fn layout(dims: &[i64], kind: u32) -> Option<Vec<Layout>> {
        let operand = |role| Layout { kind, role, count: dims[0] as u64, ld: dims[0] };
        (kind == Item::KIND).then(|| vec![operand(abi::IN), operand(abi::OUT)])
    }
    /// The exact result, and how far a kernel's may be from it.
    fn reference(operands: &Operands, index: usize) -> (Item, f64) {
        let one = operands.input::<Item>(0)[index] as f64;
        ((one * one + 1.0) as Item, 2.5e-7)
    }
    /// Two operations for each element; x is read, y written.
    fn work(dims: &[i64], _kind: u32) -> (f64, f64) {
        let n = dims[0] as f64;
        (2.0 * n, 2.0 * n * std::mem::size_of::<Item>() as f64)
    }
}

struct Loop;

impl Kernel for Loop {
    fn prepare(_operands: &Operands) -> Result<Self, Unsupported> {
        Ok(Loop)
    }
    fn run(&mut self, operands: &Operands, outputs: &mut Outputs) {
        for (y, x) in outputs.output::<Item>(1).iter_mut().zip(operands.input::<Item>(0)) {
            *y = x * x + 1 as Item;
        }
    }
}

simdbench_plugin::module!("my_op", op: Square, Row::of::<Loop, Item>("my_op", "avx2", "loop"));
