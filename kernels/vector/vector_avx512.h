/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 64 bytes: AVX-512. vector.h tells what the functions do. */
#pragma once

#include <immintrin.h>

#include "vector/vector_x86.h"

#define ISA avx512
#define HIDE_VECTOR(v) __asm__("" : "+v"(v))
#define HAS_FMA
/* clang-format off */
#define FLOAT_VECTOR(t, vec, s, lanes) \
    X86_FLOAT(t, _mm512, vec, s) \
    typedef __mmask##lanes mask_##t; \
    INLINE vec load_first_##t(const t *p, ptrdiff_t n) \
    { return _mm512_maskz_loadu_##s((mask_##t)((1u << n) - 1), p); } \
    INLINE void store_first_##t(t *p, vec v, ptrdiff_t n) \
    { _mm512_mask_storeu_##s(p, (mask_##t)((1u << n) - 1), v); } \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) \
    { return _mm512_fmadd_##s(a, b, c); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return _mm512_mask_blend_##s(_mm512_cmp_##s##_mask(a, b, _CMP_LT_OQ), no, yes); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return _mm512_mask_mov_##s(no, _mm512_cmp_##s##_mask(a, b, _CMP_NEQ_OQ), yes); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { return _mm512_cmp_##s##_mask(a, b, _CMP_EQ_OQ); }

#define INTEGER_VECTOR(t, f, epi) \
    X86_INTEGER(t, _mm512, __m512i, si512, epi, epi, __m512i, epi) \
    INLINE __m512i load_first_##t(const t *p, ptrdiff_t n) \
    { return _mm512_maskz_loadu_##epi((mask_##f)((1u << n) - 1), p); } \
    INLINE void store_first_##t(t *p, __m512i v, ptrdiff_t n) \
    { _mm512_mask_storeu_##epi(p, (mask_##f)((1u << n) - 1), v); }

FLOAT_VECTOR(f32, __m512, ps, 16)
FLOAT_VECTOR(f64, __m512d, pd, 8)
INTEGER_VECTOR(i32, f32, epi32)
INTEGER_VECTOR(i64, f64, epi64)
enum { SIGNS_TOGETHER = 8 };
INLINE int any_negative_i32(const i32 *p)
{ return _mm256_movepi32_mask(_mm256_loadu_si256((const __m256i *)(const void *)p)); }

INLINE void widen_f32(__m512 v, __m512d wide[2])
{
    wide[0] = _mm512_cvtps_pd(_mm512_castps512_ps256(v));
    wide[1] = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v, 1));
}
INLINE __m512 narrow_f32(const __m512d wide[2])
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(wide[0])),
                              _mm512_cvtpd_ps(wide[1]), 1);
}
#define LANES_TOGETHER(t, vec, s) \
    INLINE t sum_lanes_##t(vec v) { return _mm512_reduce_add_##s(v); } \
    INLINE t max_lanes_##t(vec v) { return _mm512_reduce_max_##s(v); }
LANES_TOGETHER(f32, __m512, ps)
LANES_TOGETHER(f64, __m512d, pd)

INLINE __m512 following_f32(__m512 a, __m512 b)
{
    return (__m512)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 1);
}
INLINE __m512d following_f64(__m512d a, __m512d b)
{
    return (__m512d)_mm512_alignr_epi64((__m512i)b, (__m512i)a, 1);
}
INLINE __m512 evens_f32(__m512 a, __m512 b)
{
    const __m512i at = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, at, b);
}
INLINE __m512 odds_f32(__m512 a, __m512 b)
{
    const __m512i at = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, at, b);
}
INLINE __m512d evens_f64(__m512d a, __m512d b)
{
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
}
INLINE __m512d odds_f64(__m512d a, __m512d b)
{
    return _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}
/* clang-format on */
