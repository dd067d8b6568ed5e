/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `spans` and `value` of gemm_argmax for one element type on one ISA, included by
 * gemm_body.h. A tile makes its products as gemm's does.
 *
 * A tile keeps maxima alone in registers and looks every GEMM_SPAN k-steps which of them
 * grew: where the last such span began is noted. When a block of k-steps is done, that
 * span is searched for the first product that is equal to the maximum, with SIMD along k.
 * An index in a register beside each maximum (gemm_argmax_masked_body.h) doubles the work
 * of each product; this way it costs 3 instructions in GEMM_SPAN steps and some for each
 * output of a block.
 */

/* Vectors of T carry the numbers of spans as bits. */
static inline T OF(from_integer)(OF(INTEGER) bits)
{
    T number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static inline OF(INTEGER) OF(to_integer)(const T *number)
{
    OF(INTEGER) bits;
    memcpy(&bits, number, sizeof bits);
    return bits;
}

typedef void OF(argmax_function)(ARGMAX_TILE_PARAMETERS);
typedef void OF(argmax_searcher)(int vectors, ARGMAX_SEARCH_PARAMETERS);

/* Folds k-steps into the `rows` x `vectors` maxima at `value`, and notes at `block` at
 * which k-step the span began that they are of. b is a panel. rows, vectors and form are
 * constants. */
GEMM_TILE_BODY
OF(argmax_tile)(const int rows, const int vectors, const enum gemm_form form,
                ARGMAX_TILE_PARAMETERS)
{
    VEC one = SPLAT((T)1);
    VEC acc[TILE_ROWS][TILE_VECTORS];
    const ptrdiff_t size = (ptrdiff_t)sizeof(T);
    const ptrdiff_t b1 = (ptrdiff_t)vectors * LANES * size, b3 = 3 * b1, b5 = 5 * b1,
                    b7 = 7 * b1;
    ptrdiff_t s1 = lda * size, s3 = 3 * s1, s5 = 5 * s1, s7 = 7 * s1;
    const ptrdiff_t width = LANES;
    const bool edge = false;
    const char *bp = (const char *)b;
    const char *base[3] = {(const char *)a, (const char *)(a + (rows > 8 ? 8 * lda : 0)),
                           (const char *)(a + (rows > 16 ? 16 * lda : 0))};

    /* Hidden, or compilers make a pointer for each row and spill them. */
    HIDE(s1);
    HIDE(s3);
    HIDE(s5);
    HIDE(s7);
    HIDE(base[1]);
    HIDE(base[2]);
    HIDE_VECTOR(one);
    (void)one, (void)width, (void)edge;

    EACH_ROW(ROW_RESUME, 0)
    OF(INTEGER) p = 0;
    for (; p + GEMM_SPAN <= k; p += GEMM_SPAN) {
        for (int turns = GEMM_SPAN / STEPS; turns > 0; turns--) {
            EACH_STEP(K_STEP)
            K_STEPS_DONE(STEPS);
        }
        const VEC number = SPLAT(OF(from_integer)(p));
        EACH_ROW(ROW_NOTE, 0)
    }
    if (k % GEMM_SPAN == 0)
        return;
    for (ptrdiff_t turns = k % GEMM_SPAN; turns > 0; turns--) {
        K_STEP(0)
        K_STEPS_DONE(1);
    }
    const VEC number = SPLAT(OF(from_integer)(p));
    EACH_ROW(ROW_NOTE, 0)
}

/* The first of `steps` products that is equal to *best, which one of them is. */
static inline __attribute__((always_inline)) int
OF(argmax_first)(const enum gemm_form form, const T *a, const T *b, const T *best,
                 ptrdiff_t steps)
{
    if (LANES > 1 && steps >= GEMM_SPAN) {
        const VEC all = SPLAT(*best);
        unsigned bits = 0;
        for (int v = 0; v < GEMM_SPAN; v += LANES) {
            const VEC x = LOAD(a + v), y = LOAD(b + v);
            const VEC t = form == GEMM_MAXTIMES_MUL ? x * y : x + y;
            bits |= OF(matches)(t, all) << v;
        }
        return __builtin_ctz(bits);
    }
    for (int s = 0; s < steps - 1; s++)
        if ((form == GEMM_MAXTIMES_MUL ? a[s] * b[s] : a[s] + b[s]) == *best)
            return s;
    return (int)steps - 1;
}

/* The indices of one row of a tile, n of its `width` columns, from the spans noted. A
 * maximum that no span has improved keeps its index; the first block of k-steps gives it
 * none. form and width are constants. */
static inline __attribute__((always_inline)) void
OF(argmax_search)(const enum gemm_form form, const ptrdiff_t width,
                  ARGMAX_SEARCH_PARAMETERS)
{
    for (ptrdiff_t j = 0; j < n; j++, columns += GEMM_SPAN) {
        const ptrdiff_t p = (ptrdiff_t)OF(to_integer)(block + j);
        if (p >= 0)
            index[j] =
                first + (int32_t)p +
                OF(argmax_first)(form, a + p, columns + p * width, value + j, k - p);
        else if (!fold)
            index[j] = GEMM_NO_WINNER;
    }
}

/* Everything that stays the same from block to block. */
struct OF(argmax) {
    struct gemm_problem problem; /* how C is cut into strips */
    const struct gemm_workspace *workspace;
    OF(argmax_function) *const (*tiles)[TILE_VECTORS];
    OF(argmax_searcher) * search;
    T zero;
    ptrdiff_t ldi;
};

/* One tile of a block: `valid` of its columns are there. */
struct OF(argmax_place) {
    ptrdiff_t rows, valid, lda;
    int vectors;
    const T *a, *panel, *columns;
    T *c;
    int32_t *index;
};

static void OF(argmax_place)(const struct OF(argmax) * argmax,
                             const struct OF(argmax_place) * at, ptrdiff_t k,
                             int32_t first, bool fold)
{
    const ptrdiff_t width = (ptrdiff_t)at->vectors * LANES, ldc = argmax->problem.ldc;
    const VEC zero = SPLAT(argmax->zero), none = SPLAT(OF(from_integer)(-1));
    T value[TILE_ROWS * TILE_VECTORS * LANES] __attribute__((aligned(64)));
    T block[TILE_ROWS * TILE_VECTORS * LANES] __attribute__((aligned(64)));

    for (ptrdiff_t i = 0; i < at->rows; i++)
        for (ptrdiff_t v = 0; v < width; v += LANES) {
            STORE(block + i * width + v, none);
            STORE(value + i * width + v,
                  fold && at->valid == width ? LOAD(at->c + i * ldc + v) : zero);
        }
    for (ptrdiff_t i = 0; i < at->rows && fold && at->valid < width; i++)
        memcpy(value + i * width, at->c + i * ldc, (size_t)at->valid * sizeof(T));
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): rows and vectors from 1 up */
    argmax->tiles[at->rows][at->vectors - 1](k, at->a, at->lda, at->panel, value, block);
    for (ptrdiff_t i = 0; i < at->rows; i++) {
        if (at->valid < width)
            memcpy(at->c + i * ldc, value + i * width, (size_t)at->valid * sizeof(T));
        for (ptrdiff_t v = 0; v < width && at->valid == width; v += LANES)
            STORE(at->c + i * ldc + v, LOAD(value + i * width + v));
        argmax->search(at->vectors, at->valid, k, at->a + i * at->lda, at->columns,
                       value + i * width, block + i * width, at->index + i * argmax->ldi,
                       first, fold);
    }
}

