/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows `spans` of gemm_argmax for one element type on one ISA, included after
 * gemm_body.h. A tile makes its products as gemm's does.
 *
 * A tile looks every GEMM_SPAN k-steps which maxima grew, and notes for these where that
 * span began. When a block of k-steps is done, the span noted is searched for the first
 * product that is equal to the maximum, with SIMD along k. An index that follows each
 * product (gemm_argmax_masked_body.h) doubles the work of each; this way it costs two
 * instructions in GEMM_SPAN steps, if the registers hold all, and 12 to 19 for each
 * output of a block.
 *
 * A file whose gemm has taller tiles than these registers hold defines ARGMAX_ROWS and
 * EACH_ARGMAX_TILE besides TILE_ROWS and EACH_TILE; one whose search is faster as it is
 * written, an empty ARGMAX_UNROLL.
 */

#ifndef ARGMAX_UNROLL
#define ARGMAX_UNROLL _Pragma("GCC unroll 4")
#endif
#ifndef ARGMAX_ROWS
#define ARGMAX_ROWS TILE_ROWS
#define EACH_ARGMAX_TILE EACH_TILE
#endif

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
typedef void OF(argmax_searcher)(int vectors, bool fold, ARGMAX_SEARCH_PARAMETERS);

/* The `rows` x `vectors` maxima at c, which if `fold` continue those that are there. At
 * `spans`, one after the other, stands then at which k-step the span began that they are
 * of; if no span improved them, what stood there if `fold`, and else the first one. rows,
 * vectors and form are constants. */
GEMM_TILE_BODY
OF(argmax_tile)(const int rows, const int vectors, const enum gemm_form form,
                ARGMAX_TILE_PARAMETERS)
{
    const ptrdiff_t width = LANES;
    const int edge = NO_EDGE;
    HALF half[TILE_ROWS];
    const VEC zero = SPLAT(OF(start)(form));
    VEC one = SPLAT((T)1);
    VEC acc[TILE_ROWS][TILE_VECTORS], seen[TILE_ROWS][TILE_VECTORS],
        span[TILE_ROWS][TILE_VECTORS];
    TILE_DISTANCES;
    const char *bp = (const char *)b;
    TILE_BASES;
    HIDE(b1);
    HIDE(b3);
    HIDE(b5);
    HIDE(b7);
    HIDE_VECTOR(one);
    (void)one, (void)width, (void)edge, (void)half;

    T *to = c;
    EACH_ROW(ROW_BEGIN, 0)
    if (fold) {
        EACH_ROW(ROW_RESUME, 0)
        to = c;
    }
    OF(INTEGER) p = 0;
    for (; p + GEMM_SPAN <= k; p += GEMM_SPAN) {
        for (int turns = GEMM_SPAN / STEPS; turns > 0; turns--) {
            EACH_STEP(K_STEP)
            K_STEPS_DONE(STEPS);
        }
        const VEC number = SPLAT(OF(from_integer)(p));
        EACH_ROW(ROW_NOTE, 0)
    }
    if (k % GEMM_SPAN) {
        for (ptrdiff_t turns = k % GEMM_SPAN; turns > 0; turns--) {
            K_STEP(0)
            K_STEPS_DONE(1);
        }
        const VEC number = SPLAT(OF(from_integer)(p));
        EACH_ROW(ROW_NOTE, 0)
    }
    EACH_ROW(ROW_LEAVE, 0)
}

/* The first product of a span that is equal to *best; GEMM_SPAN if none is, as where no
 * span has improved it. */
static inline __attribute__((always_inline)) int
OF(argmax_first)(const enum gemm_form form, const T *a, const T *b, const T *best)
{
    const VEC all = SPLAT(*best);
    unsigned bits = 0;

    for (int s = 0; s < GEMM_SPAN; s += LANES)
        bits |= OF(matches)(OF(times)(LOAD(a + s), LOAD(b + s), form), all) << s;
    return __builtin_ctz(bits | UINT32_C(1) << GEMM_SPAN);
}

/* The indices of n columns of a row whose maxima are all of this block of k-steps. Where
 * nothing is better than the semiring's zero there is no winner. */
INLINE void OF(argmax_search_all)(const enum gemm_form form, const ptrdiff_t width,
                                  ptrdiff_t n, const T *a, const T *columns, const T *c,
                                  const T *spans, int32_t *index)
{
    const T zero = OF(start)(form);

    ARGMAX_UNROLL
    for (ptrdiff_t j = 0; j < n; j++) {
        const ptrdiff_t p = (ptrdiff_t)OF(to_integer)(spans + j);
        const T *const column = columns + j * GEMM_SPAN + p * width;
        index[j] = (int32_t)p + OF(argmax_first)(form, a + p, column, c + j);
    }
    for (ptrdiff_t from = 0; from < n; from += LANES)
        if (__builtin_expect(OF(matches)(LOAD(c + from), SPLAT(zero)) != 0, 0))
            for (ptrdiff_t j = from; j < n && j < from + LANES; j++)
                index[j] = c[j] == zero ? GEMM_NO_WINNER : index[j];
}

