/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All rows of transpose for one element type T on one instruction set. The file that
 * includes it has included transpose.h and vector_<isa>.h and defines before:
 *
 *   turn_<type>(v)   transposes the square of vectors v[LANES]
 *   HAS_LANES        and for lanes of 128 bits:
 *
 *   turn_lanes_<type>(v, u)   u is v with the square in each lane transposed
 *   lanes_apart(p, bytes)     a vector whose lanes lie so many bytes apart
 *   BY_LANES                  where squares come from lanes: there is no turn_<type>
 */

enum { OF(LINE) = LANES > (int)(64 / sizeof(T)) ? LANES : (int)(64 / sizeof(T)) };

#ifdef HAS_LANES
enum { OF(FEW) = 16 / sizeof(T) };

/* A vector of each of FEW rows of y; rows of x are ld elements apart. Loads put lanes at
 * their places, on more units than shuffles have. */
INLINE void OF(few_rows)(const T *x, ptrdiff_t ld, VEC *u)
{
    VEC v[OF(FEW)];
    for (ptrdiff_t k = 0; k < OF(FEW); k++)
        v[k] = (VEC)lanes_apart(x + k * ld, OF(FEW) * ld * (ptrdiff_t)sizeof(T));
    OF(turn_lanes)(v, u);
}
#endif

/* Columns of x that `lines` takes at a time: the fewer, the fewer lines of y miss. */
#ifdef BY_LANES
enum { OF(COLUMNS) = OF(FEW) };
#else
enum { OF(COLUMNS) = LANES };
#endif

/* A line in each of COLUMNS rows of y, written as a whole; rows of x and y are ld and ldy
 * elements apart. */
INLINE void OF(lines)(const bool stream, const T *x, ptrdiff_t ld, T *y, ptrdiff_t ldy)
{
    enum { SQUARES = OF(LINE) / LANES };
    VEC v[SQUARES][OF(COLUMNS)];
#ifdef BY_LANES
    for (int b = 0; b < SQUARES; b++)
        OF(few_rows)(x + b * LANES * ld, ld, v[b]);
#else
    for (int b = 0; b < SQUARES; b++) {
        for (int i = 0; i < LANES; i++)
            v[b][i] = LOAD(x + (b * LANES + i) * ld);
        OF(turn)(v[b]);
    }
#endif
    for (int i = 0; i < OF(COLUMNS); i++)
        for (int b = 0; b < SQUARES; b++) {
            T *const to = y + i * ldy + b * LANES;
#ifdef HAS_STREAM
            if (stream) {
                STREAM(to, v[b][i]);
                continue;
            }
#endif
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
            const T *from = x + i * columns + j;
            T *to = y + j * rows + i;
#ifdef BY_LANES
            /* Else all rows have pointers of their own, which spill. */
            __asm__("" : "+r"(from), "+r"(to), "+r"(columns), "+r"(rows));
#endif
            for (int a = 0; a < LINE; a += OF(COLUMNS))
                OF(lines)(stream, from + a, columns, to + a * rows, rows);
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

#ifdef HAS_LANES
/* Rows of x and of y are multiples of 4 KiB, so that their beginnings lie in one set of
 * L1, which has fewer ways than a square has rows. */
INLINE bool OF(crowded)(const struct simdbench_shape *shape)
{
    const size_t row_y = (size_t)shape->dim[0] * sizeof(T),
                 columns = (size_t)shape->dim[1];
    return (row_y | columns * sizeof(T)) % 4096 == 0 && row_y * columns <= 1 << 22;
}

/* A block of x is copied row by row, and y is written FEW rows at a time: that is faster
 * where operands come from the third cache. Farther away prefetches are better. */
INLINE void OF(staged)(const struct simdbench_operands *operands)
{
    enum {
        HIGH = 512 / sizeof(T),
        WIDE = 256 / sizeof(T),
        STEP = WIDE + OF(LINE) /* the lanes of a vector lie in different banks */
    };
    const T *const x = operands->operand[0]->data;
    T *const y = operands->operand[1]->data;
    const ptrdiff_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    _Alignas(64) T buffer[HIGH * STEP];
    for (ptrdiff_t left = 0; left < columns; left += WIDE)
        for (ptrdiff_t top = 0; top < rows; top += HIGH) {
            for (ptrdiff_t i = 0; i < HIGH; i++)
                for (ptrdiff_t j = 0; j < WIDE; j += LANES)
                    STORE(buffer + i * STEP + j,
                          LOAD(x + (top + i) * columns + left + j));
            for (ptrdiff_t j = 0; j < WIDE; j += OF(FEW))
                for (ptrdiff_t i = 0; i < HIGH; i += LANES) {
                    VEC u[OF(FEW)];
                    OF(few_rows)(buffer + i * STEP + j, STEP, u);
                    for (ptrdiff_t k = 0; k < OF(FEW); k++)
                        STORE(y + (left + j + k) * rows + top + i, u[k]);
                }
        }
}
#endif

KERNEL_FUNCTION(transpose, , tile)
{
#ifdef HAS_LANES
    if (OF(crowded)(operands->shape)) {
        OF(staged)(operands);
        return;
    }
#endif
    OF(transpose)(false, operands);
}

#ifdef HAS_STREAM
KERNEL_FUNCTION(transpose, , stream)
{
    const uintptr_t y = (uintptr_t)operands->operand[1]->data,
                    row = (uintptr_t)operands->shape->dim[0] * sizeof(T);
    OF(transpose)((y | row) % 64 == 0, operands);
    _mm_sfence();
}
#endif

#undef T
