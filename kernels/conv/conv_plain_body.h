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

/* For the next tile. One element is in the line of its neighbours. */
#define PREFETCH_COLUMNS                                \
    UNROLL                                              \
    for (int v = 0; v < (LANES > 1 ? vectors : 1); v++) \
    __builtin_prefetch(x + (ptrdiff_t)(vectors + v) * LANES)
/* All products of one tap of one channel. */
#define PLAIN_STEP(at)                                               \
    do {                                                             \
        const float *const from = at;                                \
        VEC one[WIDE];                                               \
        UNROLL                                                       \
        for (int v = 0; v < vectors; v++)                            \
            one[v] = LOAD(from + (ptrdiff_t)v * LANES);              \
        UNROLL                                                       \
        for (int k = 0; k < height; k++) {                           \
            const VEC weight = SPLAT(weights[k]);                    \
            UNROLL                                                   \
            for (int v = 0; v < vectors; v++)                        \
                sum[k][v] = MULTIPLY_ADD(weight, one[v], sum[k][v]); \
        }                                                            \
        weights += height;                                           \
    } while (0)

INLINE void plain_tile(const int height, const int vectors, const struct plain_tile *tile)
{
    const float *x = tile->x, *weights = tile->weights;
    VEC sum[TALL][WIDE];

    UNROLL
    for (int k = 0; k < height; k++)
        UNROLL
    for (int v = 0; v < vectors; v++)
        sum[k][v] = SPLAT(0);
    /* One tap leaves so little to do that addresses cost. The next tile comes after this
     * one's loads, which may wait for memory. */
    if (tile->n_taps == 1)
        for (ptrdiff_t c = tile->channels; c > 0; c--, x += tile->x_plane) {
            PLAIN_STEP(x);
            PREFETCH_COLUMNS;
        }
    else
        for (ptrdiff_t c = tile->channels; c > 0; c--, x += tile->x_plane) {
            const ptrdiff_t *tap = tile->taps, *const end = tap + tile->n_taps;
            PREFETCH_COLUMNS;
            do {
                PLAIN_STEP(x + *tap);
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

/* Rows and columns of y that are done from one copy of x. */
struct plain_strip {
    ptrdiff_t i, rows, j, columns;
};

/* ---- copies ---- */

/* n elements of a row of x, `step` apart from column `column` on. Those before the row
 * and from `end` on are beside it. */
struct plain_span {
    ptrdiff_t column, step, before, end, n;
};

INLINE struct plain_span plain_span(ptrdiff_t width, ptrdiff_t column, ptrdiff_t step,
                                    ptrdiff_t n)
{
    const ptrdiff_t before = column < 0 ? (-column + step - 1) / step : 0;
    const ptrdiff_t inside = column < width ? (width - 1 - column) / step + 1 : 0;
    const ptrdiff_t end = inside < n ? inside : n;

    return (struct plain_span){column, step, before < end ? before : end, end, n};
}

/* Copies them, and 0 beside the row, which may be NULL: all beside. Writes whole vectors.
 * Inline, as each step has code of its own. */
INLINE void plain_line(float *to, const float *row, const struct plain_span *span)
{
    const ptrdiff_t step = span->step, n = row ? span->end - span->before : 0;
    VEC zero = SPLAT(0);

    /* Hidden, or compilers call memset() for a few elements. */
    HIDE_VECTOR(zero);
    for (ptrdiff_t i = n < span->n ? 0 : span->n; i < span->n; i += LANES)
        STORE(to + i, zero);
    if (n == 0)
        return;
    const float *const from = row + (span->column + span->before * step);
    to += span->before;
#ifdef EACH_SECOND
    /* The last vector begins earlier, not to end later, and so does its second half. */
    for (ptrdiff_t i = 0; i < n && n >= LANES && step <= 2; i += LANES) {
        const ptrdiff_t at = i + LANES <= n ? i : n - LANES;
        const float *const first = from + at * step;
        STORE(to + at, step == 1
                           ? LOAD(first)
                           : (VEC)EACH_SECOND(LOAD(first), LOAD(first + LANES - 1)));
    }
    if (n >= LANES && step <= 2)
        return;
#endif
    if (step == 1)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (ptrdiff_t i = 0; i < n; i++)
            to[i] = from[i * step];
}

static const float *plain_row(const struct conv_shape *shape, const float *plane,
                              ptrdiff_t row)
{
    return row >= 0 && row < shape->h ? plane + row * shape->w : NULL;
}

/* A strip of pixels that each have one tap, of one channel. */
INLINE void plain_copy_points(const struct conv_plain *plain, const ptrdiff_t step,
                              float *to, const float *x, const struct plain_strip *strip)
{
    const struct conv_shape *shape = &plain->shape;

    for (ptrdiff_t j = strip->j, end = j + strip->columns, n; j < end; j += n, to += n) {
        const ptrdiff_t i = j / shape->ow, at = j % shape->ow, rest = shape->ow - at;
        n = rest < end - j ? rest : end - j;
        const struct plain_span span =
            plain_span(shape->w, at * step - shape->q, step, n);
        plain_line(to, plain_row(shape, x, i * shape->u - shape->p), &span);
    }
}

/* All rows of x that a strip needs, of one channel. */
INLINE void plain_copy_rows(const struct conv_plain *plain, const ptrdiff_t step,
                            float *to, const float *x, const struct plain_strip *strip)
{
    const struct conv_shape *shape = &plain->shape;
    const ptrdiff_t height = (strip->rows - 1) * plain->step + plain->height;

    for (ptrdiff_t phase = 0; phase < plain->row / plain->phase; phase++) {
        const struct plain_span span =
            plain_span(shape->w, strip->j * step - shape->q + phase * plain->pace[1],
                       step, strip->columns + plain->reach);
        for (ptrdiff_t row = 0; row < height; row++) {
            const ptrdiff_t i = strip->i * shape->u - shape->p + row * plain->pace[0];
            plain_line(to + row * plain->row + phase * plain->phase,
                       plain_row(shape, x, i), &span);
        }
    }
}

INLINE void plain_copy(const struct conv_plain *plain, const ptrdiff_t step,
                       const float *x, const struct plain_strip *strip)
{
    const struct conv_shape *shape = &plain->shape;
    float *to = plain->scratch;

    for (ptrdiff_t c = shape->cg; c > 0; c--) {
        if (plain->points)
            plain_copy_points(plain, step, to, x, strip);
        else
            plain_copy_rows(plain, step, to, x, strip);
        x += shape->h * shape->w;
        to += plain->plane;
    }
}

/* ---- strips ---- */

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
                tile.x = x + row * plain->step * plain->row + first * LANES;
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
        for (strip.j = start; strip.j < end; strip.j += strip.columns) {
            const ptrdiff_t down = bottom - strip.i;
            const ptrdiff_t right = end - strip.j;
            strip.rows = down < plain->strip_rows ? down : plain->strip_rows;
            strip.columns = right < plain->strip_columns ? right : plain->strip_columns;
            if (plain->in_place && strip.columns >= LANES) {
                strip.columns -= strip.columns % LANES;
                plain_strip(plain, &strip, x + strip.j, plane, weights, y);
                continue;
            }
            if (shape->v == 1)
                plain_copy(plain, 1, x, &strip);
            else if (shape->v == 2)
                plain_copy(plain, 2, x, &strip);
            else
                plain_copy(plain, shape->v, x, &strip);
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
