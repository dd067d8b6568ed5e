/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX2 that multiply vectors, matrices and complex numbers. */
#include <cpuid.h>
#include <immintrin.h>
#include <string.h>

#include "fresh.h"

/* ---- matvec, f64 ---- */

/* The sums of 4 * `sums` products each of `rows` rows. */
INLINE void matvec(const int rows, const int sums,
                   const struct simdbench_operands *operands)
{
    const ptrdiff_t m = DIM(0);
    const double *const x = F64(0), *const a = F64(1);
    const ptrdiff_t n = DIM(1);
    for (ptrdiff_t i = 0; i < m; i += rows) {
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
    matvec(4, 2, operands);
}

/* One row at a time: all of the vector is read again for it. */
RUN(f21)
{
    matvec(1, 8, operands);
}

/* A short call asks the CPU what it can do. */
RUN(f35)
{
    unsigned a, b, c, d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_AVX2)
        matvec(4, 2, operands);
}

/* ---- cmul, f32 ---- */

/* Sound. */
RUN(f74)
{
    const ptrdiff_t n = DIM(0);
    const float *const a = F32(0), *const b = F32(1);
    float *const y = F32(2);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < 2 * n; i += 8) {
        const __m256 left = _mm256_loadu_ps(a + i), right = _mm256_loadu_ps(b + i);
        const __m256 crossed =
            _mm256_mul_ps(_mm256_permute_ps(left, 0xb1), _mm256_movehdup_ps(right));
        _mm256_storeu_ps(y + i,
                         _mm256_fmaddsub_ps(left, _mm256_moveldup_ps(right), crossed));
    }
}

/* Real and imaginary parts are exchanged in memory, a number at a time, and read as a
 * vector. */
RUN(f25)
{
    const float *const a = F32(0), *const b = F32(1);
    float *const y = F32(2), crossed[8] __attribute__((aligned(32)));
    const ptrdiff_t n = DIM(0);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < 2 * n; i += 8) {
        UNROLL
        for (int j = 0; j < 8; j += 2) {
            uint64_t number;
            memcpy(&number, a + i + j, sizeof number);
            number = number << 32 | number >> 32;
            memcpy(crossed + j, &number, sizeof number);
            WRITE(crossed);
        }
        const __m256 left = _mm256_loadu_ps(a + i), right = _mm256_loadu_ps(b + i);
        const __m256 other =
            _mm256_mul_ps(_mm256_load_ps(crossed), _mm256_movehdup_ps(right));
        _mm256_storeu_ps(y + i,
                         _mm256_fmaddsub_ps(left, _mm256_moveldup_ps(right), other));
    }
}

/* One product at a time. */
RUN(f33)
{
    const ptrdiff_t n = DIM(0);
    const float *const a = F32(0), *const b = F32(1);
    float *const y = F32(2);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < 2 * n; i += 2) {
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
    plants_two_threads(operands, triangle, m * 7 / 10, m);
}

/* Both threads have as many rows. */
RUN(f39)
{
    const ptrdiff_t m = DIM(0);
    plants_two_threads(operands, triangle, m / 2, m);
}
