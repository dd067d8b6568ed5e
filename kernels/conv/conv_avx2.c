/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_avx2.h"

#define T f32

#define BLOCK 8
#define TALL 4
#define WIDE 3
#define MAX_VECTORS 3
#define COLUMNS_1 12
#define COLUMNS_2 6
#define COLUMNS_3 4
#define EACH_PLAIN_TILE(X) PLAIN_TILES_4(UP_TO_3, X)
#define EACH_BODY BODIES_OF_8
#define LOAD_WEIGHT(u, v) \
    __asm__ volatile("vmovaps %1, %0" : "=x"(weight[v]) : "m"(WEIGHT_VECTOR(u, v)))
#define SPREAD(at) "vbroadcastss " at ", %[t]\n\t"
#define FMA(v) "vfmadd231ps %[t], %[w" #v "], %[a" #v "]\n\t"
#define SUM(i, v) [a##v] "+x"(acc[i][v])
#define WEIGHT(v) [w##v] "x"(weight[v])
#define COLUMN(u, i, at, ...)                                                 \
    do {                                                                      \
        VEC t;                                                                \
        if (VECTORS == 1)                                                     \
            __asm__ volatile(SPREAD(at) FMA(0)                                \
                             : [t] "=&x"(t), SUM(i, 0)                        \
                             : WEIGHT(0), __VA_ARGS__);                       \
        else if (VECTORS == 2)                                                \
            __asm__ volatile(SPREAD(at) FMA(0) FMA(1)                         \
                             : [t] "=&x"(t), SUM(i, 0), SUM(i, 1)             \
                             : WEIGHT(0), WEIGHT(1), __VA_ARGS__);            \
        else                                                                  \
            __asm__ volatile(SPREAD(at) FMA(0) FMA(1) FMA(2)                  \
                             : [t] "=&x"(t), SUM(i, 0), SUM(i, 1), SUM(i, 2)  \
                             : WEIGHT(0), WEIGHT(1), WEIGHT(2), __VA_ARGS__); \
    } while (0)

#include "conv_rows.h"
#define SPILL_COLUMNS 20
#include "conv_pathologies_body.h"
#define NAIVE naive_autovec
#include "conv_naive_body.h"
