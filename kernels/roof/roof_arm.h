/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes of ARM, where instructions have a result of their own: sixteen
 * temporaries in 0 to 15 and fifteen maxima or sums in 16 to 30; 31 holds what is added
 * or multiplied. Before it, the files that include it define R(i), a register with its
 * elements.
 */
#ifndef SIMDBENCH_ROOF_ARM_H
#define SIMDBENCH_ROOF_ARM_H

#define V_CLOBBERS                                                                   \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", \
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", \
        "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

#define LOAD_ONE(size, i) "ldur q" #i ", [%[data], #" #i "*" TEXT(size) "]\n\t"
#define LOAD_FOUR(size, a, b, c, d) \
    LOAD_ONE(size, a) LOAD_ONE(size, b) LOAD_ONE(size, c) LOAD_ONE(size, d)
/* clang-format off */
#define LOAD_ALL(size) \
    LOAD_FOUR(size, 0, 1, 2, 3) LOAD_FOUR(size, 4, 5, 6, 7) \
    LOAD_FOUR(size, 8, 9, 10, 11) LOAD_FOUR(size, 12, 13, 14, 15) \
    LOAD_FOUR(size, 16, 17, 18, 19) LOAD_FOUR(size, 20, 21, 22, 23) \
    LOAD_FOUR(size, 24, 25, 26, 27) LOAD_ONE(size, 28) LOAD_ONE(size, 29) \
    LOAD_ONE(size, 30) "ldr q31, [%[y]]\n\t"

#define FOUR_PAIRS(FIRST, SECOND, s, t, u, v, w, a, b, c, d) \
    FIRST(s, t) FIRST(s, u) FIRST(s, v) FIRST(s, w) \
    SECOND(s, t, a) SECOND(s, u, b) SECOND(s, v, c) SECOND(s, w, d)
#define SIXTEEN_PAIRS(FIRST, SECOND, s) \
    FOUR_PAIRS(FIRST, SECOND, s, 0, 1, 2, 3, 16, 17, 18, 19) \
    FOUR_PAIRS(FIRST, SECOND, s, 4, 5, 6, 7, 20, 21, 22, 23) \
    FOUR_PAIRS(FIRST, SECOND, s, 8, 9, 10, 11, 24, 25, 26, 27) \
    FOUR_PAIRS(FIRST, SECOND, s, 12, 13, 14, 15, 28, 29, 30, 16)
#define SIXTEEN_FMAS(s) \
    FMA(s, 0) FMA(s, 1) FMA(s, 2) FMA(s, 3) FMA(s, 4) FMA(s, 5) FMA(s, 6) FMA(s, 7) \
    FMA(s, 8) FMA(s, 9) FMA(s, 10) FMA(s, 11) FMA(s, 12) FMA(s, 13) FMA(s, 14) \
    FMA(s, 15)
/* clang-format on */

#define THREE(op, s, a, b, c) op " " R(s, a) ", " R(s, b) ", " R(s, c) "\n\t"
#define SUM(s, t) THREE("fadd", s, t, 31, 31)
#define PRODUCT(s, t) THREE("fmul", s, t, 31, 31)
#define MAX(s, t, a) THREE("fmaxnm", s, a, a, t)
#define ADD(s, t, a) THREE("fadd", s, a, a, t)
/* Adds 1/4 each time: at the end of a call numbers are still some thousands. */
#define FMA(s, t) THREE("fmla", s, t, 31, 31)

#define MIXES(type, isa, s)                                                      \
    REGISTERS(type, isa, add_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(SUM, MAX, s)) \
    REGISTERS(type, isa, mul_max, 0.5, LOAD_ALL, 16, SIXTEEN_PAIRS(PRODUCT, MAX, s))

#endif
