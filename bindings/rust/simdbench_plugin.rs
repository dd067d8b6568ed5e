// SPDX-License-Identifier: Apache-2.0
//! Kernels in Rust for simdbench: `simdbench.h` as Rust structs, and around them slices with
//! bounds, rows, and panics that are told. A module is a `cdylib` with types that are
//! [`Kernel`]s and one [`module!`].
use std::ffi::{c_void, CStr, CString};
use std::os::raw::{c_char, c_int};
use std::panic::{self, AssertUnwindSafe};
use std::slice;

/// The structs of `simdbench.h`, field by field.
pub mod abi {
    use super::{c_char, c_int, c_void};

    pub const ABI: u32 = 2;
    pub const MAX_DIMS: usize = 16;
    pub const MAX_OPERANDS: usize = 33;
    pub const IN: u32 = 1;
    pub const OUT: u32 = 2;
    pub const CONST: u32 = 3;
    pub const INOUT: u32 = 4;

    macro_rules! structs {
        ($($struct:ident { $($field:ident: $type:ty,)* })*) => {
            $(#[repr(C)]
            pub struct $struct { $(pub $field: $type,)* })*

            /// Name, size, and the fields' offsets of each struct.
            pub fn layouts() -> Vec<(&'static str, usize, Vec<usize>)> {
                vec![$({
                    let value = std::mem::MaybeUninit::<$struct>::uninit();
                    let base = value.as_ptr();
                    let offsets = vec![$(
                        unsafe { std::ptr::addr_of!((*base).$field) as usize } - base as usize,
                    )*];
                    (stringify!($struct), std::mem::size_of::<$struct>(), offsets)
                },)*]
            }
        };
    }

    /// A hook of an op, with the types that C gives it.
    pub type Hook = Option<unsafe extern "C" fn()>;
    pub type Describe = Option<unsafe extern "C" fn(*mut Description) -> c_int>;

    structs! {
        Shape { size: u32, rank: u32, dim: [i64; MAX_DIMS], }
        Operand {
            size: u32, kind: u32, role: u32, source: u32, count: u64, ld: i64,
            data: *mut c_void, stride: i64,
        }
        Operands {
            size: u32, count: u32, threads: u32, reserved: u32, shape: *const Shape,
            operand: [*mut Operand; MAX_OPERANDS], most_ulp: f64,
        }
        Accuracy { size: u32, reserved: u32, max_ulp: f64, mean_ulp: f64, worst_input: f64, }
        ShapeList {
            size: u32, reserved: u32, name: *const c_char, summary: *const c_char,
            shapes: *const c_char,
        }
        Op {
            size: u32, flags: u32, name: *const c_char, summary: *const c_char,
            shape_help: *const c_char, default_shapes: *const c_char, parse: Hook, format: Hook,
            layout: Hook, fill: Hook, reference: Hook, work: Hook, layouts: *const c_char,
            relayout: Hook, layout_of: Hook, lists: *const *const ShapeList,
            inputs: *const c_char, accuracy: Hook, accuracy_inputs: *const c_char,
            accuracy_shape: *const c_char, verify: Hook, length: Hook,
        }
        Choice {
            size: u32, reserved: u32, implementation: *const c_char, isa: *const c_char,
            note: *const c_char, workspace_bytes: u64, roof: *const c_char,
        }
        KernelRow {
            size: u32, flags: u32, kind: u32, reserved: u32, op: *const c_char,
            semiring: *const c_char, isa: *const c_char, variant: *const c_char,
            layout: *const c_char, roof: *const c_char,
            prepare: Option<
                unsafe extern "C" fn(*const Operands, *mut *mut c_void, *mut c_char, usize) -> c_int,
            >,
            run: Option<unsafe extern "C" fn(*const Operands, *mut c_void)>,
            release: Option<unsafe extern "C" fn(*mut c_void)>,
            work: Hook, choice: Hook, max_ulp: f64, mean_ulp: f64, other_roof: *const c_char,
            max_error: f64,
        }
        OptionValue { size: u32, reserved: u32, name: *const c_char, value: *const c_char, }
        Description {
            size: u32, reserved: u32, version: *const c_char, core: *const c_char,
            isa: *const c_char, detail: *const c_char, advice: *const c_char,
        }
        Module {
            size: u32, abi: u32, name: *const c_char, ops: *const *const Op,
            kernels: *const *const KernelRow, open: Hook, describe: Describe, set_threads: Hook,
            close: Option<unsafe extern "C" fn()>,
        }
    }
}

/// An element type of simdbench.
pub trait Element: Copy {
    const KIND: u32;
}

/// An f16 as its bits: IEEE 754 binary16.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bf16 as its bits: the upper half of an `f32`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Bf16(pub u16);

/// An opaque block of `K` bytes, 1 to 4096.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct Block<const K: usize>(pub [u8; K]);

