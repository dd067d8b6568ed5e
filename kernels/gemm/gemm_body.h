/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of gemm for one element type on one ISA, included once for each type. The file
 * that includes it defines before:
 *
 *   TYPE, NAME(x)         element type; x with the type's suffix
 *   VEC, LANES            vector and its number of elements
 *   LOAD, STORE, SPLAT    from and to memory of any alignment; all lanes from one element
 *   MAX, MIN              the second operand wins if one is NaN or both are zeros
 *   HIDE_VECTOR(v)        an empty asm after which the compiler does not know v
 *   TILE_ROWS, TILE_VECTORS, HEIGHT_STEP
 *                         largest tile (at most 24 and 2); heights are 1 and the
 * multiples of the step STEPS, EACH_STEP(X)   k-steps in one turn of the loop (2 or 4);
 * X(0) X(1) ... EACH_ROW(X, u)        X(u, 0, 0, 0) ... X(u, i, i / 8, i % 8) for all
 * rows of a tile EACH_TILE(X, s, v, f) X(s, v, f, rows, vectors) for all sizes of tiles
 *   PRODUCTS(u, i, j, r)  statement: sets t[0..vectors) to the products of row i in
 * k-step u: of the element at ROW_ADDRESS(u, j, r) with bv[0..vectors)
 *
 * Loops over rows and vectors are written out by the preprocessor: compilers differ in
 * how much they unroll, and accumulators left in memory cost half the speed.
 */

#ifndef GEMM_BODY_H
#define GEMM_BODY_H

#ifndef PACK_A
#define PACK_A 0
#define PACK_B 100000
#endif
#define HIDE(x) __asm__("" : "+r"(x))

/* Element of A `u` columns after base[j] and r rows below; s1, s3, s5, s7 are that many
 * rows in bytes, so that most rows need no register of their own. */
#define ROW_OFFSET(r)    \
    ((r) == 0   ? 0      \
     : (r) == 1 ? s1     \
     : (r) == 2 ? 2 * s1 \
     : (r) == 3 ? s3     \
     : (r) == 4 ? 4 * s1 \
     : (r) == 5 ? s5     \
     : (r) == 6 ? 2 * s3 \
                : s7)
#define ROW_ADDRESS(u, j, r) ((const TYPE *)(base[j] + ROW_OFFSET(r)) + (u))
#define B_OFFSET(u) ((u) == 0 ? 0 : (u) == 1 ? b1 : (u) == 2 ? 2 * b1 : b3)

#define ROW_START(u, i, j, r)            \
    if ((i) < rows) {                    \
        acc[i][0] = zero;                \
        acc[i][TILE_VECTORS - 1] = zero; \
    }
#define ROW_STEP(u, i, j, r)                                           \
    if ((i) < rows) {                                                  \
        VEC t[TILE_VECTORS];                                           \
        PRODUCTS(u, i, j, r);                                          \
        acc[i][0] = BETTER(t[0], acc[i][0]);                           \
        if (vectors > 1)                                               \
            acc[i][TILE_VECTORS - 1] =                                 \
                BETTER(t[TILE_VECTORS - 1], acc[i][TILE_VECTORS - 1]); \
    }
#define ROW_FOLD(u, i, j, r)                                                 \
    if ((i) < rows) {                                                        \
        acc[i][0] = BETTER(acc[i][0], LOAD(c + (i)*ldc));                    \
        if (vectors > 1)                                                     \
            acc[i][TILE_VECTORS - 1] =                                       \
                BETTER(acc[i][TILE_VECTORS - 1], LOAD(c + (i)*ldc + LANES)); \
    }
#define ROW_STORE(u, i, j, r)                                     \
    if ((i) < rows) {                                             \
        STORE(c + (i)*ldc, acc[i][0]);                            \
        if (vectors > 1)                                          \
            STORE(c + (i)*ldc + LANES, acc[i][TILE_VECTORS - 1]); \
    }
#define BETTER(t, c) (gemm_form_min(form) ? MIN(t, c) : MAX(t, c))
#define K_STEP(u)                                                \
    {                                                            \
        const TYPE *const bu = (const TYPE *)(bp + B_OFFSET(u)); \
        VEC bv[TILE_VECTORS];                                    \
        bv[0] = LOAD(bu);                                        \
        if (vectors > 1)                                         \
            bv[TILE_VECTORS - 1] = LOAD(bu + LANES);             \
        EACH_ROW(ROW_STEP, u)                                    \
    }

#define TILE_PARAMETERS                                                               \
    ptrdiff_t k, const TYPE *a, ptrdiff_t lda, const TYPE *b, ptrdiff_t ldb, TYPE *c, \
        ptrdiff_t ldc, bool fold

