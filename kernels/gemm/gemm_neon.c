/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "gemm.h"
#include "gemm_argmax.h"

/* Twelve rows of two vectors are 24 sums; the others of the 32 registers hold B, an
 * element of A and products. */
#define LANES (16 / (int)sizeof(TYPE))
#define TILE_ROWS 12
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
/* In asm, row by row: compilers gather loads and products before the maxima, and run out
 * of registers. */
#define UPDATE(c, t)                                                     \
    do {                                                                 \
        if (gemm_form_min(form))                                         \
            __asm__ volatile("fminnm %0." LANE ", %0." LANE ", %1." LANE \
                             : "+w"(c)                                   \
                             : "w"(t));                                  \
        else                                                             \
            __asm__ volatile("fmaxnm %0." LANE ", %0." LANE ", %1." LANE \
                             : "+w"(c)                                   \
                             : "w"(t));                                  \
    } while (0)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
/* clang-format off */
#define EACH_ROW(X, u) \
    X(u, 0, 0, 0) X(u, 1, 0, 1) X(u, 2, 0, 2) X(u, 3, 0, 3) X(u, 4, 0, 4) X(u, 5, 0, 5) \
    X(u, 6, 0, 6) X(u, 7, 0, 7) X(u, 8, 1, 0) X(u, 9, 1, 1) X(u, 10, 1, 2) X(u, 11, 1, 3)
#define EACH_HEIGHT(X, s, v, f, vectors) \
    X(s, v, f, 1, vectors) X(s, v, f, 2, vectors) X(s, v, f, 3, vectors) \
    X(s, v, f, 4, vectors) X(s, v, f, 5, vectors) X(s, v, f, 6, vectors) \
    X(s, v, f, 7, vectors) X(s, v, f, 8, vectors) X(s, v, f, 9, vectors) \
    X(s, v, f, 10, vectors) X(s, v, f, 11, vectors) X(s, v, f, 12, vectors)
#define EACH_TILE(X, s, v, f) EACH_HEIGHT(X, s, v, f, 1) EACH_HEIGHT(X, s, v, f, 2)
/* clang-format on */
#define HIDE_VECTOR(x) __asm__("" : "+w"(x))
#define TWO_PRODUCTS(op, u, j, r)                                                      \
    __asm__ volatile("ld1r {%[x]." LANE "}, %[a]\n\t" op " %[t0]." LANE ", %[x]." LANE \
                     ", %[b0]." LANE "\n\t" op " %[t1]." LANE ", %[x]." LANE           \
                     ", %[b1]." LANE                                                   \
                     : [x] "=&w"(x), [t0] "=&w"(t[0]), [t1] "=w"(t[TILE_VECTORS - 1])  \
                     : [a] "Q"(*ROW_ADDRESS(u, j, r)), [b0] "w"(bv[0]),                \
                       [b1] "w"(bv[TILE_VECTORS - 1]))
#define PRODUCTS(u, i, j, r)                                              \
    VEC x;                                                                \
    if (vectors == 1) {                                                   \
        x = SPLAT(*ROW_ADDRESS(u, j, r));                                 \
        t[0] = form == GEMM_MAXTIMES_MUL ? MUL(x, bv[0]) : ADD(x, bv[0]); \
    } else if (form == GEMM_MAXTIMES_MUL) {                               \
        TWO_PRODUCTS("fmul", u, j, r);                                    \
    } else {                                                              \
        TWO_PRODUCTS("fadd", u, j, r);                                    \
    }

#define TYPE float
#define NAME(x) x##_f32
#define VEC float32x4_t
#define LOAD vld1q_f32
#define STORE vst1q_f32
#define SPLAT vdupq_n_f32
#define LANE "4s"
#define MAX vmaxnmq_f32
#define MIN vminnmq_f32
#define ADD vaddq_f32
#define MUL vmulq_f32
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f32_neon_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f32_neon_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_maxtimes_f32_neon_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#define NOTE(acc, value, block, number)                      \
    do {                                                     \
        const uint32x4_t lost = vceqq_f32(acc, LOAD(value)); \
        STORE(block, vbslq_f32(lost, LOAD(block), number));  \
        STORE(value, acc);                                   \
    } while (0)
