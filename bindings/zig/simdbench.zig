// SPDX-License-Identifier: Apache-2.0
//! The structs of simdbench.h for kernels in Zig 0.14 and later, field by field. Fields with a
//! default may be left out; hooks without a type here are for modules in C or C++.
const std = @import("std");

pub const abi: u32 = 1;

/// The number of an element type.
pub fn kind(comptime T: type) u32 {
    return switch (T) {
        f32 => 1,
        f64 => 2,
        i32 => 3,
        i64 => 4,
        u8 => 5,
        i8 => 6,
        u16 => 7,
        i16 => 8,
        u32 => 9,
        u64 => 10,
        f16 => 11,
        Bf16 => 12,
        else => switch (@typeInfo(T)) {
            .array => |array| if (array.child == u8) 0x10000 + array.len else @compileError("blocks are of bytes"),
            else => @compileError("no element type of simdbench"),
        },
    };
}

/// The upper half of an f32; blocks of k bytes are `[k]u8`.
pub const Bf16 = packed struct { bits: u16 };

const Text = ?[*:0]const u8;
const Hook = ?*const anyopaque;

pub const Shape = extern struct {
    size: u32,
    rank: u32,
    dim: [16]i64,
};

pub const Operand = extern struct {
    size: u32,
    type: u32,
    role: u32,
    source: u32,
    count: u64,
    ld: i64,
    data: ?*anyopaque,
    stride: i64,

    /// All elements, gaps between rows included.
    pub fn elements(self: *const Operand, comptime T: type) []T {
        std.debug.assert(self.type == kind(T));
        const first: [*]T = @ptrCast(@alignCast(self.data.?));
        return first[0..self.count];
    }

    /// Elements from one row to the next.
    pub fn pitch(self: *const Operand) usize {
        return @intCast(self.ld);
    }
};

pub const Operands = extern struct {
    size: u32,
    count: u32,
    threads: u32,
    reserved: u32,
    shape: *const Shape,
    operand: [33]?*Operand,
    most_ulp: f64,

    pub fn dim(self: *const Operands, index: usize) usize {
        return @intCast(self.shape.dim[index]);
    }
};

pub const Kernel = extern struct {
    size: u32 = @sizeOf(Kernel),
    flags: u32 = 0,
    type: u32,
    reserved: u32 = 0,
    op: Text,
    semiring: Text = null,
    isa: Text,
    variant: Text,
    layout: Text = null,
    roof: Text = null,
    prepare: ?*const fn (*const Operands, *?*anyopaque, [*]u8, usize) callconv(.c) c_int = null,
    run: *const fn (*const Operands, ?*anyopaque) callconv(.c) void,
    release: ?*const fn (?*anyopaque) callconv(.c) void = null,
    work: Hook = null,
    choice: Hook = null,
    max_ulp: f64 = 0,
    mean_ulp: f64 = 0,
    other_roof: Text = null,
    max_error: f64 = 0,
};

pub const Module = extern struct {
    size: u32 = @sizeOf(Module),
    abi: u32 = abi,
    name: Text,
    ops: Hook = null,
    kernels: [*]const ?*const Kernel,
    open: Hook = null,
    describe: Hook = null,
    set_threads: Hook = null,
    close: ?*const fn () callconv(.c) void = null,
};

/// For prepare: the case is skipped, and says why.
pub fn unsupported(why: []const u8, text: [*]u8, size: usize) c_int {
    if (size > 0) {
        const length = @min(why.len, size - 1);
        @memcpy(text[0..length], why[0..length]);
        text[length] = 0;
    }
    return -95; // -ENOTSUP
}

/// For `pub const panic = std.debug.FullPanic(simdbench.panic)`: the row is `failed`, and its reason
/// ends with the line that was printed last.
pub fn panic(text: []const u8, _: ?usize) noreturn {
    std.debug.print("panicked: {s}\n", .{text});
    std.process.abort();
}
