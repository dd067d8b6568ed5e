/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_backward.h"
#include "vector/vector_scalar.h"

#define TOGETHER 4
#define ANY_NONE(i) (((i)[0] | (i)[1] | (i)[2] | (i)[3]) < 0)

#define T f32
#include "gemm_backward_body.h"
#define T f64
#include "gemm_backward_body.h"
