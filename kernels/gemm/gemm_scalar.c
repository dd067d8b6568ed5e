/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_tile.h"
#include "vector/vector_scalar.h"

#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define PRODUCTS PLAIN_PRODUCTS

#define GEMM_EDGE_TILES 0
#define ARGMAX_UNROLL
#define TILE_ROWS 4
#define EACH_ROW LINES_4
#define EACH_TILE(X, s, v, f) HEIGHTS_4(X, s, v, f, 1) HEIGHTS_4(X, s, v, f, 2)
#define UPDATE(c, t) ((c) = BETTER(t, c))
#define T f32
#include "gemm_body.h"
#include "gemm_rows_body.h"
#define T f64
#include "gemm_body.h"
#include "gemm_rows_body.h"

/* Integers: fewer rows, because x86 has 16 registers for sums and addresses together. */
#undef TILE_ROWS
#undef EACH_ROW
#undef EACH_TILE
#undef HIDE_VECTOR
#define TILE_ROWS 2
#define EACH_ROW LINES_2
#define EACH_TILE(X, s, v, f) HEIGHTS_2(X, s, v, f, 1) HEIGHTS_2(X, s, v, f, 2)
#define HIDE_VECTOR HIDE
#if defined(__x86_64__)
/* In asm, because compilers branch. */
#undef UPDATE
#define UPDATE(c, t)                                                         \
    do {                                                                     \
        if (gemm_form_min(form))                                             \
            __asm__("cmp %1, %0\n\tcmovg %1, %0" : "+r"(c) : "r"(t) : "cc"); \
        else                                                                 \
            __asm__("cmp %1, %0\n\tcmovl %1, %0" : "+r"(c) : "r"(t) : "cc"); \
    } while (0)
#endif
#define T i32
#include "gemm_body.h"
#include "gemm_rows_body.h"
#define T i64
#include "gemm_body.h"
#include "gemm_rows_body.h"
