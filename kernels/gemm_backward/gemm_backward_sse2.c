/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>
#include <string.h>

#include "gemm_backward.h"

/* No scatters here: SIMD looks for indices of no winner, additions go one by one. */
#define LANES 4
#define ANY_NONE(i) \
    _mm_movemask_ps(_mm_castsi128_ps(_mm_loadu_si128((const __m128i *)(i))))

#define TYPE float
#define NAME(x) x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_sse2_rows)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_sse2_rows)
