/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `masked` of gemm_argmax for one element type, included after gemm_body.h, whose
 * loops call their tiles, and gemm_argmax_tile.h. Besides the file defines:
 *
 * WINNERS                     vector of k-steps' numbers, as wide as the elements
 * LOAD_WINNERS, STORE_WINNERS from and to i32 in memory
 * SPLAT_WINNERS, ADD_WINNERS  all lanes from one number; sum
 * UPDATE_WINNER(c, w, t, n)   statement: where t is better than c, w becomes n. Then
 *                             UPDATE(c, t)
 * MASKED_ROWS                 largest height of a tile
 * EACH_MASKED_TILE            as EACH_TILE, up to that height
 *
 * The number of the winner stands in a register beside each maximum: two instructions
 * more for each product, but none for an output, however few k-steps it has.
 */

/* NAME(tile) of one vector's columns, which also writes the winners, to `index`. rows and
 * form are constants. */
GEMM_TILE_BODY
NAME(masked_tile)(const int rows, const enum gemm_form form, TILE_PARAMETERS)
{
    const int vectors = 1;
    VEC one = SPLAT((TYPE)1);
    VEC acc[TILE_ROWS][TILE_VECTORS];
    WINNERS winner[TILE_ROWS];
    WINNERS next = SPLAT_WINNERS(1);
    const ptrdiff_t size = (ptrdiff_t)sizeof(TYPE);
    ptrdiff_t s1 = lda * size, s3 = 3 * s1, s5 = 5 * s1, s7 = 7 * s1;
    ptrdiff_t b1 = ldb * size, b3 = 3 * b1, b5 = 5 * b1, b7 = 7 * b1;

    /* Hidden as in gemm_body.h. */
    HIDE(s1);
    HIDE(s3);
    HIDE(s5);
    HIDE(s7);
    HIDE_VECTOR(one);
    HIDE_VECTOR(next);
    (void)one;

    for (; times > 0; times--, a += rows * lda) {
        const char *bp = (const char *)b;
        const char *base[3] = {(const char *)a,
                               (const char *)(a + (rows > 8 ? 8 * lda : 0)),
                               (const char *)(a + (rows > 16 ? 16 * lda : 0))};
        WINNERS number = SPLAT_WINNERS(first);
        HIDE(base[1]);
        HIDE(base[2]);

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

static void NAME(masked_multiply)(const struct simdbench_operands *operands,
                                  const struct gemm_workspace *workspace,
                                  NAME(tile_function) *const tiles[][TILE_VECTORS],
                                  enum gemm_form form)
{
    NAME(multiply_with)(operands, workspace, tiles, form, operands->operand[3]);
}
