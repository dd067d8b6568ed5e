/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What gemm_argmax_body.h is written in, and the rows of kernels.def that it makes: the
 * counterpart of gemm_tile.h.
 */
#ifndef SIMDBENCH_GEMM_ARGMAX_TILE_H
#define SIMDBENCH_GEMM_ARGMAX_TILE_H

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
#define K_STEPS_DONE(steps)        \
    do {                           \
        bp += (steps) * b1;        \
        base[0] += (steps) * size; \
        base[1] += (steps) * size; \
        base[2] += (steps) * size; \
    } while (0)

#define ARGMAX_TILE_PARAMETERS \
    ptrdiff_t k, const TYPE *a, ptrdiff_t lda, const TYPE *b, TYPE *value, TYPE *block
#define ARGMAX_TILE(semiring, variant, form, rows, vectors)                 \
    static void NAME(argmax_##semiring##_##variant##_##rows##x##vectors)(   \
        ARGMAX_TILE_PARAMETERS)                                             \
    {                                                                       \
        NAME(argmax_tile)(rows, vectors, form, k, a, lda, b, value, block); \
    }
#define ARGMAX_TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = NAME(argmax_##semiring##_##variant##_##rows##x##vectors),

#define ARGMAX_SEARCH_PARAMETERS                                                     \
    ptrdiff_t n, ptrdiff_t k, const TYPE *a, const TYPE *columns, const TYPE *value, \
        const TYPE *block, int32_t *index, int32_t first, bool fold
#define ARGMAX_SEARCH_ARGUMENTS n, k, a, columns, value, block, index, first, fold

/* All of one row of kernels.def that writes C and I; `type` as for GEMM_KERNEL. */
#define GEMM_ARGMAX_KERNEL(type, semiring, variant, form)                             \
    EACH_TILE(ARGMAX_TILE, semiring, variant, form)                                   \
    static void NAME(search_##semiring##_##variant)(int vectors,                      \
                                                    ARGMAX_SEARCH_PARAMETERS)         \
    {                                                                                 \
        if (vectors > 1)                                                              \
            NAME(argmax_search)(form, TILE_VECTORS * LANES, ARGMAX_SEARCH_ARGUMENTS); \
        else                                                                          \
            NAME(argmax_search)(form, LANES, ARGMAX_SEARCH_ARGUMENTS);                \
    }                                                                                 \
    void gemm_argmax_##semiring##_##type##_##variant(                                 \
        const struct simdbench_operands *operands, void *state)                       \
    {                                                                                 \
        static NAME(argmax_function) *const tiles[TILE_ROWS + 1][TILE_VECTORS] = {    \
            EACH_TILE(ARGMAX_TILE_ENTRY, semiring, variant, form)};                   \
        NAME(argmax_multiply)(operands, state, (TYPE)gemm_form_zero(form), tiles,     \
                              NAME(search_##semiring##_##variant));                   \
    }
/* And of one that writes C alone: gemm's own of that variant, which finds its operands
 * here, too. */
#define GEMM_ARGMAX_VALUE(type, semiring, variant)              \
    void gemm_argmax_##semiring##_##type##_value(               \
        const struct simdbench_operands *operands, void *state) \
    {                                                           \
        gemm_##semiring##_##type##_##variant(operands, state);  \
    }

/* ---- masked ---- */

#define ROW_CONTINUE(u, i, j, r)                                                     \
    if ((i) < rows) {                                                                \
        acc[i][0] = first ? LOAD(c + (i) * ldc) : SPLAT(START(form));                \
        winner[i] =                                                                  \
            first ? LOAD_WINNERS(index + (i) * ldi) : SPLAT_WINNERS(GEMM_NO_WINNER); \
    }
#define ROW_STEP_MASKED(u, i, j, r)                        \
    if ((i) < rows) {                                      \
        VEC t[TILE_VECTORS];                               \
        PRODUCTS(u, i, j, r);                              \
        UPDATE_WINNER(acc[i][0], winner[i], t[0], number); \
    }
#define ROW_FINISH(u, i, j, r)           \
    if ((i) < rows) {                    \
        STORE(c, acc[i][0]);             \
        STORE_WINNERS(index, winner[i]); \
        NEXT_ROW(c);                     \
        index += ldi;                    \
        HIDE(index);                     \
    }
#define K_STEP_MASKED(u)          \
    K_STEP_OF(ROW_STEP_MASKED, u) \
    number = ADD_WINNERS(number, next);

/* Vector after vector of columns. */
#define MASKED_TILE(semiring, variant, form, rows, vectors)                         \
    static void NAME(argmax_##semiring##_##variant##_##rows##x##vectors)(           \
        TILE_PARAMETERS)                                                            \
    {                                                                               \
        for (int v = 0; v < (vectors); v++, b += LANES, c += LANES, index += LANES) \
            NAME(masked_tile)                                                       \
        (rows, form, k, a, lda, b, ldb, c, ldc, first, times, index, ldi);          \
    }
#define MASKED_TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = NAME(argmax_##semiring##_##variant##_##rows##x##vectors),

/* As GEMM_ARGMAX_KERNEL. */
#define GEMM_MASKED_KERNEL(type, semiring, variant, form)                          \
    EACH_MASKED_TILE(MASKED_TILE, semiring, variant, form)                         \
    void gemm_argmax_##semiring##_##type##_##variant(                              \
        const struct simdbench_operands *operands, void *state)                    \
    {                                                                              \
        static NAME(tile_function) *const tiles[MASKED_ROWS + 1][TILE_VECTORS] = { \
            EACH_MASKED_TILE(MASKED_TILE_ENTRY, semiring, variant, form)};         \
        NAME(masked_multiply)(operands, state, tiles, form);                       \
    }