/* The same after other blocks: a maximum that no span has improved keeps its index.
 * Hidden, or compilers branch, and nobody can predict where. */
INLINE void OF(argmax_search_better)(const enum gemm_form form, const ptrdiff_t width,
                                     ptrdiff_t n, const T *a, const T *columns,
                                     const T *c, const T *spans, int32_t *index,
                                     int32_t first)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const ptrdiff_t noted = (ptrdiff_t)OF(to_integer)(spans + j);
        ptrdiff_t none = noted >> (8 * sizeof noted - 1);
        HIDE(none);
        const ptrdiff_t p = noted & ~none;
        const T *const column = columns + j * GEMM_SPAN + p * width;
        const int32_t found =
            first + (int32_t)p + OF(argmax_first)(form, a + p, column, c + j);
        index[j] = (found & ~(int32_t)none) | (index[j] & (int32_t)none);
    }
}

/* The indices of a tile, n of its `width` columns, from the spans noted. form, width and
 * fold are constants. */
INLINE void OF(argmax_search)(const enum gemm_form form, const ptrdiff_t width,
                              const bool fold, ARGMAX_SEARCH_PARAMETERS)
{
    for (; rows > 0; rows--, a += lda, c += ldc, spans += width, index += ldi)
        if (fold)
            OF(argmax_search_better)(form, width, n, a, columns, c, spans, index, first);
        else
            OF(argmax_search_all)(form, width, n, a, columns, c, spans, index);
}

/* Everything that stays the same from block to block. */
struct OF(argmax) {
    const struct gemm_workspace *workspace;
    OF(argmax_function) *const (*tiles)[TILE_VECTORS];
    OF(argmax_searcher) * search;
    ptrdiff_t ldi;
};

/* Strips `first` to `last` of a panel of B, k-steps deep: `valid` of its columns are
 * there. Row `top` is the first of a, c and index. */
struct OF(argmax_place) {
    ptrdiff_t first, last, top, rows, k, valid, lda, ldb;
    int vectors;
    const T *a, *b, *columns;
    T *c;
    int32_t *index;
};

/* All tiles before the search: first the panel stays in the first cache, then its
 * columns, as there is no room for both. C has the maxima of k-steps before `step`. */
static void OF(argmax_place)(const struct OF(argmax) * argmax,
                             const struct OF(argmax_place) * at, int32_t step)
{
    enum { ROWS = GEMM_ARGMAX_BYTES / (GEMM_ARGMAX_DEPTH * sizeof(T)) };
    const struct gemm_problem *const problem = &argmax->workspace->problem;
    const ptrdiff_t width = (ptrdiff_t)at->vectors * LANES;
    const bool whole = at->valid == width, fold = step > 0;
    T narrow[ROWS * LANES] __attribute__((aligned(64)));
    T spans[ROWS * TILE_VECTORS * LANES] __attribute__((aligned(64)));
    T *const c = whole ? at->c : narrow;
    const ptrdiff_t ldc = whole ? problem->ldc : LANES;
    const size_t part = (size_t)at->valid * sizeof(T);

    for (ptrdiff_t i = 0; i < at->rows && fold && !whole; i++)
        memcpy(narrow + i * LANES, at->c + i * problem->ldc, part);
    /* No span yet. A row in two strips keeps what the first of them found. */
    if (fold)
        memset(spans, 0xff, (size_t)(at->rows * width) * sizeof(T));
    struct OF(run) run;
    for (ptrdiff_t t = at->first; t < at->last; t += run.strips) {
        run = OF(run_at)(problem, t, at->last);
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): heights from 1 up */
        OF(argmax_function) *const tile = argmax->tiles[run.height][at->vectors - 1];
        for (ptrdiff_t u = 0; u < run.strips; u++) {
            const ptrdiff_t row = run.start + u * run.height - at->top;
            tile(at->k, at->a + row * at->lda, at->lda, at->b, at->ldb, c + row * ldc,
                 ldc, fold, spans + row * width);
        }
    }
    for (ptrdiff_t i = 0; i < at->rows && !whole; i++)
        memcpy(at->c + i * problem->ldc, narrow + i * LANES, part);
    argmax->search(at->vectors, fold, at->rows, at->valid, at->a, at->lda, at->columns, c,
                   ldc, spans, at->index, argmax->ldi, step);
}

/* Copies k rows of a tile of B for the search: span after span, column by column. */
static void OF(argmax_turn)(T *columns, const T *b, ptrdiff_t ldb, ptrdiff_t k,
                            ptrdiff_t width, ptrdiff_t valid)
{
    for (ptrdiff_t p = 0; p < k; p += GEMM_SPAN, columns += GEMM_SPAN * width) {
        const ptrdiff_t steps = k - p < GEMM_SPAN ? k - p : GEMM_SPAN;
        for (ptrdiff_t s = 0; s < steps; s++)
#pragma GCC unroll 8
            for (ptrdiff_t j = 0; j < valid; j++) {
                T element = b[(p + s) * ldb + j];
                /* Or compilers take scatters and gathers, which are slower. */
                HIDE_VECTOR(element);
                columns[j * GEMM_SPAN + s] = element;
            }
    }
}

