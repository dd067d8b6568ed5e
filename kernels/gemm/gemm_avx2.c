/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_tile.h"
#include "vector/vector_avx2.h"

/* Five rows of two vectors. The rate is that of decoding (3 instructions a product: a
 * copy of a factor, the destructive fma, the max), so no k-step has more than 3 x 10 of
 * them: the last two rows overwrite the vectors of B instead of copies, and the very last
 * reads one of them from memory again. A copy is a move, which some CPUs count among
 * the few vector instructions that they begin in a cycle, or another load: LOADED rows
 * load twice, so that a k-step has ten loads in its five cycles, two in each. */
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

/* Instructions. Integers have no fma; their asm only has to be spelt. */
#define FLOAT_f32 "s"
#define FLOAT_f64 "d"
#define FLOAT_i32 "s"
#define FLOAT_i64 "d"
#define BEST_f32(op) "v" op "ps %0, %1, %0"
#define BEST_f64(op) "v" op "pd %0, %1, %0"
#define BEST_i32(op) "vp" op "sd %1, %0, %0"
#define BEST_i64(op) "v" op "pd %1, %0, %0"

#define SPREAD(u, r, to) "vbroadcasts" OF(FLOAT) " " LINE_ELEMENT(u, r) ", %[" #to "]\n\t"
#define FMA_INTO(to, b) "vfmadd213p" OF(FLOAT) " %[" #b "], %[one], %[" #to "]\n\t"
#define A_OPERANDS(j) \
    [p] "r"(base[j]), [s1] "r"(s1), [s3] "r"(s3), [one] "x"(one), LINE_MEMORY(j)
#define PRODUCTS(u, i, j, r)                                                           \
    if (OF(IS_INTEGER) || !gemm_form_fma(form)) {                                      \
        PLAIN_PRODUCTS(u, i, j, r);                                                    \
    } else if (vectors == 1) {                                                         \
        __asm__(SPREAD(u, r, x) FMA_INTO(x, b)                                         \
                : [x] "=&x"(t[0])                                                      \
                : [b] "x"(bv[0]), A_OPERANDS(j));                                      \
    } else if (i == rows - 1) {                                                        \
        __asm__(SPREAD(u, r, x) FMA_INTO(b, x) FMA_INTO(x, m)                          \
                : [b] "+x"(bv[0]), [x] "=&x"(t[1])                                     \
                : [m] "m"(*(const T(*)[LANES])(bu + LANES)), A_OPERANDS(j));           \
        t[0] = bv[0];                                                                  \
    } else if (i == rows - 2) {                                                        \
        __asm__(SPREAD(u, r, x) FMA_INTO(c, x) FMA_INTO(x, b)                          \
                : [x] "=&x"(t[0]), [c] "+x"(bv[1])                                     \
                : [b] "x"(bv[0]), A_OPERANDS(j));                                      \
        t[1] = bv[1];                                                                  \
    } else if (i < LOADED) {                                                           \
        __asm__(SPREAD(u, r, x) SPREAD(u, r, y) FMA_INTO(x, b) FMA_INTO(y, c)          \
                : [x] "=&x"(t[0]), [y] "=&x"(t[1])                                     \
                : [b] "x"(bv[0]), [c] "x"(bv[1]), A_OPERANDS(j));                      \
    } else {                                                                           \
        __asm__(SPREAD(u, r, x) "vmovaps %[x], %[y]\n\t" FMA_INTO(x, b) FMA_INTO(y, c) \
                : [x] "=&x"(t[0]), [y] "=&x"(t[1])                                     \
                : [b] "x"(bv[0]), [c] "x"(bv[1]), A_OPERANDS(j));                      \
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
#define MASKED_MAXPLUS GEMM_MAXPLUS_FMA
#define MASKED_MINPLUS GEMM_MINPLUS_FMA
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
