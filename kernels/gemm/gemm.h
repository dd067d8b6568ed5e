/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tropical matrix multiplication C = A (x) B, shared by the files of the op and the
 * bodies.
 *
 * Operands: A (m x k), B (k x n), C (m x n), row-major, rows `ld` elements apart;
 * dim = {m, n, k}. C is overwritten. A shape of rank 4 is a batch of dim[3] such
 * products, whose matrices are `stride` elements apart in each operand.
 *
 * The rules of floating-point arithmetic, equal in all kernels and in the reference:
 *   - Each element of C starts at the semiring's zero: -inf for maxplus, +inf for
 *     minplus, +0 for maxtimes. That is also the result for k = 0.
 *   - The products t = a + b (or a * b), rounded once, follow in the order of ascending
 *     k, and `if (t > c) c = t` (t < c for minplus). This is x86's max(t, c) with c as
 *     the second operand. So a NaN never wins (a column of nothing but NaN gives the
 *     zero), and among equal zeros the first one stays, whatever its sign. (ARM's maximum
 *     takes the positive one and its minimum the negative one, which is right too.)
 *   - Denormals count: FTZ and DAZ are off.
 * Folding c into a block's result in the same way, and computing an element twice, change
 * no bit; so results are the same bits for every ISA, block size and tile (but those
 * zeros). fma(a, 1, b) is a + b rounded once: the same bits again.
 *
 * The rules of integers, i32 and i64, maxplus and minplus:
 *   - The semiring's zero is the least integer for maxplus, the greatest for minplus. It
 *     absorbs: zero + x is zero, whatever x is. It is the result for k = 0.
 *   - Any other element of A or B saturates when it is read, to [-L, L] with L = 2^27
 *     (i32) or 2^59 (i64): GEMM_LIMIT_i32, GEMM_LIMIT_i64. So no sum overflows, and all
 *     results are exact for elements in that range.
 * Kernels put a finite number in the zero's place, when they pack A and B, that is so far
 * out that a sum with it cannot be mistaken for one of two others, and write the zero
 * for what is that far out when C is done. So the inner loop is one plain add and one
 * maximum.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prototypes.h"
#include "simdbench.h"

/* The operation of a tile. The suffix is the instruction that makes the product; RELOAD
 * loads some factors twice, where FMA copies them from register to register. */
enum gemm_form {
    GEMM_MAXPLUS_ADD,
    GEMM_MAXPLUS_FMA,
    GEMM_MAXPLUS_RELOAD,
    GEMM_MINPLUS_ADD,
    GEMM_MINPLUS_FMA,
    GEMM_MINPLUS_RELOAD,
    GEMM_MAXTIMES_MUL,
};

static inline bool gemm_form_min(enum gemm_form form)
{
    return form >= GEMM_MINPLUS_ADD && form <= GEMM_MINPLUS_RELOAD;
}

static inline bool gemm_form_reload(enum gemm_form form)
{
    return form == GEMM_MAXPLUS_RELOAD || form == GEMM_MINPLUS_RELOAD;
}

static inline bool gemm_form_fma(enum gemm_form form)
{
    return form == GEMM_MAXPLUS_FMA || form == GEMM_MINPLUS_FMA || gemm_form_reload(form);
}

static inline double gemm_form_zero(enum gemm_form form)
{
    if (form == GEMM_MAXTIMES_MUL)
        return 0.0;
    return gemm_form_min(form) ? __builtin_inf() : -__builtin_inf();
}

/* A tile: dozens of copies of one function, which UBSan takes minutes to compile. */
#define GEMM_TILE_BODY \
    static inline __attribute__((always_inline, no_sanitize("undefined"))) void

/* The limits that elements saturate to, as above. */
#define GEMM_LIMIT_i32 (INT32_C(1) << 27)
#define GEMM_LIMIT_i64 (INT64_C(1) << 59)

/* Limits of a block, for every ISA: so many columns of B. gemm_workspace.c has the
 * others. No vector has more elements than GEMM_LANES. */
enum {
    GEMM_WIDTH = 1024,
    GEMM_LANES = 16,
    GEMM_COLUMN_BYTES = 4096, /* of B, if it is narrower than a vector */
};

/* For ops whose shapes are those of gemm: `format`; and `parse`, which for op `name`
 * takes no batch. */
void gemm_format(const struct simdbench_shape *shape, char *text, size_t text_size);
int gemm_parse_single(const char *name, const char *text, struct simdbench_shape *shape,
                      char *error, size_t error_size);

/* The distance of copied lines of n elements: an odd number of cache lines, so that
 * neighbours share no set of the cache. */
static inline ptrdiff_t gemm_padded(ptrdiff_t n, size_t size)
{
    return (ptrdiff_t)((((size_t)n * size + 63) / 64 | 1) * 64 / size);
}

static inline int64_t gemm_matrices(const struct simdbench_shape *shape)
{
    return shape->rank == 4 ? shape->dim[3] : 1;
}

/* The tiles of C, and the parts of A and B that are copied: the same in each call. */
struct gemm_problem {
    ptrdiff_t m, n, k;
    ptrdiff_t lda, ldb, ldc, ldi;
    ptrdiff_t strips;        /* of rows */
    ptrdiff_t steps, taller; /* heights of a strip; the first `taller` have one more */
    ptrdiff_t several;       /* strips whose rows fill a block */
    bool copy_rows, copy_panels;
};

/* `index`: NULL if there are no winners. */
static inline struct gemm_problem gemm_shape(const struct simdbench_operands *operands,
                                             const struct simdbench_operand *index)
{
    const int64_t *const dim = operands->shape->dim;

    return (struct gemm_problem){.m = dim[0],
                                 .n = dim[1],
                                 .k = dim[2],
                                 .lda = operands->operand[0]->ld,
                                 .ldb = operands->operand[1]->ld,
                                 .ldc = operands->operand[2]->ld,
                                 .ldi = index ? index->ld : 0};
}

/* Number by number: memcmp() would load several at once that were stored one by one, and
 * wait for all of them. */
static inline bool gemm_problem_is(const struct gemm_problem *problem,
                                   const struct gemm_problem *shape)
{
    return problem->m == shape->m && problem->n == shape->n && problem->k == shape->k &&
           problem->lda == shape->lda && problem->ldb == shape->ldb &&
           problem->ldc == shape->ldc && problem->ldi == shape->ldi;
}

/* Strips of equal height one below the other, as wide as a tile. */
struct gemm_run {
    void (*tile)(void); /* of the type that the body has */
    ptrdiff_t row, height, strips;
    ptrdiff_t column, width;
    ptrdiff_t panel; /* columns of the panels before its own */
};

/* The runs of a block: columns up to n, strips from `first` to `last`. */
enum { GEMM_RUNS = 64 };
struct gemm_runs {
    ptrdiff_t n, first, last;
    int count;
    struct gemm_run run[GEMM_RUNS];
};

/* The state of the rows of gemm and gemm_argmax, made by prepare: memory for packed
 * blocks, and what the first call finds out for those that follow. Dividing a product of
 * 8 x 8 into tiles takes longer than computing them. */
struct gemm_workspace {
    void *panels;  /* B, tile after tile of columns: row by row */
    void *columns; /* the same tiles: span after span, column by column; rows `spans` only
                    */
    void *rows;    /* A, row after row of one block */
    size_t bytes;  /* of all */
    ptrdiff_t depth, tall; /* of a block: k-steps at most, rows of A if it is as deep */
    struct gemm_problem problem; /* k < 0: not known yet */
    struct gemm_runs runs;       /* n 0: none */
};
