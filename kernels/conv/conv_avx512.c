/* SPDX-License-Identifier: Apache-2.0 */
#include "conv_plan.h"
#include "vector/vector_avx512.h"

#define T f32

/* The element of x is loaded once for several vectors of weights, as CPUs with two
 * 512-bit FMAs a cycle have no more than two loads. A tile of four vectors has a register
 * for it because the last of its weights stay in memory. */
#define BLOCK 16
#define TALL 8
#define WIDE 3
#define MAX_VECTORS 4
#define COLUMNS_1 28
#define COLUMNS_2 14
#define COLUMNS_3 9
#define COLUMNS_4 7
#define EACH_PLAIN_TILE(X) PLAIN_TILES_8(UP_TO_3, X)
#define FMA_AT(at, v) "vfmadd231ps " at "%{1to16%}, %[w" #v "], %[a" #v "]\n\t"
#define FMA(v) "vfmadd231ps %[w" #v "], %[t], %[a" #v "]\n\t"
#define SPREAD(at) "vbroadcastss " at ", %[t]\n\t"
#define SUM(i, v) [a##v] "+v"(acc[i][v])
#define WEIGHT(v) [w##v] "v"(weight[v])
#define EACH_BODY(X)         \
    X(point1, 16, 16, ONE)   \
    X(image1x3, 1, 3, WHOLE) \
    X(image2x3, 2, 3, WHOLE) \
    X(any, 0, 0, CUT)
#define LOAD_WEIGHT(u, v)                                 \
    do {                                                  \
        if ((v) < 3)                                      \
            __asm__ volatile("vmovaps %1, %0"             \
                             : "=v"(weight[v])            \
                             : "m"(WEIGHT_VECTOR(u, v))); \
    } while (0)
#define COLUMN(u, i, at, ...)                                                           \
    do {                                                                                \
        VEC t;                                                                          \
        if (VECTORS == 1)                                                               \
            __asm__ volatile(FMA_AT(at, 0) : SUM(i, 0) : WEIGHT(0), __VA_ARGS__);       \
        else if (VECTORS == 2)                                                          \
            __asm__ volatile(SPREAD(at) FMA(0) FMA(1)                                   \
                             : [t] "=&v"(t), SUM(i, 0), SUM(i, 1)                       \
                             : WEIGHT(0), WEIGHT(1), __VA_ARGS__);                      \
        else if (VECTORS == 3)                                                          \
            __asm__ volatile(SPREAD(at) FMA(0) FMA(1) FMA(2)                            \
                             : [t] "=&v"(t), SUM(i, 0), SUM(i, 1), SUM(i, 2)            \
                             : WEIGHT(0), WEIGHT(1), WEIGHT(2), __VA_ARGS__);           \
        else                                                                            \
            __asm__ volatile(SPREAD(at) FMA(0) FMA(1) FMA(2) FMA(3)                     \
                             : [t] "=&v"(t), SUM(i, 0), SUM(i, 1), SUM(i, 2), SUM(i, 3) \
                             : WEIGHT(0), WEIGHT(1),                                    \
                               WEIGHT(2), [w3] "m"(WEIGHT_VECTOR(u, 3)), __VA_ARGS__);  \
    } while (0)

#include "conv_rows.h"
#define SPILL_COLUMNS 40
#include "conv_pathologies_body.h"
#define NAIVE naive_autovec
#include "conv_naive_body.h"
