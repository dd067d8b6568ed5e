/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_scalar.h"

INLINE void turn_f32(f32 *v)
{
}

INLINE void turn_f64(f64 *v)
{
}

#define T f32
#include "transpose_body.h"
#define T f64
#include "transpose_body.h"
