/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backward pass of maxplus and minplus gemm: the gradient of C goes to those elements
 * of A and B whose sum won, which the indices of gemm_argmax tell.
 *
 * Operands: dC (m x n), I (m x n, i32), dA (m x k), dB (k x n), row-major, rows `ld`
 * elements apart; dim = {m, n, k}. dA and dB are overwritten. I holds numbers in [0, k),
 * or a negative one where nothing won.
 *
 * For each (i, j) with p = I[i][j] >= 0: dA[i][p] += dC[i][j] and dB[p][j] += dC[i][j].
 * Sums begin at +0. The order is fixed: those of dA add in the order of ascending j,
 * those of dB in that of ascending i, each step rounded to the type. So results are the
 * same bits for every ISA (any NaN is as good as another), and no error is allowed.
 *
 * A part of a team, which is its state, writes some rows of dA, from all columns of dC,
 * and some columns of dB, from all rows of dC, so that no sum is cut.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "prototypes.h"
#include "simdbench.h"

/* The gradients that a loop adds to. */
enum { BACKWARD_A = 1, BACKWARD_B = 2 };

/* A kernel without this state does all of the work. */
struct backward_part {
    int64_t row, row_end;       /* of dA */
    int64_t column, column_end; /* of dB */
    /* The thread adds its columns up here, row after row, and then copies them to dB. A
     * row of dB holds columns of all threads: their prefetchers would fetch the lines
     * that this thread writes, again and again. */
    void *sums;
};
