/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_tile.h"
#include "vector/vector_neon.h"

/* Twelve rows of two vectors are 24 sums; the others of the 32 registers hold B, an
 * element of A and products. */
#define TILE_ROWS 12
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_12
#define EACH_TILE(X, s, v, f) HEIGHTS_12(X, s, v, f, 1) HEIGHTS_12(X, s, v, f, 2)

/* Instructions and how they spell a vector. Maxima of i64 as in vector_neon.h. */
#define ARRANGEMENT_f32 "4s"
#define ARRANGEMENT_f64 "2d"
#define ARRANGEMENT_i32 "4s"
#define ARRANGEMENT_i64 "2d"
#define SUM_f32 "fadd"
#define SUM_f64 "fadd"
#define SUM_i32 "add"
#define SUM_i64 "add"
#define BEST_f32(op) "f" op "nm"
#define BEST_f64(op) "f" op "nm"
#define BEST_i32(op) "s" op
#define BEST_i64(op) "f" op "nm"
#define LANE OF(ARRANGEMENT)

/* In asm, row by row: compilers gather loads and products before the maxima, and run out
 * of registers. */
#define UPDATE_BY(op, c, t)                                             \
    __asm__ volatile(OF(BEST)(op) " %0." LANE ", %0." LANE ", %1." LANE \
                     : "+w"(c)                                          \
                     : "w"(t))
#define UPDATE(c, t)                \
    do {                            \
        if (gemm_form_min(form))    \
            UPDATE_BY("min", c, t); \
        else                        \
            UPDATE_BY("max", c, t); \
    } while (0)
#define TWO_PRODUCTS(op, u, j, r)                                                      \
    __asm__ volatile("ld1r {%[x]." LANE "}, %[a]\n\t" op " %[t0]." LANE ", %[x]." LANE \
                     ", %[b0]." LANE "\n\t" op " %[t1]." LANE ", %[x]." LANE           \
                     ", %[b1]." LANE                                                   \
                     : [x] "=&w"(x), [t0] "=&w"(t[0]), [t1] "=w"(t[TILE_VECTORS - 1])  \
                     : [a] "Q"(*ROW_ADDRESS(u, j, r)), [b0] "w"(bv[0]),                \
                       [b1] "w"(bv[TILE_VECTORS - 1]))
#define PRODUCTS(u, i, j, r)                \
    VEC x;                                  \
    if (vectors == 1) {                     \
        x = SPLAT(*ROW_ADDRESS(u, j, r));   \
        t[0] = OF(times)(x, bv[0], form);   \
    } else if (form == GEMM_MAXTIMES_MUL) { \
        TWO_PRODUCTS("fmul", u, j, r);      \
    } else {                                \
        TWO_PRODUCTS(OF(SUM), u, j, r);     \
    }

#define GEMM_SLIM
#define GEMM_EDGE_TILES 0
#include "gemm_types_body.h"
