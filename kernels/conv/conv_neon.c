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
#define EACH_PLAIN_TILE(X) PLAIN_TILES_8(UP_TO_3, X)
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
