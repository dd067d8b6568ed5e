/* SPDX-License-Identifier: Apache-2.0 */
#include "tanh_methods.h"
#include "vector/vector_neon.h"

#define VECTORS 4
#define FEW VECTORS
#define FUSED
#define INTERVALS_f32 0
#define INTERVALS_f64 0
/* ARM's minima treat a NaN alike on both sides. */
#undef MIN
#define MIN(a, b) IF_LESS(a, b, a, b)

static inline void row_load_f64(bits_f64 bits, vector_f64 *c)
{
    const uint64x2_t index = vshrq_n_u64(bits, tanh_f64_row_shift);
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

static inline float64x2_t row_f32(uint32_t index)
{
    return vreinterpretq_f64_f32(vld1q_f32(tanh_f32_row[index - tanh_f32_row_first]));
}

static inline void row_load_f32(bits_f32 bits, vector_f32 *c)
{
    const uint32x4_t index = vshrq_n_u32(bits, tanh_f32_row_shift);
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

#define T f64
#include "tanh_body.h"
#define T f32
#include "tanh_body.h"