#define MATCHES(x, y) vaddvq_u32(vandq_u32(vceqq_f32(x, y), (uint32x4_t){1, 2, 4, 8}))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_neon_spans, maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f32_neon_value, gemm_maxplus_f32_neon_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_neon_spans, minplus, spans, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f32_neon_value, gemm_minplus_f32_neon_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f32_neon_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f32_neon_value, gemm_maxtimes_f32_neon_mul)

#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef SPLAT
#undef LANE
#undef MAX
#undef MIN
#undef ADD
#undef MUL
#define TYPE double
#define NAME(x) x##_f64
#define VEC float64x2_t
#define LOAD vld1q_f64
#define STORE vst1q_f64
#define SPLAT vdupq_n_f64
#define LANE "2d"
#define MAX vmaxnmq_f64
#define MIN vminnmq_f64
#define ADD vaddq_f64
#define MUL vmulq_f64
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f64_neon_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f64_neon_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_maxtimes_f64_neon_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#undef NOTE
#undef MATCHES
#define NOTE(acc, value, block, number)                      \
    do {                                                     \
        const uint64x2_t lost = vceqq_f64(acc, LOAD(value)); \
        STORE(block, vbslq_f64(lost, LOAD(block), number));  \
        STORE(value, acc);                                   \
    } while (0)
#define MATCHES(x, y) vaddvq_u64(vandq_u64(vceqq_f64(x, y), (uint64x2_t){1, 2}))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_neon_spans, maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f64_neon_value, gemm_maxplus_f64_neon_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_neon_spans, minplus, spans, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f64_neon_value, gemm_minplus_f64_neon_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f64_neon_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f64_neon_value, gemm_maxtimes_f64_neon_mul)
#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef SPLAT
#undef MAX
#undef MIN
#undef ADD
#undef MUL
#undef LANE
#undef PRODUCTS
#undef UPDATE

/* Integers. There is no maximum of 64 bits, but numbers are the bits of positive floats
 * here. */
#define PRODUCTS(u, i, j, r)                             \
    VEC x;                                               \
    if (vectors == 1) {                                  \
        t[0] = ADD(SPLAT(*ROW_ADDRESS(u, j, r)), bv[0]); \
    } else {                                             \
        TWO_PRODUCTS("add", u, j, r);                    \
    }                                                    \
    (void)x
#define UPDATE(c, t)                                                      \
    do {                                                                  \
        if (gemm_form_min(form))                                          \
            __asm__ volatile(MIN_OP " %0." LANE ", %0." LANE ", %1." LANE \
                             : "+w"(c)                                    \
                             : "w"(t));                                   \
        else                                                              \
            __asm__ volatile(MAX_OP " %0." LANE ", %0." LANE ", %1." LANE \
                             : "+w"(c)                                    \
                             : "w"(t));                                   \
    } while (0)
#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define VEC int32x4_t
#define LOAD vld1q_s32
#define STORE vst1q_s32
#define SPLAT vdupq_n_s32
#define LANE "4s"
#define MAX_OP "smax"
#define MIN_OP "smin"
#define MAX vmaxq_s32
#define MIN vminq_s32
#define ADD vaddq_s32
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i32_neon_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i32_neon_add, minplus, add, GEMM_MINPLUS_ADD)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef VEC
#undef LOAD
#undef STORE
#undef SPLAT
#undef LANE
#undef MAX_OP
#undef MIN_OP
#undef MAX
#undef MIN
#undef ADD
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define VEC int64x2_t
#define LOAD vld1q_s64
#define STORE vst1q_s64
#define SPLAT vdupq_n_s64
#define LANE "2d"
#define MAX_OP "fmaxnm"
#define MIN_OP "fminnm"
#define FLOATS vreinterpretq_f64_s64
#define MAX(t, c) vreinterpretq_s64_f64(vmaxnmq_f64(FLOATS(t), FLOATS(c)))
#define MIN(t, c) vreinterpretq_s64_f64(vminnmq_f64(FLOATS(t), FLOATS(c)))
#define ADD vaddq_s64
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i64_neon_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i64_neon_add, minplus, add, GEMM_MINPLUS_ADD)
