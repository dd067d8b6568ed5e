/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (64 / sizeof(TYPE))
#define UNROLL 4
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define STREAM INTRINSIC(stream)
#define MAX(v) INTRINSIC(max)(INTRINSIC(setzero)(), v)
#define CMP_BLEND NAME(cmp_blend)
#define AND_MASK NAME(and_mask)
#define FEW NAME(few_masked)

/* Compilers know that a comparison and a blend can be a maximum, and that a blend with
 * zero needs no zero: asm is taken as it is. */
#define FORMS(C, type, s, mask_type)                                                \
    static inline VEC cmp_blend_##type(VEC v)                                       \
    {                                                                               \
        const mask_type mask =                                                      \
            _mm512_cmp_##s##_mask(v, INTRINSIC(setzero)(), _CMP_LT_OQ);             \
        VEC result;                                                                 \
        __asm__("vblendm" #s " %[zero], %[v], %[result]%{%[mask]%}"                 \
                : [result] "=v"(result)                                             \
                : [v] "v"(v), [zero] "v"(INTRINSIC(setzero)()), [mask] "Yk"(mask)); \
        return result;                                                              \
    }                                                                               \
    static inline VEC and_mask_##type(VEC v)                                        \
    {                                                                               \
        const mask_type mask =                                                      \
            _mm512_cmp_##s##_mask(v, INTRINSIC(setzero)(), _CMP_NLT_UQ);            \
        VEC result;                                                                 \
        __asm__("vmova" #s " %[v], %[result]%{%[mask]%}%{z%}"                       \
                : [result] "=v"(result)                                             \
                : [v] "v"(v), [mask] "Yk"(mask));                                   \
        return result;                                                              \
    }                                                                               \
    static inline void few_masked_##type(const C *x, C *y, size_t n)                \
    {                                                                               \
        const mask_type mask = (mask_type)((1u << n) - 1);                          \
        if (n)                                                                      \
            INTRINSIC(mask_storeu)(y, mask, MAX(INTRINSIC(maskz_loadu)(mask, x)));  \
    }

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m512
#define INTRINSIC(op) _mm512_##op##_ps
FORMS(float, f32, ps, __mmask16)
#include "relu_body.h"

RELU_ROWS(float, f32, avx512)
RELU_ROW(float, f32, avx512, cmp_blend, ordinary_f32(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(float, f32, avx512, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m512d
#define INTRINSIC(op) _mm512_##op##_pd
FORMS(double, f64, pd, __mmask8)
#include "relu_body.h"

RELU_ROWS(double, f64, avx512)
RELU_ROW(double, f64, avx512, cmp_blend, ordinary_f64(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(double, f64, avx512, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
