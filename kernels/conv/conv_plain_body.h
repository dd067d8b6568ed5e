/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convolution of plain operands after a plan (conv_plain.h) for one ISA. The file that
 * includes it has included vector_<isa>.h and defines before T, which is f32, and
 *
 * TALL, WIDE                output channels and vectors of the largest tile
 * EACH_PLAIN_TILE(X)        X(height, vectors) for all sizes of tiles
 * plain_blocks(plain, x, y) convolves one image in blocks
 */
#pragma once

#include <string.h>

#include "conv_plain.h"

/* ---- tiles ---- */

/* Output channels times neighbouring columns. */
struct plain_tile {
    const float *x;
    const float *weights; /* one for each output channel, for each tap of each channel */
    float *y;
    const ptrdiff_t *taps;
    ptrdiff_t n_taps, channels;
    ptrdiff_t x_plane, y_plane;
    ptrdiff_t tail; /* columns of the last vector that are in y */
};

/* Apart, so that no sum has to live through a call. */
static __attribute__((noinline)) void plain_tail(float *y, ptrdiff_t y_plane,
                                                 float buffer[][LANES], int height,
                                                 ptrdiff_t columns)
{
    for (int k = 0; k < height; k++, y += y_plane)
        memcpy(y, buffer[k], (size_t)columns * sizeof *y);
}

INLINE void plain_tile(const int height, const int vectors, const struct plain_tile *tile)
{
    const float *x = tile->x, *weights = tile->weights;
    VEC sum[TALL][WIDE];

    UNROLL
    for (int k = 0; k < height; k++)
        UNROLL
    for (int v = 0; v < vectors; v++)
        sum[k][v] = SPLAT(0);
    for (ptrdiff_t c = tile->channels; c > 0; c--, x += tile->x_plane) {
        const ptrdiff_t *tap = tile->taps, *const end = tap + tile->n_taps;
        /* One element is in the line of its neighbours. */
        UNROLL
        for (int v = 0; v < (LANES > 1 ? vectors : 1); v++)
            __builtin_prefetch(x + (ptrdiff_t)(vectors + v) * LANES);
        do {
            const float *const from = x + *tap;
            VEC one[WIDE];
            UNROLL
            for (int v = 0; v < vectors; v++)
                one[v] = LOAD(from + (ptrdiff_t)v * LANES);
            UNROLL
            for (int k = 0; k < height; k++) {
                const VEC weight = SPLAT(weights[k]);
                UNROLL
                for (int v = 0; v < vectors; v++)
                    sum[k][v] = MULTIPLY_ADD(weight, one[v], sum[k][v]);
            }
            weights += height;
        } while (++tap < end);
    }
    float *const y = tile->y;
    UNROLL
    for (int k = 0; k < height; k++)
        UNROLL
    for (int v = 0; v + 1 < vectors; v++)
        STORE(y + k * tile->y_plane + (ptrdiff_t)v * LANES, sum[k][v]);
    float *const last = y + (ptrdiff_t)(vectors - 1) * LANES;
    if (tile->tail == LANES) {
        UNROLL
        for (int k = 0; k < height; k++)
            STORE(last + k * tile->y_plane, sum[k][vectors - 1]);
    } else {
        float buffer[TALL][LANES];
        UNROLL
        for (int k = 0; k < height; k++)
            STORE(buffer[k], sum[k][vectors - 1]);
        plain_tail(last, tile->y_plane, buffer, height, tile->tail);
    }
}

#define PLAIN_TILE(height, vectors)                                            \
    static void plain_tile_##height##x##vectors(const struct plain_tile *tile) \
    {                                                                          \
        plain_tile(height, vectors, tile);                                     \
    }
#define PLAIN_TILE_ENTRY(height, vectors) \
    [height - 1][vectors - 1] = plain_tile_##height##x##vectors,

EACH_PLAIN_TILE(PLAIN_TILE)

typedef void plain_tile_function(const struct plain_tile *tile);
static plain_tile_function *const plain_tiles[TALL][WIDE] = {
    EACH_PLAIN_TILE(PLAIN_TILE_ENTRY)};

/* ---- copies ---- */

/* Copies n elements of a row of x, `step` apart from column `column` on, 0 beside it.
 * The row may be NULL: all beside. */
static void plain_line(float *to, const float *row, ptrdiff_t width, ptrdiff_t column,
                       ptrdiff_t step, ptrdiff_t n)
{
    ptrdiff_t before = column < 0 ? (-column + step - 1) / step : 0;
    ptrdiff_t inside = column < width ? (width - 1 - column) / step + 1 : 0;

    if (!row) {
        memset(to, 0, (size_t)n * sizeof *to);
        return;
    }
    inside = inside < n ? inside : n;
    before = before < inside ? before : inside;
    for (ptrdiff_t i = 0; i < before; i++)
        to[i] = 0;
    if (step == 1 && before < inside)
        memcpy(to + before, row + column + before,
               (size_t)(inside - before) * sizeof *to);
    for (ptrdiff_t i = before; i < inside && step > 1; i++)
        to[i] = row[column + i * step];
    for (ptrdiff_t i = inside; i < n; i++)
        to[i] = 0;
}

static const float *plain_row(const struct conv_shape *shape, const float *plane,
                              ptrdiff_t row)
{
    return row >= 0 && row < shape->h ? plane + row * shape->w : NULL;
}

