/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2 whose trouble is where their arrays lie. */
#include <immintrin.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "fresh.h"

/* ---- smooth, f32 ---- */

INLINE void smooth_vector(const float *x, float *y)
{
    const __m256 sides = _mm256_add_ps(_mm256_loadu_ps(x - 1), _mm256_loadu_ps(x + 1));
    const __m256 middle = _mm256_mul_ps(_mm256_loadu_ps(x), _mm256_set1_ps(0.5F));
    _mm256_storeu_ps(y, _mm256_fmadd_ps(sides, _mm256_set1_ps(0.25F), middle));
}

/* Elements [from, to) of a filter of x, eight or more, which has neighbours on both
 * sides. The last vector overlaps the one before. */
INLINE void smooth_part(const float *x, float *y, ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t i = from; i + 8 < to; i += 8)
        smooth_vector(x + i, y + i);
    smooth_vector(x + to - 8, y + to - 8);
}

/* The first filter, ends included. */
INLINE void smooth_all(const float *x, float *y, ptrdiff_t n)
{
    y[0] = x[0];
    smooth_part(x, y, 1, n - 1);
    y[n - 1] = x[n - 1];
}

/* A twin: both filters, a block after the other. */
RUN(f69)
{
    enum { BLOCK = 2048, MARGIN = 16 };
    const float *const x = F32(0);
    float *const y = F32(1), buffer[BLOCK + 2 * MARGIN];
    const ptrdiff_t n = DIM(0);
    for (ptrdiff_t i = 0; i < n; i += BLOCK) {
        const ptrdiff_t from = i ? i - 1 : 1, end = i + BLOCK,
                        to = end < n ? end + 1 : n - 1;
        float *const middle = buffer + MARGIN - i;
        smooth_part(x, middle, from, to);
        if (i == 0)
            middle[0] = x[0];
        if (end >= n)
            middle[n - 1] = x[n - 1];
        WRITE(buffer);
        smooth_part(middle, y, i ? i : 1, end < n ? end : n - 1);
    }
    y[0] = x[0];
    y[n - 1] = x[n - 1];
}

/* Two sweeps over memory instead of one. */
RUN(f26)
{
    float *const middle = state;
    smooth_all(F32(0), middle, DIM(0));
    smooth_all(middle, F32(1), DIM(0));
    F32(1)[0] = F32(0)[0];
}

/* Each call allocates a buffer for the longest vector there is, and uses its beginning.
 */
RUN(f27)
{
    enum { LONGEST = 12 << 20 };
    const ptrdiff_t n = DIM(0);
    float *const middle = malloc((n < LONGEST ? LONGEST : n) * sizeof *middle);
    if (!middle)
        return;
    smooth_all(F32(0), middle, n);
    smooth_all(middle, F32(1), n);
    free(middle);
}

/* ---- scale, f64 ---- */

