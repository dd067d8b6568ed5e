/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes in instructions that overwrite their first operand, 16 registers:
 * temporaries from 0 on, each of which only depends on itself, take turns with maxima or
 * sums up to 14. The slower of the two has eight, the other one seven. Fewer would be a
 * latency limit before the pipes are full: each takes up to 4 cycles, and up to two of
 * each start in a cycle. An add takes 4 on cores where it shares the pipes of the others,
 * as on Skylake-X and Ice Lake, else up to 3.
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

/* Four of a kind at a time, and maxima of what the four before them made: one by one, the
 * pipes are not filled evenly. */
#define FOUR(op, max, t, u, v, w, from_t, from_u, from_v, from_w, a, b, c, d)            \
    op " %%xmm15, %%xmm" #t "\n\t" op " %%xmm15, %%xmm" #u "\n\t" op                     \
       " %%xmm15, %%xmm" #v "\n\t" op " %%xmm15, %%xmm" #w "\n\t" max " %%xmm" #from_t   \
       ", %%xmm" #a "\n\t" max " %%xmm" #from_u ", %%xmm" #b "\n\t" max " %%xmm" #from_v \
       ", %%xmm" #c "\n\t" max " %%xmm" #from_w ", %%xmm" #d "\n\t"
#define MAX_LOW(op, max, ...) FOUR(op, max, __VA_ARGS__, 7, 8, 9, 10)
#define MAX_HIGH(op, max, ...) FOUR(op, max, __VA_ARGS__, 11, 12, 13, 14)
#define OP_LOW(op, max, ...) FOUR(op, max, 0, 1, 2, 3, 4, 5, 6, 7, __VA_ARGS__)
#define OP_HIGH(op, max, ...) FOUR(op, max, 4, 5, 6, 7, 0, 1, 2, 3, __VA_ARGS__)
/* clang-format off */
#define SEVEN_OPS(op, max, ONE, OTHER) \
    ONE(op, max, 0, 1, 2, 3, 3, 4, 5, 6) OTHER(op, max, 4, 5, 6, 0, 0, 1, 2, 3) \
    ONE(op, max, 1, 2, 3, 4, 4, 5, 6, 0) OTHER(op, max, 5, 6, 0, 1, 1, 2, 3, 4) \
    ONE(op, max, 2, 3, 4, 5, 5, 6, 0, 1) OTHER(op, max, 6, 0, 1, 2, 2, 3, 4, 5) \
    ONE(op, max, 3, 4, 5, 6, 6, 0, 1, 2)
#define SEVEN_MAXIMA(op, max, ONE, OTHER) \
    ONE(op, max, 8, 9, 10, 11) OTHER(op, max, 12, 13, 14, 8) ONE(op, max, 9, 10, 11, 12) \
    OTHER(op, max, 13, 14, 8, 9) ONE(op, max, 10, 11, 12, 13) OTHER(op, max, 14, 8, 9, 10) \
    ONE(op, max, 11, 12, 13, 14)
/* clang-format on */
#define SLOW_MAX(op, max) \
    SEVEN_OPS(op, max, MAX_LOW, MAX_HIGH) SEVEN_OPS(op, max, MAX_HIGH, MAX_LOW)
#define SLOW_OP(op, max) \
    SEVEN_MAXIMA(op, max, OP_LOW, OP_HIGH) SEVEN_MAXIMA(op, max, OP_HIGH, OP_LOW)
#define ROWS_PAIRS 56

/* `s` is the last letters of the instructions: ss, sd, ps, pd. Adding 0 and multiplying
 * by 1 leaves the temporaries as they are. */
#define MIXES(type, isa, s)                                                            \
    REGISTERS(type, isa, add_max, 0, LOAD_ALL, ROWS_PAIRS, SLOW_MAX("add" s, "max" s)) \
    REGISTERS(type, isa, mul_max, 1, LOAD_ALL, ROWS_PAIRS, SLOW_OP("mul" s, "max" s))  \
    REGISTERS(type, isa, mul_add, 1, LOAD_ALL, ROWS_PAIRS, SLOW_OP("mul" s, "add" s))

#define XMM_CLOBBERS                                                                \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"
