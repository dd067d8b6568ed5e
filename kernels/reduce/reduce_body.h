/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of reduce for one element type T on one instruction set. */
#include "reduce.h"

/* a + b, or the larger one. */
INLINE VEC OF(join)(const bool most, VEC a, VEC b)
{
    if (most)
        return MAX(a, b);
    return a + b;
}

INLINE T OF(join_one)(const bool most, T a, T b)
{
    return !most ? a + b : a > b ? a : b;
}

/* Reduces n elements, at least one. */
INLINE T OF(all_of)(const bool most, const T *x, ptrdiff_t n)
{
    enum { SUMS = 8 };
    ptrdiff_t i = 0;
    T all = most ? x[0] : 0;
    if (n >= LANES) {
        VEC sum[SUMS];
        for (int s = 0; s < SUMS; s++)
            sum[s] = SPLAT(all);
        for (; i + SUMS * LANES <= n; i += SUMS * LANES)
            for (int s = 0; s < SUMS; s++)
                sum[s] = OF(join)(most, sum[s], LOAD(x + i + s * LANES));
        for (; i + LANES <= n; i += LANES)
            sum[0] = OF(join)(most, sum[0], LOAD(x + i));
        for (int width = SUMS / 2; width > 0; width /= 2)
            for (int s = 0; s < width; s++)
                sum[s] = OF(join)(most, sum[s], sum[s + width]);
        all = most ? OF(max_lanes)(sum[0]) : OF(sum_lanes)(sum[0]);
    }
    for (; i < n; i++)
        all = OF(join_one)(most, all, x[i]);
    return all;
}

/* y = y and `rows` rows together, or without y if they are the first. */
INLINE void OF(join_rows)(const bool most, const bool first, const int rows, const T *x,
                          T *y, ptrdiff_t columns)
{
    ptrdiff_t j = 0;
    for (; j + LANES <= columns; j += LANES) {
        VEC even = LOAD(x + j), odd = first ? even : LOAD(y + j);
        int r = 1;
        if (first && rows > 1)
            odd = LOAD(x + columns + j), r = 2;
        for (; r < rows; r++) {
            const VEC next = LOAD(x + r * columns + j);
            if (r % 2 == 0)
                even = OF(join)(most, even, next);
            else
                odd = OF(join)(most, odd, next);
        }
        STORE(y + j, first && rows == 1 ? even : OF(join)(most, even, odd));
    }
    for (; j < columns; j++) {
        T all = first ? x[j] : OF(join_one)(most, y[j], x[j]);
        for (int r = 1; r < rows; r++)
            all = OF(join_one)(most, all, x[r * columns + j]);
        y[j] = all;
    }
}

/* Some rows at once: few enough streams to be prefetched, and y is read and written once
 * for all of them. */
INLINE void OF(by_columns)(const bool most, const int together, const T *x, T *y,
                           ptrdiff_t rows, ptrdiff_t columns)
{
    const int first = rows >= together ? together : 1;
    ptrdiff_t i = first;
    if (first == together)
        OF(join_rows)(most, true, together, x, y, columns);
    else
        OF(join_rows)(most, true, 1, x, y, columns);
    for (; i + together <= rows; i += together)
        OF(join_rows)(most, false, together, x + i * columns, y, columns);
    for (; i < rows; i++)
        OF(join_rows)(most, false, 1, x + i * columns, y, columns);
}

INLINE void OF(reduce)(const bool most, const bool mean,
                       const struct simdbench_operands *operands)
{
    const struct simdbench_shape *const shape = operands->shape;
    const struct simdbench_operand *const output = operands->operand[1];
    const ptrdiff_t rows = shape->dim[0], columns = shape->dim[1];
    const T *const x = operands->operand[0]->data;
    T *const y = output->data;
    /* Eight rows of a page each and y in one set of L1 are more lines than its ways. Rows
     * of several pages are slower by four, as each is read for a shorter time. */
    if (reduce_columns(shape) && (size_t)columns * sizeof(T) == 4096)
        OF(by_columns)(most, 4, x, y, rows, columns);
    else if (reduce_columns(shape))
        OF(by_columns)(most, 8, x, y, rows, columns);
    else if (reduce_rows(shape))
        for (ptrdiff_t i = 0; i < rows; i++)
            y[i] = OF(all_of)(most, x + i * columns, columns);
    else
        y[0] = OF(all_of)(most, x, rows * columns);
    const T divisor = (T)(ptrdiff_t)(operands->operand[0]->count / output->count);
    for (uint64_t j = 0; mean && j < output->count; j++)
        y[j] /= divisor;
}

KERNEL_FUNCTION(reduce, sum, lanes)
{
    OF(reduce)(false, false, operands);
}

KERNEL_FUNCTION(reduce, mean, lanes)
{
    OF(reduce)(false, true, operands);
}

KERNEL_FUNCTION(reduce, max, lanes)
{
    OF(reduce)(true, false, operands);
}

#undef T
