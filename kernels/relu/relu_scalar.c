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

#define STREAM NAME(stream)
#define FEW NAME(few)

#if defined(__x86_64__)
#define LANES ((size_t)1)
#define LOAD INTRINSIC(load)
#define STORE INTRINSIC(store)
#define MAX(v) INTRINSIC(max)((VEC){0}, v)

static inline void stream_f32(float *to, __m128 value)
{
    void *const line = to;
    _mm_stream_si32(line, _mm_cvtsi128_si32(_mm_castps_si128(value)));
}

static inline void stream_f64(double *to, __m128d value)
{
    void *const line = to;
    _mm_stream_si64(line, _mm_cvtsi128_si64(_mm_castpd_si128(value)));
}

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define INTRINSIC(op) _mm_##op##_ss
#include "relu_body.h"

RELU_ROWS(float, f32, scalar)
RELU_ROW(float, f32, scalar, branch, BRANCH)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define INTRINSIC(op) _mm_##op##_sd
#include "relu_body.h"

RELU_ROWS(double, f64, scalar)
RELU_ROW(double, f64, scalar, branch, BRANCH)

#elif defined(__aarch64__)
/* Two elements each on its own, because stores past the caches are of two registers. */
#define LANES ((size_t)2)
#define VEC struct NAME(pair)
#define LOAD NAME(load)
#define STORE NAME(store)
#define MAX NAME(max)
#define RELU(x) ((x) < 0 ? 0 : (x))

#define PAIR(C, type, s)                                              \
    struct pair_##type {                                              \
        C low, high;                                                  \
    };                                                                \
    static inline struct pair_##type load_##type(const C *from)       \
    {                                                                 \
        return (struct pair_##type){from[0], from[1]};                \
    }                                                                 \
    static inline void store_##type(C *to, struct pair_##type v)      \
    {                                                                 \
        to[0] = v.low;                                                \
        to[1] = v.high;                                               \
    }                                                                 \
    static inline void stream_##type(C *to, struct pair_##type v)     \
    {                                                                 \
        __asm__("stnp %" s "1, %" s "2, %0"                           \
                : "=Q"(*(struct pair_##type *)(void *)to)             \
                : "w"(v.low), "w"(v.high));                           \
    }                                                                 \
    static inline struct pair_##type max_##type(struct pair_##type v) \
    {                                                                 \
        return (struct pair_##type){RELU(v.low), RELU(v.high)};       \
    }

PAIR(float, f32, "s")
PAIR(double, f64, "d")

#define TYPE float
#define NAME(x) x##_f32
#include "relu_body.h"

RELU_ROWS(float, f32, scalar)
RELU_ROW(float, f32, scalar, branch, BRANCH)

#undef TYPE
#undef NAME
#define TYPE double
#define NAME(x) x##_f64
#include "relu_body.h"

RELU_ROWS(double, f64, scalar)
RELU_ROW(double, f64, scalar, branch, BRANCH)
#endif
