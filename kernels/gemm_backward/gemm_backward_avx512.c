/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"
#include "vector/vector_avx512.h"

#define TOGETHER 8
#define ANY_NONE(i) _mm256_movepi32_mask(_mm256_loadu_si256((const __m256i *)(i)))

#define T f32
#include "gemm_backward_body.h"
#define T f64
#include "gemm_backward_body.h"
