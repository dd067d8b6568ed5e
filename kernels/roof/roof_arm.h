/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes of ARM. Before it, the files that include it define R(s, i), a register
 * with its elements.
 */
#pragma once

#include "roof_registers.h"

#define V_CLOBBERS                                                                   \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", \
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", \
        "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"

#define LOAD_ONE(size, i) "ldur q" #i ", [%[data], #" #i "*" TEXT(size) "]\n\t"
#define LOAD_LAST "ldr q31, [%[y]]\n\t"

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
