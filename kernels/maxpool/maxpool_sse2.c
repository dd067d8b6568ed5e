/* SPDX-License-Identifier: Apache-2.0 */
#include "maxpool.h"
#include "vector/vector_sse2.h"

/* The lanes of a from the second one on, then the first one of b. */
INLINE vector_f32 following_f32(vector_f32 a, vector_f32 b)
{
    const __m128 last = _mm_move_ss(a, b);
    return _mm_shuffle_ps(last, last, 0x39);
}

INLINE vector_f64 following_f64(vector_f64 a, vector_f64 b)
{
    return _mm_shuffle_pd(a, b, 1);
}

#define T f32
#include "maxpool_body.h"
#define T f64
#include "maxpool_body.h"
