/* SPDX-License-Identifier: Apache-2.0 */
/* Taxes for AVX2. */
#include <immintrin.h>

#include "last.h"

/* ---- f64 ---- */

INLINE __m256d tax(__m256d income)
{
    __m256d sum = _mm256_set1_pd(allowance());
    UNROLL
    for (int k = 0; k < BRACKETS; k++)
        sum = _mm256_fmadd_pd(_mm256_max_pd(income, _mm256_set1_pd(threshold(k))),
                              _mm256_set1_pd(rate(k)), sum);
    return sum;
}

/* Sound: four vectors at a time, so that each sum waits for others. */
RUN(l32)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += 4L * 4) {
        __m256d income[4], sum[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            income[v] = _mm256_loadu_pd(x + i + v * 4L);
            sum[v] = _mm256_set1_pd(allowance());
        }
        UNROLL
        for (int k = 0; k < BRACKETS; k++)
            UNROLL
        for (int v = 0; v < 4; v++)
            sum[v] =
                _mm256_fmadd_pd(_mm256_max_pd(income[v], _mm256_set1_pd(threshold(k))),
                                _mm256_set1_pd(rate(k)), sum[v]);
        UNROLL
        for (int v = 0; v < 4; v++)
            _mm256_storeu_pd(y + i + v * 4L, sum[v]);
    }
}

/* Elements enter and leave a vector's type one by one. */
RUN(l12)
{
    union {
        double element[4];
        __m256d all;
    } income;
    const double *const x = F64(0);
    double *const y = F64(1);
    const ptrdiff_t n = DIM(0);
    for (ptrdiff_t i = 0; i < n; i += 4) {
        UNROLL
        for (int l = 0; l < 4; l++) {
            income.element[l] = x[i + l];
            WRITE(income);
        }
        _mm256_storeu_pd(y + i, tax(income.all));
    }
}

/* One bracket after the other, for all elements. */
RUN(l06)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    const __m256d start = _mm256_set1_pd(allowance());
    for (int k = 0; k < BRACKETS; k++) {
        const __m256d from = _mm256_set1_pd(threshold(k)), part = _mm256_set1_pd(rate(k));
#pragma GCC unroll 4
        for (ptrdiff_t i = 0; i < DIM(0); i += 4)
            _mm256_storeu_pd(y + i,
                             _mm256_fmadd_pd(_mm256_max_pd(_mm256_loadu_pd(x + i), from),
                                             part, k ? _mm256_loadu_pd(y + i) : start));
    }
}

/* ---- f32 ---- */

/* Sound: four vectors at a time, so that each sum waits for others. */
RUN(l33)
{
    const float *const x = F32(0);
    float *const y = F32(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += 4L * 8) {
        __m256 income[4], sum[4];
        UNROLL
        for (int v = 0; v < 4; v++) {
            income[v] = _mm256_loadu_ps(x + i + v * 8L);
            sum[v] = _mm256_set1_ps((float)allowance());
        }
        UNROLL
        for (int k = 0; k < BRACKETS; k++)
            UNROLL
        for (int v = 0; v < 4; v++)
            sum[v] = _mm256_fmadd_ps(
                _mm256_max_ps(income[v], _mm256_set1_ps((float)threshold(k))),
                _mm256_set1_ps((float)rate(k)), sum[v]);
        UNROLL
        for (int v = 0; v < 4; v++)
            _mm256_storeu_ps(y + i + v * 8L, sum[v]);
    }
}

/* One element at a time. */
RUN(l17)
{
    const float *const x = F32(0);
    float *const y = F32(1);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < DIM(0); i++) {
        float sum = (float)allowance();
        UNROLL
        for (int k = 0; k < BRACKETS; k++) {
            const float from = (float)threshold(k);
            sum = __builtin_fmaf(x[i] > from ? x[i] : from, (float)rate(k), sum);
        }
        y[i] = sum;
    }
}
