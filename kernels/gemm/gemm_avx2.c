/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm.h"
#include "gemm_argmax.h"

/* Five rows of two vectors. The rate is that of decoding (3 instructions a product: a
 * copy of a factor, the destructive fma, the max), so no k-step has more than 3 x 10 of
 * them: the last two rows overwrite the vectors of B instead of copies, and the very last
 * reads one of them from memory again. */
#define LANES (32 / (int)sizeof(TYPE))
#define TILE_ROWS 5
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define STEPS 8
#define EACH_STEP(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define EACH_ROW(X, u) \
    X(u, 0, 0, 0)      \
    X(u, 1, 0, 1)      \
    X(u, 2, 0, 2)      \
    X(u, 3, 0, 3)      \
    X(u, 4, 0, 4)
#define EACH_TILE(X, s, v, f) \
    X(s, v, f, 1, 1)          \
    X(s, v, f, 2, 1)          \
    X(s, v, f, 3, 1)          \
    X(s, v, f, 4, 1)          \
    X(s, v, f, 5, 1)          \
    X(s, v, f, 1, 2)          \
    X(s, v, f, 2, 2)          \
    X(s, v, f, 3, 2)          \
    X(s, v, f, 4, 2)          \
    X(s, v, f, 5, 2)
#define HIDE_VECTOR(x) __asm__("" : "+x"(x))

/* ROW_ADDRESS as asm text: the u-th element in row r below %[p]. */
#define AT_0 "(%[p])"
#define AT_1 "(%[p],%[s1])"
#define AT_2 "(%[p],%[s1],2)"
#define AT_3 "(%[p],%[s3])"
#define AT_4 "(%[p],%[s1],4)"
#define SPREAD(u, r, to) \
    "vbroadcasts" SUFFIX " " #u "*" ELEMENT_SIZE AT_##r ", %[" #to "]\n\t"
#define FMA_INTO(to, b) "vfmadd213p" SUFFIX " %[" #b "], %[one], %[" #to "]\n\t"
#define A_OPERANDS(j)                                             \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [one] "x"(one), \
        "m"(*(const TYPE(*)[1 << 20]) base[j])
#define PRODUCTS(u, i, j, r)                                                           \
    if (!gemm_form_fma(form)) {                                                        \
        const VEC x = SPLAT(*ROW_ADDRESS(u, j, r));                                    \
        t[0] = form == GEMM_MAXTIMES_MUL ? MUL(x, bv[0]) : ADD(x, bv[0]);              \
        if (vectors > 1)                                                               \
            t[1] = form == GEMM_MAXTIMES_MUL ? MUL(x, bv[1]) : ADD(x, bv[1]);          \
    } else if (vectors == 1) {                                                         \
        __asm__(SPREAD(u, r, x) FMA_INTO(x, b)                                         \
                : [x] "=&x"(t[0])                                                      \
                : [b] "x"(bv[0]), A_OPERANDS(j));                                      \
    } else if (i == rows - 1) {                                                        \
        __asm__(SPREAD(u, r, x) FMA_INTO(b, x) FMA_INTO(x, m)                          \
                : [b] "+x"(bv[0]), [x] "=&x"(t[1])                                     \
                : [m] "m"(*(const TYPE(*)[LANES])(bu + LANES)), A_OPERANDS(j));        \
        t[0] = bv[0];                                                                  \
    } else if (i == rows - 2) {                                                        \
        __asm__(SPREAD(u, r, x) FMA_INTO(c, x) FMA_INTO(x, b)                          \
                : [x] "=&x"(t[0]), [c] "+x"(bv[1])                                     \
                : [b] "x"(bv[0]), A_OPERANDS(j));                                      \
        t[1] = bv[1];                                                                  \
    } else {                                                                           \
        __asm__(SPREAD(u, r, x) "vmovaps %[x], %[y]\n\t" FMA_INTO(x, b) FMA_INTO(y, c) \
                : [x] "=&x"(t[0]), [y] "=&x"(t[1])                                     \
                : [b] "x"(bv[0]), [c] "x"(bv[1]), A_OPERANDS(j));                      \
    }
