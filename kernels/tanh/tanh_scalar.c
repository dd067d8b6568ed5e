/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh_methods.h"
#include "vector/vector_scalar.h"

#define VECTORS 4
#define FEW VECTORS
#define INTERVALS_f32 0
#define INTERVALS_f64 0

static inline void row_load_f64(bits_f64 bits, f64 *c)
{
    memcpy(c, tanh_f64_row[(bits >> tanh_f64_row_shift) - tanh_f64_row_first],
           sizeof tanh_f64_row[0]);
}

static inline void row_load_f32(bits_f32 bits, f32 *c)
{
    memcpy(c, tanh_f32_row[(bits >> tanh_f32_row_shift) - tanh_f32_row_first],
           sizeof tanh_f32_row[0]);
}

#define LIBM_f32 tanhf
#define LIBM_f64 tanh
#define T f64
#include "tanh_body.h"
#define T f32
#include "tanh_body.h"
