/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_fma_tile.h"
#include "gemm_tile.h"
#include "vector/vector_avx2.h"

/* Five rows of two vectors. The rate is that of decoding (3 instructions a product: a
 * copy of a factor, the destructive fma, the max), so no k-step has more than 3 x 10.
 * Products of gemm_argmax reload, which on Zen 4 is as fast. */
#define LOADED 2
#define TILE_ROWS 5
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define STEPS 8
#define EACH_STEP(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define EACH_ROW LINES_5
#define EACH_TILE(X, s, v, f) HEIGHTS_5(X, s, v, f, 1) HEIGHTS_5(X, s, v, f, 2)
#define GEMM_SLIM
#define GEMM_EDGE_TILES 0
#define GEMM_FMA_ROWS
#define GEMM_RELOAD_ROWS
#define SPANS_MAXPLUS GEMM_MAXPLUS_RELOAD
#define SPANS_MINPLUS GEMM_MINPLUS_RELOAD

/* Instructions. Integers have no fma; their asm only has to be spelt. */
#define BEST_f32(op) "v" op "ps %0, %1, %0"
#define BEST_f64(op) "v" op "pd %0, %1, %0"
#define BEST_i32(op) "vp" op "sd %1, %0, %0"
#define BEST_i64(op) "v" op "pd %1, %0, %0"

#define REGISTER "x"
#define FMA_OPERANDS(j) \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [one] "x"(one), LINE_MEMORY(j)
#define PRODUCTS(u, i, j, r)                      \
    if (OF(IS_INTEGER) || !gemm_form_fma(form)) { \
        PLAIN_PRODUCTS(u, i, j, r);               \
    } else {                                      \
        FMA_PRODUCTS(u, i, j, r);                 \
    }
#define UPDATE(c, t)                                     \
    do {                                                 \
        if (gemm_form_min(form))                         \
            __asm__(OF(BEST)("min") : "+x"(c) : "x"(t)); \
        else                                             \
            __asm__(OF(BEST)("max") : "+x"(c) : "x"(t)); \
    } while (0)

/* gemm_argmax with winners in registers. */
#define MASKED_ROWS 5
#define MASKED_MAXPLUS GEMM_MAXPLUS_RELOAD
#define MASKED_MINPLUS GEMM_MINPLUS_RELOAD
#define EACH_MASKED_TILE EACH_TILE
/* clang-format off */
#define UPDATE_BY(predicate, op, c, w, t, n)                                   \
    do {                                                                       \
        VEC won;                                                               \
        __asm__("vcmpp" OF(FLOAT) " " predicate ", %[best], %[new], %[won]\n\t" \
                "vblendvp" OF(FLOAT) " %[won], %[number], %[winner], %[winner]\n\t" \
                "v" op "p" OF(FLOAT) " %[best], %[new], %[best]"               \
                : [best] "+x"(c), [winner] "+x"(w), [won] "=&x"(won)           \
                : [new] "x"(t), [number] "x"(n));                              \
    } while (0)
/* clang-format on */

INLINE vector_i64 load_winners_f64(const int32_t *p)
{
    return _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)p));
}

INLINE void store_winners_f64(int32_t *p, vector_i64 v)
{
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    const __m256i low = _mm256_permutevar8x32_epi32(v, even);
    _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(low));
}

#include "gemm_types_body.h"
