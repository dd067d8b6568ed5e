/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (16 / sizeof(TYPE))
#define UNROLL 8
/* Compilers know that a comparison and an and can be a maximum: asm hides it. */

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define LOAD _mm_loadu_ps
#define STORE _mm_storeu_ps
#define STREAM _mm_stream_ps
#define MAX(v) _mm_max_ps(_mm_setzero_ps(), v)
#define AND_MASK and_mask_f32
#define FEW few_f32

static inline __m128 and_mask_f32(__m128 v)
{
    __m128 mask = _mm_cmpnlt_ps(v, _mm_setzero_ps());
    __asm__("" : "+x"(mask));
    return _mm_and_ps(mask, v);
}

#include "relu_body.h"

RELU_ROWS(float, f32, sse2)
RELU_ROW(float, f32, sse2, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef STREAM
#undef MAX
#undef AND_MASK
#undef FEW
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define LOAD _mm_loadu_pd
#define STORE _mm_storeu_pd
#define STREAM _mm_stream_pd
#define MAX(v) _mm_max_pd(_mm_setzero_pd(), v)
#define AND_MASK and_mask_f64
#define FEW few_f64

static inline __m128d and_mask_f64(__m128d v)
{
    __m128d mask = _mm_cmpnlt_pd(v, _mm_setzero_pd());
    __asm__("" : "+x"(mask));
    return _mm_and_pd(mask, v);
}

#include "relu_body.h"

RELU_ROWS(double, f64, sse2)
RELU_ROW(double, f64, sse2, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
