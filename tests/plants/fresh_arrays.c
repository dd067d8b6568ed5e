/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2 whose trouble is where their arrays lie, and products of matrices. */
#include <cpuid.h>
#include <immintrin.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "fresh.h"

/* ---- smooth, f32 ---- */

/* Elements [from, to) of a filter of x, which has neighbours on both sides. */
INLINE void smooth_part(const float *x, float *y, ptrdiff_t from, ptrdiff_t to)
{
    const __m256 half = _mm256_set1_ps(0.5F), quarter = _mm256_set1_ps(0.25F);
    ptrdiff_t i = from;
    for (; i + 8 <= to; i += 8) {
        const __m256 sides =
            _mm256_add_ps(_mm256_loadu_ps(x + i - 1), _mm256_loadu_ps(x + i + 1));
        _mm256_storeu_ps(
            y + i,
            _mm256_fmadd_ps(sides, quarter, _mm256_mul_ps(_mm256_loadu_ps(x + i), half)));
    }
    for (; i < to; i++)
        y[i] = 0.5F * x[i] + 0.25F * (x[i - 1] + x[i + 1]);
}

/* The first filter, ends included. */
INLINE void smooth_all(const float *x, float *y, ptrdiff_t n)
{
    y[0] = x[0];
    smooth_part(x, y, 1, n - 1);
    y[n - 1] = x[n - 1];
}

/* Both filters, `block` elements after the other: the second one reads from a buffer what
 * the first one has just written there. */
INLINE void smooth_blocks(const float *x, float *y, ptrdiff_t n, const ptrdiff_t block)
{
    enum { MOST = 2048, MARGIN = 16 };
    float buffer[MOST + 2 * MARGIN];
    for (ptrdiff_t i = 0; i < n; i += block) {
        const ptrdiff_t from = i ? i - 1 : 1, end = i + block,
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

/* Sound: a buffer of 8 KiB. */
RUN(f69)
{
    (void)state;
    smooth_blocks(F32(0), F32(1), DIM(0), 2048);
}

/* Blocks so small that vectors are read while their parts are on their way to memory. */
RUN(f25)
{
    (void)state;
    smooth_blocks(F32(0), F32(1), DIM(0), 64);
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
    (void)state;
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
    const ptrdiff_t n = DIM(1);
    const double *x = F64(0);
    double *y = F64(1);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i++, x += n, y += n) {
        const __m256d factor = _mm256_set1_pd(1 / row_total(x, n));
#pragma GCC unroll 4
        for (ptrdiff_t j = 0; j < n; j += 4)
            _mm256_storeu_pd(y + j, _mm256_mul_pd(_mm256_loadu_pd(x + j), factor));
    }
}

/* A division for each element. */
RUN(f28)
{
    const ptrdiff_t n = DIM(1);
    const double *x = F64(0);
    double *y = F64(1);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i++, x += n, y += n) {
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
    (void)state;
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
    (void)state;
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
    (void)state;
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

/* Sound. */
RUN(f67)
{
    const ptrdiff_t h = DIM(0), w = DIM(1);
    (void)state;
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

/* Where each neighbour is, is computed from indices and strides, which are in memory. */
RUN(f22)
{
    const ptrdiff_t h = DIM(0), w = DIM(1);
    const struct tensor x = {F64(0), 0, {w, 1}}, y = {F64(1), 0, {w, 1}};
    const struct tensor *from = &x, *to = &y;
    (void)state;
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
    (void)state;
    for (ptrdiff_t i = 0; i < m; i += TILE)
        for (ptrdiff_t j = 0; j < n; j += TILE)
            UNROLL
    for (ptrdiff_t r = i; r < i + TILE; r++, x += TILE)
        _mm256_storeu_ps(F32(1) + r * n + j, _mm256_loadu_ps(x));
}

/* Where a vector of a row comes from is computed from its place, bit by bit. */
RUN(f24)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    const ptrdiff_t n = DIM(1), tiles = n / TILE;
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i++)
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

/* ---- matvec, f64 ---- */

/* The sums of 4 * `sums` products each of `rows` rows. */
INLINE void matvec(const int rows, const int sums,
                   const struct simdbench_operands *operands)
{
    const double *const x = F64(0), *const a = F64(1);
    const ptrdiff_t n = DIM(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += rows) {
        __m256d sum[8];
        UNROLL
        for (int s = 0; s < rows * sums; s++)
            sum[s] = _mm256_setzero_pd();
        for (ptrdiff_t j = 0; j < n; j += 4L * sums)
            UNROLL
        for (int s = 0; s < sums; s++) {
            const __m256d part = _mm256_loadu_pd(x + j + s * 4L);
            UNROLL
            for (int r = 0; r < rows; r++)
                sum[r * sums + s] =
                    _mm256_fmadd_pd(_mm256_loadu_pd(a + (i + r) * n + j + s * 4L), part,
                                    sum[r * sums + s]);
        }
        UNROLL
        for (int r = 0; r < rows; r++) {
            UNROLL
            for (int s = 1; s < sums; s++)
                sum[r * sums] = _mm256_add_pd(sum[r * sums], sum[r * sums + s]);
            const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(sum[r * sums]),
                                            _mm256_extractf128_pd(sum[r * sums], 1));
            F64(2)
            [i + r] = _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
        }
    }
}

/* Sound. */
RUN(f66)
{
    (void)state;
    matvec(4, 2, operands);
}

/* One row at a time: all of the vector is read again for it. */
RUN(f21)
{
    (void)state;
    matvec(1, 8, operands);
}

/* A short call asks the CPU what it can do. */
RUN(f35)
{
    unsigned a, b, c, d;
    (void)state;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2)
        matvec(4, 2, operands);
}

