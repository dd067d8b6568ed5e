/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of gemm: packed blocks of A and B, and a square tile of C in registers, in
 * five loops. Four switches spoil it: copies element by element in the innermost loop,
 * blocks that are allocated in each call, large blocks, and no blocks at all.
 *
 * Compiled for each instruction set, and each of these again: with STUDY_O0, without
 * optimisation; with STUDY_PLUSTIMES, for sums of products.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include VECTOR_HEADER

#include "study_rows.h"

#define T f32

enum memory {
    KEPT,   /* blocks of prepare */
    ALLOC,  /* blocks are allocated and zeroed in each call, in new pages */
    WARM,   /* the same in pages that the process has kept */
    CALLOC, /* as ALLOC by calloc, which knows that new pages are zeros */
};

#define SMALL {64, 64, 64}
#define LARGE {TILES_ROWS, TILES_COLUMNS, TILES_DEPTH}

#ifdef STUDY_PLUSTIMES
#define ZERO 0.0F
#define STEP(a, b, c) MULTIPLY_ADD(a, b, c)
#define FOLD_ONE(a, b) ((a) + (b))
INLINE VEC fold(VEC a, VEC b)
{
    return a + b;
}
#else
#define ZERO (-INFINITY)
#define STEP(a, b, c) MAX((a) + (b), c)
#define FOLD_ONE(a, b) ((a) > (b) ? (a) : (b))
INLINE VEC fold(VEC a, VEC b)
{
    return MAX(a, b);
}
#endif

/* One product, and one matrix of a batch. */
struct problem {
    ptrdiff_t m, n, k, lda, ldb, ldc;
    const float *a, *b;
    float *c;
};

static struct problem problem_of(const struct simdbench_operands *operands, int64_t i)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const a = operands->operand[0],
                                          *const b = operands->operand[1],
                                          *const c = operands->operand[2];

    return (struct problem){
        .m = dim[0],
        .n = dim[1],
        .k = dim[2],
        .lda = a->ld,
        .ldb = b->ld,
        .ldc = c->ld,
        .a = (const float *)a->data + i * a->stride,
        .b = (const float *)b->data + i * b->stride,
        .c = (float *)c->data + i * c->stride,
    };
}

static int64_t matrices(const struct simdbench_operands *operands)
{
    return operands->shape->rank == 4 ? operands->shape->dim[3] : 1;
}

INLINE ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}

/* ---- a tile of C in registers ---- */

INLINE void tile_store(const VEC *sum, float *c, ptrdiff_t ldc, int rows, int columns,
                       bool first)
{
    if (rows == LANES && columns == LANES) {
        for (int i = 0; i < LANES; i++, c += ldc)
            STORE(c, first ? sum[i] : fold(sum[i], LOAD(c)));
        return;
    }
    for (int i = 0; i < rows; i++, c += ldc) {
        float row[LANES];
        STORE(row, sum[i]);
        for (int j = 0; j < columns; j++)
            c[j] = first ? row[j] : FOLD_ONE(row[j], c[j]);
    }
}

/* All rows and columns of packed panels, whatever the edge leaves of them. */
static __attribute__((noinline)) void tile(ptrdiff_t k, const float *a, const float *b,
                                           float *c, ptrdiff_t ldc, int rows, int columns,
                                           bool first)
{
    VEC sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = SPLAT(ZERO);
    for (ptrdiff_t p = 0; p < k; p++, a += LANES, b += LANES) {
        const VEC row = LOAD(b);
        for (int i = 0; i < LANES; i++)
            sum[i] = STEP(SPLAT(a[i]), row, sum[i]);
    }
    tile_store(sum, c, ldc, rows, columns, first);
}

#ifndef STUDY_PLUSTIMES
/* An index that a language with checked indices lets pass. */
INLINE int checked(int i)
{
    if (i >= LANES)
        __builtin_trap();
    return i;
}

/* One k-step with copies, in loops over some rows and columns. */
INLINE void step_copies(const float *a, const float *b, int rows, int columns, VEC *sum)
{
    float column[LANES] = {0}, row[LANES] = {0};

    for (int i = 0; i < rows; i++)
        column[checked(i)] = a[i];
    for (int j = 0; j < columns; j++)
        row[checked(j)] = b[j];
    const VEC one = LOAD(row);
    for (int i = 0; i < rows; i++)
        sum[checked(i)] = STEP(SPLAT(column[i]), one, sum[i]);
}

/* Loops as long as the tile is high and wide, which the compiler does not know. */
static __attribute__((noinline)) void tile_copies(ptrdiff_t k, const float *a,
                                                  const float *b, float *c, ptrdiff_t ldc,
                                                  int rows, int columns, bool first)
{
    VEC sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = SPLAT(ZERO);
    for (ptrdiff_t p = 0; p < k; p++)
        step_copies(a + p * LANES, b + p * LANES, rows, columns, sum);
    tile_store(sum, c, ldc, rows, columns, first);
}
#endif

