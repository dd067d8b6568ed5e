/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"
#include "vector/vector_sse2.h"

#define TOGETHER 4
#define ANY_NONE(i) _mm_movemask_ps((__m128)load_i32(i))

#define T f32
#include "gemm_backward_body.h"
#define T f64
#include "gemm_backward_body.h"