impl<const K: usize> Element for Block<K> {
    const KIND: u32 = 0x10000 + K as u32;
}

macro_rules! elements {
    ($($type:ty = $kind:literal)*) => {
        $(impl Element for $type {
            const KIND: u32 = $kind;
        })*
    };
}
elements! {
    f32 = 1 f64 = 2 i32 = 3 i64 = 4 u8 = 5 i8 = 6 u16 = 7 i16 = 8 u32 = 9 u64 = 10 F16 = 11
    Bf16 = 12
}

unsafe fn operand<'a>(operands: &abi::Operands, index: usize) -> &'a abi::Operand {
    assert!(index < operands.count as usize, "there is no operand {}", index);
    &*operands.operand[index]
}

fn checked<T: Element>(operand: &abi::Operand, writes: bool) -> usize {
    assert_eq!(operand.kind, T::KIND, "the operand has another element type");
    let written = operand.role == abi::OUT || operand.role == abi::INOUT;
    assert_eq!(written, writes, "the operand has another role");
    operand.count as usize
}

/// What a kernel is called with, but for what it writes.
pub struct Operands<'a>(&'a abi::Operands);

impl<'a> Operands<'a> {
    /// The dimensions: `[m, n, k]` for gemm.
    pub fn dims(&self) -> &'a [i64] {
        let shape = unsafe { &*self.0.shape };
        &shape.dim[..shape.rank as usize]
    }
    /// How many threads run may use.
    pub fn threads(&self) -> usize {
        self.0.threads as usize
    }
    /// Elements from one row of that operand to the next.
    pub fn ld(&self, index: usize) -> usize {
        unsafe { operand(self.0, index) }.ld as usize
    }
    /// An operand that is read: all elements, gaps between rows included.
    pub fn input<T: Element>(&self, index: usize) -> &'a [T] {
        let operand = unsafe { operand(self.0, index) };
        let count = checked::<T>(operand, false);
        unsafe { slice::from_raw_parts(operand.data as *const T, count) }
    }
}

/// What a kernel writes.
pub struct Outputs<'a>(&'a abi::Operands);

impl Outputs<'_> {
    /// An operand that is written, by its number among all operands.
    pub fn output<T: Element>(&mut self, index: usize) -> &mut [T] {
        let operand = unsafe { operand(self.0, index) };
        let count = checked::<T>(operand, true);
        unsafe { slice::from_raw_parts_mut(operand.data as *mut T, count) }
    }
}

/// Why a kernel does not run a shape: the case is skipped, and says so.
pub struct Unsupported(pub String);

/// A kernel and its state for one case.
pub trait Kernel: Sized {
    /// Once a case, before it is timed; the values of inputs must not be read.
    fn prepare(operands: &Operands) -> Result<Self, Unsupported>;
    /// The work. Called many times. A panic ends the process: the row is `failed`, with the
    /// message.
    fn run(&mut self, operands: &Operands, outputs: &mut Outputs);
}

/// An operand of an op: its element type (`f32::KIND`), its role (`abi::IN`) and how many
/// elements it has, `ld` from one row to the next.
pub struct Layout {
    pub kind: u32,
    pub role: u32,
    pub count: u64,
    pub ld: i64,
}

/// An operation of one's own. Its inputs are those that simdbench has for every op; its first
/// output has elements of type `Output`.
pub trait Op {
    type Output: Element;
    const NAME: &'static str;
    const SUMMARY: &'static str;
    /// What a shape looks like: "N or MxN".
    const SHAPE_HELP: &'static str;
    const DEFAULT_SHAPES: &'static str;
    /// The first is the default: "uniform:-1..1, normal".
    const INPUTS: &'static str;
    /// The dimensions of a shape, or why it is none.
    fn parse(text: &str) -> Result<Vec<i64>, String>;
    /// The text of which `parse` makes these dimensions.
    fn format(dims: &[i64]) -> String;
    /// The operands, or None if elements of that type cannot be.
    fn layout(dims: &[i64], kind: u32) -> Option<Vec<Layout>>;
    /// The right answer for element `index` of the first output, and the largest error that is
    /// allowed: 0 demands equal bits.
    fn reference(operands: &Operands, index: usize) -> (Self::Output, f64);
    /// Operations and least bytes moved by one call.
    fn work(dims: &[i64], kind: u32) -> (f64, f64);
}

const ENOTSUP: c_int = 95;
const EINVAL: c_int = 22;

unsafe fn write_text(text: &str, to: *mut c_char, size: usize) {
    let length = text.len().min(size.saturating_sub(1));
    std::ptr::copy_nonoverlapping(text.as_ptr(), to as *mut u8, length);
    if size > 0 {
        *to.add(length) = 0;
    }
}