/* ---- all rows ---- */

/* All rows of a type, and of one where there is an fma. */
#define GEMM_ARGMAX_ROWS(type)                                   \
    GEMM_ARGMAX_KERNEL(type, maxplus, spans, GEMM_MAXPLUS_ADD)   \
    GEMM_ARGMAX_VALUE(type, maxplus, add)                        \
    GEMM_ARGMAX_KERNEL(type, minplus, spans, GEMM_MINPLUS_ADD)   \
    GEMM_ARGMAX_VALUE(type, minplus, add)                        \
    GEMM_ARGMAX_KERNEL(type, maxtimes, spans, GEMM_MAXTIMES_MUL) \
    GEMM_ARGMAX_VALUE(type, maxtimes, mul)
#define GEMM_ARGMAX_FMA_ROWS(type)                                 \
    GEMM_ARGMAX_KERNEL(type, maxplus, spans, GEMM_MAXPLUS_FMA)     \
    GEMM_ARGMAX_KERNEL(type, maxplus, spans_add, GEMM_MAXPLUS_ADD) \
    GEMM_ARGMAX_VALUE(type, maxplus, fma)                          \
    GEMM_ARGMAX_KERNEL(type, minplus, spans, GEMM_MINPLUS_FMA)     \
    GEMM_ARGMAX_KERNEL(type, minplus, spans_add, GEMM_MINPLUS_ADD) \
    GEMM_ARGMAX_VALUE(type, minplus, fma)                          \
    GEMM_ARGMAX_KERNEL(type, maxtimes, spans, GEMM_MAXTIMES_MUL)   \
    GEMM_ARGMAX_VALUE(type, maxtimes, mul)
/* Those with winners in registers, with products of maxplus and minplus by ADD or FMA:
 * which one is faster depends on what comparisons share their pipes with. */
#define GEMM_MASKED_ROWS(type, product)                               \
    GEMM_MASKED_KERNEL(type, maxplus, masked, GEMM_MAXPLUS_##product) \
    GEMM_MASKED_KERNEL(type, minplus, masked, GEMM_MINPLUS_##product) \
    GEMM_MASKED_KERNEL(type, maxtimes, masked, GEMM_MAXTIMES_MUL)

#endif
