/* SPDX-License-Identifier: Apache-2.0 */
#include "relu_rows.h"

#define LANES ((size_t)1)
#define UNROLL 8
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))

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
#define VEC float
#define STREAM stream_f32
#define MAX max_f32

/* The asm keeps compilers from putting scalars together. */
static inline float max_f32(float value)
{
    float result = value < 0 ? 0 : value;
    __asm__("" : "+x"(result));
    return result;
}

static inline void stream_f32(float *to, float value)
{
    int bits;
    memcpy(&bits, &value, sizeof bits);
    _mm_stream_si32((int *)(void *)to, bits);
}

#include "relu_body.h"

RELU_ROWS(float, f32, scalar)
RELU_ROW(float, f32, scalar, branch, BRANCH)

#undef TYPE
#undef NAME
#undef VEC
#undef STREAM
#undef MAX
#define TYPE double
#define NAME(x) x##_f64
#define VEC double
#define STREAM stream_f64
#define MAX max_f64

static inline double max_f64(double value)
{
    double result = value < 0 ? 0 : value;
    __asm__("" : "+x"(result));
    return result;
}

static inline void stream_f64(double *to, double value)
{
    long long bits;
    memcpy(&bits, &value, sizeof bits);
    _mm_stream_si64((long long *)(void *)to, bits);
}

#include "relu_body.h"

RELU_ROWS(double, f64, scalar)
RELU_ROW(double, f64, scalar, branch, BRANCH)
