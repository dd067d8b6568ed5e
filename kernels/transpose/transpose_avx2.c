/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_avx2.h"

INLINE __m256 lanes_apart(const void *p, ptrdiff_t bytes)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)),
                                _mm_loadu_ps((const void *)((const char *)p + bytes)), 1);
}

INLINE void turn_lanes_f32(const vector_f32 *v, vector_f32 *u)
{
    const __m256d t[4] = {
        (__m256d)_mm256_unpacklo_ps(v[0], v[1]), (__m256d)_mm256_unpackhi_ps(v[0], v[1]),
        (__m256d)_mm256_unpacklo_ps(v[2], v[3]), (__m256d)_mm256_unpackhi_ps(v[2], v[3])};
    u[0] = (__m256)_mm256_unpacklo_pd(t[0], t[2]);
    u[1] = (__m256)_mm256_unpackhi_pd(t[0], t[2]);
    u[2] = (__m256)_mm256_unpacklo_pd(t[1], t[3]);
    u[3] = (__m256)_mm256_unpackhi_pd(t[1], t[3]);
}

INLINE void turn_lanes_f64(const vector_f64 *v, vector_f64 *u)
{
    u[0] = _mm256_unpacklo_pd(v[0], v[1]);
    u[1] = _mm256_unpackhi_pd(v[0], v[1]);
}

INLINE void turn_f32(vector_f32 *v)
{
    __m256 u[8];
    turn_lanes_f32(v, u);
    turn_lanes_f32(v + 4, u + 4);
    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x20);
        v[4 + i] = _mm256_permute2f128_ps(u[i], u[4 + i], 0x31);
    }
}

#define HAS_LANES
#define T f32
#include "transpose_body.h"
#define BY_LANES
#define T f64
#include "transpose_body.h"
