/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"
#include "vector/vector_avx512.h"

/* Lanes are columns of dB, so a scatter never meets itself. Offsets are of 64 bits. */
#define TOGETHER 8
#define EIGHT(index) _mm256_loadu_si256((const __m256i *)(index))
#define ANY_NONE(i) _mm256_movepi32_mask(EIGHT(i))
#define ADD_COLUMNS OF(add_columns)

/* `vec` is a vector of eight elements. */
#define SCATTER(t, bits, s, vec)                                                      \
    INLINE void add_columns_##t(t *b, ptrdiff_t ld, const int32_t *index, const t *g) \
    {                                                                                 \
        const __m512i row = _mm512_cvtepi32_epi64(EIGHT(index));                      \
        const __m512i column = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);              \
        const __m512i places =                                                        \
            _mm512_add_epi64(_mm512_mul_epi32(row, _mm512_set1_epi64(ld)), column);   \
        const vec old = _mm512_i64gather_##s(places, b, sizeof(t));                   \
        _mm512_i64scatter_##s(b, places, old + _mm##bits##_loadu_##s(g), sizeof(t));  \
    }

SCATTER(f32, 256, ps, __m256)
SCATTER(f64, 512, pd, __m512d)

#define T f32
#include "gemm_backward_body.h"
#define T f64
#include "gemm_backward_body.h"
