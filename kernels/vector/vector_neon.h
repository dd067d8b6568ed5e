/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 16 bytes: NEON. vector.h tells what the functions do. */
#pragma once

#include <arm_neon.h>

#include "vector/vector.h"

#define ISA neon
#define HIDE_VECTOR(v) __asm__("" : "+w"(v))

/* No functions: clang, whose vld1q is a macro, used more registers in tiles of gemm. */
#define load_f32 vld1q_f32
#define load_f64 vld1q_f64
#define load_i32 vld1q_s32
#define load_i64 vld1q_s64
#define HAS_FMA
/* clang-format off */
#define VECTOR(t, vec, s) \
    typedef vec vector_##t; \
    INLINE void store_##t(t *p, vec v) { vst1q_##s(p, v); } \
    INLINE vec splat_##t(t x) { return vdupq_n_##s(x); } \
    INLINE vec add_##t(vec a, vec b) { return vaddq_##s(a, b); }

#define FLOAT_VECTOR(t, vec, u, unsigned_vec, ...) \
    VECTOR(t, vec, t) \
    typedef unsigned_vec bits_##t; \
    INLINE vec max_##t(vec a, vec b) { return vmaxnmq_##t(a, b); } \
    INLINE vec min_##t(vec a, vec b) { return vminnmq_##t(a, b); } \
    INLINE bits_##t as_bits_##t(vec v) { return vreinterpretq_##u##_##t(v); } \
    INLINE vec as_vector_##t(bits_##t b) { return vreinterpretq_##t##_##u(b); } \
    INLINE vec multiply_add_##t(vec a, vec b, vec c) { return vfmaq_##t(c, a, b); } \
    INLINE vec if_less_##t(vec a, vec b, vec yes, vec no) \
    { return vbslq_##t(vcltq_##t(a, b), yes, no); } \
    INLINE vec if_different_##t(vec a, vec b, vec yes, vec no) \
    { return vbslq_##t(vceqq_##t(a, b), no, yes); } \
    INLINE unsigned matches_##t(vec a, vec b) \
    { \
        const bits_##t lane_bit = {__VA_ARGS__}; \
        return (unsigned)vaddvq_##u(vandq_##u(vceqq_##t(a, b), lane_bit)); \
    } \
    INLINE vec magnitude_##t(vec v) { return vabsq_##t(v); } \
    INLINE vec with_sign_##t(vec v, vec sign) \
    { return vbslq_##t(as_bits_##t(splat_##t((t)-0.0)), sign, v); }

FLOAT_VECTOR(f32, float32x4_t, u32, uint32x4_t, 1, 2, 4, 8)
FLOAT_VECTOR(f64, float64x2_t, u64, uint64x2_t, 1, 2)
VECTOR(i32, int32x4_t, s32)
VECTOR(i64, int64x2_t, s64)
enum { SIGNS_TOGETHER = 4 };
INLINE int any_negative_i32(const i32 *p) { return vminvq_s32(load_i32(p)) < 0; }
FIRST_BY_COPIES(f32)
FIRST_BY_COPIES(f64)

INLINE int32x4_t max_i32(int32x4_t a, int32x4_t b) { return vmaxq_s32(a, b); }
INLINE int32x4_t min_i32(int32x4_t a, int32x4_t b) { return vminq_s32(a, b); }
/* There is no maximum of i64: that of floats, for the bits of positive ones. */
INLINE int64x2_t max_i64(int64x2_t a, int64x2_t b)
{
    return (int64x2_t)vmaxnmq_f64((float64x2_t)a, (float64x2_t)b);
}
INLINE int64x2_t min_i64(int64x2_t a, int64x2_t b)
{
    return (int64x2_t)vminnmq_f64((float64x2_t)a, (float64x2_t)b);
}

INLINE void widen_f32(float32x4_t v, float64x2_t wide[2])
{
    wide[0] = vcvt_f64_f32(vget_low_f32(v));
    wide[1] = vcvt_high_f64_f32(v);
}
INLINE float32x4_t narrow_f32(const float64x2_t wide[2])
{
    return vcvt_high_f32_f64(vcvt_f32_f64(wide[0]), wide[1]);
}
#define LANES_TOGETHER(t, vec) \
    INLINE t sum_lanes_##t(vec v) { return vaddvq_##t(v); } \
    INLINE t max_lanes_##t(vec v) { return vmaxnmvq_##t(v); }
LANES_TOGETHER(f32, float32x4_t)
LANES_TOGETHER(f64, float64x2_t)

#define FROM_TWO(t, vec) \
    INLINE vec following_##t(vec a, vec b) { return vextq_##t(a, b, 1); } \
    INLINE vec evens_##t(vec a, vec b) { return vuzp1q_##t(a, b); } \
    INLINE vec odds_##t(vec a, vec b) { return vuzp2q_##t(a, b); }
FROM_TWO(f32, float32x4_t)
FROM_TWO(f64, float64x2_t)
/* clang-format on */