#if !defined(STUDY_PLUSTIMES) && !defined(STUDY_O0)
/* Loops of a length that it knows. */
static __attribute__((noinline)) void tile_copies_fixed(ptrdiff_t k, const float *a,
                                                        const float *b, float *c,
                                                        ptrdiff_t ldc, int rows,
                                                        int columns, bool first)
{
    VEC sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = SPLAT(ZERO);
    for (ptrdiff_t p = 0; p < k; p++)
        step_copies(a + p * LANES, b + p * LANES, LANES, LANES, sum);
    tile_store(sum, c, ldc, rows, columns, first);
}
#endif

/* ---- blocks ---- */

/* Panels of LANES rows, column by column; the last one is filled up with zeros. */
static __attribute__((noinline)) void pack_a(float *to, const float *a, ptrdiff_t lda,
                                             ptrdiff_t rows, ptrdiff_t k)
{
    for (ptrdiff_t i = 0; i < rows; i += LANES)
        for (ptrdiff_t p = 0; p < k; p++)
            for (ptrdiff_t r = 0; r < LANES; r++)
                *to++ = i + r < rows ? a[(i + r) * lda + p] : 0;
}

/* Panels of LANES columns, row by row. */
static __attribute__((noinline)) void pack_b(float *to, const float *b, ptrdiff_t ldb,
                                             ptrdiff_t k, ptrdiff_t columns)
{
    for (ptrdiff_t j = 0; j < columns; j += LANES)
        for (ptrdiff_t p = 0; p < k; p++)
            for (ptrdiff_t c = 0; c < LANES; c++)
                *to++ = j + c < columns ? b[p * ldb + j + c] : 0;
}

typedef void tile_function(ptrdiff_t k, const float *a, const float *b, float *c,
                           ptrdiff_t ldc, int rows, int columns, bool first);

/* C of one block of A and one of B. */
INLINE void block_multiply(tile_function *function, const struct study_blocks *blocks,
                           float *c, ptrdiff_t ldc, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                           bool first)
{
    for (ptrdiff_t j = 0; j < n; j += LANES)
        for (ptrdiff_t i = 0; i < m; i += LANES)
            function(k, blocks->a + i * k, blocks->b + j * k, c + i * ldc + j, ldc,
                     (int)least(m - i, LANES), (int)least(n - j, LANES), first);
}

/* The same code for all rows. k = 0 too: one block of no k-steps, which writes the
 * semiring's zero. */
static __attribute__((noinline)) void multiply_blocks(const struct problem *problem,
                                                      const struct study_blocks *blocks,
                                                      const struct study_tiles *tiles,
                                                      tile_function *function)
{
    for (ptrdiff_t j = 0; j < problem->n; j += tiles->columns) {
        const ptrdiff_t n = least(problem->n - j, tiles->columns);
        ptrdiff_t p = 0;
        do {
            const ptrdiff_t k = least(problem->k - p, tiles->depth);
            pack_b(blocks->b, problem->b + p * problem->ldb + j, problem->ldb, k, n);
            for (ptrdiff_t i = 0; i < problem->m; i += tiles->rows) {
                const ptrdiff_t m = least(problem->m - i, tiles->rows);
                pack_a(blocks->a, problem->a + i * problem->lda + p, problem->lda, m, k);
                block_multiply(function, blocks, problem->c + i * problem->ldc + j,
                               problem->ldc, m, n, k, p == 0);
            }
            p += tiles->depth;
        } while (p < problem->k);
    }
}

/* Zeroed in a way that compilers do not turn into calloc. */
static float *block_make(size_t bytes, enum memory memory)
{
    if (memory == CALLOC)
        return calloc(1, bytes);
    float *const block = malloc(bytes);
    __asm__ volatile("" : : "r"(block) : "memory");
    return block ? memset(block, 0, bytes) : NULL;
}

INLINE void ladder(const struct simdbench_operands *operands, void *state,
                   const struct study_tiles *tiles, enum memory memory,
                   tile_function *function)
{
    const struct study_blocks *const kept = state;

    for (int64_t i = 0; i < matrices(operands); i++) {
        const struct problem problem = problem_of(operands, i);
        struct study_blocks blocks = *kept;
        if (memory != KEPT) {
            heap_settle(memory == WARM ? HEAP_MOST : STUDY_BLOCK_A);
            blocks = (struct study_blocks){block_make(STUDY_BLOCK_A, memory),
                                           block_make(STUDY_BLOCK_B, memory)};
        }
        const bool made = blocks.a && blocks.b;
        multiply_blocks(&problem, made ? &blocks : kept, tiles, function);
        if (memory != KEPT) {
            free(blocks.a);
            free(blocks.b);
        }
    }
}

#define LADDER(semiring, variant, tiles, memory, function) \
    STUDY_ROW(gemm, semiring, variant)                     \
    {                                                      \
        static const struct study_tiles sizes = tiles;     \
        ladder(operands, state, &sizes, memory, function); \
    }

