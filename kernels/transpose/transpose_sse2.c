/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_sse2.h"

INLINE void turn_lanes_f32(const vector_f32 *v, vector_f32 *u)
{
    for (int i = 0; i < 4; i++)
        u[i] = v[i];
    _MM_TRANSPOSE4_PS(u[0], u[1], u[2], u[3]);
}

INLINE void turn_lanes_f64(const vector_f64 *v, vector_f64 *u)
{
    u[0] = _mm_unpacklo_pd(v[0], v[1]);
    u[1] = _mm_unpackhi_pd(v[0], v[1]);
}

INLINE void turn_f32(vector_f32 *v)
{
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
}

INLINE __m128 lanes_apart(const void *p, ptrdiff_t bytes)
{
    return _mm_loadu_ps(p);
}

#define HAS_LANES
#define T f32
#include "transpose_body.h"
#define BY_LANES
#define T f64
#include "transpose_body.h"
