/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>

#include "relu_rows.h"

/* A vector is two registers, because stores past the caches are of two. */
#define LANES (32 / sizeof(TYPE))
#define UNROLL 4

/* Compilers know that a comparison and an and can be a maximum: asm hides it. */
#define PAIR(C, type, V, MASK, clear)                                               \
    struct pair_##type {                                                            \
        V low, high;                                                                \
    };                                                                              \
    static inline void stream_##type(C *to, struct pair_##type v)                   \
    {                                                                               \
        __asm__("stnp %q1, %q2, %0"                                                 \
                : "=Q"(*(struct pair_##type *)(void *)to)                           \
                : "w"(v.low), "w"(v.high));                                         \
    }                                                                               \
    static inline struct pair_##type load_##type(const C *from)                     \
    {                                                                               \
        return (struct pair_##type){vld1q_##type(from),                             \
                                    vld1q_##type(from + 16 / sizeof(C))};           \
    }                                                                               \
    static inline void store_##type(C *to, struct pair_##type v)                    \
    {                                                                               \
        vst1q_##type(to, v.low);                                                    \
        vst1q_##type(to + 16 / sizeof(C), v.high);                                  \
    }                                                                               \
    static inline struct pair_##type max_##type(struct pair_##type v)               \
    {                                                                               \
        return (struct pair_##type){vmaxq_##type(vdupq_n_##type(0), v.low),         \
                                    vmaxq_##type(vdupq_n_##type(0), v.high)};       \
    }                                                                               \
    static inline V without_##type(V v)                                             \
    {                                                                               \
        MASK negative = vcltzq_##type(v);                                           \
        __asm__("" : "+w"(negative));                                               \
        return (V)clear((MASK)v, negative);                                         \
    }                                                                               \
    static inline struct pair_##type and_mask_##type(struct pair_##type v)          \
    {                                                                               \
        return (struct pair_##type){without_##type(v.low), without_##type(v.high)}; \
    }

PAIR(float, f32, float32x4_t, uint32x4_t, vbicq_u32)
PAIR(double, f64, float64x2_t, uint64x2_t, vbicq_u64)

#define VEC struct NAME(pair)
#define LOAD NAME(load)
#define STORE NAME(store)
#define STREAM NAME(stream)
#define MAX NAME(max)
#define AND_MASK NAME(and_mask)
#define FEW NAME(few)

#define TYPE float
#define NAME(x) x##_f32
#include "relu_body.h"

RELU_ROWS(float, f32, neon)
RELU_ROW(float, f32, neon, and_mask, ordinary_f32(x, y, n, RELU_AND_MASK);)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "relu_body.h"

RELU_ROWS(double, f64, neon)
RELU_ROW(double, f64, neon, and_mask, ordinary_f64(x, y, n, RELU_AND_MASK);)
