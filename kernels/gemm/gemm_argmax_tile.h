/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros for gemm_argmax_body.h and the rows of kernels.def that it makes: the
 * counterpart of gemm_tile.h.
 */
#pragma once

#include "gemm_argmax.h"
#include "gemm_tile.h"

#define ROW_BEGIN(u, i, j, r)               \
    if ((i) < rows)                         \
        for (int v = 0; v < vectors; v++) { \
            acc[i][v] = seen[i][v] = zero;  \
            span[i][v] = SPLAT((T)0);       \
        }
#define ROW_RESUME(u, i, j, r)                                      \
    if ((i) < rows) {                                               \
        for (int v = 0; v < vectors; v++) {                         \
            acc[i][v] = seen[i][v] = LOAD(to + v * LANES);          \
            span[i][v] = LOAD(spans + ((i) * vectors + v) * LANES); \
        }                                                           \
        NEXT_ROW(to);                                               \
    }
#define ROW_NOTE(u, i, j, r)                                                          \
    if ((i) < rows)                                                                   \
        for (int v = 0; v < vectors; v++) {                                           \
            span[i][v] = OF(if_different)(acc[i][v], seen[i][v], number, span[i][v]); \
            seen[i][v] = acc[i][v];                                                   \
        }
#define ROW_LEAVE(u, i, j, r)                                       \
    if ((i) < rows) {                                               \
        for (int v = 0; v < vectors; v++) {                         \
            STORE(to + v * LANES, acc[i][v]);                       \
            STORE(spans + ((i) * vectors + v) * LANES, span[i][v]); \
        }                                                           \
        NEXT_ROW(to);                                               \
    }

#define ARGMAX_TILE_PARAMETERS                                               \
    ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T *c, \
        ptrdiff_t ldc, bool fold, T *spans
#define ARGMAX_TILE(semiring, variant, form, rows, vectors)             \
    static void OF(argmax_##semiring##_##variant##_##rows##x##vectors)( \
        ARGMAX_TILE_PARAMETERS)                                         \
    {                                                                   \
        OF(argmax_tile)                                                 \
        (rows, vectors, form, k, a, lda, b, ldb, c, ldc, fold, spans);  \
    }
#define ARGMAX_TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = OF(argmax_##semiring##_##variant##_##rows##x##vectors),

#define ARGMAX_SEARCH_PARAMETERS                                                  \
    ptrdiff_t rows, ptrdiff_t n, const T *a, ptrdiff_t lda, const T *columns,     \
        const T *c, ptrdiff_t ldc, const T *spans, int32_t *index, ptrdiff_t ldi, \
        int32_t first
#define ARGMAX_SEARCH(form, vectors, fold)                                             \
    OF(argmax_search)(form, (vectors) * LANES, fold, rows, n, a, lda, columns, c, ldc, \
                      spans, index, ldi, first)

/* All of one row of kernels.def that writes C and I. */
#define GEMM_ARGMAX_KERNEL(semiring, variant, form)                                \
    EACH_ARGMAX_TILE(ARGMAX_TILE, semiring, variant, form)                         \
    static void OF(search_##semiring##_##variant)(int vectors, bool fold,          \
                                                  ARGMAX_SEARCH_PARAMETERS)        \
    {                                                                              \
        if (vectors > 1 && fold)                                                   \
            ARGMAX_SEARCH(form, TILE_VECTORS, true);                               \
        else if (vectors > 1)                                                      \
            ARGMAX_SEARCH(form, TILE_VECTORS, false);                              \
        else if (fold)                                                             \
            ARGMAX_SEARCH(form, 1, true);                                          \
        else                                                                       \
            ARGMAX_SEARCH(form, 1, false);                                         \
    }                                                                              \
    KERNEL_FUNCTION(gemm_argmax, semiring, variant)                                \
    {                                                                              \
        static OF(argmax_function) *const tiles[ARGMAX_ROWS + 1][TILE_VECTORS] = { \
            EACH_ARGMAX_TILE(ARGMAX_TILE_ENTRY, semiring, variant, form)};         \
        OF(argmax_multiply)(operands, state, (T)gemm_form_zero(form), tiles,       \
                            OF(search_##semiring##_##variant));                    \
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
