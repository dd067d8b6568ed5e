/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_neon.h"

#define T f32

/* Two vectors to a block; four times six columns or two times twelve are 24 sums of 32
 * registers. An element of x is a lane of the product. */
#define BLOCK 8
#define TALL 8
#define WIDE 3
#define MAX_VECTORS 4
#define COLUMNS_2 12
#define COLUMNS_4 6
/* clang-format off */
#define EACH_PLAIN_TILE(X) \
    X(1, 1) X(1, 2) X(1, 3) X(2, 1) X(2, 2) X(2, 3) X(3, 1) X(3, 2) X(3, 3) X(4, 1) \
    X(4, 2) X(4, 3) X(5, 1) X(5, 2) X(5, 3) X(6, 1) X(6, 2) X(6, 3) X(7, 1) X(7, 2) \
    X(7, 3) X(8, 1) X(8, 2) X(8, 3)
/* clang-format on */
#define EACH_BODY(X) X(any, 0, 0, CUT)
#define LOAD_WEIGHT(u, v) \
    __asm__ volatile("ldr %q0, %1" : "=w"(weight[v]) : "m"(WEIGHT_VECTOR(u, v)))
#define FMA(v) "fmla %[a" #v "].4s, %[w" #v "].4s, %[t].s[0]\n\t"
#define SUM(i, v) [a##v] "+w"(acc[i][v])
#define WEIGHT(v) [w##v] "w"(weight[v])
#define COLUMN(u, i, at, ...)                                                            \
    do {                                                                                 \
        VEC t;                                                                           \
        if (VECTORS == 2)                                                                \
            __asm__ volatile("ldr %s[t], " at "\n\t" FMA(0) FMA(1)                       \
                             : [t] "=&w"(t), SUM(i, 0), SUM(i, 1)                        \
                             : WEIGHT(0), WEIGHT(1), __VA_ARGS__);                       \
        else                                                                             \
            __asm__ volatile("ldr %s[t], " at "\n\t" FMA(0) FMA(1) FMA(2) FMA(3)         \
                             : [t] "=&w"(t), SUM(i, 0), SUM(i, 1), SUM(i, 2), SUM(i, 3)  \
                             : WEIGHT(0), WEIGHT(1), WEIGHT(2), WEIGHT(3), __VA_ARGS__); \
    } while (0)

#include "conv_rows.h"
