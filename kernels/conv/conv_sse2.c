/* SPDX-License-Identifier: Apache-2.0 */
#include <emmintrin.h>

#include "conv_plan.h"

/* Two vectors to a block. */
#define VEC __m128
#define LANES 4
#define BLOCK 8
#define LOAD _mm_loadu_ps
#define STORE _mm_storeu_ps
#define ADD _mm_add_ps
#define ZERO _mm_setzero_ps
#define MULTIPLY_ADD(x, w, sum) _mm_add_ps(sum, _mm_mul_ps(x, w))
#define SPLAT_LOAD _mm_load1_ps
#define TALL 4
#define WIDE 2
#define MAX_VECTORS 2
#define MAX_COLUMNS 6
#define EACH_COLUMN LINES_6
/* clang-format off */
#define EACH_TILE(X) X(1, 1) X(2, 1) X(3, 1) X(4, 1) X(5, 1) X(6, 1)
#define EACH_PLAIN_TILE(X) \
    X(1, 1) X(1, 2) X(2, 1) X(2, 2) X(3, 1) X(3, 2) X(4, 1) X(4, 2)
/* clang-format on */
#define LOAD_WEIGHT(w, at) \
    __asm__ volatile("movaps %1, %0" : "=x"(w) : "m"(*(const VEC *)(at)))
#define COLUMN(u, i, j, r)                                                               \
    do {                                                                                 \
        VEC t, product;                                                                  \
        __asm__ volatile("movss " ELEMENT(u, r) ", %[t]\n\t"                             \
                                                "shufps $0, %[t], %[t]\n\t"              \
                                                "movaps %[t], %[product]\n\t"            \
                                                "mulps %[w0], %[product]\n\t"            \
                                                "addps %[product], %[a0]\n\t"            \
                                                "mulps %[w1], %[t]\n\t"                  \
                                                "addps %[t], %[a1]"                      \
                         : [t] "=&x"(t), [product] "=&x"(product), [a0] "+x"(acc[i][0]), \
                           [a1] "+x"(acc[i][1])                                          \
                         : [w0] "x"(weight[0]), [w1] "x"(weight[1]), X_OPERANDS(j));     \
    } while (0)

#include "conv_rows.h"

CONV_ROWS(sse2)
