/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for AVX-512. */
#include <immintrin.h>

typedef float element;
typedef __m512 vec;
#define load _mm512_loadu_ps
#define store _mm512_storeu_ps
#define splat(from) _mm512_set1_ps(*(from))
#define square_add(difference, sum) _mm512_fmadd_ps(difference, difference, sum)
#include "fresh_distance.h"

/* Sound. */
RUN(f84)
{
    (void)state;
    distance(6, 3, operands);
}

/* ---- fir, f64 ---- */

/* Elements `shift` to `shift` + 8 of two vectors. */
#define SHIFTED(low, high, shift) \
    _mm512_castsi512_pd(          \
        _mm512_alignr_epi64(_mm512_castpd_si512(high), _mm512_castpd_si512(low), shift))

#define TAP(t)                                                                   \
    {                                                                            \
        const __m512d tap = _mm512_set1_pd(w[t]);                                \
        UNROLL                                                                   \
        for (int v = 0; v < 6; v++)                                              \
            sum[v] = _mm512_fmadd_pd(                                            \
                SHIFTED(part[v + (t) / 8], part[v + (t) / 8 + 1], (t) % 8), tap, \
                sum[v]);                                                         \
    }

/* Sound: what is between two vectors comes from registers. */
RUN(f78)
{
    const double *x = F64(0), *const w = F64(1);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i += 48, x += 48) {
        __m512d sum[6] = {{0}}, part[9];
        UNROLL
        for (int v = 0; v < 8; v++)
            part[v] = _mm512_loadu_pd(x + v * 8L);
        part[8] = part[7];
        TAP(0)
        TAP(1)
        TAP(2)
        TAP(3)
        TAP(4)
        TAP(5)
        TAP(6)
        TAP(7)
        TAP(8)
        TAP(9)
        TAP(10)
        TAP(11)
        TAP(12)
        TAP(13)
        TAP(14)
        TAP(15)
        UNROLL
        for (int v = 0; v < 6; v++)
            _mm512_storeu_pd(F64(2) + i + v * 8L, sum[v]);
    }
}

/* Each tap reads vectors where its elements begin. */
RUN(f38)
{
    const double *x = F64(0), *const w = F64(1);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i += 48, x += 48) {
        __m512d sum[6] = {{0}};
        UNROLL
        for (int t = 0; t < TAPS; t++) {
            const __m512d tap = _mm512_set1_pd(w[t]);
            UNROLL
            for (int v = 0; v < 6; v++)
                sum[v] = _mm512_fmadd_pd(_mm512_loadu_pd(x + t + v * 8L), tap, sum[v]);
        }
        UNROLL
        for (int v = 0; v < 6; v++)
            _mm512_storeu_pd(F64(2) + i + v * 8L, sum[v]);
    }
}
