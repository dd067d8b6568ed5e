/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of f64 for AVX2: distances, and a filter as one long piece of code. */
#include <immintrin.h>

typedef double element;
typedef __m256d vec;
#define load _mm256_loadu_pd
#define store _mm256_storeu_pd
#define splat _mm256_broadcast_sd
#define square_add(difference, sum) _mm256_fmadd_pd(difference, difference, sum)
#include "fresh_distance.h"

/* Sound. */
RUN(f76)
{
    (void)state;
    distance(4, 3, operands);
}

/* ---- fir ---- */

enum { SPAN = 1536 };

/* Sound. */
RUN(f77)
{
    const double *const x = F64(0), *const w = F64(1);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i += 48) {
        __m256d sum[12] = {{0}};
#pragma GCC unroll 1
        for (ptrdiff_t t = 0; t < TAPS; t++) {
            const __m256d tap = _mm256_broadcast_sd(w + t);
            UNROLL
            for (int v = 0; v < 12; v++)
                sum[v] =
                    _mm256_fmadd_pd(_mm256_loadu_pd(x + i + t + v * 4L), tap, sum[v]);
        }
        UNROLL
        for (int v = 0; v < 12; v++)
            _mm256_storeu_pd(F64(2) + i + v * 4L, sum[v]);
    }
}

#define REPEAT_4(code) code code code code
#define REPEAT_32(code) REPEAT_4(REPEAT_4(code code))

/* Forty-eight elements, as in the loop above. */
#define PIECE                                                                           \
    {                                                                                   \
        __m256d sum[12] = {{0}};                                                        \
        UNROLL                                                                          \
        for (ptrdiff_t t = 0; t < TAPS; t++) {                                          \
            const __m256d tap = _mm256_broadcast_sd(w + t);                             \
            UNROLL                                                                      \
            for (int v = 0; v < 12; v++)                                                \
                sum[v] = _mm256_fmadd_pd(_mm256_loadu_pd(x + t + v * 4L), tap, sum[v]); \
        }                                                                               \
        UNROLL                                                                          \
        for (int v = 0; v < 12; v++)                                                    \
            _mm256_storeu_pd(y + v * 4L, sum[v]);                                       \
        x += 48;                                                                        \
        y += 48;                                                                        \
        FORGET;                                                                         \
    }

/* A piece of code for each 48 of 1536 elements. */
RUN(f37)
{
    const double *x = F64(0), *const w = F64(1);
    double *y = F64(2);
    (void)state;
    for (ptrdiff_t i = 0; i < DIM(0); i += SPAN) {
        REPEAT_32(PIECE)
    }
}
