/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "tanh.h"
#include "tanh_tables.h"

#define VECTORS 4
#define LANES (16 / (int)sizeof(TYPE))
#define LOAD INTRINSIC(ld1q)
#define STORE INTRINSIC(st1q)
#define SET INTRINSIC(dupq_n)
#define ADD INTRINSIC(addq)
#define SUB INTRINSIC(subq)
#define MUL INTRINSIC(mulq)
#define DIV INTRINSIC(divq)
#define FMA(a, b, c) INTRINSIC(fmaq)(c, a, b)
/* ARM's minima treat a NaN alike on both sides. */
#define MIN(a, b) IF_LESS(a, b, a, b)
#define IF_LESS(a, b, yes, no) INTRINSIC(bslq)(INTRINSIC(cltq)(a, b), yes, no)
#define MAGNITUDE INTRINSIC(absq)
#define SIGNED(y, x) INTRINSIC(bslq)(SIGN, x, y)

/* ---- f64 ---- */

#define SIGN vdupq_n_u64(UINT64_C(1) << 63)

static inline float64x2_t power_f64(float64x2_t b)
{
    return vreinterpretq_f64_u64(vaddq_u64(vshlq_n_u64(vreinterpretq_u64_f64(b), 52),
                                           vdupq_n_u64(UINT64_C(1023) << 52)));
}

static inline float64x2_t begin_f64(float64x2_t b)
{
    return vreinterpretq_f64_u64(vandq_u64(
        vreinterpretq_u64_f64(b), vdupq_n_u64(-(UINT64_C(1) << tanh_f64_row_shift))));
}

static inline void row_load_f64(float64x2_t b, float64x2_t *c)
{
    const uint64x2_t index = vshrq_n_u64(vreinterpretq_u64_f64(b), tanh_f64_row_shift);
    const double *const row[2] = {
        tanh_f64_row[vgetq_lane_u64(index, 0) - tanh_f64_row_first],
        tanh_f64_row[vgetq_lane_u64(index, 1) - tanh_f64_row_first],
    };

    for (int i = 0; i < 8; i += 2) {
        const float64x2_t first = vld1q_f64(row[0] + i), second = vld1q_f64(row[1] + i);
        c[i] = vzip1q_f64(first, second);
        c[i + 1] = vzip2q_f64(first, second);
    }
}

#define TYPE double
#define NAME(x) x##_f64
#define TABLE(x) tanh_f64_##x
#define SIGNIFICAND 52
#define VECTOR float64x2_t
#define INTRINSIC(op) v##op##_f64
#define HAS_RATIONAL 1
#define HAS_ROWS 1
#include "tanh_body.h"

TANH_KERNEL(f64, neon, table, row_method_f64)
TANH_KERNEL(f64, neon, exp, exp_method_f64)

/* ---- f32 ---- */

#undef SIGN
#define SIGN vdupq_n_u32(UINT32_C(1) << 31)

static inline float32x4_t power_f32(float32x4_t b)
{
    return vreinterpretq_f32_u32(vaddq_u32(vshlq_n_u32(vreinterpretq_u32_f32(b), 23),
                                           vdupq_n_u32(UINT32_C(127) << 23)));
}

static inline float32x4_t begin_f32(float32x4_t b)
{
    return vreinterpretq_f32_u32(vandq_u32(
        vreinterpretq_u32_f32(b), vdupq_n_u32(-(UINT32_C(1) << tanh_f32_row_shift))));
}

static inline float64x2_t row_f32(uint32_t index)
{
    return vreinterpretq_f64_f32(vld1q_f32(tanh_f32_row[index - tanh_f32_row_first]));
}

static inline void row_load_f32(float32x4_t b, float32x4_t *c)
{
    const uint32x4_t index = vshrq_n_u32(vreinterpretq_u32_f32(b), tanh_f32_row_shift);
    const float64x2_t row[4] = {
        row_f32(vgetq_lane_u32(index, 0)), row_f32(vgetq_lane_u32(index, 1)),
        row_f32(vgetq_lane_u32(index, 2)), row_f32(vgetq_lane_u32(index, 3))};
    /* Terms 0 and 1 of rows 0 and 2, then of 1 and 3; terms 2 and 3 the same. */
    const float32x4_t low_even = vreinterpretq_f32_f64(vzip1q_f64(row[0], row[2]));
    const float32x4_t low_odd = vreinterpretq_f32_f64(vzip1q_f64(row[1], row[3]));
    const float32x4_t high_even = vreinterpretq_f32_f64(vzip2q_f64(row[0], row[2]));
    const float32x4_t high_odd = vreinterpretq_f32_f64(vzip2q_f64(row[1], row[3]));

    c[0] = vtrn1q_f32(low_even, low_odd);
    c[1] = vtrn2q_f32(low_even, low_odd);
    c[2] = vtrn1q_f32(high_even, high_odd);
    c[3] = vtrn2q_f32(high_even, high_odd);
}

#define TYPE float
#define NAME(x) x##_f32
#define TABLE(x) tanh_f32_##x
#define SIGNIFICAND 23
#define VECTOR float32x4_t
#define INTRINSIC(op) v##op##_f32
#define HAS_RATIONAL 0
#define HAS_ROWS 1
#include "tanh_body.h"

static inline __attribute__((always_inline)) void rational_f32(float32x4_t *x, int count)
{
    for (int k = 0; k < count; k++) {
        float64x2_t half[2] = {vcvt_f64_f32(vget_low_f32(x[k])), vcvt_high_f64_f32(x[k])};
        rational_method_f64(half, 2);
        x[k] = vcvt_high_f32_f64(vcvt_f32_f64(half[0]), half[1]);
    }
}

TANH_KERNEL(f32, neon, table, row_method_f32)
TANH_KERNEL(f32, neon, rational, rational_f32)
TANH_KERNEL(f32, neon, exp, exp_method_f32)
