/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One direct convolution in blocks, spoilt in one way or several. The file that includes
 * it defines before what conv_depthwise_body.h needs, with LANES = BLOCK, and
 * SPILL_COLUMNS: more sums than there are registers.
 *
 * Row `block8` is not spoilt: all columns of a tile are in registers, offsets are known
 * before the loop, which has nothing in it but products. Rows `columns<n>` are the same
 * with n columns in a tile.
 */
#pragma once

#include "conv_pathologies.h"

/* Bits. */
enum pathology {
    CLEAN = 0,
    COLUMN_TEST = 1 << 0,  /* whether a column is in y is asked at each product */
    PADDING_TEST = 1 << 1, /* whether a column of x is padding is asked at each product */
    UNSPECIALISED = 1 << 2, /* a tap's place is computed from stride and dilation */
    CALL = 1 << 3,          /* each product is a call */
    CALL_MEMORY = 1 << 4,   /* the same, vectors are passed in memory */
    CALL_HALVES = 1 << 5,   /* the same, by 16 bytes, as code does that has no AVX */
};
enum { PASSES_MEMORY = CALL_MEMORY | CALL_HALVES, BLOCK_COLUMNS = 8, MOST_COLUMNS = 40 };

/* Columns j, j + 1, ... of row i of y. */
struct pathology_tile {
    const struct conv_shape *shape;
    const float *x, *weights;
    float *y;
    ptrdiff_t i, j;
    ptrdiff_t a0, a1, e0, e1; /* taps */
};

/* ---- products ---- */

/* No compiler looks into these functions when it compiles their calls. */
#if defined(__clang__)
#define OPAQUE static __attribute__((noinline, used))
#else
#define OPAQUE static __attribute__((noipa))
#endif

OPAQUE VEC pathology_call(VEC x, VEC weight, VEC sum)
{
    return MULTIPLY_ADD(x, weight, sum);
}

OPAQUE void pathology_call_memory(VEC *result, const VEC *x, const VEC *weight,
                                  const VEC *sum)
{
    *result = MULTIPLY_ADD(*x, *weight, *sum);
}

typedef float pathology_half __attribute__((vector_size(16), may_alias));

/* Asm, so that each copy is made, and not one of several. */
#define COPY_BY(type, to, from)                               \
    UNROLL                                                    \
    for (size_t i = 0; i < sizeof(VEC) / sizeof(type); i++) { \
        type part = ((const type *)(from))[i];                \
        __asm__ volatile("" : "+x"(part));                    \
        ((type *)(to))[i] = part;                             \
    }

INLINE void pathology_copy(const enum pathology kind, VEC *to, const VEC *from)
{
    if (kind & CALL_HALVES)
        COPY_BY(pathology_half, to, from)
    else
        COPY_BY(VEC, to, from)
}

INLINE void pathology_splat(const enum pathology kind, VEC *to, float x)
{
    const pathology_half half = {x, x, x, x};

    if (!(kind & CALL_HALVES)) {
        *to = SPLAT(x);
        return;
    }
    UNROLL
    for (size_t i = 0; i < sizeof *to / sizeof half; i++)
        ((pathology_half *)to)[i] = half;
}

/* `weight` is at *at. */
INLINE void pathology_product(const enum pathology kind, const float *x, VEC weight,
                              const float *at, VEC *sum)
{
    if (kind & PASSES_MEMORY) {
        VEC one, other, before, result;
        pathology_splat(kind, &one, *x);
        pathology_copy(kind, &other, (const VEC *)(const void *)at);
        pathology_copy(kind, &before, sum);
        pathology_call_memory(&result, &one, &other, &before);
        pathology_copy(kind, sum, &result);
    } else if (kind & CALL) {
        *sum = pathology_call(SPLAT(*x), weight, *sum);
    } else {
        *sum = MULTIPLY_ADD(SPLAT(*x), weight, *sum);
    }
}

/* ---- tiles ---- */

