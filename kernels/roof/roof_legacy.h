/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes in instructions that overwrite their first operand, 16 registers: seven
 * maxima or sums in 8 to 14 take turns with eight temporaries in 0 to 7, each of which
 * only depends on itself. Fewer of either would be a latency limit before the pipes are
 * full.
 */
#pragma once

#define LOAD_ONE(size, i) "movups " #i "*" TEXT(size) "(%[data]), %%xmm" #i "\n\t"
/* clang-format off */
#define LOAD_ALL(size) \
    LOAD_ONE(size, 0) LOAD_ONE(size, 1) LOAD_ONE(size, 2) LOAD_ONE(size, 3) \
    LOAD_ONE(size, 4) LOAD_ONE(size, 5) LOAD_ONE(size, 6) LOAD_ONE(size, 7) \
    LOAD_ONE(size, 8) LOAD_ONE(size, 9) LOAD_ONE(size, 10) LOAD_ONE(size, 11) \
    LOAD_ONE(size, 12) LOAD_ONE(size, 13) LOAD_ONE(size, 14) "movups (%[y]) \
    , %%xmm15\n\t"
/* clang-format on */

/* Two of a kind at a time, and maxima of what was ready four pairs before: one by one,
 * the pipes are not filled evenly and 1.8 instead of 2 multiply+max pairs a cycle are
 * left. */
#define TWO(op, max, t, u, from_t, from_u, a, b)                                       \
    op " %%xmm15, %%xmm" #t "\n\t" op " %%xmm15, %%xmm" #u "\n\t" max " %%xmm" #from_t \
       ", %%xmm" #a "\n\t" max " %%xmm" #from_u ", %%xmm" #b "\n\t"
/* clang-format off */
#define ROW(op, max, a, b, c, d, e, f, g) \
    TWO(op, max, 0, 1, 4, 5, a, b) TWO(op, max, 2, 3, 6, 7, c, d) \
    TWO(op, max, 4, 5, 0, 1, e, f) TWO(op, max, 6, 7, 2, 3, g, a)
#define ROWS(op, max) \
    ROW(op, max, 8, 9, 10, 11, 12, 13, 14) ROW(op, max, 9, 10, 11, 12, 13, 14, 8) \
    ROW(op, max, 10, 11, 12, 13, 14, 8, 9) ROW(op, max, 11, 12, 13, 14, 8, 9, 10) \
    ROW(op, max, 12, 13, 14, 8, 9, 10, 11) ROW(op, max, 13, 14, 8, 9, 10, 11, 12) \
    ROW(op, max, 14, 8, 9, 10, 11, 12, 13)
/* clang-format on */
#define ROWS_PAIRS 56

/* `s` is the last letters of the instructions: ss, sd, ps, pd. Adding 0 and multiplying
 * by 1 leaves the temporaries as they are. */
#define MIXES(type, isa, s)                                                        \
    REGISTERS(type, isa, add_max, 0, LOAD_ALL, ROWS_PAIRS, ROWS("add" s, "max" s)) \
    REGISTERS(type, isa, mul_max, 1, LOAD_ALL, ROWS_PAIRS, ROWS("mul" s, "max" s)) \
    REGISTERS(type, isa, mul_add, 1, LOAD_ALL, ROWS_PAIRS, ROWS("mul" s, "add" s))

#define XMM_CLOBBERS                                                                \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
