/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sum, mean or maximum of a matrix: y = f(x).
 *
 * Shapes: dim = {rows, columns}: one number of all elements ("256x256"); {rows, columns,
 * 1}: one for each column ("columns256x256"); {rows, columns, 1, 1}: one for each row
 * ("rows256x256"). Operands x IN, rows without gaps, and y OUT. The function stands in
 * the place of the semiring: sum, mean, max.
 *
 * Sums may have any order: each element may be off by an epsilon of the sum of
 * magnitudes. A maximum is exact; of two zeros it is either. Inputs have no NaN.
 *
 * Variants:
 *   lanes   sums side by side in eight vectors; columns: eight or four rows at once
 */
#pragma once

#include <stdbool.h>

#include "prototypes.h"
#include "simdbench.h"

static inline bool reduce_columns(const struct simdbench_shape *shape)
{
    return shape->rank == 3;
}

static inline bool reduce_rows(const struct simdbench_shape *shape)
{
    return shape->rank == 4;
}
