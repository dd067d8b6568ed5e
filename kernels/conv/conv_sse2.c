/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_sse2.h"

#define T f32

/* Two vectors to a block. */
#define BLOCK 8
#define TALL 4
#define WIDE 2
#define MAX_VECTORS 2
#define MAX_COLUMNS 6
#define EACH_COLUMN LINES_6
/* clang-format off */
#define EACH_TILE(X, b) \
    X(1, 1, b) X(2, 1, b) X(3, 1, b) X(4, 1, b) X(5, 1, b) X(6, 1, b)
#define EACH_PLAIN_TILE(X) \
    X(1, 1) X(1, 2) X(2, 1) X(2, 2) X(3, 1) X(3, 2) X(4, 1) X(4, 2)
/* clang-format on */
#define EACH_BODY(X) X(any, 0, 0, CUT)
#define LOAD_WEIGHT(w, at) \
    __asm__ volatile("movaps %1, %0" : "=x"(w) : "m"(*(const VEC *)(at)))
#define COLUMN(i, text, ...)                                                             \
    do {                                                                                 \
        VEC t, product;                                                                  \
        __asm__ volatile("movss " text ", %[t]\n\t"                                      \
                         "shufps $0, %[t], %[t]\n\t"                                     \
                         "movaps %[t], %[product]\n\t"                                   \
                         "mulps %[w0], %[product]\n\t"                                   \
                         "addps %[product], %[a0]\n\t"                                   \
                         "mulps %[w1], %[t]\n\t"                                         \
                         "addps %[t], %[a1]"                                             \
                         : [t] "=&x"(t), [product] "=&x"(product), [a0] "+x"(acc[i][0]), \
                           [a1] "+x"(acc[i][1])                                          \
                         : [w0] "x"(weight[0]), [w1] "x"(weight[1]), __VA_ARGS__);       \
    } while (0)

#include "conv_rows.h"
#define NAIVE naive_autovec
#include "conv_naive_body.h"
