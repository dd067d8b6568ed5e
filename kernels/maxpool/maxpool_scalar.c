/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool.h"
#include "vector/vector_scalar.h"

INLINE vector_f32 following_f32(vector_f32 a, vector_f32 b)
{
    return b;
}

INLINE vector_f64 following_f64(vector_f64 a, vector_f64 b)
{
    return b;
}

#define T f32
#include "maxpool_body.h"
#define T f64
#include "maxpool_body.h"
