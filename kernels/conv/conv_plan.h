/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan that prepare makes of a convolution: the state of the rows of conv.
 *
 * A direct convolution is a sum of runs. A run is the products of `run` numbers that
 * follow each other at every pixel of x (the channels of a block; in a picture, whose
 * channels are planes, the columns of a row of the kernel) with `run` vectors of weights.
 * Each tap of the kernel (each row of it in a picture) is one run for every block (every
 * plane) of channels.
 *
 * A body computes tiles: `columns` neighbouring pixels of a row of y times `blocks`
 * blocks of output channels. Rows of taps that fall outside x are left out for each row
 * of y, single columns by taps with a cut; where more than one column would have to go,
 * the body works on a copy of x with zeros around each row (`padded`).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conv.h"

/* Lists of plain tiles, by their heights and widths. */
#define UP_TO_2(X, height) X(height, 1) X(height, 2)
#define UP_TO_3(X, height) UP_TO_2(X, height) X(height, 3)
#define PLAIN_TILES_4(WIDTHS, X) WIDTHS(X, 1) WIDTHS(X, 2) WIDTHS(X, 3) WIDTHS(X, 4)
#define PLAIN_TILES_6(WIDTHS, X) PLAIN_TILES_4(WIDTHS, X) WIDTHS(X, 5) WIDTHS(X, 6)
#define PLAIN_TILES_8(WIDTHS, X) PLAIN_TILES_6(WIDTHS, X) WIDTHS(X, 7) WIDTHS(X, 8)

enum conv_kind {
    CONV_DENSE,     /* runs of the channels of a block */
    CONV_POINTS,    /* the same, and all pixels of an image are one row: 1x1, stride 1 */
    CONV_PLANES,    /* x is plain: runs of the columns of a row of the kernel */
    CONV_DEPTHWISE, /* g = c = k > 1; weights are [kb][r][s][b] */
};

/* The abilities of a body, from which the plan chooses. */
struct conv_target {
    int block;              /* channels of a block: 16, 8 */
    int max_blocks;         /* tiles are 1 to max_blocks blocks wide */
    const int *max_columns; /* and up to max_columns[blocks - 1] pixels long */
};
extern const struct conv_target conv_target_avx512, conv_target_avx2, conv_target_sse2,
    conv_target_neon, conv_target_scalar;

/* The column of a tile that a tap leaves out, because it would fall outside x. */
enum conv_cut { CONV_CUT_NONE, CONV_CUT_FIRST, CONV_CUT_LAST };

struct conv_tap {
    ptrdiff_t offset; /* elements of x from where the kernel begins, padding included */
    enum conv_cut cut;
};

/* The tile of a row. */
enum conv_place {
    CONV_INSIDE,
    CONV_BEGIN = 1,
    CONV_END = 2,
    CONV_WHOLE = CONV_BEGIN | CONV_END,
    CONV_PLACES
};

struct conv_plan {
    struct conv_shape shape;
    enum conv_kind kind;
    ptrdiff_t block;
    float *weights; /* aligned to 64 bytes */
    float *scratch; /* aligned to 64 bytes; NULL if scratch_bytes is 0 */
    size_t scratch_bytes;
    char text[64]; /* for choice: "dense, tile 28x1" */

    /* From here on not for depthwise. Weights are [g][kb / blocks][depth][taps][run]
     * [blocks][block]; the last of the kb / blocks may have fewer blocks, and the last
     * of the depth may have fewer numbers in a run. */
    ptrdiff_t columns, blocks;       /* of a tile, at most */
    ptrdiff_t row_length, row_tiles; /* pixels of a row of y; its tiles, of lengths that
                                        differ by 1 at most */
    ptrdiff_t tiles, band;           /* of an image; how many are done before others */
    ptrdiff_t depth;                 /* blocks (planes) of x of one group */
    ptrdiff_t pass;                  /* and how many are summed up in registers */
    ptrdiff_t run, last_run;         /* numbers in a run; in those of the last block */
    ptrdiff_t row_taps;              /* taps in a row of the kernel; r rows of them */
    struct conv_tap *taps[CONV_PLACES];

    /* x as the body sees it, in elements: a copy in scratch if padded. */
    bool padded;
    bool is_part;       /* of another plan, which has its weights and taps */
    ptrdiff_t x_pixel;  /* from a pixel of y to the next one */
    ptrdiff_t x_row;    /* from a row of x to the next one */
    ptrdiff_t x_plane;  /* from a block (plane) to the next one */
    ptrdiff_t pad_rows; /* rows of a plane in scratch */
};

static inline ptrdiff_t least(ptrdiff_t a, ptrdiff_t b)
{
    return a < b ? a : b;
}
static inline ptrdiff_t ceiling(ptrdiff_t a, ptrdiff_t b)
{
    return (a + b - 1) / b;
}

/* Aligned to 64 bytes, and zeroed: channels beyond the last one are zeros, and what
 * vectors read beyond the end of a row are numbers. */
float *conv_floats(size_t bytes);

/* A plan for operands in blocks (b of the shape is the target's block). `weights` are
 * those of the operand CONST. Free it with conv_plan_free(). -ENOMEM. */
int conv_plan_make(struct conv_plan **plan, const struct conv_shape *shape,
                   const struct conv_target *target, const float *weights, char *error,
                   size_t error_size);
void conv_plan_free(struct conv_plan *plan); /* or a part */
/* The same for `images` images and some rows of y, with scratch of its own; the rest is
 * that of `whole`, which must live longer. -ENOMEM. */
int conv_plan_part(struct conv_plan **part, const struct conv_plan *whole, int64_t images,
                   int64_t first, int64_t end);
/* Its tiles: those of rows first to end, which for CONV_POINTS are as many pixels. */
static inline ptrdiff_t conv_plan_tile(const struct conv_plan *plan, ptrdiff_t row)
{
    return plan->tiles * row / plan->shape.oh;
}
