/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "tanh.h"
#include "tanh_tables.h"

#define VECTORS 4
#define LANES 1
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SET(c) (c)
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define FMA(a, b, c) ((a) * (b) + (c))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define IF_LESS(a, b, yes, no) ((a) < (b) ? (yes) : (no))
#define MAGNITUDE(x) _Generic(x, float: fabsf, double: fabs)(x)
#define SIGNED(y, x) _Generic(x, float: copysignf, double: copysign)(y, x)

/* ---- f64 ---- */

static inline uint64_t bits_f64(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double number_f64(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline double power_f64(double b)
{
    return number_f64((bits_f64(b) << 52) + (UINT64_C(1023) << 52));
}

static inline double begin_f64(double b)
{
    return number_f64(bits_f64(b) >> tanh_f64_row_shift << tanh_f64_row_shift);
}

static inline void row_load_f64(double b, double *c)
{
    memcpy(c, tanh_f64_row[(bits_f64(b) >> tanh_f64_row_shift) - tanh_f64_row_first],
           sizeof tanh_f64_row[0]);
}

#define TYPE double
#define NAME(x) x##_f64
#define TABLE(x) tanh_f64_##x
#define SIGNIFICAND 52
#define VECTOR double
#define HAS_RATIONAL 1
#define HAS_ROWS 1
#include "tanh_body.h"

static inline __attribute__((always_inline)) void library_f64(double *x, int count)
{
    for (int k = 0; k < count; k++)
        x[k] = tanh(x[k]);
}

TANH_KERNEL(f64, scalar, table, row_method_f64)
TANH_KERNEL(f64, scalar, exp, exp_method_f64)
TANH_KERNEL(f64, scalar, libm, library_f64)

/* ---- f32 ---- */

static inline uint32_t bits_f32(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float number_f32(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float power_f32(float b)
{
    return number_f32((bits_f32(b) << 23) + (UINT32_C(127) << 23));
}

static inline float begin_f32(float b)
{
    return number_f32(bits_f32(b) >> tanh_f32_row_shift << tanh_f32_row_shift);
}

static inline void row_load_f32(float b, float *c)
{
    memcpy(c, tanh_f32_row[(bits_f32(b) >> tanh_f32_row_shift) - tanh_f32_row_first],
           sizeof tanh_f32_row[0]);
}

#define TYPE float
#define NAME(x) x##_f32
#define TABLE(x) tanh_f32_##x
#define SIGNIFICAND 23
#define VECTOR float
#define HAS_RATIONAL 0
#define HAS_ROWS 1
#include "tanh_body.h"

static inline __attribute__((always_inline)) void rational_f32(float *x, int count)
{
    for (int k = 0; k < count; k++) {
        double wide = (double)x[k];
        rational_method_f64(&wide, 1);
        x[k] = (float)wide;
    }
}

static inline __attribute__((always_inline)) void library_f32(float *x, int count)
{
    for (int k = 0; k < count; k++)
        x[k] = tanhf(x[k]);
}

TANH_KERNEL(f32, scalar, table, row_method_f32)
TANH_KERNEL(f32, scalar, rational, rational_f32)
TANH_KERNEL(f32, scalar, exp, exp_method_f32)
TANH_KERNEL(f32, scalar, libm, library_f32)
