/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direct convolution in blocks, spoilt in one way at a time. The file that includes
 * it defines before what conv_depthwise_body.h needs, with LANES = BLOCK, and
 * SPILL_COLUMNS: more sums than there are registers.
 *
 * Its good twin, which has all columns of a tile in registers, offsets that are known
 * before the loop and nothing in it but products, is row `direct`.
 */
#pragma once

#include "conv_pathologies.h"

enum pathology {
    BORDER_TEST,   /* whether a tap falls outside x is asked at each product */
    SPILL,         /* the register block is too large */
    CALL,          /* each product is a call */
    UNSPECIALISED, /* where a tap is is computed from stride and dilation each time */
};

enum { PATHOLOGY_COLUMNS = 8 };

/* Columns j, j + 1, ... of row i of y. */
struct pathology_tile {
    const struct conv_shape *shape;
    const float *x, *weights;
    float *y;
    ptrdiff_t i, j;
    ptrdiff_t a0, a1, e0, e1; /* taps */
};

static __attribute__((noinline)) VEC pathology_call(VEC x, VEC weight, VEC sum)
{
    return MULTIPLY_ADD(x, weight, sum);
}

INLINE void pathology_tap(const int columns, const enum pathology kind,
                          const struct pathology_tile *tile, const float *x, VEC weight,
                          ptrdiff_t row, ptrdiff_t column, VEC *sum)
{
    const struct conv_shape *shape = tile->shape;
    const ptrdiff_t v = shape->v;

    UNROLL
    for (int l = 0; l < columns; l++) {
        ptrdiff_t at = row * shape->w + column + l * v;
        if (kind == BORDER_TEST && (row < 0 || row >= shape->h || column + l * v < 0 ||
                                    column + l * v >= shape->w))
            continue;
        if (kind == UNSPECIALISED)
            __asm__ volatile("" : "+r"(at));
        const VEC one = SPLAT(x[at * BLOCK]);
        sum[l] = kind == CALL ? pathology_call(one, weight, sum[l])
                              : MULTIPLY_ADD(one, weight, sum[l]);
    }
}

INLINE void pathology_tile(const int columns, const enum pathology kind,
                           const struct pathology_tile *tile)
{
    const struct conv_shape *shape = tile->shape;
    const ptrdiff_t top = tile->i * shape->u - shape->p;
    const ptrdiff_t left = tile->j * shape->v - shape->q;
    VEC sum[SPILL_COLUMNS];

    UNROLL
    for (int l = 0; l < columns; l++)
        sum[l] = SPLAT(0);
    for (ptrdiff_t c = 0; c < shape->c; c++) {
        const float *const x =
            tile->x + c / BLOCK * shape->h * shape->w * BLOCK + c % BLOCK;
        const float *const weights = tile->weights + c * shape->r * shape->s * BLOCK;
        for (ptrdiff_t a = tile->a0; a < tile->a1; a++)
            for (ptrdiff_t e = tile->e0; e < tile->e1; e++)
                pathology_tap(columns, kind, tile, x,
                              LOAD(weights + (a * shape->s + e) * BLOCK),
                              top + a * shape->d, left + e * shape->d, sum);
    }
    UNROLL
    for (int l = 0; l < columns; l++)
        STORE(tile->y + l * BLOCK, sum[l]);
}

typedef void pathology_function(const struct pathology_tile *tile);

/* Taps from *first to before *end lie inside x. */
static void pathology_clip(const struct conv_shape *shape, ptrdiff_t start,
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

/* One row of y: whole tiles where all taps are inside or are tested, else columns. */
static void pathology_row(struct pathology_tile tile, enum pathology kind, int columns,
                          pathology_function *whole, pathology_function *single)
{
    const struct conv_shape *shape = tile.shape;
    const ptrdiff_t right = shape->w - 1 + shape->q - shape->d * (shape->s - 1);
    const bool tests = kind == BORDER_TEST;
    float *const y = tile.y;

    pathology_clip(shape, tile.i * shape->u - shape->p, shape->h, shape->r, &tile.a0,
                   &tile.a1);
    if (tests) {
        tile.a0 = 0;
        tile.a1 = shape->r;
    }
    while (tile.j < shape->ow) {
        const ptrdiff_t first = tile.j * shape->v - shape->q;
        const ptrdiff_t next = tile.j + columns;
        const bool inside = first >= 0 && (next - 1) * shape->v <= right;
        const bool fits = next <= shape->ow && (inside || tests);
        tile.e0 = 0;
        tile.e1 = shape->s;
        if (!fits && !tests)
            pathology_clip(shape, first, shape->w, shape->s, &tile.e0, &tile.e1);
        tile.y = y + tile.j * BLOCK;
        (fits ? whole : single)(&tile);
        tile.j = fits ? next : tile.j + 1;
    }
}

static void pathology_run(const struct simdbench_operands *operands, void *state,
                          enum pathology kind, int columns, pathology_function *whole,
                          pathology_function *single)
{
    const struct conv_pathology *made = state;
    const struct conv_shape *shape = &made->shape;
    const ptrdiff_t x_image = shape->cb * shape->h * shape->w * BLOCK;
    const ptrdiff_t terms = shape->c * shape->r * shape->s;
    const float *const x = operands->operand[0]->data;
    float *const y = operands->operand[2]->data;

    for (ptrdiff_t block = 0; block < shape->n * shape->kb; block++)
        for (ptrdiff_t i = 0; i < shape->oh; i++) {
            const struct pathology_tile tile = {
                .shape = shape,
                .x = x + block / shape->kb * x_image,
                .weights = made->weights + block % shape->kb * terms * BLOCK,
                .y = y + (block * shape->oh + i) * shape->ow * BLOCK,
                .i = i,
            };
            pathology_row(tile, kind, columns, whole, single);
        }
}

/* All of one row of kernels.def. */
#define PATHOLOGY_ROW(name, kind, columns)                                      \
    static void pathology_##name##_whole(const struct pathology_tile *tile)     \
    {                                                                           \
        pathology_tile(columns, kind, tile);                                    \
    }                                                                           \
    static void pathology_##name##_single(const struct pathology_tile *tile)    \
    {                                                                           \
        pathology_tile(1, kind, tile);                                          \
    }                                                                           \
    KERNEL_FUNCTION(conv, , name)                                               \
    {                                                                           \
        pathology_run(operands, state, kind, columns, pathology_##name##_whole, \
                      pathology_##name##_single);                               \
    }

PATHOLOGY_ROW(border_test, BORDER_TEST, PATHOLOGY_COLUMNS)
PATHOLOGY_ROW(spill, SPILL, SPILL_COLUMNS)
PATHOLOGY_ROW(call, CALL, PATHOLOGY_COLUMNS)
PATHOLOGY_ROW(unspecialised, UNSPECIALISED, PATHOLOGY_COLUMNS)
