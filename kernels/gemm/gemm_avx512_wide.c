/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `wide` of gemm and gemm_argmax, for CPUs that compute all 512 bits at once. They
 * begin two products in a cycle, and tiles of one vector (gemm_avx512.c) have 25 loads
 * for 24 products, one more than the two in each cycle: here are 12 rows of two vectors.
 * Maxima of four rows and two vectors, what they were and their spans fill the registers;
 * tiles of eight rows and one vector have nine loads for eight products. Zen 4 computes
 * 512 bits in two halves, and such a tile's elements of A, each spread over a vector by
 * an instruction of its own, take the place of maxima there.
 */
#include "gemm_argmax_tile.h"
#include "gemm_fma_tile.h"
#include "vector/vector_avx512.h"

#define LOADED (rows - 3)
#define TILE_ROWS 12
#define TILE_VECTORS 2
#define HEIGHT_STEP 2
#define CROWD 6
#define IN_PLACE (1 << 20)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_12
/* clang-format off */
#define EACH_WIDTH(X, s, v, f, vectors) \
    X(s, v, f, 1, vectors) X(s, v, f, 2, vectors) X(s, v, f, 4, vectors) \
    X(s, v, f, 6, vectors) X(s, v, f, 8, vectors) X(s, v, f, 10, vectors) \
    X(s, v, f, 12, vectors)
/* clang-format on */
#define EACH_TILE(X, s, v, f) EACH_WIDTH(X, s, v, f, 1) EACH_WIDTH(X, s, v, f, 2)
#define GEMM_SLIM
#define FLAT_FAR PTRDIFF_MAX
#define GEMM_EDGE_TILES 1
#define GEMM_FMA_ROWS
#define ARGMAX_ROWS 4
/* clang-format off */
#define EACH_ARGMAX_TILE(X, s, v, f) \
    X(s, v, f, 1, 1) X(s, v, f, 2, 1) X(s, v, f, 4, 1) X(s, v, f, 1, 2) X(s, v, f, 2, 2) \
    X(s, v, f, 4, 2)
/* clang-format on */

#define REGISTER "v"
#define FMA_OPERANDS(j) [one] "v"(one), LINE_OPERANDS(j)
#define PRODUCTS(u, i, j, r)        \
    if (!gemm_form_fma(form)) {     \
        PLAIN_PRODUCTS(u, i, j, r); \
    } else {                        \
        FMA_PRODUCTS(u, i, j, r);   \
    }
#define UPDATE(c, t)                                                                  \
    do {                                                                              \
        if (gemm_form_min(form))                                                      \
            __asm__("vminp" OF(FLOAT) " %0, %1, %0" : "+" REGISTER(c) : REGISTER(t)); \
        else                                                                          \
            __asm__("vmaxp" OF(FLOAT) " %0, %1, %0" : "+" REGISTER(c) : REGISTER(t)); \
    } while (0)

#define T f32
#include "gemm_body.h"
GEMM_KERNEL(maxplus, wide, GEMM_MAXPLUS_RELOAD)
GEMM_KERNEL(minplus, wide, GEMM_MINPLUS_RELOAD)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_KERNEL(maxplus, wide, GEMM_MAXPLUS_RELOAD)
GEMM_ARGMAX_KERNEL(minplus, wide, GEMM_MINPLUS_RELOAD)
#undef T
#define T f64
#include "gemm_body.h"
GEMM_KERNEL(maxplus, wide, GEMM_MAXPLUS_RELOAD)
GEMM_KERNEL(minplus, wide, GEMM_MINPLUS_RELOAD)
#include "gemm_argmax_body.h"
GEMM_ARGMAX_KERNEL(maxplus, wide, GEMM_MAXPLUS_RELOAD)
GEMM_ARGMAX_KERNEL(minplus, wide, GEMM_MINPLUS_RELOAD)
