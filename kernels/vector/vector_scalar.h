/* SPDX-License-Identifier: Apache-2.0 */
/* One element is a vector of one lane. */
#pragma once

#include <math.h>
#include <string.h>

#include "vector/vector.h"

#define ISA scalar
#if defined(__aarch64__)
#define HIDE_VECTOR(v) __asm__("" : "+w"(v))
#else
#define HIDE_VECTOR(v) __asm__("" : "+x"(v))
#endif

/* clang-format off */
#define SCALAR(t) \
    typedef t vector_##t; \
    INLINE t load_##t(const t *p) { return *p; } \
    INLINE void store_##t(t *p, t v) { *p = v; } \
    INLINE t splat_##t(t x) { return x; } \
    INLINE t add_##t(t a, t b) { return a + b; } \
    INLINE t max_##t(t a, t b) { return a > b ? a : b; } \
    INLINE t min_##t(t a, t b) { return a < b ? a : b; }

/* f ends the names of functions in libm. */
#define SCALAR_FLOAT(t, f) \
    SCALAR(t) \
    typedef word_##t bits_##t; \
    INLINE bits_##t as_bits_##t(t v) { bits_##t b; memcpy(&b, &v, sizeof b); return b; } \
    INLINE t as_vector_##t(bits_##t b) { t v; memcpy(&v, &b, sizeof v); return v; } \
    INLINE t multiply_add_##t(t a, t b, t c) { return a * b + c; } \
    INLINE t if_less_##t(t a, t b, t yes, t no) { return a < b ? yes : no; } \
    INLINE t if_different_##t(t a, t b, t yes, t no) { return a != b ? yes : no; } \
    INLINE unsigned matches_##t(t a, t b) { return a == b; } \
    INLINE t magnitude_##t(t v) { return fabs##f(v); } \
    INLINE t sum_lanes_##t(t v) { return v; } \
    INLINE t following_##t(t a, t b) { (void)a; return b; } \
    INLINE t evens_##t(t a, t b) { (void)b; return a; } \
    INLINE t odds_##t(t a, t b) { (void)a; return b; } \
    INLINE t max_lanes_##t(t v) { return v; } \
    INLINE t with_sign_##t(t v, t s) { return copysign##f(v, s); }

SCALAR_FLOAT(f32, f)
SCALAR_FLOAT(f64, )
SCALAR(i32)
SCALAR(i64)
enum { SIGNS_TOGETHER = 4 };
INLINE int any_negative_i32(const i32 *p) { return (p[0] | p[1] | p[2] | p[3]) < 0; }
FIRST_BY_COPIES(f32)
FIRST_BY_COPIES(f64)

INLINE void widen_f32(f32 v, f64 wide[1]) { wide[0] = (f64)v; }
INLINE f32 narrow_f32(const f64 wide[1]) { return (f32)wide[0]; }
/* clang-format on */
