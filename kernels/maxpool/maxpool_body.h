/* SPDX-License-Identifier: Apache-2.0 */
/* All rows of maxpool for one element type T on one instruction set. */
#include "maxpool.h"

/* The largest of the rows of a window, at each column of a vector. */
INLINE VEC OF(most_of_rows)(const T *x, int64_t width, int64_t window)
{
    VEC most = LOAD(x);
    for (int64_t a = 1; a < window; a++)
        most = MAX(most, LOAD(x + a * width));
    return most;
}

INLINE T OF(most_of_window)(const T *x, int64_t width, int64_t rows, int64_t columns)
{
    T most = x[0];
    for (int64_t a = 0; a < rows; a++)
        for (int64_t b = 0; b < columns; b++)
            most = x[a * width + b] > most ? x[a * width + b] : most;
    return most;
}

/* Windows of 3 columns, of which each vector of rows is compared once; returns how many.
 */
INLINE int64_t OF(pool_threes)(const T *x, T *y, int64_t width)
{
    int64_t j = 0;
    if (width < 3 * LANES)
        return 0;
    VEC next = OF(most_of_rows)(x + LANES, width, 3),
        first = OF(most_of_rows)(x, width, 3);
    VEC pairs = MAX(first, OF(following)(first, next));
    for (; j + 3 * LANES <= width; j += LANES) {
        const VEC after = OF(most_of_rows)(x + j + 2 * LANES, width, 3);
        const VEC next_pairs = MAX(next, OF(following)(next, after));
        STORE(y + j, MAX(pairs, OF(following)(pairs, next_pairs)));
        pairs = next_pairs;
        next = after;
    }
    return j;
}

/* A vector of windows whose stride is 1. */
INLINE VEC OF(most_of_each)(const T *x, int64_t width, int64_t window)
{
    VEC most = OF(most_of_rows)(x, width, window);
    for (int64_t b = 1; b < window; b++)
        most = MAX(most, OF(most_of_rows)(x + b, width, window));
    return most;
}

/* The same of stride 2. The last column of an odd window is the first one of the next,
 * and of all but one lane that is here already. */
INLINE VEC OF(most_of_others)(const T *x, int64_t width, int64_t window)
{
    VEC most = SPLAT(-INFINITY), even = most;
    for (int64_t b = 0; b + 1 < window; b += 2) {
        const VEC low = OF(most_of_rows)(x + b, width, window),
                  high = OF(most_of_rows)(x + b + LANES, width, window);
        even = OF(evens)(low, high);
        most = MAX(most, MAX(even, OF(odds)(low, high)));
    }
    if (window % 2) {
        const T last = OF(most_of_window)(x + 2 * LANES + window - 3, width, window, 1);
        most = MAX(most, OF(following)(even, SPLAT(last)));
    }
    return most;
}

/* One row of y. Its last vector overlaps the one before. */
INLINE void OF(pool_row)(const T *x, T *y, int64_t width, int64_t columns,
                         const int64_t window, const int64_t stride)
{
    int64_t j = stride == 1 && window == 3 ? OF(pool_threes)(x, y, width) : 0;
    const bool whole = columns >= LANES && (stride == 1 || (stride == 2 && window > 1));
    for (; whole && j < columns; j += LANES) {
        const int64_t at = j + LANES <= columns ? j : columns - LANES;
        STORE(y + at, stride == 1 ? OF(most_of_each)(x + at, width, window)
                                  : OF(most_of_others)(x + 2 * at, width, window));
    }
    for (; j < columns; j++)
        y[j] = OF(most_of_window)(x + j * stride, width, window, window);
}

/* Constants of the commonest windows let the compiler unroll their loops. */
INLINE void OF(pool)(const struct pool *pool, const T *x, T *y, const int64_t window,
                     const int64_t stride)
{
    for (int64_t plane = 0; plane < pool->planes; plane++)
        for (int64_t i = 0; i < pool->rows; i++)
            OF(pool_row)(x + (plane * pool->height + i * stride) * pool->width,
                         y + (plane * pool->rows + i) * pool->columns, pool->width,
                         pool->columns, window, stride);
}

KERNEL_FUNCTION(maxpool, , rows)
{
    const struct pool pool = pool_of(operands->shape);
    const T *const x = operands->operand[0]->data;
    T *const y = operands->operand[1]->data;
    if (pool.window == 2 && pool.stride == 2)
        OF(pool)(&pool, x, y, 2, 2);
    else if (pool.window == 3 && pool.stride == 2)
        OF(pool)(&pool, x, y, 3, 2);
    else if (pool.window == 3 && pool.stride == 1)
        OF(pool)(&pool, x, y, 3, 1);
    else
        OF(pool)(&pool, x, y, pool.window, pool.stride);
}

#undef T
