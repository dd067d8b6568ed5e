/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"
#include "vector/vector_avx512.h"

#define UNROLL 4
#define CMP_BLEND OF(cmp_blend)
#define AND_MASK OF(and_mask)
#undef FEW
#define FEW OF(few_masked)

/* Compilers know that a comparison and a blend can be a maximum, and that a blend with
 * zero needs no zero: asm is taken as it is. */
#define FORMS(t, s)                                                                \
    INLINE vector_##t cmp_blend_##t(vector_##t v)                                  \
    {                                                                              \
        const vector_##t zero = splat_##t(0);                                      \
        const mask_##t mask = _mm512_cmp_##s##_mask(v, zero, _CMP_LT_OQ);          \
        vector_##t result;                                                         \
        __asm__("vblendm" #s " %[zero], %[v], %[result]%{%[mask]%}"                \
                : [result] "=v"(result)                                            \
                : [v] "v"(v), [zero] "v"(zero), [mask] "Yk"(mask));                \
        return result;                                                             \
    }                                                                              \
    INLINE vector_##t and_mask_##t(vector_##t v)                                   \
    {                                                                              \
        const mask_##t mask = _mm512_cmp_##s##_mask(v, splat_##t(0), _CMP_NLT_UQ); \
        vector_##t result;                                                         \
        __asm__("vmova" #s " %[v], %[result]%{%[mask]%}%{z%}"                      \
                : [result] "=v"(result)                                            \
                : [v] "v"(v), [mask] "Yk"(mask));                                  \
        return result;                                                             \
    }                                                                              \
    static inline void few_masked_##t(const t *x, t *y, size_t n)                  \
    {                                                                              \
        const mask_##t mask = (mask_##t)((1u << n) - 1);                           \
        const vector_##t v = _mm512_maskz_loadu_##s(mask, x);                      \
        if (n)                                                                     \
            _mm512_mask_storeu_##s(y, mask, max_##t(splat_##t(0), v));             \
    }

FORMS(f32, ps)
FORMS(f64, pd)

#define T f32
#include "relu_body.h"
#define T f64
#include "relu_body.h"
