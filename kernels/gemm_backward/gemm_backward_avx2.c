/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm_backward.h"

/* No scatters here: SIMD looks for indices of no winner, additions go one by one. */
#define LANES 8
#define ANY_NONE(i) \
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(i))))

#define TYPE float
#define NAME(x) x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_avx2_rows)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_avx2_rows)
