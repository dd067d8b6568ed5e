/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 bytes: AVX2 and FMA. vector.h tells what the functions do. */
#pragma once

#include <immintrin.h>

#include "vector/vector_x86.h"

#define ISA avx2
#define HIDE_VECTOR(v) __asm__("" : "+x"(v))
#define HAS_FMA
/* clang-format off */
#define FLOAT_VECTOR(t, vec, s) \
    X86_FLOAT(t, _mm256, vec, s) \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) \
    { return _mm256_fmadd_##s(a, b, c); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return _mm256_blendv_##s(no, yes, _mm256_cmp_##s(a, b, _CMP_LT_OQ)); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return _mm256_blendv_##s(no, yes, _mm256_cmp_##s(a, b, _CMP_NEQ_OQ)); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { return (unsigned)_mm256_movemask_##s(_mm256_cmp_##s(a, b, _CMP_EQ_OQ)); }

FLOAT_VECTOR(f32, __m256, ps)
FLOAT_VECTOR(f64, __m256d, pd)
X86_INTEGER(i32, _mm256, __m256i, si256, epi32, epi32, __m256i, epi32)
X86_INTEGER(i64, _mm256, __m256i, si256, epi64, epi64x, __m256d, pd)
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
