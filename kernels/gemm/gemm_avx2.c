/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <string.h>

#include "gemm_argmax_tile.h"
#include "gemm_tile.h"

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
#define EACH_ROW LINES_5
#define EACH_TILE(X, s, v, f) HEIGHTS_5(X, s, v, f, 1) HEIGHTS_5(X, s, v, f, 2)
#define HIDE_VECTOR(x) __asm__("" : "+x"(x))

#define SPREAD(u, r, to) \
    "vbroadcasts" SUFFIX " " #u "*" ELEMENT_SIZE AT_##r ", %[" #to "]\n\t"
#define FMA_INTO(to, b) "vfmadd213p" SUFFIX " %[" #b "], %[one], %[" #to "]\n\t"
#define A_OPERANDS(j) \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [one] "x"(one), LINE_MEMORY(TYPE, j)
#define PRODUCTS(u, i, j, r)                                                           \
    if (!gemm_form_fma(form)) {                                                        \
        PLAIN_PRODUCTS(u, i, j, r);                                                    \
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

#define LOAD INTRINSIC(loadu)
#define STORE INTRINSIC(storeu)
#define SPLAT INTRINSIC(set1)
#define MAX INTRINSIC(max)
#define MIN INTRINSIC(min)
#define ADD INTRINSIC(add)
#define MUL INTRINSIC(mul)
#define NOTE(acc, value, block, number)                                \
    do {                                                               \
        const VEC won = INTRINSIC(cmp)(acc, LOAD(value), _CMP_NEQ_OQ); \
        STORE(block, INTRINSIC(blendv)(LOAD(block), number, won));     \
        STORE(value, acc);                                             \
    } while (0)
#define MATCHES(x, y) INTRINSIC(movemask)(INTRINSIC(cmp)(x, y, _CMP_EQ_OQ))

/* gemm_argmax with winners in registers. */
#define MASKED_ROWS 5
#define EACH_MASKED_TILE EACH_TILE
#define WINNERS __m256i
#define GREATER "$30"
#define LESS "$17"
/* clang-format off */
#define UPDATE_BY(predicate, op, c, w, t, n)                                   \
    do {                                                                       \
        VEC won;                                                               \
        __asm__("vcmpp" SUFFIX " " predicate ", %[best], %[new], %[won]\n\t"   \
                "vblendvp" SUFFIX " %[won], %[number], %[winner], %[winner]\n\t" \
                op " %[best], %[new], %[best]"                                 \
                : [best] "+x"(c), [winner] "+x"(w), [won] "=&x"(won)           \
                : [new] "x"(t), [number] "x"(n));                              \
    } while (0)
/* clang-format on */
#define UPDATE_WINNER(c, w, t, n)                           \
    do {                                                    \
        if (gemm_form_min(form))                            \
            UPDATE_BY(LESS, "vminp" SUFFIX, c, w, t, n);    \
        else                                                \
            UPDATE_BY(GREATER, "vmaxp" SUFFIX, c, w, t, n); \
    } while (0)

#define TYPE float
#define NAME(x) x##_f32
#define VEC __m256
#define INTRINSIC(op) _mm256_##op##_ps
#define SUFFIX "s"
#define ELEMENT_SIZE "4"
#define LOAD_WINNERS(p) _mm256_loadu_si256((const __m256i *)(p))
#define STORE_WINNERS(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define SPLAT_WINNERS(n) _mm256_set1_epi32((int)(n))
#define ADD_WINNERS _mm256_add_epi32
#include "gemm_body.h"
GEMM_FMA_ROWS(f32_avx2)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_FMA_ROWS(f32_avx2)
#include "gemm_argmax_masked_body.h"
GEMM_MASKED_ROWS(f32_avx2, FMA)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef SUFFIX
#undef ELEMENT_SIZE
#undef LOAD_WINNERS
#undef STORE_WINNERS
#undef SPLAT_WINNERS
#undef ADD_WINNERS
#define TYPE double
#define NAME(x) x##_f64
#define VEC __m256d
#define INTRINSIC(op) _mm256_##op##_pd
#define SUFFIX "d"
#define ELEMENT_SIZE "8"
#define LOAD_WINNERS(p) _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)(p)))
#define STORE_WINNERS(p, v)                                                              \
    _mm_storeu_si128((__m128i *)(p), _mm256_castsi256_si128(_mm256_permutevar8x32_epi32( \
                                         v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6))))
#define SPLAT_WINNERS _mm256_set1_epi64x
#define ADD_WINNERS _mm256_add_epi64
#include "gemm_body.h"
GEMM_FMA_ROWS(f64_avx2)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_FMA_ROWS(f64_avx2)
#include "gemm_argmax_masked_body.h"
GEMM_MASKED_ROWS(f64_avx2, FMA)

#undef TYPE
#undef NAME
#undef VEC
#undef INTRINSIC
#undef SUFFIX
#undef ELEMENT_SIZE
#undef LOAD_WINNERS
#undef STORE_WINNERS
#undef SPLAT_WINNERS
#undef ADD_WINNERS
#undef LOAD
#undef STORE
#undef SPLAT
#undef MAX
#undef MIN
#undef ADD
#undef MUL
#undef PRODUCTS
#undef UPDATE

/* Integers. There is no maximum of 64 bits, but numbers are the bits of positive floats
 * here. */
#define PRODUCTS PLAIN_PRODUCTS
#define MUL ADD
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
GEMM_INTEGER_ROWS(i32_avx2)

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
GEMM_INTEGER_ROWS(i64_avx2)
