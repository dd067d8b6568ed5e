/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of maxpool for one element type T on one instruction set. The file that
 * includes it has included maxpool.h and vector_<isa>.h.
 */

/* The largest of the rows of a window, at each column of a vector. */
INLINE VEC OF(most_of_rows)(const T *x, int64_t width, int64_t window)
{
    VEC most = LOAD(x);
    for (int64_t a = 1; a < window; a++)
        most = MAX(most, LOAD(x + a * width));
    return most;
}

INLINE T OF(most_of_window)(const T *x, int64_t width, int64_t window)
{
    T most = x[0];
    for (int64_t a = 0; a < window; a++)
        for (int64_t b = 0; b < window; b++)
            most = x[a * width + b] > most ? x[a * width + b] : most;
    return most;
}

/* One row of y. A window of an odd width leaves half of its last pair of vectors out. */
INLINE void OF(pool_row)(const T *x, T *y, int64_t width, int64_t columns,
                         const int64_t window, const int64_t stride)
{
    int64_t j = 0;
    if (stride == 1)
        for (; j + LANES <= columns; j += LANES) {
            VEC most = OF(most_of_rows)(x + j, width, window);
            for (int64_t b = 1; b < window; b++)
                most = MAX(most, OF(most_of_rows)(x + j + b, width, window));
            STORE(y + j, most);
        }
    if (stride == 2)
        for (; j + LANES <= columns && 2 * (j + LANES) + (window - 1) / 2 * 2 <= width;
             j += LANES) {
            VEC most = SPLAT(-INFINITY);
            for (int64_t b = 0; b < window; b += 2) {
                const T *const at = x + 2 * j + b;
                const VEC low = OF(most_of_rows)(at, width, window),
                          high = OF(most_of_rows)(at + LANES, width, window);
                most = MAX(most, OF(evens)(low, high));
                if (b + 1 < window)
                    most = MAX(most, OF(odds)(low, high));
            }
            STORE(y + j, most);
        }
    for (; j < columns; j++)
        y[j] = OF(most_of_window)(x + j * stride, width, window);
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
    (void)state;
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
