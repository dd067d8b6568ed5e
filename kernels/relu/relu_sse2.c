/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"
#include "vector/vector_sse2.h"

#define UNROLL 8
#define AND_MASK OF(and_mask)

/* Compilers know that a comparison and an and can be a maximum: asm hides it. */
#define FORMS(t, s)                                             \
    INLINE vector_##t and_mask_##t(vector_##t v)                \
    {                                                           \
        vector_##t mask = _mm_cmpnlt_##s(v, _mm_setzero_##s()); \
        HIDE_VECTOR(mask);                                      \
        return _mm_and_##s(mask, v);                            \
    }

FORMS(f32, ps)
FORMS(f64, pd)

#define T f32
#include "relu_body.h"
#define T f64
#include "relu_body.h"
