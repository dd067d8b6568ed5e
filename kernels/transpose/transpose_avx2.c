/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_avx2.h"

/* Squares of 4 in both halves of the vectors, then the halves change places. */
INLINE void turn_f32(vector_f32 *v)
{
    __m256 u[8];
    for (int half = 0; half < 8; half += 4) {
        const __m256 *const w = v + half;
        const __m256d t[4] = {(__m256d)_mm256_unpacklo_ps(w[0], w[1]),
                              (__m256d)_mm256_unpackhi_ps(w[0], w[1]),
                              (__m256d)_mm256_unpacklo_ps(w[2], w[3]),
                              (__m256d)_mm256_unpackhi_ps(w[2], w[3])};
        u[half] = (__m256)_mm256_unpacklo_pd(t[0], t[2]);
        u[half + 1] = (__m256)_mm256_unpackhi_pd(t[0], t[2]);
        u[half + 2] = (__m256)_mm256_unpacklo_pd(t[1], t[3]);
        u[half + 3] = (__m256)_mm256_unpackhi_pd(t[1], t[3]);
    }
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x20);
        v[4 + i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x31);
    }
}

INLINE void turn_f64(vector_f64 *v)
{
    const __m256d t[4] = {_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]),
                          _mm256_unpacklo_pd(v[2], v[3]), _mm256_unpackhi_pd(v[2], v[3])};
    for (int i = 0; i < 2; i++) {
        v[i] = _mm256_permute2f128_pd(t[i], t[2 + i], 0x20);
        v[2 + i] = _mm256_permute2f128_pd(t[i], t[2 + i], 0x31);
    }
}

#define HAS_STREAM
#define T f32
#include "transpose_body.h"
#define T f64
#include "transpose_body.h"
