/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution as anybody would write it, without intrinsics or tiles: each weight times
 * an image is added to an image of y. Operands are plain. The file that includes it has
 * included vector_<isa>.h and defines before T, which is f32, and NAIVE, the variant:
 * `naive` where its compiler may not vectorise, else `naive_autovec`.
 */
#pragma once

#include <string.h>

#include "conv.h"

/* Outputs from *first to before *end have their tap inside x; output i reads i * stride -
 * shift. */
static void naive_range(ptrdiff_t shift, ptrdiff_t stride, ptrdiff_t size, ptrdiff_t out,
                        ptrdiff_t *first, ptrdiff_t *end)
{
    *first = shift > 0 ? (shift + stride - 1) / stride : 0;
    *end = size + shift > 0 ? (size + shift + stride - 1) / stride : 0;
    *end = *end < out ? *end : out;
}

INLINE void naive_row(float *restrict y, const float *restrict x, float weight,
                      ptrdiff_t columns, ptrdiff_t v)
{
    for (ptrdiff_t j = 0; j < columns; j++)
        y[j] += weight * x[j * v];
}

/* One tap of one channel, for all of y. */
static void naive_tap(const struct conv_shape *shape, float *y, const float *x,
                      float weight, ptrdiff_t a, ptrdiff_t e)
{
    const ptrdiff_t down = shape->p - a * shape->d, right = shape->q - e * shape->d;
    ptrdiff_t i, rows, j, columns;

    naive_range(down, shape->u, shape->h, shape->oh, &i, &rows);
    naive_range(right, shape->v, shape->w, shape->ow, &j, &columns);
    for (; i < rows; i++) {
        const float *const from =
            x + (i * shape->u - down) * shape->w + j * shape->v - right;
        float *const to = y + i * shape->ow + j;
        if (shape->v == 1)
            naive_row(to, from, weight, columns - j, 1);
        else
            naive_row(to, from, weight, columns - j, shape->v);
    }
}

KERNEL_FUNCTION(conv, , NAIVE)
{
    const struct conv_shape shape = conv_shape_of(operands->shape);
    const ptrdiff_t plane = shape.h * shape.w, y_plane = shape.oh * shape.ow;
    float *y = operands->operand[2]->data;

    for (ptrdiff_t n = 0; n < shape.n; n++) {
        const float *weight = operands->operand[1]->data;
        for (ptrdiff_t k = 0; k < shape.k; k++, y += y_plane) {
            const float *x = (const float *)operands->operand[0]->data +
                             (n * shape.c + k / shape.kg * shape.cg) * plane;
            memset(y, 0, (size_t)y_plane * sizeof *y);
            for (ptrdiff_t c = 0; c < shape.cg; c++, x += plane)
                for (ptrdiff_t a = 0; a < shape.r; a++)
                    for (ptrdiff_t e = 0; e < shape.s; e++)
                        naive_tap(&shape, y, x, *weight++, a, e);
        }
    }
}