#define UNLIKELY(x) __builtin_expect(x, 0)

/* One tap of all columns. `end` columns of the tile are in y. */
INLINE void pathology_tap(const int columns, const enum pathology kind, const ptrdiff_t v,
                          const struct conv_shape *shape, const float *x,
                          const float *weights, ptrdiff_t row, ptrdiff_t column,
                          ptrdiff_t end, VEC *sum)
{
    const VEC weight = LOAD(weights);

    UNROLL
    for (int l = 0; l < columns; l++) {
        const ptrdiff_t x_column = column + l * v;
        ptrdiff_t at = row * shape->w + x_column;
        /* Tests of what is known before the loop, or by the test before, would go. */
        if (kind & COLUMN_TEST)
            __asm__ volatile("" : "+r"(end));
        if (kind & COLUMN_TEST && UNLIKELY(l >= end))
            continue;
        if (kind & PADDING_TEST && UNLIKELY(x_column < 0 || x_column >= shape->w))
            continue;
        if (kind & UNSPECIALISED)
            __asm__ volatile("" : "+r"(at));
        pathology_product(kind, x + at * BLOCK, weight, weights, &sum[l]);
    }
}

/* With `unit` all columns of x are next to each other. Asm could change what is in
 * memory, for all that a compiler knows: shape and tile are copies. */
INLINE void pathology_tile(const int columns, const enum pathology kind, const bool unit,
                           const struct pathology_tile tile)
{
    const struct conv_shape shape = *tile.shape;
    const ptrdiff_t v = unit ? 1 : shape.v, d = unit ? 1 : shape.d;
    const ptrdiff_t top = tile.i * shape.u - shape.p;
    const ptrdiff_t left = tile.j * v - shape.q;
    const ptrdiff_t end = shape.ow - tile.j;
    VEC sum[MOST_COLUMNS];

    UNROLL
    for (int l = 0; l < columns; l++)
        sum[l] = SPLAT(0);
    if (kind & PASSES_MEMORY)
        __asm__ volatile("" : : "r"(sum) : "memory"); /* in memory they are */
    for (ptrdiff_t c = 0; c < shape.c; c++) {
        const float *const x = tile.x + c / BLOCK * shape.h * shape.w * BLOCK + c % BLOCK;
        const float *const weights = tile.weights + c * shape.r * shape.s * BLOCK;
        for (ptrdiff_t a = tile.a0; a < tile.a1; a++) {
            const ptrdiff_t row = top + a * d;
            if (kind & PADDING_TEST && (row < 0 || row >= shape.h))
                continue;
            for (ptrdiff_t e = tile.e0; e < tile.e1; e++)
                pathology_tap(columns, kind, v, &shape, x,
                              weights + (a * shape.s + e) * BLOCK, row, left + e * d, end,
                              sum);
        }
    }
    UNROLL
    for (int l = 0; l < columns; l++)
        if (!(kind & COLUMN_TEST) || l < end)
            STORE(tile.y + l * BLOCK, sum[l]);
}

typedef void pathology_function(const struct pathology_tile *tile);

/* A row of kernels.def: its tiles, and what is left of a row of y in tiles of 8 columns
 * and one by one. */
struct pathology_way {
    enum pathology kind;
    int columns;
    pathology_function *unit, *whole, *unit8, *whole8, *single;
};

/* ---- the loops around ---- */

/* True if a tile at column j has all taps inside, or tests what is not. */
static bool pathology_fits(const struct conv_shape *shape, enum pathology kind,
                           ptrdiff_t j, int columns)
{
    const ptrdiff_t right = shape->w - 1 + shape->q - shape->d * (shape->s - 1);
    const bool cut = j + columns > shape->ow;
    const ptrdiff_t last = (cut ? shape->ow : j + columns) - 1;
    const bool inside = j * shape->v >= shape->q && last * shape->v <= right;

    return (!cut || kind & COLUMN_TEST) && (inside || kind & PADDING_TEST);
}

