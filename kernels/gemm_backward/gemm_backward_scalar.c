/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gemm_backward.h"

#define LANES 4
#define ANY_NONE(i) (((i)[0] | (i)[1] | (i)[2] | (i)[3]) < 0)

#define TYPE float
#define NAME(x) x##_f32
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f32_scalar_rows)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "gemm_backward_body.h"

BACKWARD_KERNEL(gemm_backward_f64_scalar_rows)
