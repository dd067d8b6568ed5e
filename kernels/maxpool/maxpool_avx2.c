/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool.h"
#include "vector/vector_avx2.h"

/* The lanes of a from the second one on, then the first one of b. */
INLINE vector_f32 following_f32(vector_f32 a, vector_f32 b)
{
    const __m256i middle = (__m256i)_mm256_permute2f128_ps(a, b, 0x21);
    return (vector_f32)_mm256_alignr_epi8(middle, (__m256i)a, 4);
}

INLINE vector_f64 following_f64(vector_f64 a, vector_f64 b)
{
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 5);
}

#define T f32
#include "maxpool_body.h"
#define T f64
#include "maxpool_body.h"
