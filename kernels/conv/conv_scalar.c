/* SPDX-License-Identifier: Apache-2.0 */
/* Direct convolution in any layout: tiles of output channels x columns, whose taps all
 * lie inside x; columns at the border have a tile of their own with fewer taps. */
#include <string.h>

#include "conv.h"
#include "vector/vector_scalar.h"

#define T f32

enum { TALL = 4, WIDE = 2 };

/* A row of y and the taps that lie inside x. */
struct row {
    const struct conv_shape *conv;
    const float *x;       /* first channel of the group, first row of taps inside */
    const float *weights; /* first channel of the tile, first row of taps inside */
    float *y;             /* block of channels of the tile */
    int64_t taps;         /* rows of taps inside */
    int64_t xb;           /* channels in a block of x */
};

/* y[0..tall)[0..wide) at column j from the taps e0 to e1 of each row. */
static inline __attribute__((always_inline)) void tile(const int tall, const int wide,
                                                       const struct row *row, int64_t k,
                                                       int64_t j, int64_t e0, int64_t e1)
{
    const struct conv_shape *conv = row->conv;
    const int64_t xb = row->xb, yb = conv->b;
    const int64_t filter = conv->r * conv->s, next = conv->cg * filter;
    const int64_t step = conv->d * xb, across = conv->v * xb;
    const int64_t down = conv->d * conv->w * xb, plane = conv->h * conv->w * xb;
    const int64_t first = k / conv->kg * conv->cg;
    const float *channel = row->x + first / xb * plane + first % xb +
                           (j * conv->v - conv->q + e0 * conv->d) * xb;
    int64_t left = xb - first % xb; /* channels of the block */
    float sum[TALL][WIDE] = {{0}};

    for (int64_t c = 0; c < conv->cg; c++) {
        const float *x = channel, *weights = row->weights + c * filter + e0;
        for (int64_t a = 0; a < row->taps; a++, x += down, weights += conv->s)
            for (int64_t e = 0; e < e1 - e0; e++)
                for (int i = 0; i < tall; i++)
                    for (int l = 0; l < wide; l++)
                        sum[i][l] += weights[i * next + e] * x[e * step + l * across];
        channel++;
        if (--left == 0) {
            left = xb;
            channel += plane - xb;
        }
    }
    for (int i = 0; i < tall; i++)
        for (int l = 0; l < wide; l++)
            row->y[(k + i) / yb * conv->oh * conv->ow * yb + (k + i) % yb +
                   (j + l) * yb] = sum[i][l];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* First tap at or after position 0, if the taps begin at `start`. */
static int64_t taps_begin(int64_t start, int64_t d)
{
    return start < 0 ? (-start + d - 1) / d : 0;
}

/* One past the last of n taps before position `end`. */
static int64_t taps_end(int64_t start, int64_t d, int64_t end, int64_t n)
{
    return start >= end ? 0 : least((end - 1 - start) / d + 1, n);
}

/* Columns one by one. */
static void border(const struct row *row, int64_t k, int tall, int64_t from, int64_t to)
{
    const struct conv_shape *conv = row->conv;

    for (int64_t j = from; j < to; j++) {
        const int64_t start = j * conv->v - conv->q;
        const int64_t e0 = taps_begin(start, conv->d);
        const int64_t e1 = most(e0, taps_end(start, conv->d, conv->w, conv->s));
        if (tall == TALL)
            tile(TALL, 1, row, k, j, e0, e1);
        else
            tile(1, 1, row, k, j, e0, e1);
    }
}

/* All columns of one row, `tall` channels from k. */
static void columns(const struct row *row, int64_t k, int tall)
{
    const struct conv_shape *conv = row->conv;
    /* From the first column with no tap left of x to the last with none right of it. */
    const int64_t left = least((conv->q + conv->v - 1) / conv->v, conv->ow);
    const int64_t reach = conv->w - 1 + conv->q - conv->d * (conv->s - 1);
    const int64_t right = reach < 0 ? 0 : least(reach / conv->v + 1, conv->ow);
    int64_t j = left;

    border(row, k, tall, 0, left);
    for (; j + WIDE <= right; j += WIDE) {
        if (tall == TALL)
            tile(TALL, WIDE, row, k, j, 0, conv->s);
        else
            tile(1, WIDE, row, k, j, 0, conv->s);
    }
    border(row, k, tall, j, conv->ow);
}

static void image(const struct conv_shape *conv, const float *x, const float *weights,
                  float *y)
{
    const int64_t filter = conv->r * conv->s;
    struct row row = {.conv = conv, .xb = conv->x_plain ? 1 : conv->b};

    for (int64_t k = 0; k < conv->k;) {
        /* Channels of one group only. */
        const int tall = conv->kg - k % conv->kg >= TALL ? TALL : 1;
        for (int64_t i = 0; i < conv->oh; i++) {
            const int64_t start = i * conv->u - conv->p;
            const int64_t a0 = taps_begin(start, conv->d);
            row.taps = most(taps_end(start, conv->d, conv->h, conv->r) - a0, 0);
            row.x = x + (start + a0 * conv->d) * conv->w * row.xb;
            row.weights = weights + k * conv->cg * filter + a0 * conv->s;
            row.y = y + i * conv->ow * conv->b;
            columns(&row, k, tall);
        }
        k += tall;
    }
}

static void clear_padding(const struct conv_shape *conv, float *y)
{
    const int64_t used = conv->k % conv->b, pixels = conv->oh * conv->ow;

    if (used == 0)
        return;
    y += (conv->kb - 1) * pixels * conv->b;
    for (int64_t i = 0; i < pixels; i++, y += conv->b)
        memset(y + used, 0, (size_t)(conv->b - used) * sizeof *y);
}

void conv_f32_scalar_direct(const struct simdbench_operands *operands, void *state)
{
    const struct conv_shape conv = conv_shape_of(operands->shape);
    const int64_t x_size = (int64_t)operands->operand[0]->count / conv.n;
    const int64_t y_size = (int64_t)operands->operand[2]->count / conv.n;
    const float *x = operands->operand[0]->data;
    float *y = operands->operand[2]->data;

    (void)state;
    for (int64_t n = 0; n < conv.n; n++, x += x_size, y += y_size) {
        image(&conv, x, operands->operand[1]->data, y);
        clear_padding(&conv, y);
    }
}

#define NAIVE naive
#include "conv_naive_body.h"
