/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (64 / sizeof(TYPE))
#define UNROLL 4

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m512
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define STREAM _mm512_stream_ps
#define MAX(v) _mm512_max_ps(_mm512_setzero_ps(), v)
#define CMP_BLEND cmp_blend_f32
#define AND_MASK and_mask_f32
#define FEW few_masked_f32

/* Compilers know that a comparison and a blend can be a maximum, and that a blend with
 * zero needs no zero: asm is taken as it is. */
static inline __m512 cmp_blend_f32(__m512 v)
{
    const __mmask16 mask = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_LT_OQ);
    __m512 result;
    __asm__("vblendmps %[zero], %[v], %[result]%{%[mask]%}"
            : [result] "=v"(result)
            : [v] "v"(v), [zero] "v"(_mm512_setzero_ps()), [mask] "Yk"(mask));
    return result;
}

static inline __m512 and_mask_f32(__m512 v)
{
    const __mmask16 mask = _mm512_cmp_ps_mask(v, _mm512_setzero_ps(), _CMP_NLT_UQ);
    __m512 result;
    __asm__("vmovaps %[v], %[result]%{%[mask]%}%{z%}"
            : [result] "=v"(result)
            : [v] "v"(v), [mask] "Yk"(mask));
    return result;
}

static inline void few_masked_f32(const float *x, float *y, size_t n)
{
    const __mmask16 mask = (__mmask16)((1u << n) - 1);
    if (n)
        _mm512_mask_storeu_ps(y, mask, MAX(_mm512_maskz_loadu_ps(mask, x)));
}

#include "relu_body.h"

RELU_ROWS(float, f32, avx512)
RELU_ROW(float, f32, avx512, cmp_blend, ordinary_f32(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(float, f32, avx512, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

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
#define VEC __m512d
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define STREAM _mm512_stream_pd
#define MAX(v) _mm512_max_pd(_mm512_setzero_pd(), v)
#define CMP_BLEND cmp_blend_f64
#define AND_MASK and_mask_f64
#define FEW few_masked_f64

static inline __m512d cmp_blend_f64(__m512d v)
{
    const __mmask8 mask = _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_LT_OQ);
    __m512d result;
    __asm__("vblendmpd %[zero], %[v], %[result]%{%[mask]%}"
            : [result] "=v"(result)
            : [v] "v"(v), [zero] "v"(_mm512_setzero_pd()), [mask] "Yk"(mask));
    return result;
}

static inline __m512d and_mask_f64(__m512d v)
{
    const __mmask8 mask = _mm512_cmp_pd_mask(v, _mm512_setzero_pd(), _CMP_NLT_UQ);
    __m512d result;
    __asm__("vmovapd %[v], %[result]%{%[mask]%}%{z%}"
            : [result] "=v"(result)
            : [v] "v"(v), [mask] "Yk"(mask));
    return result;
}

static inline void few_masked_f64(const double *x, double *y, size_t n)
{
    const __mmask8 mask = (__mmask8)((1u << n) - 1);
    if (n)
        _mm512_mask_storeu_pd(y, mask, MAX(_mm512_maskz_loadu_pd(mask, x)));
}

#include "relu_body.h"

RELU_ROWS(double, f64, avx512)
RELU_ROW(double, f64, avx512, cmp_blend, ordinary_f64(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(double, f64, avx512, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