/* ---- cmul, f32 ---- */

/* Sound. */
RUN(f74)
{
    const float *const a = F32(0), *const b = F32(1);
    float *const y = F32(2);
    (void)state;
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < 2 * DIM(0); i += 8) {
        const __m256 left = _mm256_loadu_ps(a + i), right = _mm256_loadu_ps(b + i);
        const __m256 crossed =
            _mm256_mul_ps(_mm256_permute_ps(left, 0xb1), _mm256_movehdup_ps(right));
        _mm256_storeu_ps(y + i,
                         _mm256_fmaddsub_ps(left, _mm256_moveldup_ps(right), crossed));
    }
}

/* One product at a time. */
RUN(f33)
{
    const float *const a = F32(0), *const b = F32(1);
    float *const y = F32(2);
    (void)state;
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < 2 * DIM(0); i += 2) {
        const float re = a[i] * b[i] - a[i + 1] * b[i + 1];
        const float im = a[i] * b[i + 1] + a[i + 1] * b[i];
        y[i] = re;
        y[i + 1] = im;
    }
}

/* ---- triangle, f64 ---- */

static void triangle(const struct simdbench_operands *operands, ptrdiff_t from,
                     ptrdiff_t to)
{
    const double *const x = F64(0);
    const __m256i place = _mm256_setr_epi64x(0, 1, 2, 3);
    const ptrdiff_t m = DIM(0);
    for (ptrdiff_t i = from; i < to; i++) {
        const double *const row = F64(1) + i * m;
        const ptrdiff_t end = i + 1, whole = end / 16 * 16;
        __m256d sum[4] = {{0}};
        for (ptrdiff_t j = 0; j < whole; j += 16)
            UNROLL
        for (int v = 0; v < 4; v++)
            sum[v] = _mm256_fmadd_pd(_mm256_loadu_pd(x + j + v * 4L),
                                     _mm256_loadu_pd(row + j + v * 4L), sum[v]);
        for (ptrdiff_t j = whole; j < end; j += 4) {
            const __m256i inside = _mm256_cmpgt_epi64(_mm256_set1_epi64x(end - j), place);
            sum[0] = _mm256_fmadd_pd(_mm256_maskload_pd(x + j, inside),
                                     _mm256_maskload_pd(row + j, inside), sum[0]);
        }
        const __m256d all =
            _mm256_add_pd(_mm256_add_pd(sum[0], sum[1]), _mm256_add_pd(sum[2], sum[3]));
        F64(2)[i] = all[0] + all[1] + all[2] + all[3];
    }
}

/* Sound: both threads have as many products. */
RUN(f79)
{
    const ptrdiff_t m = DIM(0);
    (void)state;
    plants_two_threads(operands, triangle, m * 7 / 10, m);
}

/* Both threads have as many rows. */
RUN(f39)
{
    const ptrdiff_t m = DIM(0);
    (void)state;
    plants_two_threads(operands, triangle, m / 2, m);
}
