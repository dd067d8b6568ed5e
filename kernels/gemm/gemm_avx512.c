/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm.h"
#include "gemm_argmax.h"

/* One vector wide and up to 24 rows tall: the element of A is the memory operand of the
 * instruction that makes the product, so only the vector of B is copied before the
 * destructive fma. In asm because compilers that load the element into a register first
 * lose half the rate on CPUs that split 512-bit operations, and because they rotate
 * accumulators between registers. B is read in place up to a size where its rows come
 * from too many pages: a tile this tall uses each vector often enough. */
#define LANES (64 / (int)sizeof(TYPE))
#define TILE_ROWS 24
#define TILE_VECTORS 1
#define HEIGHT_STEP 2
#define CROWD 6
#define IN_PLACE (4 << 20)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW(X, u) \
    X(u, 0, 0, 0)      \
    X(u, 1, 0, 1)      \
    X(u, 2, 0, 2)      \
    X(u, 3, 0, 3)      \
    X(u, 4, 0, 4)      \
    X(u, 5, 0, 5)      \
    X(u, 6, 0, 6)      \
    X(u, 7, 0, 7)      \
    X(u, 8, 1, 0)      \
    X(u, 9, 1, 1)      \
    X(u, 10, 1, 2)     \
    X(u, 11, 1, 3)     \
    X(u, 12, 1, 4)     \
    X(u, 13, 1, 5)     \
    X(u, 14, 1, 6)     \
    X(u, 15, 1, 7)     \
    X(u, 16, 2, 0)     \
    X(u, 17, 2, 1)     \
    X(u, 18, 2, 2)     \
    X(u, 19, 2, 3)     \
    X(u, 20, 2, 4)     \
    X(u, 21, 2, 5)     \
    X(u, 22, 2, 6)     \
    X(u, 23, 2, 7)
#define EACH_TILE(X, s, v, f) \
    X(s, v, f, 1, 1)          \
    X(s, v, f, 2, 1)          \
    X(s, v, f, 4, 1)          \
    X(s, v, f, 6, 1)          \
    X(s, v, f, 8, 1)          \
    X(s, v, f, 10, 1)         \
    X(s, v, f, 12, 1)         \
    X(s, v, f, 14, 1)         \
    X(s, v, f, 16, 1)         \
    X(s, v, f, 18, 1)         \
    X(s, v, f, 20, 1)         \
    X(s, v, f, 22, 1)         \
    X(s, v, f, 24, 1)
#define HIDE_VECTOR(x) __asm__("" : "+v"(x))

/* ROW_ADDRESS as asm text: the u-th element in row r below %[p]. */
#define AT_0 "(%[p])"
#define AT_1 "(%[p],%[s1])"
#define AT_2 "(%[p],%[s1],2)"
#define AT_3 "(%[p],%[s3])"
#define AT_4 "(%[p],%[s1],4)"
#define AT_5 "(%[p],%[s5])"
#define AT_6 "(%[p],%[s3],2)"
#define AT_7 "(%[p],%[s7])"
#define ELEMENT(u, r) #u "*" ELEMENT_SIZE AT_##r BROADCAST
#define A_OPERANDS(j)                                                         \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [s5] "r"(s5), [s7] "r"(s7), \
        "m"(*(const TYPE(*)[1 << 20]) base[j])
#define PRODUCTS(u, i, j, r)                                           \
    if (gemm_form_fma(form))                                           \
        __asm__("vmovaps %[b], %[t]\n\t"                               \
                "vfmadd231p" SUFFIX " " ELEMENT(u, r) ", %[one], %[t]" \
                : [t] "=&v"(t[0])                                      \
                : [b] "v"(bv[0]), [one] "v"(one), A_OPERANDS(j));      \
    else if (form == GEMM_MAXTIMES_MUL)                                \
        __asm__("vmulp" SUFFIX " " ELEMENT(u, r) ", %[b], %[t]"        \
                : [t] "=v"(t[0])                                       \
                : [b] "v"(bv[0]), A_OPERANDS(j));                      \
    else                                                               \
        __asm__("vaddp" SUFFIX " " ELEMENT(u, r) ", %[b], %[t]"        \
                : [t] "=v"(t[0])                                       \
                : [b] "v"(bv[0]), A_OPERANDS(j))

#define UPDATE(c, t)                                                  \
    do {                                                              \
        if (gemm_form_min(form))                                      \
            __asm__("vminp" SUFFIX " %0, %1, %0" : "+v"(c) : "v"(t)); \
        else                                                          \
            __asm__("vmaxp" SUFFIX " %0, %1, %0" : "+v"(c) : "v"(t)); \
    } while (0)

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m512
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define SPLAT _mm512_set1_ps
#define MAX _mm512_max_ps
#define MIN _mm512_min_ps
#define SUFFIX "s"
#define ELEMENT_SIZE "4"
#define BROADCAST "%{1to16%}"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f32_avx512_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_maxplus_f32_avx512_fma, maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(gemm_minplus_f32_avx512_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f32_avx512_fma, minplus, fma, GEMM_MINPLUS_FMA)
GEMM_KERNEL(gemm_maxtimes_f32_avx512_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#define NOTE(acc, value, block, number)                                          \
    do {                                                                         \
        const __mmask16 won = _mm512_cmp_ps_mask(acc, LOAD(value), _CMP_NEQ_OQ); \
        STORE(block, _mm512_mask_mov_ps(LOAD(block), won, number));              \
        STORE(value, acc);                                                       \
    } while (0)
#define MATCHES(x, y) _mm512_cmp_ps_mask(x, y, _CMP_EQ_OQ)
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_avx512_spans, maxplus, spans, GEMM_MAXPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f32_avx512_spans_add, maxplus, spans_add,
                   GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f32_avx512_value, gemm_maxplus_f32_avx512_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_avx512_spans, minplus, spans, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f32_avx512_spans_add, minplus, spans_add,
                   GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f32_avx512_value, gemm_minplus_f32_avx512_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f32_avx512_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f32_avx512_value, gemm_maxtimes_f32_avx512_mul)

