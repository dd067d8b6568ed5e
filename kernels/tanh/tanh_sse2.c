/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>

#include "tanh.h"
#include "tanh_tables.h"

#define VECTORS 2
#define LANES (16 / (int)sizeof(TYPE))
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SET INTRINSIC(set1)
#define ADD INTRINSIC(add)
#define SUB INTRINSIC(sub)
#define MUL INTRINSIC(mul)
#define DIV INTRINSIC(div)
#define FMA(a, b, c) ADD(MUL(a, b), c)
#define MIN INTRINSIC(min)
#define IF_LESS(a, b, yes, no)                                 \
    INTRINSIC(or)(INTRINSIC(and)(INTRINSIC(cmplt)(a, b), yes), \
                  INTRINSIC(andnot)(INTRINSIC(cmplt)(a, b), no))
#define MAGNITUDE(x) INTRINSIC(andnot)(SET((TYPE) - 0.0), x)
#define SIGNED(y, x) INTRINSIC(or)(y, INTRINSIC(and)(SET((TYPE) - 0.0), x))

/* ---- f64 ---- */

static inline __m128d power_f64(__m128d b)
{
    return _mm_castsi128_pd(_mm_add_epi64(_mm_slli_epi64(_mm_castpd_si128(b), 52),
                                          _mm_set1_epi64x(INT64_C(1023) << 52)));
}

static inline __m128d begin_f64(__m128d b)
{
    return _mm_and_pd(
        b, _mm_castsi128_pd(_mm_set1_epi64x(-(INT64_C(1) << tanh_f64_row_shift))));
}

static inline void row_load_f64(__m128d b, __m128d *c)
{
    const __m128i index = _mm_srli_epi64(_mm_castpd_si128(b), tanh_f64_row_shift);
    const double *const row[2] = {
        tanh_f64_row[_mm_cvtsi128_si64(index) - tanh_f64_row_first],
        tanh_f64_row[_mm_cvtsi128_si64(_mm_unpackhi_epi64(index, index)) -
                     tanh_f64_row_first],
    };

    for (int i = 0; i < 8; i += 2) {
        const __m128d first = _mm_loadu_pd(row[0] + i), second = _mm_loadu_pd(row[1] + i);
        c[i] = _mm_unpacklo_pd(first, second);
        c[i + 1] = _mm_unpackhi_pd(first, second);
    }
}

#define TYPE double
#define NAME(x) x##_f64
#define TABLE(x) tanh_f64_##x
#define SIGNIFICAND 52
#define VECTOR __m128d
#define INTRINSIC(op) _mm_##op##_pd
#define HAS_RATIONAL 1
#define HAS_ROWS 1
#include "tanh_body.h"

TANH_KERNEL(f64, sse2, table, row_method_f64)
TANH_KERNEL(f64, sse2, exp, exp_method_f64)

/* ---- f32 ---- */

static inline __m128 power_f32(__m128 b)
{
    return _mm_castsi128_ps(_mm_add_epi32(_mm_slli_epi32(_mm_castps_si128(b), 23),
                                          _mm_set1_epi32(127 << 23)));
}

static inline __m128 begin_f32(__m128 b)
{
    return _mm_and_ps(b, _mm_castsi128_ps(_mm_set1_epi32(-(1 << tanh_f32_row_shift))));
}

static inline __m128 row_f32(uint64_t index)
{
    return _mm_loadu_ps(tanh_f32_row[(uint32_t)index - tanh_f32_row_first]);
}

static inline void row_load_f32(__m128 b, __m128 *c)
{
    const __m128i index = _mm_srli_epi32(_mm_castps_si128(b), tanh_f32_row_shift);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(index);
    const uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(index, index));

    c[0] = row_f32(low);
    c[1] = row_f32(low >> 32);
    c[2] = row_f32(high);
    c[3] = row_f32(high >> 32);
    _MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);
}

#define TYPE float
#define NAME(x) x##_f32
#define TABLE(x) tanh_f32_##x
#define SIGNIFICAND 23
#define VECTOR __m128
#define INTRINSIC(op) _mm_##op##_ps
#define HAS_RATIONAL 0
#define HAS_ROWS 1
#include "tanh_body.h"

static inline __attribute__((always_inline)) void rational_f32(__m128 *x, int count)
{
    for (int k = 0; k < count; k++) {
        __m128d half[2] = {_mm_cvtps_pd(x[k]), _mm_cvtps_pd(_mm_movehl_ps(x[k], x[k]))};
        rational_method_f64(half, 2);
        x[k] = _mm_movelh_ps(_mm_cvtpd_ps(half[0]), _mm_cvtpd_ps(half[1]));
    }
}

TANH_KERNEL(f32, sse2, table, row_method_f32)
TANH_KERNEL(f32, sse2, rational, rational_f32)
TANH_KERNEL(f32, sse2, exp, exp_method_f32)
