/* SPDX-License-Identifier: Apache-2.0 */
/* The part of gemm_body.h that copies: blocks of A and B, and edges of C. */

/* Copies k rows of B into panels, one for each tile of columns; a matrix that is narrower
 * than a vector has zeros behind it, or what was there. A few rows at a time: B may have
 * a page for each row, and panels may lie on the same sets of the cache. */
static void OF(pack_panels)(T *panels, const T *b, ptrdiff_t ldb, ptrdiff_t k,
                            ptrdiff_t n, enum gemm_form form)
{
    for (ptrdiff_t p = 0, rows; p < k; p += rows, b += rows * ldb) {
        rows = k - p < 16 ? k - p : 16;
        for (ptrdiff_t j = 0, width; j < n; j += width) {
            const struct OF(columns) columns = OF(columns_at)(j, n);
            const T *from = b + columns.start;
            width = columns.vectors * LANES;
            T *to = panels + k * j + p * width;
            for (ptrdiff_t i = 0; i < rows; i++, from += ldb, to += width)
                if (n < LANES)
                    OF(read_first)(to, from, n, form);
                else
                    for (ptrdiff_t v = 0; v < width; v += LANES)
                        OF(read_vector)(to + v, from + v, form, false);
        }
    }
}

static void OF(pack_rows)(T *to, ptrdiff_t ldto, const T *a, ptrdiff_t lda,
                          ptrdiff_t rows, ptrdiff_t k, enum gemm_form form)
{
    for (ptrdiff_t i = 0; i < rows; i++, to += ldto, a += lda) {
        ptrdiff_t p = 0;
        for (; p + 4 * LANES <= k; p += 4 * LANES)
            for (int v = 0; v < 4; v++)
                OF(read_vector)(to + p + v * LANES, a + p + v * LANES, form, true);
        for (; p < k; p++)
            OF(read_elements)(to + p, a + p, 1, form, true);
    }
}

/* Tiles of a matrix that is narrower than a vector, each by way of a buffer. */
static void OF(narrow_tiles)(OF(tile_function) * tile, ptrdiff_t rows, ptrdiff_t n,
                             TILE_PARAMETERS)
{
    T edge[TILE_ROWS * LANES];
    int32_t winners[TILE_ROWS * LANES];

    if (first)
        memset(edge, 0, sizeof edge);
    if (index)
        memset(winners, 0, sizeof winners);
    for (; times > 0; times--, a += rows * lda, c += rows * ldc) {
        for (ptrdiff_t i = 0; i < rows && first; i++)
            memcpy(edge + i * LANES, c + i * ldc, (size_t)n * sizeof(T));
        for (ptrdiff_t i = 0; i < rows && first && index; i++)
            memcpy(winners + i * LANES, index + i * ldi, (size_t)n * sizeof(int32_t));
        tile(k, a, lda, b, ldb, edge, LANES, first, 1, winners, LANES, width);
        for (ptrdiff_t i = 0; i < rows; i++)
            OF(write_first)(c + i * ldc, edge + i * LANES, n);
        for (ptrdiff_t i = 0; i < rows && index; i++, index += ldi)
            memcpy(index, winners + i * LANES, (size_t)n * sizeof(int32_t));
    }
}
