/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"
#include "vector/vector_neon.h"

#define TOGETHER 4
#define ANY_NONE(i) (vminvq_s32(load_i32(i)) < 0)

#define T f32
#include "gemm_backward_body.h"
#define T f64
#include "gemm_backward_body.h"
