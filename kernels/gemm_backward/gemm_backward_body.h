/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of gemm_backward for one element type T on one instruction set.
 *
 * SIMD looks for negative indices; additions go one by one, as that is faster than gather
 * and scatter of AVX-512 are. An element is loaded once and added to both gradients,
 * which leaves its two stores as the limit; no form changes the order of a sum.
 */
#include "gemm_backward.h"

#define ADD(j)                        \
    do {                              \
        const ptrdiff_t p = index[j]; \
        const T value = g[j];         \
        if (gradients & BACKWARD_A)   \
            a[p] += value;            \
        if (gradients & BACKWARD_B)   \
            b[p * ld + (j)] += value; \
    } while (0)

/* Adds n elements of a row of dC to a row of dA, to as many columns of dB, whose rows lie
 * ld apart, or to both. */
INLINE void OF(add_all)(const int gradients, T *a, T *b, ptrdiff_t ld,
                        const int32_t *index, const T *g, ptrdiff_t n)
{
    ptrdiff_t j = 0;

    for (; j + SIGNS_TOGETHER <= n; j += SIGNS_TOGETHER) {
        if (any_negative_i32(index + j)) {
            for (int l = 0; l < SIGNS_TOGETHER; l++)
                if (index[j + l] >= 0)
                    ADD(j + l);
        } else {
            for (int l = 0; l < SIGNS_TOGETHER; l++)
                ADD(j + l);
        }
    }
    for (; j < n; j++)
        if (index[j] >= 0)
            ADD(j);
}

static inline void OF(backward)(const struct simdbench_operands *operands)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const g = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const a = operands->operand[2],
                                          *const b = operands->operand[3];

    for (int64_t p = 0; p < dim[2]; p++)
        memset((T *)b->data + p * b->ld, 0, (size_t)dim[1] * sizeof(T));
    for (int64_t i = 0; i < dim[0]; i++) {
        T *const to = (T *)a->data + i * a->ld;
        memset(to, 0, (size_t)dim[2] * sizeof(T));
        OF(add_all)(BACKWARD_A | BACKWARD_B, to, b->data, b->ld,
                    (const int32_t *)index->data + i * index->ld,
                    (const T *)g->data + i * g->ld, dim[1]);
    }
}

static __attribute__((noinline)) void
OF(backward_part)(const struct simdbench_operands *operands,
                  const struct backward_part *part)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const g = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const a = operands->operand[2],
                                          *const b = operands->operand[3];
    const int64_t columns = part->column_end - part->column;
    T *const sums = part->sums;

    memset(sums, 0, (size_t)(dim[2] * columns) * sizeof(T));
    for (int64_t i = 0; i < dim[0]; i++) {
        const int32_t *const row = (const int32_t *)index->data + i * index->ld;
        const T *const from = (const T *)g->data + i * g->ld;
        if (i >= part->row && i < part->row_end) {
            T *const to = (T *)a->data + i * a->ld;
            memset(to, 0, (size_t)dim[2] * sizeof(T));
            OF(add_all)(BACKWARD_A, to, NULL, 0, row, from, dim[1]);
        }
        OF(add_all)(BACKWARD_B, NULL, sums, columns, row + part->column,
                    from + part->column, columns);
    }
    for (int64_t p = 0; p < dim[2]; p++)
        memcpy((T *)b->data + p * b->ld + part->column, sums + p * columns,
               (size_t)columns * sizeof(T));
}

/* The work of one thread of several is a function of its own, so that one thread alone is
 * as fast as without it. */
KERNEL_FUNCTION(gemm_backward, , rows)
{
    if (state)
        OF(backward_part)(operands, state);
    else
        OF(backward)(operands);
}

#undef T
