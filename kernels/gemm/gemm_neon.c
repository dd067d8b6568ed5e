/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <string.h>

#include "gemm_argmax_tile.h"
#include "gemm_tile.h"

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
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_12
#define EACH_TILE(X, s, v, f) HEIGHTS_12(X, s, v, f, 1) HEIGHTS_12(X, s, v, f, 2)
#define HIDE_VECTOR(x) __asm__("" : "+w"(x))
#define TWO_PRODUCTS(op, u, j, r)                                                      \
    __asm__ volatile("ld1r {%[x]." LANE "}, %[a]\n\t" op " %[t0]." LANE ", %[x]." LANE \
                     ", %[b0]." LANE "\n\t" op " %[t1]." LANE ", %[x]." LANE           \
                     ", %[b1]." LANE                                                   \
                     : [x] "=&w"(x), [t0] "=&w"(t[0]), [t1] "=w"(t[TILE_VECTORS - 1])  \
                     : [a] "Q"(*ROW_ADDRESS(u, j, r)), [b0] "w"(bv[0]),                \
                       [b1] "w"(bv[TILE_VECTORS - 1]))
#define PRODUCTS(u, i, j, r)                \
    VEC x;                                  \
    if (vectors == 1) {                     \
        x = SPLAT(*ROW_ADDRESS(u, j, r));   \
        t[0] = PLAIN_PRODUCT(x, bv[0]);     \
    } else if (form == GEMM_MAXTIMES_MUL) { \
        TWO_PRODUCTS("fmul", u, j, r);      \
    } else {                                \
        TWO_PRODUCTS("fadd", u, j, r);      \
    }

#define LOAD INTRINSIC(vld1q)
#define STORE INTRINSIC(vst1q)
#define SPLAT INTRINSIC(vdupq_n)
#define ADD INTRINSIC(vaddq)
#define MUL INTRINSIC(vmulq)
#define MAX_OP "fmaxnm"
#define MIN_OP "fminnm"
#define MAX INTRINSIC(vmaxnmq)
#define MIN INTRINSIC(vminnmq)
#define EQUAL INTRINSIC(vceqq)
#define NOTE(acc, value, block, number)                                               \
    do {                                                                              \
        STORE(block, INTRINSIC(vbslq)(EQUAL(acc, LOAD(value)), LOAD(block), number)); \
        STORE(value, acc);                                                            \
    } while (0)

#define TYPE float
#define NAME(x) x##_f32
#define VEC float32x4_t
#define INTRINSIC(op) op##_f32
#define LANE "4s"
#define MATCHES(x, y) vaddvq_u32(vandq_u32(EQUAL(x, y), (uint32x4_t){1, 2, 4, 8}))
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f32_neon)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f32_neon)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef LANE
#undef MATCHES
#define TYPE double
#define NAME(x) x##_f64
#define VEC float64x2_t
#define INTRINSIC(op) op##_f64
#define LANE "2d"
#define MATCHES(x, y) vaddvq_u64(vandq_u64(EQUAL(x, y), (uint64x2_t){1, 2}))
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f64_neon)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f64_neon)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef LANE
#undef MAX_OP
#undef MIN_OP
#undef MAX
#undef MIN
#undef PRODUCTS

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
#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define VEC int32x4_t
#define INTRINSIC(op) op##_s32
#define LANE "4s"
#define MAX_OP "smax"
#define MIN_OP "smin"
#define MAX vmaxq_s32
#define MIN vminq_s32
#include "gemm_body.h"
GEMM_INTEGER_ROWS(i32_neon)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef VEC
#undef INTRINSIC
#undef LANE
#undef MAX_OP
#undef MIN_OP
#undef MAX
#undef MIN
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define VEC int64x2_t
#define INTRINSIC(op) op##_s64
#define LANE "2d"
#define MAX_OP "fmaxnm"
#define MIN_OP "fminnm"
#define FLOATS vreinterpretq_f64_s64
#define MAX(t, c) vreinterpretq_s64_f64(vmaxnmq_f64(FLOATS(t), FLOATS(c)))
#define MIN(t, c) vreinterpretq_s64_f64(vminnmq_f64(FLOATS(t), FLOATS(c)))
#include "gemm_body.h"
GEMM_INTEGER_ROWS(i64_neon)
