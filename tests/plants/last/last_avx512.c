/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX-512. */
#include <immintrin.h>

#include "last.h"

/* ---- relu, f64 ---- */

enum { LANES = 8 };

INLINE void whole(const double *x, double *y, ptrdiff_t n)
{
#pragma GCC unroll 4
    for (ptrdiff_t i = 0; i < n; i += LANES)
        _mm512_storeu_pd(y + i,
                         _mm512_max_pd(_mm512_setzero_pd(), _mm512_loadu_pd(x + i)));
}

INLINE void rest(const double *x, double *y, ptrdiff_t n)
{
    const __mmask8 inside = (__mmask8)((1U << n) - 1);
    _mm512_mask_storeu_pd(
        y, inside, _mm512_max_pd(_mm512_setzero_pd(), _mm512_maskz_loadu_pd(inside, x)));
}

/* Sound: the rest is at the end. */
RUN(l38)
{
    const ptrdiff_t n = DIM(0), most = n / LANES * LANES;
    whole(F64(0), F64(1), most);
    rest(F64(0) + most, F64(1) + most, n - most);
}

/* The rest is at the beginning. */
RUN(l09)
{
    const ptrdiff_t n = DIM(0), few = n % LANES;
    rest(F64(0), F64(1), few);
    whole(F64(0) + few, F64(1) + few, n - few);
}

/* ---- tax, f32 ---- */

/* Sound. */
RUN(l34)
{
    const float *const x = F32(0);
    float *const y = F32(1);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < DIM(0); i += 16) {
        const __m512 income = _mm512_loadu_ps(x + i);
        __m512 sum = _mm512_set1_ps((float)allowance());
        UNROLL
        for (int k = 0; k < BRACKETS; k++)
            sum = _mm512_fmadd_ps(
                _mm512_max_ps(income, _mm512_set1_ps((float)threshold(k))),
                _mm512_set1_ps((float)rate(k)), sum);
        _mm512_storeu_ps(y + i, sum);
    }
}

/* ---- worth, f64 ---- */

/* Sound: four rows with two sums each. */
RUN(l37)
{
    const ptrdiff_t n = DIM(1);
    const __m512d step = _mm512_set1_pd(discount(2 * LANES));
    const __m512d one = _mm512_set1_pd(discount(LANES));
    const __m512d lane =
        _mm512_setr_pd(discount(0), discount(1), discount(2), discount(3), discount(4),
                       discount(5), discount(6), discount(7));
    for (ptrdiff_t i = 0; i < DIM(0); i += 4) {
        const double *const x = F64(0) + i * n;
        __m512d sum[8] = {{0}};
        for (ptrdiff_t j = n - 2L * LANES; j >= 0; j -= 2L * LANES)
            UNROLL
        for (int s = 0; s < 8; s++)
            sum[s] = _mm512_fmadd_pd(sum[s], step,
                                     _mm512_loadu_pd(x + s / 2 * n + j + s % 2 * LANES));
        UNROLL
        for (int r = 0; r < 4; r++)
            F64(1)
        [i + r] = _mm512_reduce_add_pd(
            _mm512_mul_pd(_mm512_fmadd_pd(sum[2 * r + 1], one, sum[2 * r]), lane));
    }
}
