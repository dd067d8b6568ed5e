/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan that prepare makes for the rows `plain`, whose x and y are nchw.
 *
 * There are two ways to go. By columns: neighbouring columns of y fill a vector, weights
 * are spread over it, and strips of x are copied so that all taps are at fixed distances
 * (padding becomes zeros, strides become phases: each v-th column lies next to the
 * other; rows and columns that no tap needs are left out). In blocks: x is reordered into
 * blocks of channels, convolved as by row `direct`, and y is reordered back.
 */
#pragma once

#include "conv_plan.h"

/* The abilities of a body. */
struct conv_plain_target {
    int lanes;
    int height, vectors; /* tiles are up to so many output channels times vectors */
    /* Costs, in products of a tile in blocks: of a product by columns; of an element that
     * is reordered; and how much more one of a lesser tile costs (prefers_blocks()). */
    double columns, reorder, lesser;
    const struct conv_target *blocked;
};
extern const struct conv_plain_target conv_plain_target_avx512, conv_plain_target_avx2,
    conv_plain_target_sse2, conv_plain_target_neon, conv_plain_target_scalar;

struct conv_plain {
    struct conv_shape shape;
    float *scratch; /* aligned to 64 bytes */
    size_t scratch_bytes;
    char text[80];

    /* In blocks, else NULL: a plan for one image; scratch holds x, if it is not plain
     * there, and y from y_offset on. */
    struct conv_plan *blocked;
    ptrdiff_t y_offset;
    ptrdiff_t slice_rows; /* of y that are reordered and convolved before others */

    /* By columns. With one tap all pixels of y are one row. Weights are [g][tiles][cg]
     * [taps][channels of the tile]. */
    float *weights;
    ptrdiff_t *taps;            /* their distances in scratch */
    bool points;                /* one tap */
    bool in_place;              /* x need not be copied where vectors are whole */
    bool is_part;               /* of another one, which has its weights and taps */
    ptrdiff_t tiles;            /* of output channels in a group, even heights */
    ptrdiff_t rows, row_length; /* of y */
    ptrdiff_t strip_rows;       /* of y that are done from one copy, */
    ptrdiff_t strip_columns;    /* and columns */
    ptrdiff_t pace[2];          /* no tap needs the rows and columns of x in between */
    ptrdiff_t step, height; /* rows of a copy: from a row of y to the next; of all taps */
    ptrdiff_t reach;        /* columns of a copy that are more than those of y */
    ptrdiff_t phase, row, plane; /* distances in scratch */
};

/* As conv_plan_part(). */
int conv_plain_part(struct conv_plain **part, const struct conv_plain *whole,
                    int64_t images, int64_t first, int64_t end);
