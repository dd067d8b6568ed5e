/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES ((size_t)1)
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

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define LOAD _mm_load_ss
#define STORE _mm_store_ss
#define STREAM stream_f32
#define MAX(v) _mm_max_ss(_mm_setzero_ps(), v)
#define FEW few_f32

static inline void stream_f32(float *to, __m128 value)
{
    void *const line = to;
    _mm_stream_si32(line, _mm_cvtsi128_si32(_mm_castps_si128(value)));
}

#include "relu_body.h"

RELU_ROWS(float, f32, scalar)
RELU_ROW(float, f32, scalar, branch, BRANCH)

#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef STREAM
#undef MAX
#undef FEW
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define LOAD _mm_load_sd
#define STORE _mm_store_sd
#define STREAM stream_f64
#define MAX(v) _mm_max_sd(_mm_setzero_pd(), v)
#define FEW few_f64

static inline void stream_f64(double *to, __m128d value)
{
    void *const line = to;
    _mm_stream_si64(line, _mm_cvtsi128_si64(_mm_castpd_si128(value)));
}

#include "relu_body.h"

RELU_ROWS(double, f64, scalar)
RELU_ROW(double, f64, scalar, branch, BRANCH)
