/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes in instructions that overwrite their first operand, 16 registers: seven
 * maxima in 8 to 14 take turns with eight temporaries in 0 to 7, each of which only
 * depends on itself. Fewer of either would be a latency limit before the pipes are full.
 */
#ifndef SIMDBENCH_ROOF_LEGACY_H
#define SIMDBENCH_ROOF_LEGACY_H

#define LOAD_ONE(size, i) "movups " #i "*" TEXT(size) "(%[data]), %%xmm" #i "\n\t"
#define LOAD_ALL(size)                                                            \
    LOAD_ONE(size, 0)                                                             \
    LOAD_ONE(size, 1)                                                             \
    LOAD_ONE(size, 2)                                                             \
    LOAD_ONE(size, 3)                                                             \
    LOAD_ONE(size, 4) LOAD_ONE(size, 5) LOAD_ONE(size, 6) LOAD_ONE(size, 7)       \
        LOAD_ONE(size, 8) LOAD_ONE(size, 9) LOAD_ONE(size, 10) LOAD_ONE(size, 11) \
            LOAD_ONE(size, 12) LOAD_ONE(size, 13)                                 \
                LOAD_ONE(size, 14) "movups (%[y]), %%xmm15\n\t"

#define PAIR(op, max, t, a) \
    op " %%xmm15, %%xmm" #t "\n\t" max " %%xmm" #t ", %%xmm" #a "\n\t"
#define ROW(op, max, a, b, c, d, e, f, g) \
    PAIR(op, max, 0, a)                   \
    PAIR(op, max, 1, b)                   \
    PAIR(op, max, 2, c)                   \
    PAIR(op, max, 3, d)                   \
    PAIR(op, max, 4, e)                   \
    PAIR(op, max, 5, f) PAIR(op, max, 6, g) PAIR(op, max, 7, a)
#define ROWS(op, max)                      \
    ROW(op, max, 8, 9, 10, 11, 12, 13, 14) \
    ROW(op, max, 9, 10, 11, 12, 13, 14, 8) \
    ROW(op, max, 10, 11, 12, 13, 14, 8, 9) \
    ROW(op, max, 11, 12, 13, 14, 8, 9, 10) \
    ROW(op, max, 12, 13, 14, 8, 9, 10, 11) \
    ROW(op, max, 13, 14, 8, 9, 10, 11, 12) \
    ROW(op, max, 14, 8, 9, 10, 11, 12, 13)
#define ROWS_PAIRS 56

/* `s` is the last letters of the instructions: ss, sd, ps, pd. Adding 0 and multiplying
 * by 1 leaves the temporaries as they are. */
#define MIXES(type, isa, s)                                                        \
    REGISTERS(type, isa, add_max, 0, LOAD_ALL, ROWS_PAIRS, ROWS("add" s, "max" s)) \
    REGISTERS(type, isa, mul_max, 1, LOAD_ALL, ROWS_PAIRS, ROWS("mul" s, "max" s))

#define XMM_CLOBBERS                                                                \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#endif
