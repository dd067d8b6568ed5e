/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Softmax and its logarithm over the columns of a matrix:
 *   softmax       y = exp(x - most) / sum of exp(x - most)
 *   log_softmax   y = x - most - log(sum of exp(x - most))
 * where `most` is the largest element of the row. Inputs are finite.
 *
 * Shape: dim = {rows, columns} ("4096x10"): operands x IN and y OUT, rows without gaps.
 *
 * Tolerance: exp and the sum may be off by an epsilon for each column, halved, and
 * x - most by a rounding, which exp multiplies. A logarithm may be off by 24 epsilons:
 * libraries compute it from fewer terms. Results below the least normal number may
 * be anything up to it.
 *
 * Variants:
 *   rows   row by row: the maximum, exponentials and their sum, then the last pass. The
 *          logarithms of the rows that fit in half of L1 are computed together.
 */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "prototypes.h"
#include "simdbench.h"
