/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code of tiles whose pixels have a distance of kind PIXEL, `fixed` or `any`, which
 * conv_tile_body.h includes. The preprocessor knows the kind: where one function had the
 * code of both, gcc took 64 s for AVX-512 in place of 23 s (Zen 4).
 */

/* A run for columns `from` to `to` of a tile. All ints are constants; pixel is 0 for
 * distances s1 to s7 of run time. */
TILE_BODY CONV_RUN(const int from, const int to, const int pixel, VEC acc[][MAX_VECTORS],
                   const char *const start, const ptrdiff_t s1, const ptrdiff_t s3,
                   const ptrdiff_t s5, const ptrdiff_t s7, const float *weights,
                   ptrdiff_t run)
{
    const char *base[BASES];

    base[0] = start;
    for (int j = 1; j < BASES; j++) {
        base[j] = base[j - 1] + (8 * j < to ? 8 * s1 : 0);
        HIDE(base[j]);
    }
    for (ptrdiff_t turns = run / TURN; turns > 0; turns--) {
        STEPS_4
        if (TURN == 8) {
            STEP(4)
            STEP(5)
            STEP(6)
            STEP(7)
        }
        RUN_ON(TURN)
    }
    if (TURN == 8 && run & 4) {
        STEPS_4
        RUN_ON(4)
    }
    if (run & 2) {
        STEPS_2
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
        if (taps != CONV_TAPS_ONE)
            weights += pass->first * tap_weights;
        for (; taps == CONV_TAPS_ONE || tap < end; tap++) {
            const char *const start =
                taps == CONV_TAPS_ONE ? x : x + tap->offset * (ptrdiff_t)sizeof(float);
            FETCH
            if (taps != CONV_TAPS_CUT || tap->cut == CONV_CUT_NONE)
                RUN(0, columns);
            else if (columns > 1 && tap->cut == CONV_CUT_FIRST)
                RUN(1, columns);
            else if (columns > 1)
                RUN(0, columns - 1);
            weights += tap_weights;
            if (taps == CONV_TAPS_ONE)
                break;
        }
        if (taps != CONV_TAPS_ONE)
            weights += (pass->all - pass->last) * tap_weights;
        x += pass->x_plane * (ptrdiff_t)sizeof(float);
    }
    if (pass->fold) {
        EACH_COLUMN(FOLD_COLUMN, 0)
    }
    EACH_COLUMN(FINISH_COLUMN, 0)
}
