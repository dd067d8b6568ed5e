/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of transpose for one element type T on one instruction set. The file that
 * includes it has included transpose.h and vector_<isa>.h and defines before:
 *
 *   turn_<type>(v)   transposes the square of vectors v[LANES]
 *   HAS_STREAM       there are non-temporal stores
 */

enum { OF(LINE) = LANES > (int)(64 / sizeof(T)) ? LANES : (int)(64 / sizeof(T)) };

/* A line in each of LANES rows of y, written as a whole; rows of x and y are ld and ldy
 * elements apart. */
INLINE void OF(lines)(const bool stream, const T *x, ptrdiff_t ld, T *y, ptrdiff_t ldy)
{
    enum { SQUARES = OF(LINE) / LANES };
    VEC v[SQUARES][LANES];
    for (int b = 0; b < SQUARES; b++) {
        for (int i = 0; i < LANES; i++)
            v[b][i] = LOAD(x + (b * LANES + i) * ld);
        OF(turn)(v[b]);
    }
    for (int i = 0; i < LANES; i++)
        for (int b = 0; b < SQUARES; b++) {
            T *const to = y + i * ldy + b * LANES;
#ifdef HAS_STREAM
            if (stream) {
                STREAM(to, v[b][i]);
                continue;
            }
#endif
            (void)stream;
            STORE(to, v[b][i]);
        }
}

/* Rows [top, bottom) and columns [left, right) of x. A square of lines, both of x and of
 * y, is finished before the next: whole lines are read and written, however many of them
 * share a set of the cache. */
INLINE void OF(block)(const bool stream, const T *x, T *y, ptrdiff_t rows,
                      ptrdiff_t columns, ptrdiff_t top, ptrdiff_t bottom, ptrdiff_t left,
                      ptrdiff_t right)
{
    enum { LINE = OF(LINE) };
    /* Rows lie on pages of their own, which no core prefetches by itself. */
    const bool far = rows * columns * (ptrdiff_t)sizeof(T) > 1 << 19;
    ptrdiff_t j = left;
    for (; j + LINE <= right; j += LINE) {
        ptrdiff_t i = top;
        for (; i + LINE <= bottom; i += LINE) {
            for (int b = 0; far && b < LINE; b++)
                __builtin_prefetch(x + (i + 2 * LINE + b) * columns + j, 0, 2);
            for (int a = 0; a < LINE; a += LANES)
                OF(lines)(stream, x + i * columns + j + a, columns,
                          y + (j + a) * rows + i, rows);
        }
        for (; i < bottom; i++)
            for (ptrdiff_t k = 0; k < LINE; k++)
                y[(j + k) * rows + i] = x[i * columns + j + k];
    }
    for (; j < right; j++)
        for (ptrdiff_t i = top; i < bottom; i++)
            y[j * rows + i] = x[i * columns + j];
}

/* Blocks have few rows of x and few of y, so that their pages stay in the TLB. */
INLINE void OF(transpose)(bool stream, const struct simdbench_operands *operands)
{
    enum { BLOCK = 128 };
    const T *const x = operands->operand[0]->data;
    T *const y = operands->operand[1]->data;
    const ptrdiff_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    for (ptrdiff_t left = 0; left < columns; left += BLOCK) {
        const ptrdiff_t right = left + BLOCK < columns ? left + BLOCK : columns;
        for (ptrdiff_t top = 0; top < rows; top += BLOCK) {
            const ptrdiff_t bottom = top + BLOCK < rows ? top + BLOCK : rows;
            if (stream)
                OF(block)(true, x, y, rows, columns, top, bottom, left, right);
            else
                OF(block)(false, x, y, rows, columns, top, bottom, left, right);
        }
    }
}

KERNEL_FUNCTION(transpose, , tile)
{
    (void)state;
    OF(transpose)(false, operands);
}

#ifdef HAS_STREAM
KERNEL_FUNCTION(transpose, , stream)
{
    const uintptr_t y = (uintptr_t)operands->operand[1]->data,
                    row = (uintptr_t)operands->shape->dim[0] * sizeof(T);
    (void)state;
    OF(transpose)((y | row) % 64 == 0, operands);
    _mm_sfence();
}
#endif

#undef T