/* Copies a tile of k rows of B twice: row by row, and for the search column by column
 * within each span. */
static void OF(argmax_pack)(T *panel, T *columns, const T *b, ptrdiff_t ldb, ptrdiff_t k,
                            ptrdiff_t width, ptrdiff_t valid)
{
    for (ptrdiff_t p = 0; p < k; p++, b += ldb)
        if (valid < width)
            memcpy(panel + p * width, b, (size_t)valid * sizeof(T));
        else
            for (ptrdiff_t v = 0; v < width; v += LANES)
                STORE(panel + p * width + v, LOAD(b + v));
    for (ptrdiff_t p = 0; p < k; p += GEMM_SPAN, columns += GEMM_SPAN * width) {
        const ptrdiff_t steps = k - p < GEMM_SPAN ? k - p : GEMM_SPAN;
        /* Hidden, or compilers take scatters and gathers, which are slower. */
        for (ptrdiff_t s = 0; s < steps; s++)
            for (ptrdiff_t j = 0; j < valid; j++) {
                HIDE(j);
                columns[j * GEMM_SPAN + s] = panel[(p + s) * width + j];
            }
    }
}

static void OF(argmax_pack_all)(const struct gemm_workspace *workspace, const T *b,
                                ptrdiff_t ldb, ptrdiff_t k, ptrdiff_t n)
{
    const ptrdiff_t spans = (k + GEMM_SPAN - 1) / GEMM_SPAN * GEMM_SPAN;

    for (ptrdiff_t j = 0, width; j < n; j += width) {
        const struct OF(columns) columns = OF(columns_at)(j, n);
        width = columns.vectors * LANES;
        OF(argmax_pack)
        ((T *)workspace->panels + spans * j, (T *)workspace->columns + spans * j,
         b + columns.start, ldb, k, width, n < width ? n : width);
    }
}

