/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depthwise convolution of blocked operands for one ISA: channels in lanes, a tile of
 * neighbouring columns of y. The file that includes it has included vector_<isa>.h and
 * defines before T, which is f32, and BLOCK, the channels of a block: LANES or a
 * multiple.
 */
#pragma once

#include "conv_plan.h"

#define UNROLL _Pragma("GCC unroll 64")

enum { DEPTHWISE_COLUMNS = 8 };

/* Neighbouring columns of a row of y, one vector of channels. */
struct depthwise_tile {
    const float *x;       /* first tap */
    const float *weights; /* the same */
    float *y;
    ptrdiff_t rows, row_taps; /* taps inside x */
    ptrdiff_t x_row;          /* from a row of taps to the next one */
    ptrdiff_t x_tap, x_pixel; /* from a tap, from a column of y to the next one */
    ptrdiff_t weights_row;
    bool cut_first, cut_last; /* the first or last column of x is padding */
};

/* Three taps a row next to each other, 1 or 2 columns of x between those of y: each
 * vector of x is loaded once. The columns of padding are read elsewhere. */
INLINE void depthwise_three(const int columns, const int v,
                            const struct depthwise_tile *tile)
{
    static const float zeros[LANES];
    const int span = (columns - 1) * v + 3;
    const float *x = tile->x, *weights = tile->weights;
    VEC sum[DEPTHWISE_COLUMNS];

    UNROLL
    for (int j = 0; j < columns; j++)
        sum[j] = SPLAT(0);
    for (ptrdiff_t a = 0; a < tile->rows; a++) {
        const float *const first = tile->cut_first ? zeros : x;
        const float *const last =
            tile->cut_last ? zeros : x + (ptrdiff_t)(span - 1) * BLOCK;
        VEC weight[3];
        UNROLL
        for (int e = 0; e < 3; e++)
            weight[e] = LOAD(weights + e * BLOCK);
        UNROLL
        for (int m = 0; m < span; m++) {
            const VEC one = LOAD(m == 0          ? first
                                 : m == span - 1 ? last
                                                 : x + (ptrdiff_t)m * BLOCK);
            UNROLL
            for (int e = 0; e < 3; e++)
                if (m >= e && (m - e) % v == 0 && (m - e) / v < columns)
                    sum[(m - e) / v] = MULTIPLY_ADD(one, weight[e], sum[(m - e) / v]);
        }
        x += tile->x_row;
        weights += tile->weights_row;
    }
    UNROLL
    for (int j = 0; j < columns; j++)
        STORE(tile->y + (ptrdiff_t)j * BLOCK, sum[j]);
}

/* Any taps that all lie inside x. */
INLINE void depthwise_any(const int columns, const struct depthwise_tile *tile)
{
    const float *x = tile->x, *weights = tile->weights;
    const ptrdiff_t pixel = tile->x_pixel;
    VEC sum[DEPTHWISE_COLUMNS];

    UNROLL
    for (int j = 0; j < columns; j++)
        sum[j] = SPLAT(0);
    for (ptrdiff_t a = 0; a < tile->rows; a++) {
        const float *at = x;
        for (ptrdiff_t e = 0; e < tile->row_taps; e++) {
            const VEC weight = LOAD(weights + e * BLOCK);
            UNROLL
            for (int j = 0; j < columns; j++)
                sum[j] = MULTIPLY_ADD(LOAD(at + j * pixel), weight, sum[j]);
            at += tile->x_tap;
        }
        x += tile->x_row;
        weights += tile->weights_row;
    }
    UNROLL
    for (int j = 0; j < columns; j++)
        STORE(tile->y + (ptrdiff_t)j * BLOCK, sum[j]);
}

#define DEPTHWISE_EACH(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define DEPTHWISE_FUNCTIONS(n)                                           \
    static void depthwise_three_1x##n(const struct depthwise_tile *tile) \
    {                                                                    \
        depthwise_three(n, 1, tile);                                     \
    }                                                                    \
    static void depthwise_three_2x##n(const struct depthwise_tile *tile) \
    {                                                                    \
        depthwise_three(n, 2, tile);                                     \
    }                                                                    \
    static void depthwise_any_##n(const struct depthwise_tile *tile)     \
    {                                                                    \
        depthwise_any(n, tile);                                          \
    }
#define DEPTHWISE_THREE_1(n) depthwise_three_1x##n,
#define DEPTHWISE_THREE_2(n) depthwise_three_2x##n,
#define DEPTHWISE_ANY(n) depthwise_any_##n,

DEPTHWISE_EACH(DEPTHWISE_FUNCTIONS)

typedef void depthwise_function(const struct depthwise_tile *tile);
static depthwise_function *const depthwise_three_tiles[2][DEPTHWISE_COLUMNS] = {
    {DEPTHWISE_EACH(DEPTHWISE_THREE_1)},
    {DEPTHWISE_EACH(DEPTHWISE_THREE_2)},
};
static depthwise_function *const depthwise_any_tiles[DEPTHWISE_COLUMNS] = {
    DEPTHWISE_EACH(DEPTHWISE_ANY)};

