/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 16 bytes: SSE2. vector.h tells what the functions do. */
#pragma once

#include <emmintrin.h>

#include "vector/vector.h"

#define ISA sse2
#define HAS_STREAM
#define HIDE_VECTOR(v) __asm__("" : "+x"(v))

/* clang-format off */
#define FLOAT_VECTOR(t, vec, s) \
    typedef vec vector_##t; \
    typedef word_##t bits_##t __attribute__((vector_size(16))); \
    INLINE vec load_##t(const t *p) { return _mm_loadu_##s(p); } \
    INLINE void store_##t(t *p, vec v) { _mm_storeu_##s(p, v); } \
    INLINE void stream_##t(t *p, vec v) { _mm_stream_##s(p, v); } \
    INLINE vec splat_##t(t x) { return _mm_set1_##s(x); } \
    INLINE vec max_##t(vec a, vec b) { return _mm_max_##s(a, b); } \
    INLINE vec min_##t(vec a, vec b) { return _mm_min_##s(a, b); } \
    INLINE bits_##t as_bits_##t(vec v) { return (bits_##t)v; } \
    INLINE vec as_vector_##t(bits_##t b) { return (vec)b; } \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) { return a * b + c; } \
    INLINE vec select_##t(vec mask, vec yes, vec no) \
    { return _mm_or_##s(_mm_and_##s(mask, yes), _mm_andnot_##s(mask, no)); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return select_##t(_mm_cmplt_##s(a, b), yes, no); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return select_##t(_mm_cmpeq_##s(a, b), no, yes); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { return (unsigned)_mm_movemask_##s(_mm_cmpeq_##s(a, b)); } \
    INLINE vec magnitude_##t(vec v) { return _mm_andnot_##s(splat_##t((t)-0.0), v); } \
    INLINE vec with_sign_##t(vec v, vec sign) \
    { return _mm_or_##s(v, _mm_and_##s(splat_##t((t)-0.0), sign)); }

/* There is no maximum of such integers: that of floats, for the bits of positive ones. */
#define INTEGER_VECTOR(t, epi, splat, vec, s) \
    typedef __m128i vector_##t; \
    INLINE __m128i load_##t(const t *p) \
    { return _mm_loadu_si128((const __m128i *)(const void *)p); } \
    INLINE void store_##t(t *p, __m128i v) \
    { _mm_storeu_si128((__m128i *)(void *)p, v); } \
    INLINE __m128i splat_##t(t x) { return _mm_set1_##splat(x); } \
    INLINE __m128i add_##t(__m128i a, __m128i b) { return _mm_add_##epi(a, b); } \
    INLINE __m128i max_##t(__m128i a, __m128i b) \
    { return (__m128i)_mm_max_##s((vec)a, (vec)b); } \
    INLINE __m128i min_##t(__m128i a, __m128i b) \
    { return (__m128i)_mm_min_##s((vec)a, (vec)b); }

FLOAT_VECTOR(f32, __m128, ps)
FLOAT_VECTOR(f64, __m128d, pd)
INTEGER_VECTOR(i32, epi32, epi32, __m128, ps)
INTEGER_VECTOR(i64, epi64, epi64x, __m128d, pd)
enum { SIGNS_TOGETHER = 4 };
INLINE int any_negative_i32(const i32 *p) { return _mm_movemask_ps((__m128)load_i32(p)); }
FIRST_BY_COPIES(f32)
FIRST_BY_COPIES(f64)

INLINE void widen_f32(__m128 v, __m128d wide[2])
{
    wide[0] = _mm_cvtps_pd(v);
    wide[1] = _mm_cvtps_pd(_mm_movehl_ps(v, v));
}
INLINE __m128 narrow_f32(const __m128d wide[2])
{
    return _mm_movelh_ps(_mm_cvtpd_ps(wide[0]), _mm_cvtpd_ps(wide[1]));
}
#define LANES_TOGETHER(name, one) \
    INLINE f32 name##_lanes_f32(__m128 v) \
    { \
        const __m128 all = _mm_##one##_ps(v, _mm_movehl_ps(v, v)); \
        return _mm_cvtss_f32(_mm_##one##_ss(all, _mm_shuffle_ps(all, all, 1))); \
    } \
    INLINE f64 name##_lanes_f64(__m128d v) \
    { return _mm_cvtsd_f64(_mm_##one##_sd(v, _mm_unpackhi_pd(v, v))); }
LANES_TOGETHER(sum, add)
LANES_TOGETHER(max, max)

INLINE __m128 following_f32(__m128 a, __m128 b)
{
    const __m128 last = _mm_move_ss(a, b);
    return _mm_shuffle_ps(last, last, 0x39);
}
INLINE __m128d following_f64(__m128d a, __m128d b) { return _mm_shuffle_pd(a, b, 1); }
INLINE __m128 evens_f32(__m128 a, __m128 b) { return _mm_shuffle_ps(a, b, 0x88); }
INLINE __m128 odds_f32(__m128 a, __m128 b) { return _mm_shuffle_ps(a, b, 0xdd); }
INLINE __m128d evens_f64(__m128d a, __m128d b) { return _mm_unpacklo_pd(a, b); }
INLINE __m128d odds_f64(__m128d a, __m128d b) { return _mm_unpackhi_pd(a, b); }
/* clang-format on */
