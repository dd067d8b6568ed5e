/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of op distance, for one kind of vectors. A file defines before it includes this:
 * element, vec, load(), store(), splat(), square_add(difference, sum).
 */
#pragma once

#include "fresh.h"

enum { WIDTH_OF_VEC = sizeof(vec) / sizeof(element) };

INLINE void distance(const int rows, const int vectors,
                     const struct simdbench_operands *operands)
{
    const element *const a = operands->operand[0]->data, *const b =
                                                             operands->operand[1]->data;
    element *const y = operands->operand[2]->data;
    const ptrdiff_t m = DIM(0), n = DIM(1), k = DIM(2), step = vectors * WIDTH_OF_VEC;
    for (ptrdiff_t i = 0; i < m; i += rows)
        for (ptrdiff_t j = 0; j < n; j += step) {
            vec sum[24];
            UNROLL
            for (int s = 0; s < rows * vectors; s++)
                sum[s] = (vec){0};
#pragma GCC unroll 1
            for (ptrdiff_t l = 0; l < k; l++) {
                vec right[4];
                UNROLL
                for (int v = 0; v < vectors; v++)
                    right[v] = load(b + l * n + j + v * WIDTH_OF_VEC);
                UNROLL
                for (int r = 0; r < rows; r++) {
                    const vec left = splat(a + (i + r) * k + l);
                    UNROLL
                    for (int v = 0; v < vectors; v++)
                        sum[r * vectors + v] =
                            square_add(left - right[v], sum[r * vectors + v]);
                }
            }
            UNROLL
            for (int s = 0; s < rows * vectors; s++)
                store(y + (i + s / vectors) * n + j + s % vectors * WIDTH_OF_VEC, sum[s]);
        }
}