#define UPDATE(c, t)                                                  \
    do {                                                              \
        if (gemm_form_min(form))                                      \
            __asm__("vminp" SUFFIX " %0, %1, %0" : "+x"(c) : "x"(t)); \
        else                                                          \
            __asm__("vmaxp" SUFFIX " %0, %1, %0" : "+x"(c) : "x"(t)); \
    } while (0)

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m256
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define SPLAT _mm256_set1_ps
#define MAX _mm256_max_ps
#define MIN _mm256_min_ps
#define ADD _mm256_add_ps
#define MUL _mm256_mul_ps
#define SUFFIX "s"
#define ELEMENT_SIZE "4"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f32_avx2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_maxplus_f32_avx2_fma, maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(gemm_minplus_f32_avx2_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f32_avx2_fma, minplus, fma, GEMM_MINPLUS_FMA)
GEMM_KERNEL(gemm_maxtimes_f32_avx2_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#define NOTE(acc, value, block, number)                               \
    do {                                                              \
        const VEC won = _mm256_cmp_ps(acc, LOAD(value), _CMP_NEQ_OQ); \
        STORE(block, _mm256_blendv_ps(LOAD(block), number, won));     \
        STORE(value, acc);                                            \
    } while (0)
#define MATCHES(x, y) _mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_EQ_OQ))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_avx2_spans, maxplus, spans, GEMM_MAXPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_avx2_spans_add, maxplus, spans_add,
                   GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f32_avx2_value, gemm_maxplus_f32_avx2_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_avx2_spans, minplus, spans, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_avx2_spans_add, minplus, spans_add,
                   GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f32_avx2_value, gemm_minplus_f32_avx2_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f32_avx2_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f32_avx2_value, gemm_maxtimes_f32_avx2_mul)

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
#undef SUFFIX
#undef ELEMENT_SIZE
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m256d
#define LOAD _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#define SPLAT _mm256_set1_pd
#define MAX _mm256_max_pd
#define MIN _mm256_min_pd
#define ADD _mm256_add_pd
#define MUL _mm256_mul_pd
#define SUFFIX "d"
#define ELEMENT_SIZE "8"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f64_avx2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_maxplus_f64_avx2_fma, maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(gemm_minplus_f64_avx2_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f64_avx2_fma, minplus, fma, GEMM_MINPLUS_FMA)
GEMM_KERNEL(gemm_maxtimes_f64_avx2_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#undef NOTE
#undef MATCHES
#define NOTE(acc, value, block, number)                               \
    do {                                                              \
        const VEC won = _mm256_cmp_pd(acc, LOAD(value), _CMP_NEQ_OQ); \
        STORE(block, _mm256_blendv_pd(LOAD(block), number, won));     \
        STORE(value, acc);                                            \
    } while (0)
#define MATCHES(x, y) _mm256_movemask_pd(_mm256_cmp_pd(x, y, _CMP_EQ_OQ))
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_avx2_spans, maxplus, spans, GEMM_MAXPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_avx2_spans_add, maxplus, spans_add,
                   GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f64_avx2_value, gemm_maxplus_f64_avx2_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_avx2_spans, minplus, spans, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_avx2_spans_add, minplus, spans_add,
                   GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f64_avx2_value, gemm_minplus_f64_avx2_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f64_avx2_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f64_avx2_value, gemm_maxtimes_f64_avx2_mul)
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
#undef SUFFIX
#undef ELEMENT_SIZE
#undef PRODUCTS
#undef UPDATE

/* Integers. There is no maximum of 64 bits, but numbers are the bits of positive floats
 * here. */
#define PRODUCTS(u, i, j, r)                    \
    const VEC x = SPLAT(*ROW_ADDRESS(u, j, r)); \
    t[0] = ADD(x, bv[0]);                       \
    if (vectors > 1)                            \
    t[1] = ADD(x, bv[1])
#define UPDATE(c, t)                                          \
    do {                                                      \
        if (gemm_form_min(form))                              \
            __asm__(MIN_OP " %1, %0, %0" : "+x"(c) : "x"(t)); \
        else                                                  \
            __asm__(MAX_OP " %1, %0, %0" : "+x"(c) : "x"(t)); \
    } while (0)
#define VEC __m256i
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define SPLAT _mm256_set1_epi32
#define MAX _mm256_max_epi32
#define MIN _mm256_min_epi32
#define MAX_OP "vpmaxsd"
#define MIN_OP "vpminsd"
#define ADD _mm256_add_epi32
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i32_avx2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i32_avx2_add, minplus, add, GEMM_MINPLUS_ADD)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef SPLAT
#undef MAX
#undef MIN
#undef MAX_OP
#undef MIN_OP
#undef ADD
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define SPLAT _mm256_set1_epi64x
#define FLOATS _mm256_castsi256_pd
#define MAX(t, c) _mm256_castpd_si256(_mm256_max_pd(FLOATS(t), FLOATS(c)))
#define MIN(t, c) _mm256_castpd_si256(_mm256_min_pd(FLOATS(t), FLOATS(c)))
#define MAX_OP "vmaxpd"
#define MIN_OP "vminpd"
#define ADD _mm256_add_epi64
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i64_avx2_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i64_avx2_add, minplus, add, GEMM_MINPLUS_ADD)
