/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES (16 / sizeof(TYPE))
#define UNROLL 8
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define STREAM INTRINSIC(stream)
#define MAX(v) INTRINSIC(max)(INTRINSIC(setzero)(), v)
#define AND_MASK NAME(and_mask)
#define FEW NAME(few)

/* Compilers know that a comparison and an and can be a maximum: asm hides it. */
#define FORMS(type)                                            \
    static inline VEC and_mask_##type(VEC v)                   \
    {                                                          \
        VEC mask = INTRINSIC(cmpnlt)(v, INTRINSIC(setzero)()); \
        __asm__("" : "+x"(mask));                              \
        return INTRINSIC(and)(mask, v);                        \
    }

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define INTRINSIC(op) _mm_##op##_ps
FORMS(f32)
#include "relu_body.h"

RELU_ROWS(float, f32, sse2)
RELU_ROW(float, f32, sse2, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define INTRINSIC(op) _mm_##op##_pd
FORMS(f64)
#include "relu_body.h"

RELU_ROWS(double, f64, sse2)
RELU_ROW(double, f64, sse2, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
