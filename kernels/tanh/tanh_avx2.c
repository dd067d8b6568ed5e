/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh_methods.h"
#include "vector/vector_avx2.h"

#define VECTORS (sizeof(T) == 4 ? 2 : 4)
#define FEW (sizeof(T) == 4 ? 2 : 3)
#define FUSED
#define INTERVALS_f32 8
#define INTERVALS_f64 0
#define FLOOR_f32 _mm256_floor_ps

INLINE vector_f32 lane_f32(const f32 *table, bits_f32 index)
{
    return _mm256_permutevar8x32_ps(load_f32(table), (__m256i)index);
}

/* Two numbers of one row beside two of another. */
static inline vector_f64 halves(const double *low, const double *high)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(low)),
                                _mm_loadu_pd(high), 1);
}

static inline void row_load_f64(bits_f64 bits, vector_f64 *c)
{
    const __m256i index =
        _mm256_sub_epi64(_mm256_srli_epi64((__m256i)bits, tanh_f64_row_shift),
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

#define T f64
#include "tanh_body.h"
#define T f32
#include "tanh_body.h"
