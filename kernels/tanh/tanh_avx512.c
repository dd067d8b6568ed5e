/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "tanh.h"
#include "tanh_tables.h"

#define VECTORS 4
#define LANES (64 / (int)sizeof(TYPE))
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SET INTRINSIC(set1)
#define ADD INTRINSIC(add)
#define SUB INTRINSIC(sub)
#define MUL INTRINSIC(mul)
#define DIV INTRINSIC(div)
#define FMA INTRINSIC(fmadd)
#define MIN INTRINSIC(min)
#define IF_LESS(a, b, yes, no) NAME(if_less)(a, b, yes, no)
#define MAGNITUDE(x) INTRINSIC(andnot)(SET((TYPE) - 0.0), x)
#define SIGNED(y, x) INTRINSIC(or)(y, INTRINSIC(and)(SET((TYPE) - 0.0), x))

/* ---- f64 ---- */

static inline __m512d if_less_f64(__m512d a, __m512d b, __m512d yes, __m512d no)
{
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline __m512d power_f64(__m512d b)
{
    return _mm512_castsi512_pd(
        _mm512_add_epi64(_mm512_slli_epi64(_mm512_castpd_si512(b), 52),
                         _mm512_set1_epi64(INT64_C(1023) << 52)));
}

static inline __m512i lane_index_f64(__m512d b)
{
    return _mm512_srli_epi64(_mm512_castpd_si512(b), tanh_f64_lane16_shift);
}

static inline __m512d lane_f64(int row, __m512i index)
{
    return _mm512_permutex2var_pd(_mm512_loadu_pd(tanh_f64_lane16[row]), index,
                                  _mm512_loadu_pd(tanh_f64_lane16[row] + 8));
}

#define TYPE double
#define NAME(x) x##_f64
#define TABLE(x) tanh_f64_##x
#define SIGNIFICAND 52
#define VECTOR __m512d
#define INTRINSIC(op) _mm512_##op##_pd
#define HAS_RATIONAL 1
#define HAS_ROWS 0
#define BY_LANE(x) tanh_f64_lane16##x
#define INDEX __m512i
#include "tanh_body.h"

TANH_KERNEL(f64, avx512, table, lane_method_f64)
TANH_KERNEL(f64, avx512, exp, exp_method_f64)

/* ---- f32 ---- */

static inline __m512 if_less_f32(__m512 a, __m512 b, __m512 yes, __m512 no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline __m512 power_f32(__m512 b)
{
    return _mm512_castsi512_ps(_mm512_add_epi32(
        _mm512_slli_epi32(_mm512_castps_si512(b), 23), _mm512_set1_epi32(127 << 23)));
}

static inline __m512i lane_index_f32(__m512 b)
{
    return _mm512_srli_epi32(_mm512_castps_si512(b), tanh_f32_lane32_shift);
}

static inline __m512 lane_f32(int row, __m512i index)
{
    return _mm512_permutex2var_ps(_mm512_loadu_ps(tanh_f32_lane32[row]), index,
                                  _mm512_loadu_ps(tanh_f32_lane32[row] + 16));
}

#define TYPE float
#define NAME(x) x##_f32
#define TABLE(x) tanh_f32_##x
#define SIGNIFICAND 23
#define VECTOR __m512
#define INTRINSIC(op) _mm512_##op##_ps
#define HAS_RATIONAL 0
#define HAS_ROWS 0
#define BY_LANE(x) tanh_f32_lane32##x
#define INDEX __m512i
#include "tanh_body.h"

static inline __attribute__((always_inline)) void rational_f32(__m512 *x, int count)
{
    for (int k = 0; k < count; k++) {
        __m512d half[2] = {_mm512_cvtps_pd(_mm512_castps512_ps256(x[k])),
                           _mm512_cvtps_pd(_mm512_extractf32x8_ps(x[k], 1))};
        rational_method_f64(half, 2);
        x[k] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(half[0])),
                                  _mm512_cvtpd_ps(half[1]), 1);
    }
}

TANH_KERNEL(f32, avx512, table, lane_method_f32)
TANH_KERNEL(f32, avx512, rational, rational_f32)
TANH_KERNEL(f32, avx512, exp, exp_method_f32)
