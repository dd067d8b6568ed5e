/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm_backward.h"

/* Lanes are columns of dB, so a scatter never meets itself. Offsets are of 64 bits. */
#define LANES 8
#define ANY_NONE(i) _mm256_movepi32_mask(_mm256_loadu_si256((const __m256i *)(i)))
#define PLACES(ld, index)                                                                \
    _mm512_add_epi64(_mm512_mul_epi32(_mm512_cvtepi32_epi64(                             \
                                          _mm256_loadu_si256((const __m256i *)(index))), \
                                      _mm512_set1_epi64(ld)),                            \
                     _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0))
/* ADD_COLUMNS with eight elements in a vector of `bits`. */
#define SCATTER_SUMS(bits, s, b, ld, index, g)                                        \
    do {                                                                              \
        const __m512i places = PLACES(ld, index);                                     \
        const __typeof__(_mm##bits##_setzero_##s()) sum = _mm##bits##_add_##s(        \
            _mm512_i64gather_##s(places, b, sizeof(TYPE)), _mm##bits##_loadu_##s(g)); \
        _mm512_i64scatter_##s(b, places, sum, sizeof(TYPE));                          \
    } while (0)

#define TYPE float
#define NAME(x) plain_##x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_avx512_rows)

#undef NAME
#define NAME(x) scatter_##x##_f32
#define ADD_COLUMNS(b, ld, index, g) SCATTER_SUMS(256, ps, b, ld, index, g)
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_avx512_scatter)

#undef TYPE
#undef NAME
#undef ADD_COLUMNS
#define TYPE double
#define NAME(x) plain_##x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_avx512_rows)

#undef NAME
#define NAME(x) scatter_##x##_f64
#define ADD_COLUMNS(b, ld, index, g) SCATTER_SUMS(512, pd, b, ld, index, g)
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_avx512_scatter)
