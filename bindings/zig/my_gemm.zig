// SPDX-License-Identifier: Apache-2.0
//! A module with one kernel of op gemm: max-plus on vectors, which Zig's compiler makes of no loop.
const std = @import("std");
const simdbench = @import("simdbench.zig");

pub const panic = std.debug.FullPanic(simdbench.panic);

const lanes = std.simd.suggestVectorLength(f32) orelse 4;
const Vector = @Vector(lanes, f32);

/// A batch of matrices has a fourth dimension.
fn prepare(operands: *const simdbench.Operands, _: *?*anyopaque, text: [*]u8, size: usize) callconv(.c) c_int {
    if (operands.shape.rank == 3) return 0;
    return simdbench.unsupported("rows multiplies one matrix, no batch", text, size);
}

/// c[i][j] = max over l of a[i][l] + b[l][j]; -infinity if there is no l.
fn run(operands: *const simdbench.Operands, _: ?*anyopaque) callconv(.c) void {
    const a = operands.operand[0].?;
    const b = operands.operand[1].?;
    const c = operands.operand[2].?;
    const n = operands.dim(1);
    for (0..operands.dim(0)) |i| {
        const to = c.elements(f32)[i * c.pitch() ..][0..n];
        @memset(to, -std.math.inf(f32));
        for (0..operands.dim(2)) |l| {
            const one = a.elements(f32)[i * a.pitch() + l];
            const row = b.elements(f32)[l * b.pitch() ..][0..n];
            var j: usize = 0;
            while (j + lanes <= n) : (j += lanes) {
                const best: Vector = to[j..][0..lanes].*;
                const sum = @as(Vector, @splat(one)) + @as(Vector, row[j..][0..lanes].*);
                to[j..][0..lanes].* = @max(best, sum);
            }
            while (j < n) : (j += 1) to[j] = @max(to[j], one + row[j]);
        }
    }
}

const rows = simdbench.Kernel{
    .type = simdbench.kind(f32),
    .op = "gemm",
    .semiring = "maxplus",
    .isa = "avx2",
    .variant = "rows",
    .roof = "fma_max",
    .prepare = prepare,
    .run = run,
};
const kernels = [_]?*const simdbench.Kernel{ &rows, null };
const module = simdbench.Module{ .name = "my_gemm", .kernels = &kernels };

export fn simdbench_module(_: u32) *const simdbench.Module {
    return &module;
}
