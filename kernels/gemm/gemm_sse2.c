/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>
#include <string.h>

#include "gemm_argmax_tile.h"
#include "gemm_tile.h"

#define LANES (16 / (int)sizeof(TYPE))
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
#define HIDE_VECTOR(x) __asm__("" : "+x"(x))
#define PRODUCTS PLAIN_PRODUCTS
#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SPLAT INTRINSIC(set1)
#define MAX INTRINSIC(max)
#define MIN INTRINSIC(min)
#define ADD INTRINSIC(add)
#define MUL INTRINSIC(mul)
#define EQUAL INTRINSIC(cmpeq)
#define NOTE(acc, value, block, number)                               \
    do {                                                              \
        const VEC lost = EQUAL(acc, LOAD(value));                     \
        STORE(block, INTRINSIC(or)(INTRINSIC(and)(lost, LOAD(block)), \
                                   INTRINSIC(andnot)(lost, number))); \
        STORE(value, acc);                                            \
    } while (0)
#define MATCHES(x, y) INTRINSIC(movemask)(EQUAL(x, y))

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m128
#define INTRINSIC(op) _mm_##op##_ps
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f32_sse2)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f32_sse2)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m128d
#define INTRINSIC(op) _mm_##op##_pd
#include "gemm_body.h"
GEMM_FLOAT_ROWS(f64_sse2)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_ROWS(f64_sse2)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
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
GEMM_INTEGER_ROWS(i32_sse2)

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
GEMM_INTEGER_ROWS(i64_sse2)
