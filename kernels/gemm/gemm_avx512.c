/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm_argmax_tile.h"
#include "gemm_tile.h"

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
#define EACH_ROW LINES_24
/* clang-format off */
#define EACH_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 6, 1) X(s, v, f, 8, 1) \
    X(s, v, f, 10, 1) X(s, v, f, 12, 1) X(s, v, f, 14, 1) X(s, v, f, 16, 1) \
    X(s, v, f, 18, 1) X(s, v, f, 20, 1) X(s, v, f, 22, 1) X(s, v, f, 24, 1)
/* clang-format on */
#define HIDE_VECTOR(x) __asm__("" : "+v"(x))

#define ELEMENT(u, r) #u "*" ELEMENT_SIZE AT_##r BROADCAST
#define PRODUCTS(u, i, j, r)                                               \
    if (gemm_form_fma(form))                                               \
        __asm__("vmovaps %[b], %[t]\n\t"                                   \
                "vfmadd231p" SUFFIX " " ELEMENT(u, r) ", %[one], %[t]"     \
                : [t] "=&v"(t[0])                                          \
                : [b] "v"(bv[0]), [one] "v"(one), LINE_OPERANDS(TYPE, j)); \
    else if (form == GEMM_MAXTIMES_MUL)                                    \
        __asm__("vmulp" SUFFIX " " ELEMENT(u, r) ", %[b], %[t]"            \
                : [t] "=v"(t[0])                                           \
                : [b] "v"(bv[0]), LINE_OPERANDS(TYPE, j));                 \
    else                                                                   \
        __asm__("vaddp" SUFFIX " " ELEMENT(u, r) ", %[b], %[t]"            \
                : [t] "=v"(t[0])                                           \
                : [b] "v"(bv[0]), LINE_OPERANDS(TYPE, j))

#define UPDATE(c, t)                                          \
    do {                                                      \
        if (gemm_form_min(form))                              \
            __asm__(MIN_OP " %0, %1, %0" : "+v"(c) : "v"(t)); \
        else                                                  \
            __asm__(MAX_OP " %0, %1, %0" : "+v"(c) : "v"(t)); \
    } while (0)

#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SPLAT INTRINSIC(set1)
#define MAX_OP "vmaxp" SUFFIX
#define MIN_OP "vminp" SUFFIX
#define MAX INTRINSIC(max)
#define MIN INTRINSIC(min)
#define NOTE(acc, value, block, number)                              \
    do {                                                             \
        const MASK won = COMPARE(acc, LOAD(value), _CMP_NEQ_OQ);     \
        STORE(block, INTRINSIC(mask_mov)(LOAD(block), won, number)); \
        STORE(value, acc);                                           \
    } while (0)
#define MATCHES(x, y) COMPARE(x, y, _CMP_EQ_OQ)

/* gemm_argmax with winners in registers: 12 rows fill them. In this order, since the move
 * after the maximum was slower. */
#define MASKED_ROWS 12
#define WINNERS __m512i
#define GREATER "$30"
#define LESS "$17"
/* clang-format off */
#define EACH_MASKED_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 6, 1) X(s, v, f, 8, 1) \
    X(s, v, f, 10, 1) X(s, v, f, 12, 1)
#define UPDATE_BY(predicate, op, c, w, t, n)                                   \
    do {                                                                       \
        MASK won;                                                              \
        __asm__("vcmpp" SUFFIX " " predicate ", %[best], %[new], %[won]\n\t"   \
                MOVE " %[number], %[winner]%{%[won]%}\n\t"                     \
                op " %[best], %[new], %[best]"                                 \
                : [best] "+v"(c), [winner] "+v"(w), [won] "=&Yk"(won)          \
                : [new] "v"(t), [number] "v"(n));                              \
    } while (0)
/* clang-format on */
#define UPDATE_WINNER(c, w, t, n)                   \
    do {                                            \
        if (gemm_form_min(form))                    \
            UPDATE_BY(LESS, MIN_OP, c, w, t, n);    \
        else                                        \
            UPDATE_BY(GREATER, MAX_OP, c, w, t, n); \
    } while (0)

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m512
#define INTRINSIC(op) _mm512_##op##_ps
#define MASK __mmask16
#define COMPARE _mm512_cmp_ps_mask
#define SUFFIX "s"
#define ELEMENT_SIZE "4"
#define BROADCAST "%{1to16%}"
#define MOVE "vmovdqa32"
#define LOAD_WINNERS(p) _mm512_loadu_si512(p)
#define STORE_WINNERS(p, v) _mm512_storeu_si512(p, v)
#define SPLAT_WINNERS(n) _mm512_set1_epi32((int)(n))
#define ADD_WINNERS _mm512_add_epi32
#include "gemm_body.h"
GEMM_FMA_ROWS(f32_avx512)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_FMA_ROWS(f32_avx512)
#include "gemm_argmax_masked_body.h"
GEMM_MASKED_ROWS(f32_avx512, ADD)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef MASK
#undef COMPARE
#undef SUFFIX
#undef ELEMENT_SIZE
#undef BROADCAST
#undef MOVE
#undef LOAD_WINNERS
#undef STORE_WINNERS
#undef SPLAT_WINNERS
#undef ADD_WINNERS
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m512d
#define INTRINSIC(op) _mm512_##op##_pd
#define MASK __mmask8
#define COMPARE _mm512_cmp_pd_mask
#define SUFFIX "d"
#define ELEMENT_SIZE "8"
#define BROADCAST "%{1to8%}"
#define MOVE "vmovdqa64"
#define LOAD_WINNERS(p) _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(p)))
#define STORE_WINNERS(p, v) _mm256_storeu_si256((__m256i *)(p), _mm512_cvtepi64_epi32(v))
#define SPLAT_WINNERS _mm512_set1_epi64
#define ADD_WINNERS _mm512_add_epi64
#include "gemm_body.h"
GEMM_FMA_ROWS(f64_avx512)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_FMA_ROWS(f64_avx512)
#include "gemm_argmax_masked_body.h"
GEMM_MASKED_ROWS(f64_avx512, ADD)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef MASK
#undef COMPARE
#undef SUFFIX
#undef ELEMENT_SIZE
#undef BROADCAST
#undef MOVE
#undef LOAD_WINNERS
#undef STORE_WINNERS
#undef SPLAT_WINNERS
#undef ADD_WINNERS
#undef LOAD
#undef STORE
#undef SPLAT
#undef MAX_OP
#undef MIN_OP
#undef MAX
#undef MIN
#undef PRODUCTS

/* Integers. */
#define PRODUCTS(u, i, j, r)                        \
    __asm__(ADD_OP " " ELEMENT(u, r) ", %[b], %[t]" \
            : [t] "=v"(t[0])                        \
            : [b] "v"(bv[0]), LINE_OPERANDS(TYPE, j))
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
GEMM_INTEGER_ROWS(i32_avx512)

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
GEMM_INTEGER_ROWS(i64_avx512)
