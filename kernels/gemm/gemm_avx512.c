/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_tile.h"
#include "vector/vector_avx512.h"

/* One vector wide and up to 24 rows tall: the element of A is the memory operand of the
 * instruction that makes the product, so only the vector of B is copied before the
 * destructive fma. In asm because compilers that load the element into a register first
 * lose half the rate on CPUs that split 512-bit operations, and because they rotate
 * accumulators between registers. B is read in place up to a size where its rows come
 * from too many pages: a tile this tall uses each vector often enough. */
#define TILE_ROWS 24
#define TILE_VECTORS 1
#define HEIGHT_STEP 2
#define CROWD 6
#define IN_PLACE (512 << 10)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_24
/* clang-format off */
#define EACH_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 6, 1) X(s, v, f, 8, 1) \
    X(s, v, f, 10, 1) X(s, v, f, 12, 1) X(s, v, f, 14, 1) X(s, v, f, 16, 1) \
    X(s, v, f, 18, 1) X(s, v, f, 20, 1) X(s, v, f, 22, 1) X(s, v, f, 24, 1)
/* clang-format on */
#define GEMM_SLIM
#define FLAT_FAR PTRDIFF_MAX
#define GEMM_EDGE_TILES 1
#define GEMM_FMA_ROWS

/* Instructions. Integers have neither fma nor product; their asm only has to be spelt. */
#define BROADCAST_f32 "%{1to16%}"
#define BROADCAST_f64 "%{1to8%}"
#define BROADCAST_i32 "%{1to16%}"
#define BROADCAST_i64 "%{1to8%}"
#define HALF_BROADCAST_f32 "%{1to8%}"
#define HALF_BROADCAST_f64 "%{1to4%}"
#define HALF_BROADCAST_i32 "%{1to8%}"
#define HALF_BROADCAST_i64 "%{1to4%}"
#define PACKED_f32 "ps"
#define PACKED_f64 "pd"
#define PACKED_i32 "ps"
#define PACKED_i64 "pd"
#define SUM_f32 "vaddps"
#define SUM_f64 "vaddpd"
#define SUM_i32 "vpaddd"
#define SUM_i64 "vpaddq"
#define BEST_f32(op) "v" op "ps"
#define BEST_f64(op) "v" op "pd"
#define BEST_i32(op) "vp" op "sd"
#define BEST_i64(op) "vp" op "sq"

/* Vectors x and m: all of those of a tile, or halves. */
#define PRODUCT_OF(x, m, ones, broadcast, u, j, r)                                       \
    if (!OF(IS_INTEGER) && gemm_form_fma(form))                                          \
        __asm__("vmovaps %[b], %[t]\n\t"                                                 \
                "vfmadd231" OF(PACKED) " " LINE_ELEMENT(u, r) broadcast ", %[one], %[t]" \
                : [t] "=&v"(x)                                                           \
                : [b] "v"(m), [one] "v"(ones), LINE_OPERANDS(j));                        \
    else if (!OF(IS_INTEGER) && form == GEMM_MAXTIMES_MUL)                               \
        __asm__("vmul" OF(PACKED) " " LINE_ELEMENT(u, r) broadcast ", %[b], %[t]"        \
                : [t] "=v"(x)                                                            \
                : [b] "v"(m), LINE_OPERANDS(j));                                         \
    else                                                                                 \
        __asm__(OF(SUM) " " LINE_ELEMENT(u, r) broadcast ", %[b], %[t]"                  \
                : [t] "=v"(x)                                                            \
                : [b] "v"(m), LINE_OPERANDS(j))
#define PRODUCTS(u, i, j, r) PRODUCT_OF(t[0], bv[0], one, OF(BROADCAST), u, j, r)

#define UPDATE(c, t)                                                   \
    do {                                                               \
        if (gemm_form_min(form))                                       \
            __asm__(OF(BEST)("min") " %0, %1, %0" : "+v"(c) : "v"(t)); \
        else                                                           \
            __asm__(OF(BEST)("max") " %0, %1, %0" : "+v"(c) : "v"(t)); \
    } while (0)

/* Zen 4 splits 512-bit operations, so those of half of a vector take it half the time. */
#define LOW(v) _mm512_castps512_ps256((__m512)(v))
#define HALF __m256
#define WHOLE(v) (VEC) _mm512_castps256_ps512(v)
#define HALF_STEP(u, i, j, r)                                                \
    do {                                                                     \
        HALF part;                                                           \
        PRODUCT_OF(part, LOW(bv[0]), LOW(one), OF(HALF_BROADCAST), u, j, r); \
        UPDATE(half[i], part);                                               \
    } while (0)

/* gemm_argmax: 8 rows of maxima, of those seen before and of their spans fill the
 * registers. */
#define ARGMAX_ROWS 8
#define SPANS_MAXPLUS GEMM_MAXPLUS_FMA
#define SPANS_MINPLUS GEMM_MINPLUS_FMA
#define EACH_ARGMAX_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 6, 1) X(s, v, f, 8, 1)

/* gemm_argmax with winners in registers: 12 rows fill them. In this order, since the move
 * after the maximum was slower. */
#define MASKED_ROWS 12
#define MASKED_MAXPLUS GEMM_MAXPLUS_ADD
#define MASKED_MINPLUS GEMM_MINPLUS_ADD
#define MOVE_f32 "vmovdqa32"
#define MOVE_f64 "vmovdqa64"
/* clang-format off */
#define EACH_MASKED_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 6, 1) X(s, v, f, 8, 1) \
    X(s, v, f, 10, 1) X(s, v, f, 12, 1)
#define UPDATE_BY(predicate, op, c, w, t, n)                                   \
    do {                                                                       \
        OF(mask) won;                                                          \
        __asm__("vcmp" OF(PACKED) " " predicate ", %[best], %[new], %[won]\n\t" \
                OF(MOVE) " %[number], %[winner]%{%[won]%}\n\t"                 \
                OF(BEST)(op) " %[best], %[new], %[best]"                       \
                : [best] "+v"(c), [winner] "+v"(w), [won] "=&Yk"(won)          \
                : [new] "v"(t), [number] "v"(n));                              \
    } while (0)
/* clang-format on */

INLINE vector_i64 load_winners_f64(const int32_t *p)
{
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)p));
}

INLINE void store_winners_f64(int32_t *p, vector_i64 v)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi64_epi32(v));
}

#include "gemm_types_body.h"
