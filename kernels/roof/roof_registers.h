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
#define SIXTEEN(DO, s) \
    DO(s, 0) DO(s, 1) DO(s, 2) DO(s, 3) DO(s, 4) DO(s, 5) DO(s, 6) DO(s, 7) DO(s, 8) \
    DO(s, 9) DO(s, 10) DO(s, 11) DO(s, 12) DO(s, 13) DO(s, 14) DO(s, 15)
/* clang-format on */