/* Columns from `from` to before `to`, in tiles as even as possible. `tile` is that of
 * column 0, with taps from e0 to before e1. */
static void depthwise_columns(struct depthwise_tile tile, ptrdiff_t from, ptrdiff_t to,
                              ptrdiff_t e0, ptrdiff_t e1)
{
    const ptrdiff_t tiles = (to - from + DEPTHWISE_COLUMNS - 1) / DEPTHWISE_COLUMNS;
    float *const y = tile.y;

    tile.row_taps = e1 - e0;
    tile.weights += e0 * BLOCK;
    const float *const x = tile.x + e0 * tile.x_tap;
    for (ptrdiff_t t = 0; t < tiles; t++) {
        const ptrdiff_t j = from + t * (to - from) / tiles;
        const ptrdiff_t columns = from + (t + 1) * (to - from) / tiles - j;
        tile.x = x + j * tile.x_pixel;
        tile.y = y + j * BLOCK;
        depthwise_any_tiles[columns - 1](&tile);
    }
}

/* One row of y in three parts: columns whose taps all lie inside, and those beside. */
static void depthwise_row(const struct conv_shape *shape,
                          const struct depthwise_tile *tile)
{
    const ptrdiff_t right = shape->w - 1 + shape->q - shape->d * (shape->s - 1);
    ptrdiff_t begin = (shape->q + shape->v - 1) / shape->v;
    ptrdiff_t end = right < 0 ? 0 : right / shape->v + 1, e0, e1;

    begin = begin < shape->ow ? begin : shape->ow;
    end = end < shape->ow ? end : shape->ow;
    end = end > begin ? end : begin;
    for (ptrdiff_t j = 0; j < begin; j++) {
        conv_taps_inside(shape, j * shape->v - shape->q, shape->w, shape->s, &e0, &e1);
        depthwise_columns(*tile, j, j + 1, e0, e1);
    }
    depthwise_columns(*tile, begin, end, 0, shape->s);
    for (ptrdiff_t j = end; j < shape->ow; j++) {
        conv_taps_inside(shape, j * shape->v - shape->q, shape->w, shape->s, &e0, &e1);
        depthwise_columns(*tile, j, j + 1, e0, e1);
    }
}

/* The same for rows of three taps. */
static void depthwise_row_three(const struct conv_shape *shape,
                                struct depthwise_tile tile)
{
    const ptrdiff_t tiles = (shape->ow + DEPTHWISE_COLUMNS - 1) / DEPTHWISE_COLUMNS;
    const float *const x = tile.x;
    float *const y = tile.y;

    for (ptrdiff_t t = 0; t < tiles; t++) {
        const ptrdiff_t j = t * shape->ow / tiles, next = (t + 1) * shape->ow / tiles;
        tile.x = x + j * tile.x_pixel;
        tile.y = y + j * BLOCK;
        tile.cut_first = j * shape->v < shape->q;
        tile.cut_last = (next - 1) * shape->v - shape->q + 2 >= shape->w;
        depthwise_three_tiles[shape->v - 1][next - j - 1](&tile);
    }
}

/* One block of channels of one image. */
static void depthwise_block(const struct conv_plan *plan, const float *x,
                            const float *weights, float *y)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t x_row = shape->w * BLOCK;
    const bool three = shape->s == 3 && shape->d == 1 && shape->v <= 2 && shape->q <= 1 &&
                       (shape->ow - 1) * shape->v - shape->q + 2 <= shape->w;

    for (ptrdiff_t i = shape->first; i < shape->end; i++) {
        const ptrdiff_t start = i * shape->u - shape->p;
        ptrdiff_t a0, a1;
        conv_taps_inside(shape, start, shape->h, shape->r, &a0, &a1);
        for (ptrdiff_t lane = 0; lane < BLOCK; lane += LANES) {
            const struct depthwise_tile tile = {
                .x = x + (start + a0 * shape->d) * x_row - shape->q * BLOCK + lane,
                .weights = weights + a0 * shape->s * BLOCK + lane,
                .y = y + i * shape->ow * BLOCK + lane,
                .rows = a1 - a0,
                .x_row = shape->d * x_row,
                .x_tap = shape->d * BLOCK,
                .x_pixel = shape->v * BLOCK,
                .weights_row = shape->s * BLOCK,
            };
            if (three)
                depthwise_row_three(shape, tile);
            else
                depthwise_row(shape, &tile);
        }
    }
}

/* y = the depthwise convolution of x, both in blocks. */
static void conv_depthwise(const struct conv_plan *plan, const float *x, float *y)
{
    const struct conv_shape *shape = &plan->shape;
    const ptrdiff_t taps = shape->r * shape->s * BLOCK;

    for (ptrdiff_t block = 0; block < shape->n * shape->kb; block++)
        depthwise_block(plan, x + block * shape->h * shape->w * BLOCK,
                        plan->weights + block % shape->kb * taps,
                        y + block * shape->oh * shape->ow * BLOCK);
}
