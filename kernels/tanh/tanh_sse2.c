/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh_methods.h"
#include "vector/vector_sse2.h"

#define VECTORS 2
#define FEW VECTORS
#define INTERVALS_f32 0
#define INTERVALS_f64 0
#define FLOOR_f32 floor_f32

INLINE vector_f32 floor_f32(vector_f32 v)
{
    const vector_f32 near = _mm_cvtepi32_ps(_mm_cvttps_epi32(v));

    return near - _mm_and_ps(_mm_cmplt_ps(v, near), splat_f32(1));
}

static inline void row_load_f64(bits_f64 bits, vector_f64 *c)
{
    const __m128i index = _mm_srli_epi64((__m128i)bits, tanh_f64_row_shift);
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

static inline vector_f32 row_f32(uint64_t index)
{
    return _mm_loadu_ps(tanh_f32_row[(uint32_t)index - tanh_f32_row_first]);
}

static inline void row_load_f32(bits_f32 bits, vector_f32 *c)
{
    const __m128i index = _mm_srli_epi32((__m128i)bits, tanh_f32_row_shift);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(index);
    const uint64_t high = (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(index, index));

    c[0] = row_f32(low);
    c[1] = row_f32(low >> 32);
    c[2] = row_f32(high);
    c[3] = row_f32(high >> 32);
    _MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);
}

#define T f64
#include "tanh_body.h"
#define T f32
#include "tanh_body.h"
