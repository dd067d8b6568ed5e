/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>

#include "tanh.h"
#include "tanh_tables.h"

#define VECTORS (sizeof(TYPE) == 4 ? 2 : 4)
#define LANES (32 / (int)sizeof(TYPE))
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SET INTRINSIC(set1)
#define ADD INTRINSIC(add)
#define SUB INTRINSIC(sub)
#define MUL INTRINSIC(mul)
#define DIV INTRINSIC(div)
#define FMA INTRINSIC(fmadd)
#define MIN INTRINSIC(min)
#define IF_LESS(a, b, yes, no) \
    INTRINSIC(blendv)(no, yes, INTRINSIC(cmp)(a, b, _CMP_LT_OQ))
#define MAGNITUDE(x) INTRINSIC(andnot)(SET((TYPE) - 0.0), x)
#define SIGNED(y, x) INTRINSIC(or)(y, INTRINSIC(and)(SET((TYPE) - 0.0), x))

/* ---- f64 ---- */

static inline __m256d power_f64(__m256d b)
{
    return _mm256_castsi256_pd(
        _mm256_add_epi64(_mm256_slli_epi64(_mm256_castpd_si256(b), 52),
                         _mm256_set1_epi64x(INT64_C(1023) << 52)));
}

static inline __m256d begin_f64(__m256d b)
{
    return _mm256_and_pd(
        b, _mm256_castsi256_pd(_mm256_set1_epi64x(-(INT64_C(1) << tanh_f64_row_shift))));
}

/* Two numbers of one row beside two of another. */
static inline __m256d halves(const double *low, const double *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)),
                                _mm_loadu_pd(high), 1);
}

static inline void row_load_f64(__m256d b, __m256d *c)
{
    const __m256i index =
        _mm256_sub_epi64(_mm256_srli_epi64(_mm256_castpd_si256(b), tanh_f64_row_shift),
                         _mm256_set1_epi64x(tanh_f64_row_first));
    const __m128i low = _mm256_castsi256_si128(index);
    const __m128i high = _mm256_extracti128_si256(index, 1);
    const double *const row[4] = {
        tanh_f64_row[_mm_cvtsi128_si64(low)],
        tanh_f64_row[_mm_extract_epi64(low, 1)],
        tanh_f64_row[_mm_cvtsi128_si64(high)],
        tanh_f64_row[_mm_extract_epi64(high, 1)],
    };

    for (int i = 0; i < 8; i += 2) {
        const __m256d even = halves(row[0] + i, row[2] + i);
        const __m256d odd = halves(row[1] + i, row[3] + i);
        c[i] = _mm256_unpacklo_pd(even, odd);
        c[i + 1] = _mm256_unpackhi_pd(even, odd);
    }
}

#define TYPE double
#define NAME(x) x##_f64
#define TABLE(x) tanh_f64_##x
#define SIGNIFICAND 52
#define VECTOR __m256d
#define INTRINSIC(op) _mm256_##op##_pd
#define HAS_RATIONAL 1
#define HAS_ROWS 1
#include "tanh_body.h"

TANH_KERNEL(f64, avx2, table, row_method_f64)
TANH_KERNEL(f64, avx2, exp, exp_method_f64)

/* ---- f32 ---- */

static inline __m256 power_f32(__m256 b)
{
    return _mm256_castsi256_ps(_mm256_add_epi32(
        _mm256_slli_epi32(_mm256_castps_si256(b), 23), _mm256_set1_epi32(127 << 23)));
}

static inline __m256i lane_index_f32(__m256 b)
{
    return _mm256_srli_epi32(_mm256_castps_si256(b), tanh_f32_lane8_shift);
}

static inline __m256 lane_f32(int row, __m256i index)
{
    return _mm256_permutevar8x32_ps(_mm256_loadu_ps(tanh_f32_lane8[row]), index);
}

#define TYPE float
#define NAME(x) x##_f32
#define TABLE(x) tanh_f32_##x
#define SIGNIFICAND 23
#define VECTOR __m256
#define INTRINSIC(op) _mm256_##op##_ps
#define HAS_RATIONAL 0
#define HAS_ROWS 0
#define BY_LANE(x) tanh_f32_lane8##x
#define INDEX __m256i
#include "tanh_body.h"

static inline __attribute__((always_inline)) void rational_f32(__m256 *x, int count)
{
    for (int k = 0; k < count; k++) {
        __m256d half[2] = {_mm256_cvtps_pd(_mm256_castps256_ps128(x[k])),
                           _mm256_cvtps_pd(_mm256_extractf128_ps(x[k], 1))};
        rational_method_f64(half, 2);
        x[k] = _mm256_set_m128(_mm256_cvtpd_ps(half[1]), _mm256_cvtpd_ps(half[0]));
    }
}

TANH_KERNEL(f32, avx2, table, lane_method_f32)
TANH_KERNEL(f32, avx2, rational, rational_f32)
TANH_KERNEL(f32, avx2, exp, exp_method_f32)
