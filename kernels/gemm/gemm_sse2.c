/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>
#include <string.h>

#include "gemm.h"
#include "gemm_argmax.h"

#define LANES (16 / (int)sizeof(TYPE))
#define TILE_ROWS 4
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define UPDATE(c, t) ((c) = BETTER(t, c))
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW(X, u) \
    X(u, 0, 0, 0)      \
    X(u, 1, 0, 1)      \
    X(u, 2, 0, 2)      \
    X(u, 3, 0, 3)
#define EACH_TILE(X, s, v, f) \
    X(s, v, f, 1, 1)          \
    X(s, v, f, 2, 1)          \
    X(s, v, f, 3, 1)          \
    X(s, v, f, 4, 1)          \
    X(s, v, f, 1, 2)          \
    X(s, v, f, 2, 2)          \
    X(s, v, f, 3, 2)          \
    X(s, v, f, 4, 2)
#define HIDE_VECTOR(x) __asm__("" : "+x"(x))
#define PRODUCTS(u, i, j, r)                                          \
    const VEC x = SPLAT(*ROW_ADDRESS(u, j, r));                       \
    t[0] = form == GEMM_MAXTIMES_MUL ? MUL(x, bv[0]) : ADD(x, bv[0]); \
    if (vectors > 1)                                                  \
    t[1] = form == GEMM_MAXTIMES_MUL ? MUL(x, bv[1]) : ADD(x, bv[1])

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define LOAD _mm_loadu_ps
#define STORE _mm_storeu_ps
#define SPLAT _mm_set1_ps
#define MAX _mm_max_ps
#define MIN _mm_min_ps
#define ADD _mm_add_ps
#define MUL _mm_mul_ps
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f32_sse2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f32_sse2_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_maxtimes_f32_sse2_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#define NOTE(acc, value, block, number)                                               \
    do {                                                                              \
        const VEC lost = _mm_cmpeq_ps(acc, LOAD(value));                              \
        STORE(block,                                                                  \
              _mm_or_ps(_mm_and_ps(lost, LOAD(block)), _mm_andnot_ps(lost, number))); \
        STORE(value, acc);                                                            \
    } while (0)
#define MATCHES(x, y) _mm_movemask_ps(_mm_cmpeq_ps(x, y))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_sse2_spans, maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f32_sse2_value, gemm_maxplus_f32_sse2_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_sse2_spans, minplus, spans, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f32_sse2_value, gemm_minplus_f32_sse2_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f32_sse2_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f32_sse2_value, gemm_maxtimes_f32_sse2_mul)

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
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define LOAD _mm_loadu_pd
#define STORE _mm_storeu_pd
#define SPLAT _mm_set1_pd
#define MAX _mm_max_pd
#define MIN _mm_min_pd
#define ADD _mm_add_pd
#define MUL _mm_mul_pd
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f64_sse2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f64_sse2_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_maxtimes_f64_sse2_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#undef NOTE
#undef MATCHES
#define NOTE(acc, value, block, number)                                               \
    do {                                                                              \
        const VEC lost = _mm_cmpeq_pd(acc, LOAD(value));                              \
        STORE(block,                                                                  \
              _mm_or_pd(_mm_and_pd(lost, LOAD(block)), _mm_andnot_pd(lost, number))); \
        STORE(value, acc);                                                            \
    } while (0)
#define MATCHES(x, y) _mm_movemask_pd(_mm_cmpeq_pd(x, y))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_sse2_spans, maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f64_sse2_value, gemm_maxplus_f64_sse2_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_sse2_spans, minplus, spans, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f64_sse2_value, gemm_minplus_f64_sse2_add)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f64_sse2_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f64_sse2_value, gemm_maxtimes_f64_sse2_mul)
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

/* Integers. There is no maximum of 32 or 64 bits, but numbers are the bits of positive
 * floats here. */
#define VEC __m128i
#define LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define MUL ADD
#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define SPLAT _mm_set1_epi32
#define FLOATS _mm_castsi128_ps
#define MAX(t, c) _mm_castps_si128(_mm_max_ps(FLOATS(t), FLOATS(c)))
#define MIN(t, c) _mm_castps_si128(_mm_min_ps(FLOATS(t), FLOATS(c)))
#define ADD _mm_add_epi32
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i32_sse2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i32_sse2_add, minplus, add, GEMM_MINPLUS_ADD)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef SPLAT
#undef FLOATS
#undef MAX
#undef MIN
#undef ADD
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define SPLAT _mm_set1_epi64x
#define FLOATS _mm_castsi128_pd
#define MAX(t, c) _mm_castpd_si128(_mm_max_pd(FLOATS(t), FLOATS(c)))
#define MIN(t, c) _mm_castpd_si128(_mm_min_pd(FLOATS(t), FLOATS(c)))
#define ADD _mm_add_epi64
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i64_sse2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i64_sse2_add, minplus, add, GEMM_MINPLUS_ADD)
