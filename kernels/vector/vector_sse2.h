/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 16 bytes: SSE2. vector.h tells what the functions do. */
#pragma once

#include <emmintrin.h>

#include "vector/vector_x86.h"

#define ISA sse2
#define HIDE_VECTOR(v) __asm__("" : "+x"(v))

/* clang-format off */
#define FLOAT_VECTOR(t, vec, s) \
    X86_FLOAT(t, _mm, vec, s) \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) { return a * b + c; } \
    INLINE vec select_##t(vec mask, vec yes, vec no) \
    { return _mm_or_##s(_mm_and_##s(mask, yes), _mm_andnot_##s(mask, no)); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return select_##t(_mm_cmplt_##s(a, b), yes, no); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return select_##t(_mm_cmpeq_##s(a, b), no, yes); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { return (unsigned)_mm_movemask_##s(_mm_cmpeq_##s(a, b)); }

FLOAT_VECTOR(f32, __m128, ps)
FLOAT_VECTOR(f64, __m128d, pd)
X86_INTEGER(i32, _mm, __m128i, si128, epi32, epi32, __m128, ps)
X86_INTEGER(i64, _mm, __m128i, si128, epi64, epi64x, __m128d, pd)
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
