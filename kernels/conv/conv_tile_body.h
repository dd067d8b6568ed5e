/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tiles of direct convolution that are VECTORS wide and up to COLUMNS long, for each body
 * of conv_dense_body.h, which includes this file once for each width. The preprocessor
 * knows the width: where one function with a constant argument had the code of all
 * widths, gcc took ten minutes for it.
 *
 * Products are written as asm, column by column: compilers gather the loads of x before
 * them and run out of registers, and rotate accumulators.
 */
/* A run for columns `from` to `to` of a tile. All ints are constants; pixel is 0 for
 * distances s1 to s7 of run time. */
TILE_BODY CONV_RUN(const int from, const int to, const int pixel, VEC acc[][MAX_VECTORS],
                   const char *const start, const ptrdiff_t s1, const ptrdiff_t s3,
                   const ptrdiff_t s5, const ptrdiff_t s7, const float *weights,
                   ptrdiff_t run)
{
    const int turn = pixel ? 8 : 4;
    const char *base[BASES];

    base[0] = start;
    for (int j = 1; j < BASES; j++) {
        base[j] = base[j - 1] + (8 * j < to ? 8 * s1 : 0);
        HIDE(base[j]);
    }
    for (ptrdiff_t turns = run / turn; turns > 0; turns--) {
        STEP(0)
        STEP(1)
        STEP(2)
        STEP(3)
        if (turn == 8) {
            STEP(4)
            STEP(5)
            STEP(6)
            STEP(7)
        }
        RUN_ON(turn)
    }
    if (turn == 8 && run & 4) {
        STEP(0)
        STEP(1)
        STEP(2)
        STEP(3)
        RUN_ON(4)
    }
    if (run & 2) {
        STEP(0)
        STEP(1)
        RUN_ON(2)
    }
    if (run & 1) {
        STEP(0)
    }
}

TILE_BODY CONV_TILE(const int columns, const struct conv_body *body,
                    const struct conv_pass *pass)
{
    const int pixel = body->pixel;
    const enum conv_taps taps = body->taps;
    VEC acc[COLUMNS][MAX_VECTORS];
    ptrdiff_t s1 = (pixel ? pixel : pass->x_pixel) * (ptrdiff_t)sizeof(float);
    ptrdiff_t s3 = 3 * s1, s5 = 5 * s1, s7 = 7 * s1;
    const char *x = (const char *)pass->x;
    const float *weights = pass->weights;
    float *const y = pass->y;
    const ptrdiff_t y_block = pass->y_block;

    if (!pixel) {
        /* Hidden, or compilers make a pointer for each column and spill them. */
        HIDE(s1);
        HIDE(s3);
        HIDE(s5);
        HIDE(s7);
    }
    EACH_COLUMN(OWN_COLUMN, 0)
    EACH_COLUMN(START_COLUMN, 0)
    for (ptrdiff_t depth = pass->depth; depth > 0; depth--) {
        const ptrdiff_t run = body->run   ? body->run
                              : depth > 1 ? pass->run
                                          : pass->last_run;
        const ptrdiff_t tap_weights = run * VECTORS * LANES;
        const struct conv_tap *tap = pass->tap + pass->first;
        const struct conv_tap *const end = pass->tap + pass->last;
        if (taps == CONV_TAPS_ONE) {
            const char *const start = x;
            FETCH
            RUN(0, columns);
            weights += tap_weights;
        } else {
            weights += pass->first * tap_weights;
            for (; tap < end; tap++) {
                const char *const start = x + tap->offset * (ptrdiff_t)sizeof(float);
                FETCH
                if (taps == CONV_TAPS_WHOLE || tap->cut == CONV_CUT_NONE)
                    RUN(0, columns);
                else if (columns > 1 && tap->cut == CONV_CUT_FIRST)
                    RUN(1, columns);
                else if (columns > 1)
                    RUN(0, columns - 1);
                weights += tap_weights;
            }
            weights += (pass->all - pass->last) * tap_weights;
        }
        x += pass->x_plane * (ptrdiff_t)sizeof(float);
    }
    if (pass->fold) {
        EACH_COLUMN(FOLD_COLUMN, 0)
    }
    EACH_COLUMN(FINISH_COLUMN, 0)
}

EACH_BODY(BODY_TILES)

/* [body][columns - 1] */
static conv_tile_function *const CONV_TILES[][COLUMNS] = {EACH_BODY(BODY_ENTRY)};

#undef VECTORS
#undef COLUMNS
