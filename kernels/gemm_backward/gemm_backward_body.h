/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of gemm_backward for one element type on one ISA. The file that includes it
 * defines before:
 *
 * TYPE, NAME(x)          element type; x with the type's suffix
 * LANES                  indices that are looked at together
 * ANY_NONE(index)        true if one of LANES indices is negative
 * ADD_COLUMNS(b, ld, index, g)   optional, statement: b[index[l] * ld + l] += g[l] for
 *                        all LANES lanes, none of which is negative
 *
 * One pass over dC adds to both gradients; no form changes the order of a sum.
 */

static inline __attribute__((always_inline)) void
NAME(clear)(const struct simdbench_operand *out, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        memset((TYPE *)out->data + i * out->ld, 0, (size_t)columns * sizeof(TYPE));
}

/* Adds dC[i][j..j + n) to one row of dA. */
static inline __attribute__((always_inline)) void
NAME(add_to_row)(TYPE *a, const int32_t *index, const TYPE *g, ptrdiff_t n)
{
    ptrdiff_t j = 0;

    for (; j + LANES <= n; j += LANES) {
        if (ANY_NONE(index + j)) {
            for (int l = 0; l < LANES; l++)
                if (index[j + l] >= 0)
                    a[index[j + l]] += g[j + l];
        } else {
            for (int l = 0; l < LANES; l++)
                a[index[j + l]] += g[j + l];
        }
    }
    for (; j < n; j++)
        if (index[j] >= 0)
            a[index[j]] += g[j];
}

/* Adds dC[i][j..j + n) to the columns of dB from b on. */
static inline __attribute__((always_inline)) void
NAME(add_to_columns)(TYPE *b, ptrdiff_t ld, const int32_t *index, const TYPE *g,
                     ptrdiff_t n)
{
    ptrdiff_t j = 0;

    for (; j + LANES <= n; j += LANES) {
        if (ANY_NONE(index + j)) {
            for (int l = 0; l < LANES; l++)
                if (index[j + l] >= 0)
                    b[index[j + l] * ld + j + l] += g[j + l];
        } else {
#ifdef ADD_COLUMNS
            ADD_COLUMNS(b + j, ld, index + j, g + j);
#else
            for (int l = 0; l < LANES; l++)
                b[index[j + l] * ld + j + l] += g[j + l];
#endif
        }
    }
    for (; j < n; j++)
        if (index[j] >= 0)
            b[index[j] * ld + j] += g[j];
}

static inline void NAME(backward)(const struct simdbench_operands *operands)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const g = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const a = operands->operand[2],
                                          *const b = operands->operand[3];

    NAME(clear)(a, dim[0], dim[2]);
    NAME(clear)(b, dim[2], dim[1]);
    for (int64_t i = 0; i < dim[0]; i++) {
        const int32_t *const row = (const int32_t *)index->data + i * index->ld;
        const TYPE *const from = (const TYPE *)g->data + i * g->ld;
        NAME(add_to_row)((TYPE *)a->data + i * a->ld, row, from, dim[1]);
        NAME(add_to_columns)((TYPE *)b->data, b->ld, row, from, dim[1]);
    }
}

/* A function of its own, so that what one thread runs is as fast as without it. */
static __attribute__((noinline)) void
NAME(backward_part)(const struct simdbench_operands *operands,
                    const struct backward_part *part)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const g = operands->operand[0],
                                          *const index = operands->operand[1],
                                          *const a = operands->operand[2],
                                          *const b = operands->operand[3];
    const int64_t columns = part->column_end - part->column;
    TYPE *const sums = part->sums;

    memset(sums, 0, (size_t)(dim[2] * columns) * sizeof(TYPE));
    for (int64_t i = 0; i < dim[0]; i++) {
        const int32_t *const row = (const int32_t *)index->data + i * index->ld;
        const TYPE *const from = (const TYPE *)g->data + i * g->ld;
        if (i >= part->row && i < part->row_end) {
            TYPE *const to = (TYPE *)a->data + i * a->ld;
            memset(to, 0, (size_t)dim[2] * sizeof(TYPE));
            NAME(add_to_row)(to, row, from, dim[1]);
        }
        NAME(add_to_columns)(sums, columns, row + part->column, from + part->column,
                             columns);
    }
    for (int64_t p = 0; p < dim[2]; p++)
        memcpy((TYPE *)b->data + p * b->ld + part->column, sums + p * columns,
               (size_t)columns * sizeof(TYPE));
}

/* A row of kernels.def. */
#define BACKWARD_KERNEL(symbol)                                         \
    void symbol(const struct simdbench_operands *operands, void *state) \
    {                                                                   \
        if (state)                                                      \
            NAME(backward_part)(operands, state);                       \
        else                                                            \
            NAME(backward)(operands);                                   \
    }