#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef SPLAT
#undef MAX
#undef MIN
#undef SUFFIX
#undef ELEMENT_SIZE
#undef BROADCAST
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m512d
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define SPLAT _mm512_set1_pd
#define MAX _mm512_max_pd
#define MIN _mm512_min_pd
#define SUFFIX "d"
#define ELEMENT_SIZE "8"
#define BROADCAST "%{1to8%}"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_f64_avx512_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_maxplus_f64_avx512_fma, maxplus, fma, GEMM_MAXPLUS_FMA)
GEMM_KERNEL(gemm_minplus_f64_avx512_add, minplus, add, GEMM_MINPLUS_ADD)
GEMM_KERNEL(gemm_minplus_f64_avx512_fma, minplus, fma, GEMM_MINPLUS_FMA)
GEMM_KERNEL(gemm_maxtimes_f64_avx512_mul, maxtimes, mul, GEMM_MAXTIMES_MUL)

#undef NOTE
#undef MATCHES
#define NOTE(acc, value, block, number)                                         \
    do {                                                                        \
        const __mmask8 won = _mm512_cmp_pd_mask(acc, LOAD(value), _CMP_NEQ_OQ); \
        STORE(block, _mm512_mask_mov_pd(LOAD(block), won, number));             \
        STORE(value, acc);                                                      \
    } while (0)
#define MATCHES(x, y) _mm512_cmp_pd_mask(x, y, _CMP_EQ_OQ)
#include "gemm_argmax_body.h"

GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_avx512_spans, maxplus, spans, GEMM_MAXPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxplus_f64_avx512_spans_add, maxplus, spans_add,
                   GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_maxplus_f64_avx512_value, gemm_maxplus_f64_avx512_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_avx512_spans, minplus, spans, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_KERNEL(gemm_argmax_minplus_f64_avx512_spans_add, minplus, spans_add,
                   GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(gemm_argmax_minplus_f64_avx512_value, gemm_minplus_f64_avx512_fma)
GEMM_ARGMAX_KERNEL(gemm_argmax_maxtimes_f64_avx512_spans, maxtimes, spans,
                   GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(gemm_argmax_maxtimes_f64_avx512_value, gemm_maxtimes_f64_avx512_mul)
#undef TYPE
#undef NAME
#undef VEC
#undef LOAD
#undef STORE
#undef SPLAT
#undef MAX
#undef MIN
#undef SUFFIX
#undef ELEMENT_SIZE
#undef BROADCAST
#undef PRODUCTS
#undef UPDATE

/* Integers. */
#define PRODUCTS(u, i, j, r)                        \
    __asm__(ADD_OP " " ELEMENT(u, r) ", %[b], %[t]" \
            : [t] "=v"(t[0])                        \
            : [b] "v"(bv[0]), A_OPERANDS(j))
#define UPDATE(c, t)                                          \
    do {                                                      \
        if (gemm_form_min(form))                              \
            __asm__(MIN_OP " %0, %1, %0" : "+v"(c) : "v"(t)); \
        else                                                  \
            __asm__(MAX_OP " %0, %1, %0" : "+v"(c) : "v"(t)); \
    } while (0)
#define VEC __m512i
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define TYPE int32_t
#define NAME(x) x##_i32
#define INTEGER_LIMIT GEMM_I32_LIMIT
#define SPLAT _mm512_set1_epi32
#define MAX _mm512_max_epi32
#define MIN _mm512_min_epi32
#define ADD_OP "vpaddd"
#define MAX_OP "vpmaxsd"
#define MIN_OP "vpminsd"
#define ELEMENT_SIZE "4"
#define BROADCAST "%{1to16%}"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i32_avx512_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i32_avx512_add, minplus, add, GEMM_MINPLUS_ADD)

#undef TYPE
#undef NAME
#undef INTEGER_LIMIT
#undef SPLAT
#undef MAX
#undef MIN
#undef ADD_OP
#undef MAX_OP
#undef MIN_OP
#undef ELEMENT_SIZE
#undef BROADCAST
#define TYPE int64_t
#define NAME(x) x##_i64
#define INTEGER_LIMIT GEMM_I64_LIMIT
#define SPLAT _mm512_set1_epi64
#define MAX _mm512_max_epi64
#define MIN _mm512_min_epi64
#define ADD_OP "vpaddq"
#define MAX_OP "vpmaxsq"
#define MIN_OP "vpminsq"
#define ELEMENT_SIZE "8"
#define BROADCAST "%{1to8%}"
#include "gemm_body.h"

GEMM_KERNEL(gemm_maxplus_i64_avx512_add, maxplus, add, GEMM_MAXPLUS_ADD)
GEMM_KERNEL(gemm_minplus_i64_avx512_add, minplus, add, GEMM_MINPLUS_ADD)