#define TILE(semiring, variant, form, rows, vectors)                                    \
    static void NAME(tile_##semiring##_##variant##_##rows##x##vectors)(TILE_PARAMETERS) \
    {                                                                                   \
        NAME(tile)(rows, vectors, form, k, a, lda, b, ldb, c, ldc, fold);               \
    }
#define TILE_ENTRY(semiring, variant, form, rows, vectors) \
    [rows][vectors - 1] = NAME(tile_##semiring##_##variant##_##rows##x##vectors),

/* All of one row of kernels.def. `symbol` is the row's. */
#define GEMM_KERNEL(symbol, semiring, variant, form)                             \
    EACH_TILE(TILE, semiring, variant, form)                                     \
    void symbol(const struct simdbench_operands *operands, void *state)          \
    {                                                                            \
        static NAME(tile_function) *const tiles[TILE_ROWS + 1][TILE_VECTORS] = { \
            EACH_TILE(TILE_ENTRY, semiring, variant, form)};                     \
        NAME(multiply)(operands, state, tiles);                                  \
    }

#endif

typedef void NAME(tile_function)(TILE_PARAMETERS);

/* C = A (x) B for `rows` x `vectors * LANES` elements; with `fold`, what stands in C is
 * folded in. rows, vectors and form are constants: each use becomes a kernel of its own.
 */
static inline __attribute__((always_inline)) void
NAME(tile)(const int rows, const int vectors, const enum gemm_form form, TILE_PARAMETERS)
{
    const VEC zero = SPLAT((TYPE)gemm_form_zero(form));
    VEC one = SPLAT((TYPE)1);
    VEC acc[TILE_ROWS][TILE_VECTORS];
    const ptrdiff_t size = (ptrdiff_t)sizeof(TYPE);
    ptrdiff_t s1 = lda * size, s3 = 3 * s1, s5 = 5 * s1, s7 = 7 * s1;
    ptrdiff_t b1 = ldb * size, b3 = 3 * b1;
    const char *bp = (const char *)b;
    const char *base[3];

    base[0] = (const char *)a;
    base[1] = rows > 8 ? base[0] + 8 * s1 : base[0];
    base[2] = rows > 16 ? base[0] + 16 * s1 : base[0];

    /* Hidden, or compilers make a pointer for each row and spill them. */
    HIDE(s1);
    HIDE(s3);
    HIDE(s5);
    HIDE(s7);
    HIDE(b1);
    HIDE(b3);
    HIDE(base[1]);
    HIDE(base[2]);
    HIDE_VECTOR(one);
    (void)one;

    EACH_ROW(ROW_START, 0)
    for (; k >= STEPS; k -= STEPS) {
        EACH_STEP(K_STEP)
        bp += STEPS * b1;
        base[0] += STEPS * size;
        base[1] += STEPS * size;
        base[2] += STEPS * size;
    }
    for (; k > 0; k--) {
        K_STEP(0)
        bp += b1;
        base[0] += size;
        base[1] += size;
        base[2] += size;
    }
    if (fold) {
        EACH_ROW(ROW_FOLD, 0)
    }
    EACH_ROW(ROW_STORE, 0)
}

/* A tile of columns from `start`, which is `vectors` wide. */
struct NAME(columns) {
    ptrdiff_t start;
    int vectors;
};

/* The tile at column j of n. The last one begins further left if it would reach over the
 * edge: its neighbour's columns are computed twice, with the same result. */
static struct NAME(columns) NAME(columns_at)(ptrdiff_t j, ptrdiff_t n)
{
    const ptrdiff_t wide = TILE_VECTORS * LANES;
    const bool full = n - j >= wide || (n - j > LANES && n >= wide);
    const ptrdiff_t width = full ? wide : LANES;

    return (struct NAME(columns)){
        .start = j + width <= n ? j
                 : n >= width   ? n - width
                                : 0,
        .vectors = full ? TILE_VECTORS : 1,
    };
}

/* Copies k rows of B into panels, one for each tile of columns; a matrix that is narrower
 * than a vector is filled up. */
static void NAME(pack_panels)(TYPE *panel, const TYPE *b, ptrdiff_t ldb, ptrdiff_t k,
                              ptrdiff_t n)
{
    for (ptrdiff_t j = 0; j < n;) {
        const struct NAME(columns) columns = NAME(columns_at)(j, n);
        const ptrdiff_t width = columns.vectors * LANES;
        const TYPE *from = b + columns.start;

        if (n < LANES) {
            for (ptrdiff_t p = 0; p < k; p++, from += ldb)
                for (ptrdiff_t i = 0; i < LANES; i++)
                    *panel++ = i < n ? from[i] : (TYPE)0;
        } else {
            for (ptrdiff_t p = 0; p < k; p++, from += ldb, panel += width)
                for (int v = 0; v < columns.vectors; v++)
                    STORE(panel + v * LANES, LOAD(from + v * LANES));
        }
        j += width;
    }
}

static void NAME(pack_rows)(TYPE *to, ptrdiff_t ldto, const TYPE *a, ptrdiff_t lda,
                            ptrdiff_t rows, ptrdiff_t k)
{
    for (ptrdiff_t i = 0; i < rows; i++, to += ldto, a += lda)
        memcpy(to, a, (size_t)k * sizeof(TYPE));
}

/* One tile of a matrix that is narrower than a vector, by way of a buffer. */
static void NAME(narrow_tile)(NAME(tile_function) * tile, ptrdiff_t rows, ptrdiff_t n,
                              TILE_PARAMETERS)
{
    TYPE edge[TILE_ROWS * LANES] = {0};

    if (fold)
        for (ptrdiff_t i = 0; i < rows; i++)
            memcpy(edge + i * LANES, c + i * ldc, (size_t)n * sizeof(TYPE));
    tile(k, a, lda, b, ldb, edge, LANES, fold);
    for (ptrdiff_t i = 0; i < rows; i++)
        memcpy(c + i * ldc, edge + i * LANES, (size_t)n * sizeof(TYPE));
}

/* Rows of a block times its columns: tile after tile along each strip of rows, so that
 * the strip stays in the first cache and the panels stream from the second. */
static void NAME(block)(NAME(tile_function) *const tiles[][TILE_VECTORS], TYPE *strip,
                        bool packed, ptrdiff_t m, ptrdiff_t n, TILE_PARAMETERS)
{
    const ptrdiff_t most = (m + TILE_ROWS - 1) / TILE_ROWS;
    /* Strips are as even as can be; one odd strip is two that overlap. */
    const ptrdiff_t strips = most == 1 && m > 1 && m % HEIGHT_STEP ? 2 : most;
    const ptrdiff_t even = (m + strips - 1) / strips;
    const ptrdiff_t ldstrip = k + GEMM_ROW_PAD_BYTES / (ptrdiff_t)sizeof(TYPE);

    for (ptrdiff_t s = 0; s < strips; s++) {
        const ptrdiff_t exact = s * m / strips;
        ptrdiff_t height = (s + 1) * m / strips - exact;
        if (height > 1 || even > 1)
            height = (height + HEIGHT_STEP - 1) / HEIGHT_STEP * HEIGHT_STEP;
        const ptrdiff_t i = exact + height <= m ? exact : m - height;
        const TYPE *rows = a + i * lda;
        ptrdiff_t ldrows = lda;
        const TYPE *panel = b;

        if (strip) {
            NAME(pack_rows)(strip, ldstrip, rows, lda, height, k);
            rows = strip;
            ldrows = ldstrip;
        }
        for (ptrdiff_t j = 0; j < n;) {
            const struct NAME(columns) columns = NAME(columns_at)(j, n);
            const ptrdiff_t width = columns.vectors * LANES;
            NAME(tile_function) *const tile = tiles[height][columns.vectors - 1];
            TYPE *const to = c + i * ldc + columns.start;

            if (n < LANES)
                NAME(narrow_tile)
            (tile, height, n, k, rows, ldrows, panel, width, to, ldc, fold);
            else if (packed) tile(k, rows, ldrows, panel, width, to, ldc, fold);
            else tile(k, rows, ldrows, b + columns.start, ldb, to, ldc, fold);
            panel += k * width;
            j += width;
        }
    }
}

static void NAME(multiply)(const struct simdbench_operands *operands,
                           const struct gemm_workspace *workspace,
                           NAME(tile_function) *const tiles[][TILE_VECTORS])
{
    const int64_t *const dim = operands->shape->dim;
    const ptrdiff_t m = dim[0], n = dim[1], k = dim[2];
    const struct simdbench_operand *const *operand =
        (const struct simdbench_operand *const *)operands->operand;
    const ptrdiff_t lda = operand[0]->ld, ldb = operand[1]->ld, ldc = operand[2]->ld;
    const TYPE *const a = operand[0]->data, *const b = operand[1]->data;
    TYPE *const c = operand[2]->data;

    if (m == 0 || n == 0)
        return;

    const ptrdiff_t deepest = GEMM_DEPTH_BYTES / (ptrdiff_t)sizeof(TYPE);
    const ptrdiff_t depths = k > deepest ? (k + deepest - 1) / deepest : 1;
    const ptrdiff_t widths = (n + GEMM_WIDTH - 1) / GEMM_WIDTH;
    const bool packed =
        n < LANES || (k * n * (ptrdiff_t)sizeof(TYPE) > PACK_B && m > TILE_ROWS);
    TYPE *const strip =
        (k * n * sizeof(TYPE) > PACK_A && n > LANES) ? workspace->rows : NULL;

    for (ptrdiff_t w = 0; w < widths; w++) {
        const ptrdiff_t j = w * n / widths, wide = (w + 1) * n / widths - j;
        for (ptrdiff_t d = 0; d < depths; d++) {
            const ptrdiff_t p = d * k / depths, deep = (d + 1) * k / depths - p;
            const TYPE *from = b + p * ldb + j;
            if (packed) {
                NAME(pack_panels)(workspace->panels, from, ldb, deep, wide);
                from = workspace->panels;
            }
            NAME(block)
            (tiles, strip, packed, m, wide, deep, a + p, lda, from, ldb, c + j, ldc,
             d > 0);
        }
    }
}