/// A panic must not cross to C: simdbench tells the line that the hook printed last.
fn or_abort<T>(work: impl FnOnce() -> T) -> T {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| std::process::abort())
}

unsafe extern "C" fn prepare<K: Kernel>(
    operands: *const abi::Operands,
    state: *mut *mut c_void,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    match or_abort(|| K::prepare(&Operands(&*operands))) {
        Ok(kernel) => {
            *state = Box::into_raw(Box::new(kernel)) as *mut c_void;
            0
        }
        Err(Unsupported(why)) => {
            write_text(&why, error, error_size);
            -ENOTSUP
        }
    }
}

unsafe extern "C" fn run<K: Kernel>(operands: *const abi::Operands, state: *mut c_void) {
    let operands = &*operands;
    let kernel = &mut *(state as *mut K);
    or_abort(|| kernel.run(&Operands(operands), &mut Outputs(operands)))
}

unsafe extern "C" fn release<K: Kernel>(state: *mut c_void) {
    or_abort(|| drop(Box::from_raw(state as *mut K)))
}

/// For C, as long as the process lives.
fn text(text: &str) -> *const c_char {
    CString::new(text).expect("a text with a zero byte").into_raw()
}

unsafe fn dims_of<'a>(shape: *const abi::Shape) -> &'a [i64] {
    let shape = &*shape;
    &shape.dim[..shape.rank as usize]
}

unsafe extern "C" fn op_parse<O: Op>(
    from: *const c_char,
    shape: *mut abi::Shape,
    error: *mut c_char,
    error_size: usize,
) -> c_int {
    let parsed = CStr::from_ptr(from).to_str().map_err(|_| "no UTF-8".to_string());
    match or_abort(|| parsed.and_then(O::parse)) {
        Ok(dims) if dims.len() <= abi::MAX_DIMS => {
            let mut dim = [0; abi::MAX_DIMS];
            dim[..dims.len()].copy_from_slice(&dims);
            let size = std::mem::size_of::<abi::Shape>() as u32;
            *shape = abi::Shape { size, rank: dims.len() as u32, dim };
            0
        }
        Ok(_) => {
            write_text("too many dimensions", error, error_size);
            -EINVAL
        }
        Err(why) => {
            write_text(&why, error, error_size);
            -EINVAL
        }
    }
}

unsafe extern "C" fn op_format<O: Op>(shape: *const abi::Shape, to: *mut c_char, size: usize) {
    write_text(&or_abort(|| O::format(dims_of(shape))), to, size);
}

unsafe extern "C" fn op_layout<O: Op>(
    shape: *const abi::Shape,
    kind: u32,
    operand: *const *mut abi::Operand,
) -> c_int {
    match or_abort(|| O::layout(dims_of(shape), kind)) {
        Some(list) if list.len() <= abi::MAX_OPERANDS => {
            for (i, one) in list.iter().enumerate() {
                let to = &mut **operand.add(i);
                to.kind = one.kind;
                to.role = one.role;
                to.count = one.count;
                to.ld = one.ld;
            }
            list.len() as c_int
        }
        _ => -EINVAL,
    }
}

unsafe extern "C" fn op_reference<O: Op>(
    operands: *const abi::Operands,
    semiring: *const c_char,
    index: *const u64,
    n: u64,
    value: *mut c_void,
    slack: *mut f64,
) -> c_int {
    if !semiring.is_null() {
        return -EINVAL;
    }
    let operands = Operands(&*operands);
    for i in 0..n as usize {
        let at = if index.is_null() { i } else { *index.add(i) as usize };
        let (right, allowed) = or_abort(|| O::reference(&operands, at));
        *(value as *mut O::Output).add(i) = right;
        *slack.add(i) = allowed;
    }
    0
}

unsafe extern "C" fn op_work<O: Op>(
    shape: *const abi::Shape,
    kind: u32,
    ops: *mut f64,
    bytes: *mut f64,
) {
    let (one, other) = or_abort(|| O::work(dims_of(shape), kind));
    *ops = one;
    *bytes = other;
}

