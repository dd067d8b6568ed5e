/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "relu_rows.h"

#define ISA neon
#define UNROLL 4
#define AND_MASK OF(and_mask)

/* A vector is two registers, because stores past the caches are of two. Compilers know
 * that a comparison and an and can be a maximum: asm hides it. */
#define PAIR(t, V, MASK, clear)                                                 \
    typedef struct {                                                            \
        V low, high;                                                            \
    } vector_##t;                                                               \
    INLINE void stream_##t(t *to, vector_##t v)                                 \
    {                                                                           \
        __asm__("stnp %q1, %q2, %0"                                             \
                : "=Q"(*(vector_##t *)(void *)to)                               \
                : "w"(v.low), "w"(v.high));                                     \
    }                                                                           \
    INLINE vector_##t load_##t(const t *from)                                   \
    {                                                                           \
        return (vector_##t){vld1q_##t(from), vld1q_##t(from + 16 / sizeof(t))}; \
    }                                                                           \
    INLINE void store_##t(t *to, vector_##t v)                                  \
    {                                                                           \
        vst1q_##t(to, v.low);                                                   \
        vst1q_##t(to + 16 / sizeof(t), v.high);                                 \
    }                                                                           \
    INLINE vector_##t positive_##t(vector_##t v)                                \
    {                                                                           \
        return (vector_##t){vmaxq_##t(vdupq_n_##t(0), v.low),                   \
                            vmaxq_##t(vdupq_n_##t(0), v.high)};                 \
    }                                                                           \
    INLINE V without_##t(V v)                                                   \
    {                                                                           \
        MASK negative = vcltzq_##t(v);                                          \
        __asm__("" : "+w"(negative));                                           \
        return (V)clear((MASK)v, negative);                                     \
    }                                                                           \
    INLINE vector_##t and_mask_##t(vector_##t v)                                \
    {                                                                           \
        return (vector_##t){without_##t(v.low), without_##t(v.high)};           \
    }

PAIR(f32, float32x4_t, uint32x4_t, vbicq_u32)
PAIR(f64, float64x2_t, uint64x2_t, vbicq_u64)

#define T f32
#include "relu_body.h"
#define T f64
#include "relu_body.h"
