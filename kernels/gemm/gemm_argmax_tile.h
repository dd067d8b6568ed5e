/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros for gemm_argmax_body.h and the rows of kernels.def that it makes: the
 * counterpart of gemm_tile.h.
 */
#pragma once

#include "gemm_argmax.h"
#include "gemm_tile.h"

#define ROW_RESUME(u, i, j, r)                                                     \
    if ((i) < rows) {                                                              \
        acc[i][0] = LOAD(value + (i) * vectors * LANES);                           \
        acc[i][vectors - 1] = LOAD(value + ((i) * vectors + vectors - 1) * LANES); \
    }
#define ROW_NOTE(u, i, j, r)                                                          \
    if ((i) < rows) {                                                                 \
        NOTE(acc[i][0], value + (i) * vectors * LANES, block + (i) * vectors * LANES, \
             number);                                                                 \
        if (vectors > 1)                                                              \
            NOTE(acc[i][TILE_VECTORS - 1], value + ((i) * vectors + 1) * LANES,       \
                 block + ((i) * vectors + 1) * LANES, number);                        \
    }
/* Notes `number` at `block` where acc is better than `value`, and stores acc there. */
#define NOTE(acc, value, block, number)                            \
    do {                                                           \
        OF(replace_if_different)(block, acc, LOAD(value), number); \
        STORE(value, acc);                                         \
    } while (0)
#define K_STEPS_DONE(steps)        \
    do {                           \
        bp += (steps) * b1;        \
        base[0] += (steps) * size; \
        base[1] += (steps) * size; \
        base[2] += (steps) * size; \
    } while (0)

#define ARGMAX_TILE_PARAMETERS \
    ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, T *value, T *block
#define ARGMAX_TILE(semiring, variant, form, rows, vectors)               \
    static void OF(argmax_##semiring##_##variant##_##rows##x##vectors)(   \
        ARGMAX_TILE_PARAMETERS)                                           \
    {                                                                     \
        OF(argmax_tile)(rows, vectors, form, k, a, lda, b, value, block); \
    }
#define ARGMAX_TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = OF(argmax_##semiring##_##variant##_##rows##x##vectors),

#define ARGMAX_SEARCH_PARAMETERS                                            \
    ptrdiff_t n, ptrdiff_t k, const T *a, const T *columns, const T *value, \
        const T *block, int32_t *index, int32_t first, bool fold
#define ARGMAX_SEARCH_ARGUMENTS n, k, a, columns, value, block, index, first, fold

/* All of one row of kernels.def that writes C and I. */
#define GEMM_ARGMAX_KERNEL(semiring, variant, form)                                      \
    EACH_TILE(ARGMAX_TILE, semiring, variant, form)                                      \
    static void OF(search_##semiring##_##variant)(int vectors, ARGMAX_SEARCH_PARAMETERS) \
    {                                                                                    \
        if (vectors > 1)                                                                 \
            OF(argmax_search)(form, TILE_VECTORS * LANES, ARGMAX_SEARCH_ARGUMENTS);      \
        else                                                                             \
            OF(argmax_search)(form, LANES, ARGMAX_SEARCH_ARGUMENTS);                     \
    }                                                                                    \
    KERNEL_FUNCTION(gemm_argmax, semiring, variant)                                      \
    {                                                                                    \
        static OF(argmax_function) *const tiles[TILE_ROWS + 1][TILE_VECTORS] = {         \
            EACH_TILE(ARGMAX_TILE_ENTRY, semiring, variant, form)};                      \
        OF(argmax_multiply)(operands, state, (T)gemm_form_zero(form), tiles,             \
                            OF(search_##semiring##_##variant));                          \
    }
/* And of one that writes C alone: gemm's own row of that variant, which finds its
 * operands here, too. */
#define GEMM_ARGMAX_VALUE(semiring, variant)                             \
    KERNEL_FUNCTION(gemm_argmax, semiring, value)                        \
    {                                                                    \
        KERNEL_SYMBOL(gemm, semiring, T, ISA, variant)(operands, state); \
    }

/* ---- masked ---- */

#define WINNERS OF_INTEGER(vector)
#define load_winners_f32 load_i32
#define store_winners_f32 store_i32

/* x86's predicates of comparisons, and UPDATE_WINNER out
 * of UPDATE_BY(predicate, instruction, ...). */
#define GREATER "$30"
#define LESS "$17"
#define UPDATE_WINNER(c, w, t, n)                  \
    do {                                           \
        if (gemm_form_min(form))                   \
            UPDATE_BY(LESS, "min", c, w, t, n);    \
        else                                       \
            UPDATE_BY(GREATER, "max", c, w, t, n); \
    } while (0)

#define ROW_CONTINUE(u, i, j, r)                                          \
    if ((i) < rows) {                                                     \
        acc[i][0] = first ? LOAD(c + (i) * ldc) : SPLAT(OF(start)(form)); \
        winner[i] = first ? OF(load_winners)(index + (i) * ldi)           \
                          : OF_INTEGER(splat)(GEMM_NO_WINNER);            \
    }
#define ROW_STEP_MASKED(u, i, j, r)                        \
    if ((i) < rows) {                                      \
        VEC t[TILE_VECTORS];                               \
        PRODUCTS(u, i, j, r);                              \
        UPDATE_WINNER(acc[i][0], winner[i], t[0], number); \
    }
#define ROW_FINISH(u, i, j, r)               \
    if ((i) < rows) {                        \
        STORE(c, acc[i][0]);                 \
        OF(store_winners)(index, winner[i]); \
        NEXT_ROW(c);                         \
        index += ldi;                        \
        HIDE(index);                         \
    }
#define K_STEP_MASKED(u)          \
    K_STEP_OF(ROW_STEP_MASKED, u) \
    number = OF_INTEGER(add)(number, next);

/* Vector after vector of columns. */
#define MASKED_TILE(semiring, variant, form, rows, vectors)                             \
    static void OF(argmax_##semiring##_##variant##_##rows##x##vectors)(TILE_PARAMETERS) \
    {                                                                                   \
        for (int v = 0; v < (vectors); v++, b += LANES, c += LANES, index += LANES)     \
            OF(masked_tile)                                                             \
        (rows, form, k, a, lda, b, ldb, c, ldc, first, times, index, ldi, width);       \
    }
#define MASKED_TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = OF(argmax_##semiring##_##variant##_##rows##x##vectors),

/* As GEMM_ARGMAX_KERNEL. */
#define GEMM_MASKED_KERNEL(semiring, form)                                       \
    EACH_MASKED_TILE(MASKED_TILE, semiring, masked, form)                        \
    KERNEL_FUNCTION(gemm_argmax, semiring, masked)                               \
    {                                                                            \
        static OF(tile_function) *const tiles[MASKED_ROWS + 1][TILE_VECTORS] = { \
            EACH_MASKED_TILE(MASKED_TILE_ENTRY, semiring, masked, form)};        \
        OF(masked_multiply)(operands, state, tiles, form);                       \
    }
