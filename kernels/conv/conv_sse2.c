/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_sse2.h"

#define T f32

/* Two vectors to a block; three columns times two blocks or six times one are 12 sums of
 * 16 registers, so weights are operands in memory. */
#define BLOCK 8
#define TALL 4
#define WIDE 2
#define MAX_VECTORS 4
#define COLUMNS_2 6
#define COLUMNS_4 3
#define EACH_PLAIN_TILE(X) PLAIN_TILES_4(UP_TO_2, X)
#define EACH_BODY BODIES_OF_8
#define LOAD_WEIGHT(u, v) (void)weight[v]
#define SPREAD(at) "movss " at ", %[t]\n\tshufps $0, %[t], %[t]\n\t"
#define MULTIPLY(v, product) \
    "mulps %[w" #v "], %[" #product "]\n\taddps %[" #product "], %[a" #v "]\n\t"
#define PRODUCT(v) "movaps %[t], %[product]\n\t" MULTIPLY(v, product)
#define SUM(i, v) [a##v] "+x"(acc[i][v])
#define WEIGHT(u, v) [w##v] "m"(WEIGHT_VECTOR(u, v))
#define COLUMN(u, i, at, ...)                                                           \
    do {                                                                                \
        VEC t, product;                                                                 \
        if (VECTORS == 2)                                                               \
            __asm__ volatile(SPREAD(at) PRODUCT(0) MULTIPLY(1, t)                       \
                             : [t] "=&x"(t), [product] "=&x"(product), SUM(i, 0),       \
                               SUM(i, 1)                                                \
                             : WEIGHT(u, 0), WEIGHT(u, 1), __VA_ARGS__);                \
        else                                                                            \
            __asm__ volatile(SPREAD(at) PRODUCT(0) PRODUCT(1) PRODUCT(2) MULTIPLY(3, t) \
                             : [t] "=&x"(t), [product] "=&x"(product), SUM(i, 0),       \
                               SUM(i, 1), SUM(i, 2), SUM(i, 3)                          \
                             : WEIGHT(u, 0), WEIGHT(u, 1), WEIGHT(u, 2), WEIGHT(u, 3),  \
                               __VA_ARGS__);                                            \
    } while (0)

#include "conv_rows.h"
#define NAIVE naive_autovec
#include "conv_naive_body.h"