/* All rows times n columns, k deep, from row `step` of B. Loops as in gemm_body.h. */
static void OF(argmax_block)(const struct OF(argmax) * argmax, ptrdiff_t n, ptrdiff_t k,
                             const T *a, const T *b, T *c, int32_t *index, int32_t step)
{
    const struct gemm_workspace *const workspace = argmax->workspace;
    const struct gemm_problem *const problem = &workspace->problem;
    const ptrdiff_t spans = (k + GEMM_SPAN - 1) / GEMM_SPAN * GEMM_SPAN;
    const ptrdiff_t lda =
        problem->copy_rows ? gemm_padded(spans, sizeof(T)) : problem->lda;
    const ptrdiff_t ldb = problem->ldb;

    if (problem->copy_panels)
        (void)OF(pack_panels)(workspace->panels, b, ldb, k, n, GEMM_MAXPLUS_ADD);
    for (ptrdiff_t j = 0, width; j < n; j += width) {
        const struct OF(columns) columns = OF(columns_at)(j, n);
        width = columns.vectors * LANES;
        OF(argmax_turn)
        ((T *)workspace->columns + spans * j, b + columns.start, ldb, k, width,
         n < width ? n : width);
    }
    for (ptrdiff_t s = 0, last; s < problem->strips; s = last) {
        last = s + problem->several;
        last = last < problem->strips ? last : problem->strips;
        const ptrdiff_t top = OF(run_at)(problem, s, last).start;
        const struct OF(run) end = OF(run_at)(problem, last - 1, last);
        const ptrdiff_t height = end.start + end.height - top;
        const T *rows = a + top * problem->lda;

        for (ptrdiff_t i = 0; i < height && problem->copy_rows; i++)
            memcpy((T *)workspace->rows + i * lda, rows + i * problem->lda,
                   (size_t)k * sizeof(T));
        if (problem->copy_rows)
            rows = workspace->rows;
        for (ptrdiff_t j = 0, width; j < n; j += width) {
            const struct OF(columns) columns = OF(columns_at)(j, n);
            width = columns.vectors * LANES;
            const struct OF(argmax_place) place = {
                .first = s,
                .last = last,
                .top = top,
                .rows = height,
                .k = k,
                .valid = n < width ? n : width,
                .lda = lda,
                .vectors = columns.vectors,
                .ldb = problem->copy_panels ? width : ldb,
                .a = rows,
                .b = problem->copy_panels ? (const T *)workspace->panels + k * j
                                          : b + columns.start,
                .columns = (const T *)workspace->columns + spans * j,
                .c = c + top * problem->ldc + columns.start,
                .index = index + top * argmax->ldi + columns.start,
            };
            OF(argmax_place)(argmax, &place, step);
        }
    }
}

static void OF(argmax_multiply)(const struct simdbench_operands *operands,
                                struct gemm_workspace *workspace, T zero,
                                OF(argmax_function) *const tiles[][TILE_VECTORS],
                                OF(argmax_searcher) * search)
{
    const struct simdbench_operand *const *const operand =
        (const struct simdbench_operand *const *)operands->operand;
    const struct gemm_problem shape = gemm_shape(operands, operand[3]);
    const ptrdiff_t n = shape.n, k = shape.k;

    for (ptrdiff_t i = 0; i < shape.m && k == 0; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            ((T *)operand[2]->data)[i * shape.ldc + j] = zero;
            ((int32_t *)operand[3]->data)[i * shape.ldi + j] = GEMM_NO_WINNER;
        }
    if (shape.m == 0 || n == 0 || k == 0)
        return;

    OF(divide)(&shape, ARGMAX_ROWS, false, workspace);
    /* A search reads whole spans. */
    workspace->problem.copy_rows |= k % GEMM_SPAN > 0;
    workspace->problem.copy_panels |= k * n * (ptrdiff_t)sizeof(T) > GEMM_ARGMAX_IN_PLACE;
    const struct OF(argmax) argmax = {
        .workspace = workspace, .tiles = tiles, .search = search, .ldi = shape.ldi};
    /* Blocks of whole tiles, as in gemm_body.h, and of whole spans. */
    const ptrdiff_t wide = TILE_VECTORS * LANES, whole = n / wide;
    const ptrdiff_t widths = whole ? (whole * wide + GEMM_WIDTH - 1) / GEMM_WIDTH : 1;

    for (ptrdiff_t w = 0; w < widths; w++) {
        const ptrdiff_t j = w * whole / widths * wide;
        const ptrdiff_t end = w + 1 < widths ? (w + 1) * whole / widths * wide : n;
        ptrdiff_t p = 0;
        do {
            OF(argmax_block)
            (&argmax, end - j, k - p < GEMM_ARGMAX_DEPTH ? k - p : GEMM_ARGMAX_DEPTH,
             (const T *)operand[0]->data + p,
             (const T *)operand[1]->data + p * shape.ldb + j, (T *)operand[2]->data + j,
             (int32_t *)operand[3]->data + j, (int32_t)p);
            p += GEMM_ARGMAX_DEPTH;
        } while (p < k);
    }
}
