/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 bytes: AVX2 and FMA. vector.h tells what the functions do. */
#pragma once

#include <immintrin.h>

#include "vector/vector.h"

#define ISA avx2
#define HAS_STREAM
#define HIDE_VECTOR(v) __asm__("" : "+x"(v))

/* clang-format off */
#define FLOAT_VECTOR(t, vec, s) \
    typedef vec vector_##t; \
    typedef word_##t bits_##t __attribute__((vector_size(32))); \
    INLINE vec load_##t(const t *p) { return _mm256_loadu_##s(p); } \
    INLINE void store_##t(t *p, vec v) { _mm256_storeu_##s(p, v); } \
    INLINE void stream_##t(t *p, vec v) { _mm256_stream_##s(p, v); } \
    INLINE vec splat_##t(t x) { return _mm256_set1_##s(x); } \
    INLINE vec max_##t(vec a, vec b) { return _mm256_max_##s(a, b); } \
    INLINE vec min_##t(vec a, vec b) { return _mm256_min_##s(a, b); } \
    INLINE bits_##t as_bits_##t(vec v) { return (bits_##t)v; } \
    INLINE vec as_vector_##t(bits_##t b) { return (vec)b; } \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) \
    { return _mm256_fmadd_##s(a, b, c); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return _mm256_blendv_##s(no, yes, _mm256_cmp_##s(a, b, _CMP_LT_OQ)); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return _mm256_blendv_##s(no, yes, _mm256_cmp_##s(a, b, _CMP_NEQ_OQ)); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { return (unsigned)_mm256_movemask_##s(_mm256_cmp_##s(a, b, _CMP_EQ_OQ)); } \
    INLINE vec magnitude_##t(vec v) \
    { return _mm256_andnot_##s(splat_##t((t)-0.0), v); } \
    INLINE vec with_sign_##t(vec v, vec sign) \
    { return _mm256_or_##s(v, _mm256_and_##s(splat_##t((t)-0.0), sign)); }

/* There is no maximum of i64: that of floats, for the bits of positive ones. */
#define INTEGER_VECTOR(t, epi, splat, vec, s) \
    typedef __m256i vector_##t; \
    INLINE __m256i load_##t(const t *p) \
    { return _mm256_loadu_si256((const __m256i *)(const void *)p); } \
    INLINE void store_##t(t *p, __m256i v) \
    { _mm256_storeu_si256((__m256i *)(void *)p, v); } \
    INLINE __m256i splat_##t(t x) { return _mm256_set1_##splat(x); } \
    INLINE __m256i add_##t(__m256i a, __m256i b) { return _mm256_add_##epi(a, b); } \
    INLINE __m256i max_##t(__m256i a, __m256i b) \
    { return (__m256i)_mm256_max_##s((vec)a, (vec)b); } \
    INLINE __m256i min_##t(__m256i a, __m256i b) \
    { return (__m256i)_mm256_min_##s((vec)a, (vec)b); }

FLOAT_VECTOR(f32, __m256, ps)
FLOAT_VECTOR(f64, __m256d, pd)
INTEGER_VECTOR(i32, epi32, epi32, __m256i, epi32)
INTEGER_VECTOR(i64, epi64, epi64x, __m256d, pd)
enum { SIGNS_TOGETHER = 8 };
INLINE int any_negative_i32(const i32 *p) { return _mm256_movemask_ps((__m256)load_i32(p)); }

INLINE __m256 load_first_f32(const f32 *p, ptrdiff_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane));
}
INLINE __m256d load_first_f64(const f64 *p, ptrdiff_t n)
{
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    return _mm256_maskload_pd(p, _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), lane));
}
/* Stores by a mask take dozens of cycles on some CPUs. */
INLINE void store_first_f32(f32 *p, __m256 v, ptrdiff_t n)
{
    __m128 part = _mm256_castps256_ps128(v);
    if (n & 4) {
        _mm_storeu_ps(p, part);
        part = _mm256_extractf128_ps(v, 1);
        p += 4;
    }
    if (n & 2) {
        _mm_storel_pi((__m64 *)(void *)p, part);
        part = _mm_movehl_ps(part, part);
        p += 2;
    }
    if (n & 1)
        _mm_store_ss(p, part);
}
INLINE void store_first_f64(f64 *p, __m256d v, ptrdiff_t n)
{
    __m128d part = _mm256_castpd256_pd128(v);
    if (n & 2) {
        _mm_storeu_pd(p, part);
        part = _mm256_extractf128_pd(v, 1);
        p += 2;
    }
    if (n & 1)
        _mm_store_sd(p, part);
}

INLINE void widen_f32(__m256 v, __m256d wide[2])
{
    wide[0] = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
    wide[1] = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));
}
INLINE __m256 narrow_f32(const __m256d wide[2])
{
    return _mm256_set_m128(_mm256_cvtpd_ps(wide[1]), _mm256_cvtpd_ps(wide[0]));
}
#define LANES_TOGETHER(name, one) \
    INLINE f32 name##_lanes_f32(__m256 v) \
    { \
        __m128 all = _mm_##one##_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1)); \
        all = _mm_##one##_ps(all, _mm_movehl_ps(all, all)); \
        return _mm_cvtss_f32(_mm_##one##_ss(all, _mm_movehdup_ps(all))); \
    } \
    INLINE f64 name##_lanes_f64(__m256d v) \
    { \
        const __m128d all = _mm_##one##_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1)); \
        return _mm_cvtsd_f64(_mm_##one##_sd(all, _mm_unpackhi_pd(all, all))); \
    }
LANES_TOGETHER(sum, add)
LANES_TOGETHER(max, max)

INLINE __m256 following_f32(__m256 a, __m256 b)
{
    const __m256i middle = (__m256i)_mm256_permute2f128_ps(a, b, 0x21);
    return (__m256)_mm256_alignr_epi8(middle, (__m256i)a, 4);
}
INLINE __m256d following_f64(__m256d a, __m256d b)
{
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 5);
}
#define IN_ORDER(v) _mm256_permute4x64_pd((__m256d)(v), 0xd8)
INLINE __m256 evens_f32(__m256 a, __m256 b) { return (__m256)IN_ORDER(_mm256_shuffle_ps(a, b, 0x88)); }
INLINE __m256 odds_f32(__m256 a, __m256 b) { return (__m256)IN_ORDER(_mm256_shuffle_ps(a, b, 0xdd)); }
INLINE __m256d evens_f64(__m256d a, __m256d b) { return IN_ORDER(_mm256_unpacklo_pd(a, b)); }
INLINE __m256d odds_f64(__m256d a, __m256d b) { return IN_ORDER(_mm256_unpackhi_pd(a, b)); }
/* clang-format on */
