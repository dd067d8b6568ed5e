/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `masked` of gemm_argmax for one element type, included after gemm_body.h, whose
 * loops call their tiles, and gemm_argmax_tile.h. Besides the file defines:
 *
 * load_winners, store_winners   vectors of k-steps' numbers, which are as wide as the
 *                               elements, from and to i32 in memory
 * UPDATE_WINNER(c, w, t, n)     statement: where t is better than c, w becomes n. Then
 *                               UPDATE(c, t)
 * MASKED_ROWS                   largest height of a tile
 * EACH_MASKED_TILE              as EACH_TILE, up to that height
 * MASKED_MAXPLUS, MASKED_MINPLUS  how these make their products: which form is faster
 *                               depends on what comparisons share their pipes with
 *
 * The number of the winner stands in a register beside each maximum: two instructions
 * more for each product, but none for an output, however few k-steps it has.
 */

/* OF(tile) of one vector's columns, which also writes the winners, to `index`. rows and
 * form are constants. */
GEMM_TILE_BODY
OF(masked_tile)(const int rows, const enum gemm_form form, TILE_PARAMETERS)
{
    const int vectors = 1;
    const int edge = NO_EDGE;
    HALF half[TILE_ROWS];
    VEC one = SPLAT((T)1);
    VEC acc[TILE_ROWS][TILE_VECTORS];
    WINNERS winner[TILE_ROWS];
    WINNERS next = OF_INTEGER(splat)(1);
    TILE_DISTANCES;
    HIDE_VECTOR(one);
    HIDE_VECTOR(next);
    (void)one, (void)width, (void)edge, (void)half;

    for (; times > 0; times--, a += rows * lda) {
        const char *bp = (const char *)b;
        TILE_BASES;
        WINNERS number = OF_INTEGER(splat)((OF(INTEGER))first);

        EACH_ROW(ROW_CONTINUE, 0)
        for (ptrdiff_t turns = k / STEPS; turns > 0; turns--) {
            EACH_STEP(K_STEP_MASKED)
            K_STEPS_DONE(STEPS);
        }
        for (ptrdiff_t turns = k % STEPS; turns > 0; turns--) {
            K_STEP_MASKED(0)
            K_STEPS_DONE(1);
        }
        EACH_ROW(ROW_FINISH, 0)
    }
}

static void OF(masked_multiply)(const struct simdbench_operands *operands,
                                struct gemm_workspace *workspace,
                                OF(tile_function) *const tiles[][TILE_VECTORS],
                                enum gemm_form form)
{
    OF(multiply_with)(operands, workspace, tiles, NULL, form, operands->operand[3]);
}

GEMM_MASKED_KERNEL(maxplus, MASKED_MAXPLUS)
GEMM_MASKED_KERNEL(minplus, MASKED_MINPLUS)
GEMM_MASKED_KERNEL(maxtimes, GEMM_MAXTIMES_MUL)
