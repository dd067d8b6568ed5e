/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "gemm_argmax_tile.h"
#include "gemm_tile.h"

/* One element is a vector of one. */
#define LANES 1
#define TILE_ROWS 4
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define UPDATE(c, t) ((c) = BETTER(t, c))
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_4
#define EACH_TILE(X, s, v, f) HEIGHTS_4(X, s, v, f, 1) HEIGHTS_4(X, s, v, f, 2)
#if defined(__aarch64__)
#define HIDE_VECTOR(x) __asm__("" : "+w"(x))
#else
#define HIDE_VECTOR(x) __asm__("" : "+x"(x))
#endif
#define LOAD(p) (*(p))
#define STORE(p, v) (*(p) = (v))
#define SPLAT(x) (x)
#define MAX(t, c) ((t) > (c) ? (t) : (c))
#define MIN(t, c) ((t) < (c) ? (t) : (c))
#define ADD(a, b) ((a) + (b))
#define MUL(a, b) ((a) * (b))
#define PRODUCTS PLAIN_PRODUCTS
#define NOTE(acc, value, block, number) \
    do {                                \
        if ((acc) != *(value))          \
            *(block) = (number);        \
        *(value) = (acc);               \
    } while (0)
#define MATCHES(x, y) ((x) == (y))

#define TYPE float
#define NAME(x) x##_f32
#define VEC float
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f32_scalar)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f32_scalar)

#undef TYPE
#undef NAME
#undef VEC
#define TYPE double
#define NAME(x) x##_f64
#define VEC double
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f64_scalar)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f64_scalar)

#undef TYPE
#undef NAME
#undef VEC
#undef TILE_ROWS
#undef EACH_ROW
#undef EACH_TILE
#undef UPDATE
#undef HIDE_VECTOR

/* Integers: fewer rows, because x86 has 16 registers for sums and addresses together. */
#define TILE_ROWS 2
#define EACH_ROW LINES_2
#define EACH_TILE(X, s, v, f) HEIGHTS_2(X, s, v, f, 1) HEIGHTS_2(X, s, v, f, 2)
#define HIDE_VECTOR(x) __asm__("" : "+r"(x))
#if defined(__x86_64__)
/* In asm, or compilers branch. */
#define UPDATE(c, t)                                                         \
    do {                                                                     \
        if (gemm_form_min(form))                                             \
            __asm__("cmp %1, %0\n\tcmovg %1, %0" : "+r"(c) : "r"(t) : "cc"); \
        else                                                                 \
            __asm__("cmp %1, %0\n\tcmovl %1, %0" : "+r"(c) : "r"(t) : "cc"); \
    } while (0)
#else
#define UPDATE(c, t) ((c) = BETTER(t, c))
#endif

#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define VEC int32_t
#include "gemm_body.h"
GEMM_INTEGER_ROWS(i32_scalar)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef VEC
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define VEC int64_t
#include "gemm_body.h"
GEMM_INTEGER_ROWS(i64_scalar)
