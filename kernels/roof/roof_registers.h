/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register mixes where there are 32 registers and instructions have a result of their
 * own: sixteen temporaries in 0 to 15 and fifteen maxima or sums in 16 to 30; 31 holds
 * what is added or multiplied. The file that includes it defines, as text of asm:
 *
 * LOAD_ONE(size, i)   register i from data + i * size
 * LOAD_LAST           register 31 from y
 * FMA(s, t)           multiplies and adds register 31 in t; elements are s
 */
#pragma once

/* clang-format off */
#define LOAD_FOUR(size, a, b, c, d) \
    LOAD_ONE(size, a) LOAD_ONE(size, b) LOAD_ONE(size, c) LOAD_ONE(size, d)
#define LOAD_ALL(size) \
    LOAD_FOUR(size, 0, 1, 2, 3) LOAD_FOUR(size, 4, 5, 6, 7) \
    LOAD_FOUR(size, 8, 9, 10, 11) LOAD_FOUR(size, 12, 13, 14, 15) \
    LOAD_FOUR(size, 16, 17, 18, 19) LOAD_FOUR(size, 20, 21, 22, 23) \
    LOAD_FOUR(size, 24, 25, 26, 27) LOAD_ONE(size, 28) LOAD_ONE(size, 29) \
    LOAD_ONE(size, 30) LOAD_LAST

/* FIRST(s, t) makes temporary t, SECOND(s, t, a) takes it into a. Fours of one kind and
 * then of the other keep all pipes busy even when another thread shares them. */
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
