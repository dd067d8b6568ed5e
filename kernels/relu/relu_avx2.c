/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (32 / sizeof(TYPE))
#define UNROLL 8
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define STREAM INTRINSIC(stream)
#define MAX(v) INTRINSIC(max)(INTRINSIC(setzero)(), v)
#define CMP_BLEND NAME(cmp_blend)
#define AND_MASK NAME(and_mask)
#define FEW NAME(few)

/* Compilers know that a comparison and a blend or an and can be a maximum, and that a
 * blend with zero can be an and: asm is taken as it is. */
#define FORMS(type, s)                                                             \
    static inline VEC cmp_blend_##type(VEC v)                                      \
    {                                                                              \
        const VEC mask = INTRINSIC(cmp)(v, INTRINSIC(setzero)(), _CMP_LT_OQ);      \
        VEC result;                                                                \
        __asm__("vblendv" #s " %[mask], %[zero], %[v], %[result]"                  \
                : [result] "=x"(result)                                            \
                : [v] "x"(v), [zero] "x"(INTRINSIC(setzero)()), [mask] "x"(mask)); \
        return result;                                                             \
    }                                                                              \
    static inline VEC and_mask_##type(VEC v)                                       \
    {                                                                              \
        VEC mask = INTRINSIC(cmp)(v, INTRINSIC(setzero)(), _CMP_NLT_UQ);           \
        __asm__("" : "+x"(mask));                                                  \
        return INTRINSIC(and)(mask, v);                                            \
    }

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m256
#define INTRINSIC(op) _mm256_##op##_ps
FORMS(f32, ps)
#include "relu_body.h"

RELU_ROWS(float, f32, avx2)
RELU_ROW(float, f32, avx2, cmp_blend, ordinary_f32(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(float, f32, avx2, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m256d
#define INTRINSIC(op) _mm256_##op##_pd
FORMS(f64, pd)
#include "relu_body.h"

RELU_ROWS(double, f64, avx2)
RELU_ROW(double, f64, avx2, cmp_blend, ordinary_f64(x, y, n, RELU_CMP_BLEND);)
RELU_ROW(double, f64, avx2, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
