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

#define TYPE float
#define NAME(x) plain_##x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_avx512_rows)

#undef NAME
#undef BACKWARD_KERNEL
#define NAME(x) scatter_##x##_f32
#define ADD_COLUMNS(b, ld, index, g)                                              \
    do {                                                                          \
        const __m512i places = PLACES(ld, index);                                 \
        const __m256 sum =                                                        \
            _mm256_add_ps(_mm512_i64gather_ps(places, b, 4), _mm256_loadu_ps(g)); \
        _mm512_i64scatter_ps(b, places, sum, 4);                                  \
    } while (0)
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_avx512_scatter)

#undef TYPE
#undef NAME
#undef BACKWARD_KERNEL
#undef ADD_COLUMNS
#define TYPE double
#define NAME(x) plain_##x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_avx512_rows)

#undef NAME
#undef BACKWARD_KERNEL
#define NAME(x) scatter_##x##_f64
#define ADD_COLUMNS(b, ld, index, g)                                              \
    do {                                                                          \
        const __m512i places = PLACES(ld, index);                                 \
        const __m512d sum =                                                       \
            _mm512_add_pd(_mm512_i64gather_pd(places, b, 8), _mm512_loadu_pd(g)); \
        _mm512_i64scatter_pd(b, places, sum, 8);                                  \
    } while (0)
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_avx512_scatter)