/* One row of y. */
static void pathology_row(struct pathology_tile tile, const struct pathology_way *way)
{
    const struct conv_shape *shape = tile.shape;
    const bool unit = shape->v == 1 && shape->d == 1 && !(way->kind & UNSPECIALISED);
    const bool tests = way->kind & PADDING_TEST;
    float *const y = tile.y;

    conv_taps_inside(shape, tile.i * shape->u - shape->p, shape->h, shape->r, &tile.a0,
                     &tile.a1);
    if (tests) {
        tile.a0 = 0;
        tile.a1 = shape->r;
    }
    for (int columns; tile.j < shape->ow; tile.j += columns) {
        pathology_function *function = way->single;
        columns = 1;
        if (pathology_fits(shape, way->kind, tile.j, way->columns)) {
            columns = way->columns;
            function = unit ? way->unit : way->whole;
        } else if (pathology_fits(shape, way->kind, tile.j, BLOCK_COLUMNS)) {
            columns = BLOCK_COLUMNS;
            function = unit ? way->unit8 : way->whole8;
        }
        tile.e0 = 0;
        tile.e1 = shape->s;
        if (columns == 1 && !tests)
            conv_taps_inside(shape, tile.j * shape->v - shape->q, shape->w, shape->s,
                             &tile.e0, &tile.e1);
        tile.y = y + tile.j * BLOCK;
        function(&tile);
    }
}

static void pathology_run(const struct simdbench_operands *operands, void *state,
                          const struct pathology_way *way)
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
            pathology_row(tile, way);
        }
}

#define PATHOLOGY_TILE(name, columns, kind, unit)                   \
    static void pathology_##name(const struct pathology_tile *tile) \
    {                                                               \
        pathology_tile(columns, kind, unit, *tile);                 \
    }
#define PATHOLOGY_TILES(name, kind, columns)         \
    PATHOLOGY_TILE(name##_unit, columns, kind, true) \
    PATHOLOGY_TILE(name##_whole, columns, kind, false)
/* All of one row of kernels.def; `rest` is a row of the same kind in tiles of 8. */
#define PATHOLOGY_KERNEL(name, kind, columns, rest)                          \
    KERNEL_FUNCTION(conv, , name)                                            \
    {                                                                        \
        static const struct pathology_way way = {kind,                       \
                                                 columns,                    \
                                                 pathology_##name##_unit,    \
                                                 pathology_##name##_whole,   \
                                                 pathology_##rest##_unit,    \
                                                 pathology_##rest##_whole,   \
                                                 pathology_##rest##_single}; \
        pathology_run(operands, state, &way);                                \
    }
#define BLOCK_ROW(name, kind)                     \
    PATHOLOGY_TILES(name, kind, BLOCK_COLUMNS)    \
    PATHOLOGY_TILE(name##_single, 1, kind, false) \
    PATHOLOGY_KERNEL(name, kind, BLOCK_COLUMNS, name)
#define WIDE_ROW(name, kind, columns, rest) \
    PATHOLOGY_TILES(name, kind, columns)    \
    PATHOLOGY_KERNEL(name, kind, columns, rest)

BLOCK_ROW(block8, CLEAN)
BLOCK_ROW(column_test, COLUMN_TEST)
BLOCK_ROW(padding_test, PADDING_TEST)
BLOCK_ROW(unspecialised, UNSPECIALISED)
BLOCK_ROW(call, CALL)
BLOCK_ROW(call_memory, CALL_MEMORY)
BLOCK_ROW(call_halves, CALL_HALVES)
WIDE_ROW(spill, CLEAN, SPILL_COLUMNS, block8)
WIDE_ROW(spill_column, COLUMN_TEST, SPILL_COLUMNS, column_test)
WIDE_ROW(columns12, CLEAN, 12, block8)
WIDE_ROW(columns18, CLEAN, 18, block8)
WIDE_ROW(columns24, CLEAN, 24, block8)
