/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros for gemm_body.h and the files gemm_<isa>.c: a tile's rows and k-steps, tables of
 * tiles, and rows of kernels.def. They use the definitions that gemm_body.h asks for.
 */
#pragma once

#include <string.h>

#include "gemm.h"
#include "lines.h"
#include "vector/vector.h"

/* For EACH_TILE: X for all heights up to n. */
/* clang-format off */
#define HEIGHTS_2(X, s, v, f, vectors) X(s, v, f, 1, vectors) X(s, v, f, 2, vectors)
#define HEIGHTS_4(X, s, v, f, vectors) \
    HEIGHTS_2(X, s, v, f, vectors) X(s, v, f, 3, vectors) X(s, v, f, 4, vectors)
#define HEIGHTS_5(X, s, v, f, vectors) \
    HEIGHTS_4(X, s, v, f, vectors) X(s, v, f, 5, vectors)
#define HEIGHTS_12(X, s, v, f, vectors) \
    HEIGHTS_5(X, s, v, f, vectors) X(s, v, f, 6, vectors) X(s, v, f, 7, vectors) \
    X(s, v, f, 8, vectors) X(s, v, f, 9, vectors) X(s, v, f, 10, vectors) \
    X(s, v, f, 11, vectors) X(s, v, f, 12, vectors)
/* clang-format on */

/* The end of a tile: with a vector, within a vector, within the first half of a vector.
 */
enum { NO_EDGE, EDGE, HALF_EDGE };

/* PRODUCTS where compilers need no help. */
#define PLAIN_PRODUCTS(u, i, j, r)                                          \
    do {                                                                    \
        const VEC x = SPLAT(*ROW_ADDRESS(u, j, r));                         \
        t[0] = OF(times)(x, bv[0], form);                                   \
        if (vectors > 1)                                                    \
            t[TILE_VECTORS - 1] = OF(times)(x, bv[TILE_VECTORS - 1], form); \
    } while (0)

/* The element of A that is u columns right of base[j] and r rows below. */
#define ROW_ADDRESS(u, j, r) ((const T *)(base[j] + LINE_OFFSET(r, s1, s3, s5, s7)) + (u))
#define B_OFFSET(u) LINE_OFFSET(u, b1, b3, b5, b7)

#define ROW_START(u, i, j, r)            \
    if ((i) < rows) {                    \
        acc[i][0] = zero;                \
        acc[i][TILE_VECTORS - 1] = zero; \
        half[i] = LOW(zero);             \
    }
#define ROW_WHOLE(u, i, j, r) \
    if ((i) < rows)           \
        acc[i][0] = WHOLE(half[i]);
#define ROW_STEP(u, i, j, r)                                       \
    if ((i) < rows) {                                              \
        VEC t[TILE_VECTORS];                                       \
        if (edge == HALF_EDGE) {                                   \
            HALF_STEP(u, i, j, r);                                 \
        } else {                                                   \
            PRODUCTS(u, i, j, r);                                  \
            UPDATE(acc[i][0], t[0]);                               \
        }                                                          \
        if (vectors > 1)                                           \
            UPDATE(acc[i][TILE_VECTORS - 1], t[TILE_VECTORS - 1]); \
    }
/* C is far away: it comes while the products are made. */
#define ROW_FETCH(u, i, j, r)                  \
    if ((i) < rows) {                          \
        __builtin_prefetch(to, 1);             \
        if (vectors > 1)                       \
            __builtin_prefetch(to + LANES, 1); \
        NEXT_ROW(to);                          \
    }
#define ROW_FOLD(u, i, j, r)                                        \
    if ((i) < rows) {                                               \
        acc[i][0] = BETTER(acc[i][0], TILE_LOAD(to));               \
        if (vectors > 1)                                            \
            acc[i][TILE_VECTORS - 1] =                              \
                BETTER(acc[i][TILE_VECTORS - 1], LOAD(to + LANES)); \
        NEXT_ROW(to);                                               \
    }
#define ROW_STORE(u, i, j, r)                            \
    if ((i) < rows) {                                    \
        TILE_STORE(to, acc[i][0]);                       \
        if (vectors > 1)                                 \
            STORE(to + LANES, acc[i][TILE_VECTORS - 1]); \
        NEXT_ROW(to);                                    \
    }
#define NEXT_ROW(to) \
    do {             \
        to += ldc;   \
        HIDE(to);    \
    } while (0)
#define BETTER(t, c) (gemm_form_min(form) ? MIN(t, c) : MAX(t, c))
#define K_STEP(u) K_STEP_OF(ROW_STEP, u)
#define K_STEP_OF(ROW, u)                                  \
    {                                                      \
        const T *const bu = (const T *)(bp + B_OFFSET(u)); \
        VEC bv[TILE_VECTORS];                              \
        bv[0] = TILE_LOAD(bu);                             \
        if (vectors > 1)                                   \
            bv[TILE_VECTORS - 1] = LOAD(bu + LANES);       \
        EACH_ROW(ROW, u)                                   \
    }

