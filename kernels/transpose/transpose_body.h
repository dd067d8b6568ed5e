/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of transpose for one element type T on one instruction set. The file that
 * includes it has included transpose.h and vector_<isa>.h and defines before:
 *
 *   turn_<type>(v)   transposes the square of vectors v[LANES]
 *   HAS_STREAM       there are non-temporal stores
 */

/* One square; rows of x and y are ld and ldy elements apart. */
INLINE void OF(square)(const bool stream, const T *x, ptrdiff_t ld, T *y, ptrdiff_t ldy)
{
    VEC v[LANES];
    for (int i = 0; i < LANES; i++)
        v[i] = LOAD(x + i * ld);
    OF(turn)(v);
    for (int i = 0; i < LANES; i++) {
#ifdef HAS_STREAM
        if (stream) {
            STREAM(y + i * ldy, v[i]);
            continue;
        }
#endif
        (void)stream;
        STORE(y + i * ldy, v[i]);
    }
}

/* Rows [top, bottom) and columns [left, right) of x. A square of lines, both of x and of
 * y, is finished before the next: whole lines are read and written, however many of them
 * share a set of the cache. */
INLINE void OF(block)(const bool stream, const T *x, T *y, ptrdiff_t rows,
                      ptrdiff_t columns, ptrdiff_t top, ptrdiff_t bottom, ptrdiff_t left,
                      ptrdiff_t right)
{
    enum { LINE = LANES > (int)(64 / sizeof(T)) ? LANES : (int)(64 / sizeof(T)) };
    ptrdiff_t j = left;
    for (; j + LINE <= right; j += LINE) {
        ptrdiff_t i = top;
        for (; i + LINE <= bottom; i += LINE)
            for (int a = 0; a < LINE; a += LANES)
                for (int b = 0; b < LINE; b += LANES)
                    OF(square)(stream, x + (i + b) * columns + j + a, columns,
                               y + (j + a) * rows + i + b, rows);
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
    OF(transpose)((y | row) % sizeof(VEC) == 0, operands);
    _mm_sfence();
}
#endif

#undef T
