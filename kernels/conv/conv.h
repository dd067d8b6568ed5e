/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 2-D convolution (cross-correlation, as in neural networks), f32, no bias.
 *
 * Shape: letters with numbers in any order, "n16c16h512w512k16r3s3": batch n, channels c,
 * height h, width w, output channels k, kernel r x s, stride u x v, padding p x q (rows
 * above and below, columns left and right), dilation d (both ways), groups g; and b, the
 * channels in a block of memory. What is left out is 1, padding 0. dim holds them in the
 * order of enum conv_dim. format() leaves out what is 1 (padding: 0) from u on.
 *
 *   oh = (h + 2p - d(r-1) - 1) / u + 1,  ow = (w + 2q - d(s-1) - 1) / v + 1
 *   y[n][k][i][j] = sum over c' < c/g, a < r, e < s of
 *       x[n][group * c/g + c'][i*u - p + a*d][j*v - q + e*d] * weights[k][c'][a][e]
 * where positions outside x count as 0 and group = k / (K/g).
 *
 * Operands: x IN, weights CONST (always k x c/g x r x s, plain: every kernel reorders
 * them as it likes in prepare), y OUT. Layouts of x and y:
 *   nchw     b = 1:   x[n][c][h][w],               y[n][k][oh][ow]
 *   nchw8c   b = 8,
 *   nchw16c  b = 16:  x[n][ceil(c/b)][h][w][b],    likewise y
 * Channels beyond c are zeros in x, and must be written as zeros in y. As in libraries,
 * an x of up to CONV_IMAGE channels and one group (a picture) stays nchw. A shape whose
 * groups do not begin at a block (c/g or k/g no multiple of b) cannot have blocks, unless
 * it is depthwise (g = c = k). ld of x and y is the elements of one row of pixels: w or
 * w*b, ow or ow*b; that of weights is s. Inputs are finite.
 *
 * Errors: sums in any order, with or without FMA. Slack of an output:
 * (terms + 2) * (2^-24 * sum of |x * weight| + the least subnormal).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prototypes.h"
#include "simdbench.h"

enum conv_dim {
    CONV_N,
    CONV_C,
    CONV_H,
    CONV_W,
    CONV_K,
    CONV_R,
    CONV_S,
    CONV_U,
    CONV_V,
    CONV_P,
    CONV_Q,
    CONV_D,
    CONV_G,
    CONV_B,
    CONV_DIMS
};

enum { CONV_IMAGE = 3 };

/* A shape with names, and what follows from it. */
struct conv_shape {
    int64_t n, c, h, w, k, r, s, u, v, p, q, d, g, b;
    int64_t oh, ow;
    int64_t first, end; /* rows of y to compute, 0 to oh but for parts of a team */
    int64_t cg, kg;     /* channels of one group: c/g, k/g */
    int64_t cb, kb;     /* blocks of channels in memory: ceil(c/b), ceil(k/b) */
    bool x_plain;       /* x is nchw although b > 1 */
};

static inline struct conv_shape conv_shape_of(const struct simdbench_shape *shape)
{
    const int64_t *dim = shape->dim;
    struct conv_shape conv = {
        .n = dim[CONV_N],
        .c = dim[CONV_C],
        .h = dim[CONV_H],
        .w = dim[CONV_W],
        .k = dim[CONV_K],
        .r = dim[CONV_R],
        .s = dim[CONV_S],
        .u = dim[CONV_U],
        .v = dim[CONV_V],
        .p = dim[CONV_P],
        .q = dim[CONV_Q],
        .d = dim[CONV_D],
        .g = dim[CONV_G],
        .b = dim[CONV_B],
    };
    conv.oh = (conv.h + 2 * conv.p - conv.d * (conv.r - 1) - 1) / conv.u + 1;
    conv.ow = (conv.w + 2 * conv.q - conv.d * (conv.s - 1) - 1) / conv.v + 1;
    conv.end = conv.oh;
    conv.cg = conv.c / conv.g;
    conv.kg = conv.k / conv.g;
    conv.cb = (conv.c + conv.b - 1) / conv.b;
    conv.kb = (conv.k + conv.b - 1) / conv.b;
    conv.x_plain = conv.b == 1 || (conv.c <= CONV_IMAGE && conv.g == 1);
    return conv;
}

/* Taps from *first to before *end lie inside x, of `size` rows or columns, if the first
 * of all lies at `start`. */
static inline void conv_taps_inside(const struct conv_shape *shape, ptrdiff_t start,
                                    ptrdiff_t size, ptrdiff_t taps, ptrdiff_t *first,
                                    ptrdiff_t *end)
{
    *first = 0;
    *end = taps;
    while (*first < *end && start + *first * shape->d < 0)
        ++*first;
    while (*end > *first && start + (*end - 1) * shape->d >= size)
        --*end;
}