/* For integers: the limit that elements saturate to, the number in the place of an
 * operand's zero, the number added to elements of A, and the greatest one
 * (gemm_integer_body.h). */
#define INTEGER_LIMIT OF(GEMM_LIMIT)
#define INTEGER_FAR (3 * INTEGER_LIMIT + 1)
#define INTEGER_BIAS (8 * INTEGER_LIMIT)
#define INTEGER_MOST ((T)(sizeof(T) == 4 ? INT32_MAX : INT64_MAX))

#define TILE_PARAMETERS                                                                 \
    ptrdiff_t k, const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T *c,            \
        ptrdiff_t ldc, ptrdiff_t first, ptrdiff_t times, int32_t *index, ptrdiff_t ldi, \
        ptrdiff_t width

/* The tile of a form and an edge, still for all sizes: compilers drop all other forms
 * here, once, and not again for each size, which takes them three times as long. */
#define TILE_KIND(semiring, variant, form, edge)                                     \
    GEMM_TILE_BODY OF(tile_##semiring##_##variant##_##edge)(                         \
        const int rows, const int vectors, TILE_PARAMETERS)                          \
    {                                                                                \
        OF(tile)(rows, vectors, edge, form, k, a, lda, b, ldb, c, ldc, first, times, \
                 index, ldi, width);                                                 \
    }

/* Bytes from row to row of A (s1, and as lines.h wants them) and from k-step to k-step of
 * B. Hidden, or compilers make a pointer for each row and spill them. */
#define TILE_DISTANCES                                                \
    const ptrdiff_t size = (ptrdiff_t)sizeof(T);                      \
    ptrdiff_t s1 = lda * size, s3 = 3 * s1, s5 = 5 * s1, s7 = 7 * s1; \
    ptrdiff_t b1 = ldb * size, b3 = 3 * b1, b5 = 5 * b1, b7 = 7 * b1; \
    HIDE(s1);                                                         \
    HIDE(s3);                                                         \
    HIDE(s5);                                                         \
    HIDE(s7)
/* Rows 0, 8 and 16 of A; the next `steps` k-steps. */
#define TILE_BASES                                                          \
    const char *base[3] = {(const char *)a,                                 \
                           (const char *)(a + (rows > 8 ? 8 * lda : 0)),    \
                           (const char *)(a + (rows > 16 ? 16 * lda : 0))}; \
    HIDE(base[1]);                                                          \
    HIDE(base[2])
#define K_STEPS_DONE(steps)        \
    do {                           \
        bp += (steps) * b1;        \
        base[0] += (steps) * size; \
        base[1] += (steps) * size; \
        base[2] += (steps) * size; \
    } while (0)

/* Masks cost a twentieth of the rate, so only tiles that need them have them. */
#define TILE(semiring, variant, form, rows, vectors)                                    \
    static void OF(tile_##semiring##_##variant##_##rows##x##vectors)(TILE_PARAMETERS)   \
    {                                                                                   \
        if (HAS_HALF && (vectors) == 1 && !OF(IS_INTEGER) && width <= LANES / 2)        \
            TILE_OF(semiring, variant, HALF_EDGE, rows, vectors);                       \
        else if (GEMM_EDGE_TILES && (vectors) == 1 && !OF(IS_INTEGER) && width < LANES) \
            TILE_OF(semiring, variant, EDGE, rows, vectors);                            \
        else                                                                            \
            TILE_OF(semiring, variant, NO_EDGE, rows, vectors);                         \
    }
#define TILE_OF(semiring, variant, edge, rows, vectors)                                \
    OF(tile_##semiring##_##variant##_##edge)(rows, vectors, k, a, lda, b, ldb, c, ldc, \
                                             first, times, index, ldi, width)
#define TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = OF(tile_##semiring##_##variant##_##rows##x##vectors),

#define SLIM(semiring, variant, form)                 \
    static void OF(slim_##semiring##_##variant)(      \
        const struct simdbench_operands *operands,    \
        const struct gemm_workspace *workspace)       \
    {                                                 \
        OF(slim_products)(operands, workspace, form); \
    }

/* All of one row of kernels.def. */
#define GEMM_KERNEL(semiring, variant, form)                                         \
    TILE_KIND(semiring, variant, form, NO_EDGE)                                      \
    TILE_KIND(semiring, variant, form, EDGE)                                         \
    TILE_KIND(semiring, variant, form, HALF_EDGE)                                    \
    EACH_TILE(TILE, semiring, variant, form)                                         \
    SLIM(semiring, variant, form)                                                    \
    KERNEL_FUNCTION(gemm, semiring, variant)                                         \
    {                                                                                \
        static OF(tile_function) *const tiles[TILE_ROWS + 1][TILE_VECTORS] = {       \
            EACH_TILE(TILE_ENTRY, semiring, variant, form)};                         \
        OF(multiply)(operands, state, tiles, OF(slim_##semiring##_##variant), form); \
    }