#[doc(hidden)]
pub fn op<O: Op>() -> *const abi::Op {
    macro_rules! hook {
        ($function:expr, $type:ty) => {
            Some(unsafe { std::mem::transmute::<$type, unsafe extern "C" fn()>($function as $type) })
        };
    }
    Box::into_raw(Box::new(abi::Op {
        size: std::mem::size_of::<abi::Op>() as u32,
        flags: 0,
        name: text(O::NAME),
        summary: text(O::SUMMARY),
        shape_help: text(O::SHAPE_HELP),
        default_shapes: text(O::DEFAULT_SHAPES),
        parse: hook!(
            op_parse::<O>,
            unsafe extern "C" fn(*const c_char, *mut abi::Shape, *mut c_char, usize) -> c_int
        ),
        format: hook!(op_format::<O>, unsafe extern "C" fn(*const abi::Shape, *mut c_char, usize)),
        layout: hook!(
            op_layout::<O>,
            unsafe extern "C" fn(*const abi::Shape, u32, *const *mut abi::Operand) -> c_int
        ),
        fill: None,
        reference: hook!(
            op_reference::<O>,
            unsafe extern "C" fn(
                *const abi::Operands,
                *const c_char,
                *const u64,
                u64,
                *mut c_void,
                *mut f64,
            ) -> c_int
        ),
        work: hook!(op_work::<O>, unsafe extern "C" fn(*const abi::Shape, u32, *mut f64, *mut f64)),
        layouts: std::ptr::null(),
        relayout: None,
        layout_of: None,
        lists: std::ptr::null(),
        inputs: text(O::INPUTS),
        accuracy: None,
        accuracy_inputs: std::ptr::null(),
        accuracy_shape: std::ptr::null(),
        verify: None,
        length: None,
    }))
}

/// A row of the module's table.
pub struct Row(abi::KernelRow);

impl Row {
    /// A kernel of that op for elements of type `T`; `isa` is what the CPU must have.
    pub fn of<K: Kernel, T: Element>(op: &str, isa: &str, variant: &str) -> Row {
        Row(abi::KernelRow {
            size: std::mem::size_of::<abi::KernelRow>() as u32,
            flags: 0,
            kind: T::KIND,
            reserved: 0,
            op: text(op),
            semiring: std::ptr::null(),
            isa: text(isa),
            variant: text(variant),
            layout: std::ptr::null(),
            roof: std::ptr::null(),
            prepare: Some(prepare::<K>),
            run: Some(run::<K>),
            release: Some(release::<K>),
            work: None,
            choice: None,
            max_ulp: 0.0,
            mean_ulp: 0.0,
            other_roof: std::ptr::null(),
            max_error: 0.0,
        })
    }
    pub fn semiring(mut self, name: &str) -> Row {
        self.0.semiring = text(name);
        self
    }
    pub fn layout(mut self, name: &str) -> Row {
        self.0.layout = text(name);
        self
    }
    /// The instruction mix or memory stream that limits it.
    pub fn roof(mut self, name: &str) -> Row {
        self.0.roof = text(name);
        self
    }
}

#[doc(hidden)]
pub fn module(
    name: &str,
    describe: abi::Describe,
    mut ops: Vec<*const abi::Op>,
    rows: Vec<Row>,
) -> *const abi::Module {
    // One line for each panic, the last one that the process prints.
    panic::set_hook(Box::new(|info| {
        let message = match info.payload().downcast_ref::<String>() {
            Some(text) => text.as_str(),
            None => info.payload().downcast_ref::<&str>().copied().unwrap_or_default(),
        };
        let place = info.location().map(|place| place.to_string()).unwrap_or_default();
        eprintln!("panicked at {}: {}", place, message.replace('\n', " "));
    }));
    let mut kernels: Vec<*const abi::KernelRow> = rows
        .into_iter()
        .map(|row| Box::into_raw(Box::new(row.0)) as *const abi::KernelRow)
        .collect();
    kernels.push(std::ptr::null());
    ops.push(std::ptr::null());
    Box::into_raw(Box::new(abi::Module {
        size: std::mem::size_of::<abi::Module>() as u32,
        abi: abi::ABI,
        name: text(name),
        ops: Vec::leak(ops).as_ptr(),
        kernels: Vec::leak(kernels).as_ptr(),
        open: None,
        describe,
        set_threads: None,
        close: None,
    }))
}

/// The function that simdbench looks for: the module's name, the version of what it wraps if it
/// wraps something or the [`Op`] that it brings (`op: MyOp`), and its rows.
#[macro_export]
macro_rules! module {
    (@ $name:expr, $describe:expr, $ops:expr, $rows:expr) => {
        #[no_mangle]
        pub extern "C" fn simdbench_module(_abi: u32) -> *const $crate::abi::Module {
            $crate::module($name, $describe, $ops, $rows)
        }
    };
    ($name:expr, version: $version:expr, $($row:expr),+ $(,)?) => {
        unsafe extern "C" fn describe(to: *mut $crate::abi::Description) -> std::os::raw::c_int {
            (*to).version = concat!($version, "\0").as_ptr() as *const std::os::raw::c_char;
            0
        }
        $crate::module!(@ $name, Some(describe), vec![], vec![$($row),+]);
    };
    ($name:expr, op: $op:ty, $($row:expr),+ $(,)?) => {
        $crate::module!(@ $name, None, vec![$crate::op::<$op>()], vec![$($row),+]);
    };
    ($name:expr, $($row:expr),+ $(,)?) => {
        $crate::module!(@ $name, None, vec![], vec![$($row),+]);
    };
}
