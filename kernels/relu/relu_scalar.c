/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define UNROLL 8

/* The asm in its arm keeps the jump a jump. */
#define BRANCH                       \
    for (size_t i = 0; i < n; i++) { \
        if (x[i] < 0) {              \
            y[i] = 0;                \
            __asm__ volatile("");    \
        } else {                     \
            y[i] = x[i];             \
        }                            \
    }

#if defined(__x86_64__)
#define ISA scalar
/* The lowest lane of a register: a maximum of plain floats can become integer code. */
#undef LANES
#define LANES ((size_t)1)

#define LANE(t, vec, s)                 \
    typedef vec vector_##t;             \
    INLINE vec load_##t(const t *from)  \
    {                                   \
        return _mm_load_##s(from);      \
    }                                   \
    INLINE void store_##t(t *to, vec v) \
    {                                   \
        _mm_store_##s(to, v);           \
    }                                   \
    INLINE vec splat_##t(t x)           \
    {                                   \
        return _mm_set_##s(x);          \
    }                                   \
    INLINE vec max_##t(vec a, vec b)    \
    {                                   \
        return _mm_max_##s(a, b);       \
    }

LANE(f32, __m128, ss)
LANE(f64, __m128d, sd)

INLINE void stream_f32(f32 *to, __m128 v)
{
    _mm_stream_si32((void *)to, _mm_cvtsi128_si32(_mm_castps_si128(v)));
}

INLINE void stream_f64(f64 *to, __m128d v)
{
    _mm_stream_si64((void *)to, _mm_cvtsi128_si64(_mm_castpd_si128(v)));
}

#elif defined(__aarch64__)
#define ISA scalar
#define POSITIVE(x) ((x) < 0 ? 0 : (x))

/* Two elements each on its own, because stores past the caches are of two registers. */
#define PAIR(t, s)                                              \
    typedef struct {                                            \
        t low, high;                                            \
    } vector_##t;                                               \
    INLINE vector_##t load_##t(const t *from)                   \
    {                                                           \
        return (vector_##t){from[0], from[1]};                  \
    }                                                           \
    INLINE void store_##t(t *to, vector_##t v)                  \
    {                                                           \
        to[0] = v.low;                                          \
        to[1] = v.high;                                         \
    }                                                           \
    INLINE void stream_##t(t *to, vector_##t v)                 \
    {                                                           \
        __asm__("stnp %" s "1, %" s "2, %0"                     \
                : "=Q"(*(vector_##t *)(void *)to)               \
                : "w"(v.low), "w"(v.high));                     \
    }                                                           \
    INLINE vector_##t positive_##t(vector_##t v)                \
    {                                                           \
        return (vector_##t){POSITIVE(v.low), POSITIVE(v.high)}; \
    }

PAIR(f32, "s")
PAIR(f64, "d")
#endif

#define T f32
#include "relu_body.h"
#define T f64
#include "relu_body.h"
