/* SPDX-License-Identifier: Apache-2.0 */
#include "transpose.h"
#include "vector/vector_sse2.h"

INLINE void turn_f32(vector_f32 *v)
{
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
}

INLINE void turn_f64(vector_f64 *v)
{
    const vector_f64 low = _mm_unpacklo_pd(v[0], v[1]);
    v[1] = _mm_unpackhi_pd(v[0], v[1]);
    v[0] = low;
}

#define HAS_STREAM
#define T f32
#include "transpose_body.h"
#define T f64
#include "transpose_body.h"
