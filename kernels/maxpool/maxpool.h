/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maximum of windows of an image: y(n, c, i, j) is the largest x(n, c, i s + a, j s + b)
 * for 0 <= a, b < r. There is no padding: y has (h - r) / s + 1 rows.
 *
 * Shape: dim = {n, c, h, w, r, s} ("n1c64h112w112r2s2"): images, channels, height, width,
 * window and stride. Operands x IN and y OUT, both in the order nchw, without gaps.
 * Inputs have no NaN; of two zeros a result is either.
 *
 * Variants:
 *   rows   the rows of a window first, then its columns; strides over 2 element by
 * element
 */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "prototypes.h"
#include "simdbench.h"

struct pool {
    int64_t planes, height, width, window, stride, rows, columns;
};

static inline struct pool pool_of(const struct simdbench_shape *shape)
{
    const int64_t *const dim = shape->dim;
    return (struct pool){dim[0] * dim[1],
                         dim[2],
                         dim[3],
                         dim[4],
                         dim[5],
                         (dim[2] - dim[4]) / dim[5] + 1,
                         (dim[3] - dim[4]) / dim[5] + 1};
}