/* A strip of pixels that each have one tap, of one channel. */
static void plain_copy_points(const struct conv_shape *shape, float *to, const float *x,
                              ptrdiff_t j, ptrdiff_t columns)
{
    while (columns > 0) {
        const ptrdiff_t i = j / shape->ow, at = j % shape->ow;
        const ptrdiff_t rest = shape->ow - at, n = rest < columns ? rest : columns;
        plain_line(to, plain_row(shape, x, i * shape->u - shape->p), shape->w,
                   at * shape->v - shape->q, shape->v, n);
        to += n;
        j += n;
        columns -= n;
    }
}

/* All rows of x that the rows of y from i on need, of one channel. */
static void plain_copy_rows(const struct conv_plain *plain, float *to, const float *x,
                            ptrdiff_t i, ptrdiff_t rows, ptrdiff_t j)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t height = (rows - 1) * shape->u + shape->d * (shape->r - 1) + 1;

    for (ptrdiff_t row = 0; row < height; row++) {
        const float *from = plain_row(shape, x, i * shape->u - shape->p + row);
        for (ptrdiff_t f = 0; f < plain->row / plain->phase; f++, to += plain->phase)
            plain_line(to, from, shape->w, j * shape->v - shape->q + f, shape->v,
                       plain->phase);
    }
}

/* ---- strips ---- */

struct plain_strip {
    ptrdiff_t i, rows, j, columns;
};

/* All output channels of one group for a strip. x is where the first tap of the first
 * column is. */
static void plain_strip(const struct conv_plain *plain, const struct plain_strip *strip,
                        const float *x, ptrdiff_t x_plane, const float *weights, float *y)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t vectors = (strip->columns + LANES - 1) / LANES;
    const ptrdiff_t tiles = (vectors + WIDE - 1) / WIDE;
    const ptrdiff_t terms = shape->cg * shape->r * shape->s;
    struct plain_tile tile = {
        .taps = plain->taps,
        .n_taps = shape->r * shape->s,
        .channels = shape->cg,
        .x_plane = x_plane,
        .y_plane = shape->oh * shape->ow,
    };

    for (ptrdiff_t t = 0; t < plain->tiles; t++) {
        const ptrdiff_t k = t * shape->kg / plain->tiles;
        const ptrdiff_t height = (t + 1) * shape->kg / plain->tiles - k;
        tile.weights = weights + k * terms;
        for (ptrdiff_t row = 0; row < strip->rows; row++)
            for (ptrdiff_t part = 0; part < tiles; part++) {
                const ptrdiff_t first = part * vectors / tiles;
                const ptrdiff_t last = (part + 1) * vectors / tiles;
                tile.x = x + row * shape->u * plain->row + first * LANES;
                tile.y = y + k * tile.y_plane + (strip->i + row) * plain->row_length +
                         strip->j + first * LANES;
                tile.tail =
                    part + 1 < tiles ? LANES : strip->columns - (vectors - 1) * LANES;
                plain_tiles[height - 1][last - first - 1](&tile);
            }
    }
}

/* One group of one image. */
static void plain_group(const struct conv_plain *plain, const float *x,
                        const float *weights, float *y)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t plane = shape->h * shape->w;
    const ptrdiff_t top = plain->points ? 0 : shape->first;
    const ptrdiff_t bottom = plain->points ? 1 : shape->end;
    const ptrdiff_t start = plain->points ? shape->first * shape->ow : 0;
    const ptrdiff_t end = plain->points ? shape->end * shape->ow : plain->row_length;
    struct plain_strip strip;

    for (strip.i = top; strip.i < bottom; strip.i += plain->strip_rows)
        for (strip.j = start; strip.j < end; strip.j += plain->strip_columns) {
            const ptrdiff_t down = bottom - strip.i;
            const ptrdiff_t right = end - strip.j;
            strip.rows = down < plain->strip_rows ? down : plain->strip_rows;
            strip.columns = right < plain->strip_columns ? right : plain->strip_columns;
            if (plain->in_place && strip.columns % LANES == 0) {
                plain_strip(plain, &strip, x + strip.j, plane, weights, y);
                continue;
            }
            for (ptrdiff_t c = 0; c < shape->cg; c++) {
                float *const to = plain->scratch + c * plain->plane;
                if (plain->points)
                    plain_copy_points(shape, to, x + c * plane, strip.j, strip.columns);
                else
                    plain_copy_rows(plain, to, x + c * plane, strip.i, strip.rows,
                                    strip.j);
            }
            plain_strip(plain, &strip, plain->scratch, plain->plane, weights, y);
        }
}

/* y = the convolution of x, both plain. */
static void conv_plain(const struct conv_plain *plain, const float *x, float *y)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t terms = shape->cg * shape->r * shape->s;
    const ptrdiff_t x_group = shape->cg * shape->h * shape->w;
    const ptrdiff_t y_group = shape->kg * shape->oh * shape->ow;

    for (ptrdiff_t image = 0; image < shape->n; image++) {
        if (plain->blocked)
            plain_blocks(plain, x, y);
        else
            for (ptrdiff_t group = 0; group < shape->g; group++)
                plain_group(plain, x + group * x_group,
                            plain->weights + group * shape->kg * terms,
                            y + group * y_group);
        x += shape->g * x_group;
        y += shape->g * y_group;
    }
}