#if defined(STUDY_PLUSTIMES)
LADDER(plustimes, packed, LARGE, KEPT, tile)
#elif defined(STUDY_O0)
LADDER(maxplus, ladder_good_O0, SMALL, KEPT, tile)
LADDER(maxplus, ladder_copies_O0, SMALL, KEPT, tile_copies)
LADDER(maxplus, ladder_bad_O0, LARGE, ALLOC, tile_copies)
#else
LADDER(maxplus, ladder_good, SMALL, KEPT, tile)
LADDER(maxplus, ladder_copies, SMALL, KEPT, tile_copies)
LADDER(maxplus, ladder_copies_fixed, SMALL, KEPT, tile_copies_fixed)
LADDER(maxplus, ladder_alloc, SMALL, ALLOC, tile)
LADDER(maxplus, ladder_alloc_warm, SMALL, WARM, tile)
LADDER(maxplus, ladder_calloc, SMALL, CALLOC, tile)
LADDER(maxplus, ladder_tiles, LARGE, KEPT, tile)
LADDER(maxplus, ladder_bad, LARGE, ALLOC, tile_copies)
LADDER(maxplus, ladder_bad_but_copies, LARGE, ALLOC, tile)
LADDER(maxplus, ladder_bad_but_alloc, LARGE, KEPT, tile_copies)
LADDER(maxplus, ladder_bad_but_tiles, SMALL, ALLOC, tile_copies)

/* A callback before and after. */
STUDY_ROW(gemm, maxplus, ladder_hook)
{
    static const struct study_tiles sizes = SMALL;
    study_hook_function *volatile const hook = study_hook;

    hook(operands);
    ladder(operands, state, &sizes, KEPT, tile);
    hook(operands);
}

/* ---- no blocks ---- */

static __attribute__((noinline)) void
tile_unpacked(const struct problem *problem, const float *a, const float *b, float *c)
{
    VEC sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = SPLAT(ZERO);
    for (ptrdiff_t p = 0; p < problem->k; p++, a++, b += problem->ldb) {
        const VEC row = LOAD(b);
        for (int i = 0; i < LANES; i++)
            sum[i] = STEP(SPLAT(a[i * problem->lda]), row, sum[i]);
    }
    tile_store(sum, c, problem->ldc, LANES, LANES, true);
}

/* In the order of the text: each element of C is a sum along a column of B. */
static __attribute__((noinline)) void multiply_naive(const struct problem *problem,
                                                     ptrdiff_t top, ptrdiff_t left)
{
    for (ptrdiff_t i = top; i < problem->m; i++)
        for (ptrdiff_t j = left; j < problem->n; j++) {
            float sum = ZERO;
            for (ptrdiff_t p = 0; p < problem->k; p++) {
                const float t =
                    problem->a[i * problem->lda + p] + problem->b[p * problem->ldb + j];
                sum = FOLD_ONE(t, sum);
            }
            problem->c[i * problem->ldc + j] = sum;
        }
}

/* Rows of B: neighbours in memory are neighbours in the loop, which the compiler
 * vectorises. */
static __attribute__((noinline)) void multiply_rows(const struct problem *problem)
{
    for (ptrdiff_t i = 0; i < problem->m; i++) {
        float *const restrict c = problem->c + i * problem->ldc;
        for (ptrdiff_t j = 0; j < problem->n; j++)
            c[j] = ZERO;
        for (ptrdiff_t p = 0; p < problem->k; p++) {
            const float one = problem->a[i * problem->lda + p];
            const float *const b = problem->b + p * problem->ldb;
            for (ptrdiff_t j = 0; j < problem->n; j++)
                c[j] = FOLD_ONE(one + b[j], c[j]);
        }
    }
}

/* Whole tiles first; then what is right of them, then what is below. */
static void multiply_unpacked(const struct problem *problem)
{
    const ptrdiff_t whole = problem->m / LANES * LANES, wide = problem->n / LANES * LANES;
    struct problem top = *problem;

    for (ptrdiff_t j = 0; j < wide; j += LANES)
        for (ptrdiff_t i = 0; i < whole; i += LANES)
            tile_unpacked(problem, problem->a + i * problem->lda, problem->b + j,
                          problem->c + i * problem->ldc + j);
    top.m = whole;
    multiply_naive(&top, 0, wide);
    multiply_naive(problem, whole, 0);
}

#define NAIVE(variant, statement)                                   \
    STUDY_ROW(gemm, maxplus, variant)                               \
    {                                                               \
        for (int64_t i = 0; i < matrices(operands); i++) {          \
            const struct problem problem = problem_of(operands, i); \
            statement;                                              \
        }                                                           \
    }

NAIVE(ladder_unpacked, multiply_unpacked(&problem))
NAIVE(ladder_naive, multiply_naive(&problem, 0, 0))
NAIVE(ladder_naive_autovec, multiply_rows(&problem))
#endif
