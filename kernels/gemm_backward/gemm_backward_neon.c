/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "gemm_backward.h"

/* No scatters here: SIMD looks for indices of no winner, additions go one by one. */
#define LANES 4
#define ANY_NONE(i) (vminvq_s32(vld1q_s32(i)) < 0)

#define TYPE float
#define NAME(x) x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_neon_rows)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_neon_rows)
