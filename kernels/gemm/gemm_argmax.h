/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tropical matrix multiplication that also tells which k won, shared by gemm_argmax.c and
 * the bodies.
 *
 * Operands: A (m x k), B (k x n), C (m x n) as in gemm.h, then I (m x n) of i32, whose
 * rows are as far apart as those of C. dim = {m, n, k}. C and I are overwritten.
 *
 * C follows the rules of gemm.h. I[i][j] is the k of the product that C[i][j] is: the
 * last one for which `if (t > c) c = t` was true (t < c for minplus). So
 *   - among equal products the first wins, whatever the sign of a zero;
 *   - a NaN never wins;
 *   - where nothing is better than the semiring's zero there is no winner, and I is
 *     GEMM_NO_WINNER: for k = 0, where all products are NaN, where all of them are -inf
 *     (maxplus) or +inf (minplus), or none is above 0 (maxtimes).
 * No result depends on the ISA or on how the work is cut, and the index allows no error.
 *
 * A kernel flagged SIMDBENCH_PARTIAL writes C alone: what the index costs is the ratio to
 * it.
 */
#pragma once

#include "gemm.h"

enum {
    GEMM_NO_WINNER = -1,
    GEMM_SPAN = 16, /* k-steps between two looks at which of them have won */
    /* Blocks: k-steps, bytes of A. */
    GEMM_ARGMAX_DEPTH = 256,
    GEMM_ARGMAX_BYTES = 120 << 10,
    /* Tiles are low, and read B more often than those of gemm: in place only if it fits
     * into the first cache. */
    GEMM_ARGMAX_IN_PLACE = 48 << 10,
};