/* All rows times n columns, k deep, from row `first` of B. Loops as in gemm_body.h. */
static void OF(argmax_block)(const struct OF(argmax) * argmax, ptrdiff_t n, ptrdiff_t k,
                             const T *a, const T *b, T *c, int32_t *index, int32_t first,
                             bool fold)
{
    const struct gemm_problem *const problem = &argmax->problem;
    const struct gemm_workspace *const workspace = argmax->workspace;
    const ptrdiff_t size = (ptrdiff_t)sizeof(T), strips = problem->strips;
    const ptrdiff_t several = GEMM_BLOCK_BYTES / (GEMM_DEPTH * size * TILE_ROWS);
    const ptrdiff_t padded = ((k * size + 63) / 64 | 1) * 64 / size;
    const ptrdiff_t lda = problem->copy_rows ? padded : problem->lda;
    const ptrdiff_t spans = (k + GEMM_SPAN - 1) / GEMM_SPAN * GEMM_SPAN;

    OF(argmax_pack_all)(workspace, b, problem->ldb, k, n);
    for (ptrdiff_t s = 0; s < strips; s += several) {
        const ptrdiff_t last = s + several < strips ? s + several : strips;
        const ptrdiff_t top = OF(run_at)(problem, s, last).start;
        const struct OF(run) end = OF(run_at)(problem, last - 1, last);
        const T *rows = a + top * problem->lda;

        for (ptrdiff_t i = top; i < end.start + end.height && problem->copy_rows; i++)
            memcpy((T *)workspace->rows + (i - top) * lda, a + i * problem->lda,
                   (size_t)(k * size));
        if (problem->copy_rows)
            rows = workspace->rows;
        for (ptrdiff_t j = 0, width; j < n; j += width) {
            const struct OF(columns) columns = OF(columns_at)(j, n);
            width = columns.vectors * LANES;
            struct OF(run) run;
            for (ptrdiff_t t = s; t < last; t += run.strips) {
                run = OF(run_at)(problem, t, last);
                for (ptrdiff_t u = 0; u < run.strips; u++) {
                    const ptrdiff_t row = run.start + u * run.height;
                    const struct OF(argmax_place) place = {
                        .rows = run.height,
                        .valid = n < width ? n : width,
                        .lda = lda,
                        .vectors = columns.vectors,
                        .a = rows + (row - top) * lda,
                        .panel = (const T *)workspace->panels + spans * j,
                        .columns = (const T *)workspace->columns + spans * j,
                        .c = c + row * problem->ldc + columns.start,
                        .index = index + row * argmax->ldi + columns.start,
                    };
                    OF(argmax_place)(argmax, &place, k, first, fold);
                }
            }
        }
    }
}

static void OF(argmax_multiply)(const struct simdbench_operands *operands,
                                const struct gemm_workspace *workspace, T zero,
                                OF(argmax_function) *const tiles[][TILE_VECTORS],
                                OF(argmax_searcher) * search)
{
    const int64_t *const dim = operands->shape->dim;
    const struct simdbench_operand *const *const operand =
        (const struct simdbench_operand *const *)operands->operand;
    const ptrdiff_t m = dim[0], n = dim[1], k = dim[2];
    const ptrdiff_t steps = (m + HEIGHT_STEP - 1) / HEIGHT_STEP,
                    strips = OF(strips)(m, TILE_ROWS);

    if (m == 0 || n == 0)
        return;

    const struct OF(argmax) argmax = {
        .problem = {.m = m,
                    .strips = strips,
                    .steps = steps / strips,
                    .taller = steps % strips,
                    .lda = operand[0]->ld,
                    .ldb = operand[1]->ld,
                    .ldc = operand[2]->ld,
                    .copy_rows = OF(crowded)(operand[0]->ld, m)},
        .workspace = workspace,
        .tiles = tiles,
        .search = search,
        .zero = zero,
        .ldi = operand[3]->ld,
    };
    /* Blocks of whole tiles, as in gemm_body.h, and of whole spans. */
    const ptrdiff_t wide = TILE_VECTORS * LANES, whole = n / wide;
    const ptrdiff_t widths = whole ? (whole * wide + GEMM_WIDTH - 1) / GEMM_WIDTH : 1;

    for (ptrdiff_t w = 0; w < widths; w++) {
        const ptrdiff_t j = w * whole / widths * wide;
        const ptrdiff_t end = w + 1 < widths ? (w + 1) * whole / widths * wide : n;
        ptrdiff_t p = 0;
        do {
            OF(argmax_block)
            (&argmax, end - j, k - p < GEMM_DEPTH ? k - p : GEMM_DEPTH,
             (const T *)operand[0]->data + p,
             (const T *)operand[1]->data + p * argmax.problem.ldb + j,
             (T *)operand[2]->data + j, (int32_t *)operand[3]->data + j, (int32_t)p,
             p > 0);
            p += GEMM_DEPTH;
        } while (p < k);
    }
}

#ifdef GEMM_FMA_ROWS
GEMM_ARGMAX_KERNEL(maxplus, spans, GEMM_MAXPLUS_FMA)
GEMM_ARGMAX_KERNEL(maxplus, spans_add, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(maxplus, fma)
GEMM_ARGMAX_KERNEL(minplus, spans, GEMM_MINPLUS_FMA)
GEMM_ARGMAX_KERNEL(minplus, spans_add, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(minplus, fma)
#else
GEMM_ARGMAX_KERNEL(maxplus, spans, GEMM_MAXPLUS_ADD)
GEMM_ARGMAX_VALUE(maxplus, add)
GEMM_ARGMAX_KERNEL(minplus, spans, GEMM_MINPLUS_ADD)
GEMM_ARGMAX_VALUE(minplus, add)
#endif
GEMM_ARGMAX_KERNEL(maxtimes, spans, GEMM_MAXTIMES_MUL)
GEMM_ARGMAX_VALUE(maxtimes, mul)
