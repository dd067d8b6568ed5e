/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"
#include "vector/vector_avx2.h"

#define UNROLL 8
#define CMP_BLEND OF(cmp_blend)
#define AND_MASK OF(and_mask)

/* Compilers know that a comparison and a blend or an and can be a maximum, and that a
 * blend with zero can be an and: asm is taken as it is. */
#define FORMS(t, s)                                                     \
    INLINE vector_##t cmp_blend_##t(vector_##t v)                       \
    {                                                                   \
        const vector_##t zero = splat_##t(0),                           \
                         mask = _mm256_cmp_##s(v, zero, _CMP_LT_OQ);    \
        vector_##t result;                                              \
        __asm__("vblendv" #s " %[mask], %[zero], %[v], %[result]"       \
                : [result] "=x"(result)                                 \
                : [v] "x"(v), [zero] "x"(zero), [mask] "x"(mask));      \
        return result;                                                  \
    }                                                                   \
    INLINE vector_##t and_mask_##t(vector_##t v)                        \
    {                                                                   \
        vector_##t mask = _mm256_cmp_##s(v, splat_##t(0), _CMP_NLT_UQ); \
        HIDE_VECTOR(mask);                                              \
        return _mm256_and_##s(mask, v);                                 \
    }

FORMS(f32, ps)
FORMS(f64, pd)

#define T f32
#include "relu_body.h"
#define T f64
#include "relu_body.h"
