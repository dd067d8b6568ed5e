/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (32 / sizeof(TYPE))
#define UNROLL 8
/* Compilers know that a comparison and a blend or an and can be a maximum, and that a
 * blend with zero can be an and: asm is taken as it is. */

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m256
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define STREAM _mm256_stream_ps
#define MAX(v) _mm256_max_ps(_mm256_setzero_ps(), v)
#define CMP_BLEND cmp_blend_f32
#define AND_MASK and_mask_f32
#define FEW few_f32

static inline __m256 cmp_blend_f32(__m256 v)
{
    const __m256 mask = _mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_LT_OQ);
    __m256 result;
    __asm__("vblendvps %[mask], %[zero], %[v], %[result]"
            : [result] "=x"(result)
            : [v] "x"(v), [zero] "x"(_mm256_setzero_ps()), [mask] "x"(mask));
    return result;
}

static inline __m256 and_mask_f32(__m256 v)
{
    __m256 mask = _mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_NLT_UQ);
    __asm__("" : "+x"(mask));
    return _mm256_and_ps(mask, v);
}

#include "relu_body.h"

RELU_ROWS(float, f32, avx2)
RELU_ROW(float, f32, avx2, cmp_blend, ordinary_f32(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(float, f32, avx2, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef STREAM
#undef MAX
#undef CMP_BLEND
#undef AND_MASK
#undef FEW
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m256d
#define LOAD _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#define STREAM _mm256_stream_pd
#define MAX(v) _mm256_max_pd(_mm256_setzero_pd(), v)
#define CMP_BLEND cmp_blend_f64
#define AND_MASK and_mask_f64
#define FEW few_f64

static inline __m256d cmp_blend_f64(__m256d v)
{
    const __m256d mask = _mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_LT_OQ);
    __m256d result;
    __asm__("vblendvpd %[mask], %[zero], %[v], %[result]"
            : [result] "=x"(result)
            : [v] "x"(v), [zero] "x"(_mm256_setzero_pd()), [mask] "x"(mask));
    return result;
}

static inline __m256d and_mask_f64(__m256d v)
{
    __m256d mask = _mm256_cmp_pd(v, _mm256_setzero_pd(), _CMP_NLT_UQ);
    __asm__("" : "+x"(mask));
    return _mm256_and_pd(mask, v);
}

#include "relu_body.h"

RELU_ROWS(double, f64, avx2)
RELU_ROW(double, f64, avx2, cmp_blend, ordinary_f64(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(double, f64, avx2, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
