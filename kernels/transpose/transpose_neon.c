/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_neon.h"

INLINE void turn_f32(vector_f32 *v)
{
    const float64x2_t t[4] = {
        (float64x2_t)vtrn1q_f32(v[0], v[1]), (float64x2_t)vtrn2q_f32(v[0], v[1]),
        (float64x2_t)vtrn1q_f32(v[2], v[3]), (float64x2_t)vtrn2q_f32(v[2], v[3])};
    v[0] = (float32x4_t)vzip1q_f64(t[0], t[2]);
    v[1] = (float32x4_t)vzip1q_f64(t[1], t[3]);
    v[2] = (float32x4_t)vzip2q_f64(t[0], t[2]);
    v[3] = (float32x4_t)vzip2q_f64(t[1], t[3]);
}

INLINE void turn_f64(vector_f64 *v)
{
    const float64x2_t low = vzip1q_f64(v[0], v[1]);
    v[1] = vzip2q_f64(v[0], v[1]);
    v[0] = low;
}

#define T f32
#include "transpose_body.h"
#define T f64
#include "transpose_body.h"
