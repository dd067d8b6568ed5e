/* SPDX-License-Identifier: Apache-2.0 */
#include "gemm_argmax_tile.h"
#include "gemm_tile.h"
#include "vector/vector_sse2.h"

#define TILE_ROWS 4
#define TILE_VECTORS 2
#define HEIGHT_STEP 1
#define CROWD 4
#define IN_PLACE (16 << 10)
#define UPDATE(c, t) ((c) = BETTER(t, c))
#define STEPS 2
#define EACH_STEP(X) X(0) X(1)
#define EACH_ROW LINES_4
#define EACH_TILE(X, s, v, f) HEIGHTS_4(X, s, v, f, 1) HEIGHTS_4(X, s, v, f, 2)
#define PRODUCTS PLAIN_PRODUCTS

#define GEMM_SLIM
#define GEMM_EDGE_TILES 0
#include "gemm_types_body.h"
