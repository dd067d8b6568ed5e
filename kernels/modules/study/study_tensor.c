/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the module's own ops: plain loops, for the compiler to vectorise. */
#include <math.h>

#include "study_rows.h"

#define INLINE static inline __attribute__((always_inline))

INLINE const float *in(const struct simdbench_operands *operands, int i)
{
    return operands->operand[i]->data;
}

INLINE float *out(const struct simdbench_operands *operands)
{
    return operands->operand[operands->count - 1]->data;
}

INLINE float positive(float x)
{
    return x < 0 ? 0 : x;
}

/* z[i] = expression, of x[i] and y[i]. */
#define EACH(expression)                                 \
    do {                                                 \
        const float *restrict const x = in(operands, 0); \
        const float *restrict const y = in(operands, 1); \
        float *restrict const z = out(operands);         \
        const size_t n = operands->operand[0]->count;    \
        for (size_t i = 0; i < n; i++)                   \
            z[i] = expression;                           \
    } while (0)

#define MAP(name, expression)  \
    STUDY_ROW(map, name, loop) \
    {                          \
        EACH(expression);      \
    }

MAP(add, x[i] + y[i])
MAP(sub, x[i] - y[i])
MAP(mul, x[i] * y[i])
MAP(div, x[i] / y[i])

/* ---- add_relu ---- */

STUDY_ROW(add_relu, , fused)
{
    EACH(positive(x[i] + y[i]));
}

/* Two loops, with the sums in memory between them. */
STUDY_ROW(add_relu, , unfused)
{
    float *restrict const sum = state, *restrict const z = out(operands);
    const float *restrict const x = in(operands, 0), *restrict const y = in(operands, 1);
    const size_t n = operands->operand[0]->count;

    for (size_t i = 0; i < n; i++)
        sum[i] = x[i] + y[i];
    __asm__ volatile("" : : : "memory");
    for (size_t i = 0; i < n; i++)
        z[i] = positive(sum[i]);
}

/* ---- reduce ---- */

/* Sums side by side: the order of one sum would have to be kept. */
enum { SUMS = 64 };

INLINE float sum_of(const float *x, size_t n)
{
    float sum[SUMS] = {0}, all = 0;
    size_t i = 0;

    for (; i + SUMS <= n; i += SUMS)
        for (size_t s = 0; s < SUMS; s++)
            sum[s] += x[i + s];
    for (; i < n; i++)
        sum[i % SUMS] += x[i];
    for (size_t width = SUMS / 2; width > 0; width /= 2)
        for (size_t s = 0; s < width; s++)
            sum[s] += sum[s + width];
    all = sum[0];
    return all;
}

/* Sums or means of all elements, of each row or of each column. */
INLINE void reduce(const struct simdbench_operands *operands, bool mean)
{
    const int64_t *const dim = operands->shape->dim;
    const bool columns = operands->shape->rank == 3;
    const float *restrict x = in(operands, 0);
    float *restrict const y = out(operands);
    const float count = (float)dim[0];

    if (!columns) {
        const size_t each = operands->operand[0]->count / operands->operand[1]->count;
        for (size_t r = 0; r < operands->operand[1]->count; r++)
            y[r] = sum_of(x + r * each, each) / (mean ? (float)each : 1);
        return;
    }
    for (int64_t j = 0; j < dim[1]; j++)
        y[j] = 0;
    for (int64_t i = 0; i < dim[0]; i++, x += dim[1])
        for (int64_t j = 0; j < dim[1]; j++)
            y[j] += x[j];
    for (int64_t j = 0; mean && j < dim[1]; j++)
        y[j] /= count;
}

STUDY_ROW(reduce, sum, lanes)
{
    reduce(operands, false);
}

STUDY_ROW(reduce, mean, lanes)
{
    reduce(operands, true);
}

/* ---- transpose ---- */

/* Rows [top, bottom) and columns [left, right) of x. */
INLINE void transpose(const struct simdbench_operands *operands, int64_t top,
                      int64_t bottom, int64_t left, int64_t right)
{
    const float *restrict const x = in(operands, 0);
    float *restrict const y = out(operands);
    const int64_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];

    for (int64_t j = left; j < right; j++)
        for (int64_t i = top; i < bottom; i++)
            y[j * rows + i] = x[i * columns + j];
}

/* Row after row of y: column after column of x. */
STUDY_ROW(transpose, , rows)
{
    const int64_t *const dim = operands->shape->dim;

    transpose(operands, 0, dim[0], 0, dim[1]);
}

/* Blocks of whole cache lines of x and of y. */
STUDY_ROW(transpose, , blocks)
{
    enum { SIDE = 16 };
    const int64_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];

    for (int64_t j = 0; j < columns; j += SIDE)
        for (int64_t i = 0; i < rows; i += SIDE)
            transpose(operands, i, i + SIDE < rows ? i + SIDE : rows, j,
                      j + SIDE < columns ? j + SIDE : columns);
}

#ifdef STUDY_LIBM
/* One row after the other, with expf and logf of the C library. */
STUDY_ROW(log_softmax, , libm)
{
    const int64_t rows = operands->shape->dim[0], columns = operands->shape->dim[1];
    const float *x = in(operands, 0);
    float *y = out(operands);

    for (int64_t i = 0; i < rows; i++, x += columns, y += columns) {
        float most = x[0], sum = 0;
        for (int64_t j = 1; j < columns; j++)
            most = x[j] > most ? x[j] : most;
        for (int64_t j = 0; j < columns; j++)
            sum += expf(x[j] - most);
        const float all = most + logf(sum);
        for (int64_t j = 0; j < columns; j++)
            y[j] = x[j] - all;
    }
}
#endif