INLINE double row_total(const double *x, ptrdiff_t n)
{
    __m256d sum[8] = {{0}};
    for (ptrdiff_t j = 0; j < n; j += 32)
        UNROLL
    for (int v = 0; v < 8; v++)
        sum[v] = _mm256_add_pd(sum[v], _mm256_loadu_pd(x + j + v * 4L));
    UNROLL
    for (int v = 1; v < 8; v++)
        sum[0] = _mm256_add_pd(sum[0], sum[v]);
    const __m128d half =
        _mm_add_pd(_mm256_castpd256_pd128(sum[0]), _mm256_extractf128_pd(sum[0], 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

/* Sound: one division a row. */
RUN(f70)
{
    const ptrdiff_t m = DIM(0);
    const ptrdiff_t n = DIM(1);
    const double *x = F64(0);
    double *y = F64(1);
    for (ptrdiff_t i = 0; i < m; i++, x += n, y += n) {
        const __m256d factor = _mm256_set1_pd(1 / row_total(x, n));
#pragma GCC unroll 4
        for (ptrdiff_t j = 0; j < n; j += 4)
            _mm256_storeu_pd(y + j, _mm256_mul_pd(_mm256_loadu_pd(x + j), factor));
    }
}

/* A division for each element. */
RUN(f28)
{
    const ptrdiff_t m = DIM(0);
    const ptrdiff_t n = DIM(1);
    const double *x = F64(0);
    double *y = F64(1);
    for (ptrdiff_t i = 0; i < m; i++, x += n, y += n) {
        const __m256d total = _mm256_set1_pd(row_total(x, n));
#pragma GCC unroll 4
        for (ptrdiff_t j = 0; j < n; j += 4)
            _mm256_storeu_pd(y + j, _mm256_div_pd(_mm256_loadu_pd(x + j), total));
    }
}

/* A copy of all rows, in memory that goes back to the system after each call. */
RUN(f29)
{
    const ptrdiff_t n = DIM(1), m = DIM(0);
    double *const copy = malloc((size_t)(m * n) * sizeof *copy);
    double *y = F64(1);
    if (!copy)
        return;
    memcpy(copy, F64(0), (size_t)(m * n) * sizeof *copy);
    for (const double *x = copy; x < copy + m * n; x += n, y += n) {
        const __m256d factor = _mm256_set1_pd(1 / row_total(x, n));
#pragma GCC unroll 4
        for (ptrdiff_t j = 0; j < n; j += 4)
            _mm256_storeu_pd(y + j, _mm256_mul_pd(_mm256_loadu_pd(x + j), factor));
    }
    free(copy);
    malloc_trim(0);
}

/* ---- slice, f32 ---- */

/* The sums of eight elements, of rows that are `pitch` elements apart. */
INLINE void slice(const float *x, ptrdiff_t pitch, float *y, ptrdiff_t m)
{
    for (ptrdiff_t i = 0; i < m; i += 8) {
        __m256 row[8];
        UNROLL
        for (int r = 0; r < 8; r++, x += pitch)
            row[r] = _mm256_loadu_ps(x);
        UNROLL
        for (int r = 0; r < 4; r++)
            row[r] = _mm256_hadd_ps(row[2 * r], row[2 * r + 1]);
        row[0] = _mm256_hadd_ps(row[0], row[1]);
        row[1] = _mm256_hadd_ps(row[2], row[3]);
        _mm256_storeu_ps(y + i,
                         _mm256_add_ps(_mm256_permute2f128_ps(row[0], row[1], 0x20),
                                       _mm256_permute2f128_ps(row[0], row[1], 0x31)));
    }
}

/* Sound: what is wanted has been packed. */
RUN(f71)
{
    slice(state, WANTED, F32(1), DIM(0));
}

/* Each row is on a page of its own, and there are more of them than a TLB holds. */
RUN(f30)
{
    slice(F32(0), FEATURES, F32(1), DIM(0));
}

/* ---- centre, f32 ---- */

INLINE void centre(const float *x, ptrdiff_t pitch,
                   const struct simdbench_operands *operands)
{
    const ptrdiff_t m = DIM(0);
    __m256 sum[8] = {{0}};
    for (ptrdiff_t i = 0; i < m; i += 8)
        UNROLL
    for (int r = 0; r < 8; r++, x += pitch)
        sum[r] = _mm256_add_ps(sum[r], _mm256_loadu_ps(x));
    UNROLL
    for (int r = 1; r < 8; r++)
        sum[0] = _mm256_add_ps(sum[0], sum[r]);
    _mm256_storeu_ps(F32(1), _mm256_div_ps(sum[0], _mm256_set1_ps((float)m)));
}

/* Sound: what is wanted has been packed. */
RUN(f72)
{
    centre(state, WANTED, operands);
}

/* Half of what comes from memory is not wanted. */
RUN(f31)
{
    centre(F32(0), RECORD, operands);
}

/* ---- heat, f64 ---- */

INLINE __m256d five(const double *x, ptrdiff_t w, ptrdiff_t one)
{
    const __m256d rows = _mm256_add_pd(_mm256_loadu_pd(x - w), _mm256_loadu_pd(x + w));
    const __m256d sides =
        _mm256_add_pd(_mm256_loadu_pd(x - one), _mm256_loadu_pd(x + one));
    return _mm256_mul_pd(_mm256_set1_pd(0.2),
                         _mm256_add_pd(_mm256_loadu_pd(x), _mm256_add_pd(rows, sides)));
}

/* The border, and what no vector of a row covers. */
INLINE void heat_rest(const double *x, double *y, ptrdiff_t h, ptrdiff_t w)
{
    memcpy(y, x, (size_t)w * sizeof *y);
    memcpy(y + (h - 1) * w, x + (h - 1) * w, (size_t)w * sizeof *y);
    for (ptrdiff_t i = 1; i < h - 1; i++) {
        const double *const row = x + i * w;
        double *const to = y + i * w;
        to[0] = row[0];
        for (ptrdiff_t j = 1 + (w - 2) / 4 * 4; j < w - 1; j++)
            to[j] = 0.2 * (row[j] + row[j - w] + row[j + w] + row[j - 1] + row[j + 1]);
        to[w - 1] = row[w - 1];
    }
}

/* A twin. */
RUN(f67)
{
    const ptrdiff_t h = DIM(0), w = DIM(1);
    heat_rest(F64(0), F64(1), h, w);
    for (ptrdiff_t i = 1; i < h - 1; i++) {
        const double *const row = F64(0) + i * w;
        double *const to = F64(1) + i * w;
#pragma GCC unroll 2
        for (ptrdiff_t j = 1; j + 4 <= w - 1; j += 4)
            _mm256_storeu_pd(to + j, five(row + j, w, 1));
    }
}

struct tensor {
    double *cell;
    ptrdiff_t origin, stride[2];
};

INLINE double *cell(const struct tensor *tensor, ptrdiff_t i, ptrdiff_t j)
{
    FORGET;
    return tensor->cell + tensor->origin + i * tensor->stride[0] + j * tensor->stride[1];
}

/* The place of each neighbour is computed from indices and strides, which are in memory.
 */
RUN(f22)
{
    const ptrdiff_t h = DIM(0), w = DIM(1);
    const struct tensor x = {F64(0), 0, {w, 1}}, y = {F64(1), 0, {w, 1}};
    const struct tensor *from = &x, *to = &y;
    HIDE(from);
    HIDE(to);
    heat_rest(F64(0), F64(1), h, w);
    for (ptrdiff_t i = 1; i < h - 1; i++)
        for (ptrdiff_t j = 1; j + 4 <= w - 1; j += 4) {
            const __m256d rows = _mm256_add_pd(_mm256_loadu_pd(cell(from, i - 1, j)),
                                               _mm256_loadu_pd(cell(from, i + 1, j)));
            const __m256d sides = _mm256_add_pd(_mm256_loadu_pd(cell(from, i, j - 1)),
                                                _mm256_loadu_pd(cell(from, i, j + 1)));
            const __m256d sum = _mm256_add_pd(_mm256_loadu_pd(cell(from, i, j)),
                                              _mm256_add_pd(rows, sides));
            _mm256_storeu_pd(cell(to, i, j), _mm256_mul_pd(_mm256_set1_pd(0.2), sum));
        }
}

/* ---- detile, f32 ---- */

/* Sound. */
RUN(f68)
{
    const ptrdiff_t m = DIM(0), n = DIM(1);
    const float *x = F32(0);
    float *const y = F32(1);
    for (ptrdiff_t i = 0; i < m; i += TILE)
        for (ptrdiff_t j = 0; j < n; j += TILE)
            UNROLL
    for (ptrdiff_t r = i; r < i + TILE; r++, x += TILE)
        _mm256_storeu_ps(y + r * n + j, _mm256_loadu_ps(x));
}

/* The source of a row's vector is computed from its place, bit by bit. */
RUN(f24)
{
    const ptrdiff_t m = DIM(0);
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t n = DIM(1), tiles = n / TILE;
    for (ptrdiff_t i = 0; i < m; i++)
#pragma GCC unroll 1
        for (ptrdiff_t j = 0; j < n; j += TILE) {
            ptrdiff_t row = i, column = j;
            HIDE(row);
            HIDE(column);
            const ptrdiff_t tile = (row >> 3) * tiles + (column >> 3);
            const ptrdiff_t inside = (row & 7) << 3 | (column & 7);
            _mm256_storeu_ps(y + row * n + column,
                             _mm256_loadu_ps(x + (tile << 6 | inside)));
        }
}
