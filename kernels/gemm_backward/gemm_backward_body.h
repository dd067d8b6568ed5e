/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of gemm_backward for one element type T on one ISA. The file that includes it
 * has included vector_<isa>.h and defines before:
 *
 * TOGETHER               indices that are looked at together
 * ANY_NONE(index)        true if one of them is negative
 *
 * SIMD looks for negative indices; additions go one by one, as that is faster than gather
 * and scatter of AVX-512 are. One pass over dC adds to both gradients; no form changes
 * the order of a sum.
 */

INLINE void OF(clear)(const struct simdbench_operand *out, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        memset((T *)out->data + i * out->ld, 0, (size_t)columns * sizeof(T));
}

/* Adds dC[i][j..j + n) to one row of dA. */
INLINE void OF(add_to_row)(T *a, const int32_t *index, const T *g, ptrdiff_t n)
{
    ptrdiff_t j = 0;

    for (; j + TOGETHER <= n; j += TOGETHER) {
        if (ANY_NONE(index + j)) {
            for (int l = 0; l < TOGETHER; l++)
                if (index[j + l] >= 0)
                    a[index[j + l]] += g[j + l];
        } else {
            for (int l = 0; l < TOGETHER; l++)
                a[index[j + l]] += g[j + l];
        }
    }
    for (; j < n; j++)
        if (index[j] >= 0)
            a[index[j]] += g[j];
}

/* Adds dC[i][j..j + n) to the columns of dB from b on. */
INLINE void OF(add_to_columns)(T *b, ptrdiff_t ld, const int32_t *index, const T *g,
                               ptrdiff_t n)
{
    ptrdiff_t j = 0;

    for (; j + TOGETHER <= n; j += TOGETHER) {
        if (ANY_NONE(index + j)) {
            for (int l = 0; l < TOGETHER; l++)
                if (index[j + l] >= 0)
                    b[index[j + l] * ld + j + l] += g[j + l];
        } else {
            for (int l = 0; l < TOGETHER; l++)
                b[index[j + l] * ld + j + l] += g[j + l];
        }
    }
    for (; j < n; j++)
        if (index[j] >= 0)
            b[index[j] * ld + j] += g[j];
}

static inline void OF(backward)(const struct simdbench_operands *operands)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const g = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const a = operands->operand[2],
                                          *const b = operands->operand[3];

    OF(clear)(a, dim[0], dim[2]);
    OF(clear)(b, dim[2], dim[1]);
    for (int64_t i = 0; i < dim[0]; i++) {
        const int32_t *const row = (const int32_t *)index->data + i * index->ld;
        const T *const from = (const T *)g->data + i * g->ld;
        OF(add_to_row)((T *)a->data + i * a->ld, row, from, dim[1]);
        OF(add_to_columns)((T *)b->data, b->ld, row, from, dim[1]);
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
            OF(add_to_row)(to, row, from, dim[1]);
        }
        OF(add_to_columns)(sums, columns, row + part->column, from + part->column,
                           columns);
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
