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
 * In `rows` one pass adds to both gradients; `blocks` adds to dA row by row first, then
 * to dB in columns as wide as a cache line, so that all that is added to stays in the
 * first cache. No form changes the order of a sum.
 */

static inline void NAME(clear)(const struct simdbench_operand *out, int64_t rows,
                               int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        memset((TYPE *)out->data + i * out->ld, 0, (size_t)columns * sizeof(TYPE));
}

/* Adds dC[i][j..j + n) to one row of dA. */
static inline void NAME(add_to_row)(TYPE *a, const int32_t *index, const TYPE *g,
                                    ptrdiff_t n)
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
static inline void NAME(add_to_columns)(TYPE *b, ptrdiff_t ld, const int32_t *index,
                                        const TYPE *g, ptrdiff_t n)
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

/* A row of kernels.def. */
#define BACKWARD_KERNEL(symbol)                                         \
    void symbol(const struct simdbench_operands *operands, void *state) \
    {                                                                   \
        (void)state;                                                    \
        NAME(backward)(operands);                                       \
    }
