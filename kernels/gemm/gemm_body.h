/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of gemm for one element type T on one ISA, included once for each type. Rows
 * of kernels.def follow, by GEMM_KERNEL: gemm_rows_body.h has the common ones. The file
 * that includes it has included gemm_tile.h and vector_<isa>.h and defines before:
 *
 * UPDATE(c, t)           statement: c = BETTER(t, c)
 * TILE_ROWS              largest height of a tile, at most 24
 * TILE_VECTORS           largest width of a tile in vectors, 1 or 2
 * HEIGHT_STEP            heights are 1 and the multiples of this
 * STEPS, EACH_STEP(X)    k-steps in one turn of the loop, at most 8; X(0) X(1) ...
 * EACH_ROW(X, u)         X(u, 0, 0, 0) ... X(u, i, i / 8, i % 8) for all rows of a tile:
 *                        LINES_<TILE_ROWS> of lines.h
 * EACH_TILE(X, s, v, f)  X(s, v, f, rows, vectors) for all sizes of tiles
 * PRODUCTS(u, i, j, r)   statement: t[0..vectors) = the products of row i in k-step u, of
 *                        the element at ROW_ADDRESS(u, j, r) with bv[0..vectors)
 * CROWD                  A is read in place if not more rows of a tile than this fall on
 *                        one set of the first cache
 * IN_PLACE               B is read in place up to this many bytes
 * GEMM_EDGE_TILES        1: tiles may end within a vector; 0
 * HALF_STEP(u, i, j, r)  defined if half of a vector takes half of the time: PRODUCTS and
 *                        UPDATE of row i, for the first half
 * GEMM_SLIM              defined if vectors have several lanes
 * EACH_MASKED_TILE       defined if there are rows `masked`: gemm_argmax_masked_body.h
 *
 * Loops over rows and vectors are written out by the preprocessor: compilers differ in
 * how much they unroll, and accumulators left in memory cost half the speed.
 */

/* `edge` is not NO_EDGE: the tile has `width` columns, less than a vector. */
#ifndef HAS_HALF
#ifdef HALF_STEP
#define HAS_HALF 1
#else
#define HAS_HALF 0
#define HALF_STEP(u, i, j, r) (void)t
#define HALF VEC
#define LOW(v) v
#define WHOLE(v) v
#endif
#endif
#ifndef TILE_LOAD
#if GEMM_EDGE_TILES
#define TILE_LOAD(p) (edge ? OF(load_first)(p, width) : LOAD(p))
#define TILE_STORE(p, v)                  \
    do {                                  \
        if (edge)                         \
            OF(store_first)(p, v, width); \
        else                              \
            STORE(p, v);                  \
    } while (0)
#else
#define TILE_LOAD(p) LOAD(p)
#define TILE_STORE(p, v) STORE(p, v)
#endif
#endif

/* The start of a sum, a product, and how elements of A and B are copied. */
#if OF(IS_INTEGER)
#include "gemm_integer_body.h"
#else
INLINE T OF(start)(enum gemm_form form)
{
    return (T)gemm_form_zero(form);
}

INLINE VEC OF(times)(VEC a, VEC b, enum gemm_form form)
{
    return form == GEMM_MAXTIMES_MUL ? a * b : a + b;
}

static inline void OF(read_vector)(T *to, const T *from, enum gemm_form form, bool of_a)
{
    STORE(to, LOAD(from));
}

static inline void OF(read_elements)(T *to, const T *from, ptrdiff_t n,
                                     enum gemm_form form, bool of_a)
{
    memcpy(to, from, (size_t)n * sizeof(T));
}

/* Less than a vector of B. */
static inline void OF(read_first)(T *to, const T *from, ptrdiff_t n, enum gemm_form form)
{
    STORE(to, OF(load_first)(from, n));
}

static inline void OF(write_first)(T *to, const T *from, ptrdiff_t n)
{
    OF(store_first)(to, LOAD(from), n);
}
#endif

#ifndef EACH_MASKED_TILE
#undef MASKED_ROWS
#define MASKED_ROWS TILE_ROWS
#endif

typedef void OF(tile_function)(TILE_PARAMETERS);

/* C = A (x) B for `rows` x `vectors * LANES` elements. If `first`, the number of the
 * first k-step, is not 0, what stands in C is folded in. Then the same for the next
 * `rows` rows of A and C, `times` times in all. rows, vectors and form are constants:
 * each use becomes a kernel of its own. `index` is for tiles of gemm_argmax, which also
 * write winners there. */
GEMM_TILE_BODY
OF(tile)(const int rows, const int vectors, const int edge, const enum gemm_form form,
         TILE_PARAMETERS)
{
    const VEC zero = SPLAT(OF(start)(form));
    VEC one = SPLAT((T)1);
    VEC acc[TILE_ROWS][TILE_VECTORS];
    HALF half[TILE_ROWS];
    TILE_DISTANCES;
    HIDE(b1);
    HIDE(b3);
    HIDE(b5);
    HIDE(b7);
    HIDE_VECTOR(one);
    (void)one;

    for (; times > 0; times--, a += rows * lda, c += rows * ldc) {
        const char *bp = (const char *)b;
        TILE_BASES;

        T *to = c;
        if (LANES * sizeof(T) == 64 && first) {
            EACH_ROW(ROW_FETCH, 0)
            to = c;
        }
        EACH_ROW(ROW_START, 0)
        for (ptrdiff_t turns = k / STEPS; turns > 0; turns--) {
            EACH_STEP(K_STEP)
            K_STEPS_DONE(STEPS);
        }
        for (ptrdiff_t turns = k % STEPS; turns > 0; turns--) {
            K_STEP(0)
            K_STEPS_DONE(1);
        }
        if (edge == HALF_EDGE) {
            EACH_ROW(ROW_WHOLE, 0)
        }
        if (first) {
            EACH_ROW(ROW_FOLD, 0)
            to = c;
        }
        EACH_ROW(ROW_STORE, 0)
    }
}

/* A tile of columns from `start`, which is `vectors` wide. */
struct OF(columns) {
    ptrdiff_t start;
    int vectors;
};

/* The tile at column j of n. The last one begins further left if it would reach over the
 * edge: its neighbour's columns are computed twice, with the same result. */
static struct OF(columns) OF(columns_at)(ptrdiff_t j, ptrdiff_t n)
{
    const ptrdiff_t wide = TILE_VECTORS * LANES;
    const bool full = n - j >= wide || (n - j > LANES && n >= wide);
    const ptrdiff_t width = full ? wide : LANES;

    return (struct OF(columns)){
        .start = j + width <= n ? j
                 : n >= width   ? n - width
                                : 0,
        .vectors = full ? TILE_VECTORS : 1,
    };
}

#include "gemm_pack_body.h"
#include "gemm_slim_body.h"

/* Strips of m rows, none above `tallest`, as even as the steps of heights allow. If m is
 * odd and the step is two, the last strip begins a row further up, and that row is
 * computed twice. */
static ptrdiff_t OF(strips)(ptrdiff_t m, ptrdiff_t tallest)
{
    const ptrdiff_t least = (m + tallest - 1) / tallest;

    /* One strip alone cannot begin further up, so it has to be two. */
    return least == 1 && m > 1 && m % HEIGHT_STEP ? 2 : least;
}

/* Neighbouring strips of equal height. */
struct OF(run) {
    ptrdiff_t start, height, strips;
};

/* The run that begins with strip s, up to strip `last`. */
static struct OF(run)
    OF(run_at)(const struct gemm_problem *problem, ptrdiff_t s, ptrdiff_t last)
{
    const ptrdiff_t taller = problem->taller;
    const bool tall = s < taller;
    const ptrdiff_t height = problem->m > 1 ? (problem->steps + tall) * HEIGHT_STEP : 1;
    ptrdiff_t start = (s * problem->steps + (tall ? s : taller)) * HEIGHT_STEP;
    ptrdiff_t strips = (tall && taller < last ? taller : last) - s;

    if (start + height > problem->m)
        start = problem->m - height;
    else if (start + strips * height > problem->m)
        strips--;
    return (struct OF(run)){start, height, strips};
}

/* The runs of a block from column j on, as many as there is room for; returns the column
 * behind them. Panel after panel of B stays in the first cache, while the strips of a
 * block of A come from the second. */
static ptrdiff_t OF(list_runs)(const struct gemm_problem *problem, ptrdiff_t j,
                               OF(tile_function) *const tiles[][TILE_VECTORS],
                               struct gemm_runs *runs)
{
    enum { RUNS_OF_STRIPS = 3 };
    runs->count = 0;
    while (j < runs->n && runs->count + RUNS_OF_STRIPS <= GEMM_RUNS) {
        const struct OF(columns) columns = OF(columns_at)(j, runs->n);
        const bool half = HAS_HALF && !OF(IS_INTEGER) && !problem->ldi &&
                          !problem->copy_panels && runs->n - j <= LANES / 2;
        struct OF(run) run;

        for (ptrdiff_t t = runs->first; t < runs->last; t += run.strips) {
            run = OF(run_at)(problem, t, runs->last);
            runs->run[runs->count++] = (struct gemm_run){
                .tile = (void (*)(void))tiles[run.height][columns.vectors - 1],
                .row = run.start,
                .height = run.height,
                .strips = run.strips,
                .column = half ? j : columns.start,
                .width = half ? runs->n - j : columns.vectors * LANES,
                .panel = j,
            };
        }
        j += columns.vectors * LANES;
    }
    return j;
}

/* All rows times n columns, k deep, from k-step `first` on. Inlined up to multiply(), as
 * without an index nothing of it may cost. */
INLINE void OF(block)(struct gemm_workspace *workspace, enum gemm_form form,
                      OF(tile_function) *const tiles[][TILE_VECTORS], ptrdiff_t n,
                      ptrdiff_t k, const T *a, const T *b, T *c, ptrdiff_t first,
                      int32_t *index)
{
    const struct gemm_problem *const problem = &workspace->problem;
    struct gemm_runs *const runs = &workspace->runs;
    const ptrdiff_t ldc = problem->ldc, strips = problem->strips,
                    several = problem->several;
    const ptrdiff_t lda = problem->copy_rows ? gemm_padded(k, sizeof(T)) : problem->lda;

    if (problem->copy_panels)
        (void)OF(pack_panels)(workspace->panels, b, problem->ldb, k, n, form);
    for (ptrdiff_t s = 0; s < strips; s += several) {
        const ptrdiff_t last = s + several < strips ? s + several : strips;
        const T *rows = a;
        ptrdiff_t top = 0;

        if (problem->copy_rows) {
            const struct OF(run) end = OF(run_at)(problem, last - 1, last);
            top = OF(run_at)(problem, s, last).start;
            rows = workspace->rows;
            (void)OF(pack_rows)(workspace->rows, lda, a + top * problem->lda,
                                problem->lda, end.start + end.height - top, k, form);
        }
        for (ptrdiff_t j = 0; j < n;) {
            /* Those of the call before, if they were all and of such a block. */
            if (j > 0 || runs->n != n || runs->first != s || runs->last != last) {
                runs->n = n, runs->first = s, runs->last = last;
                const ptrdiff_t next = OF(list_runs)(problem, j, tiles, runs);
                if (j > 0 || next < n)
                    runs->last = -1;
                j = next;
            } else {
                j = n;
            }
            for (int r = 0; r < runs->count; r++) {
                const struct gemm_run *const run = &runs->run[r];
                OF(tile_function) *const tile = (OF(tile_function) *)run->tile;
                const T *const row = rows + (run->row - top) * lda;
                const T *const from = problem->copy_panels
                                          ? (const T *)workspace->panels + k * run->panel
                                          : b + run->column;
                const ptrdiff_t ldb = problem->copy_panels ? run->width : problem->ldb;
                T *const to = c + run->row * ldc + run->column;
                int32_t *const winners =
                    index ? index + run->row * problem->ldi + run->column : NULL;
                if (n < LANES && problem->copy_panels)
                    (void)OF(narrow_tiles)(tile, run->height, n, k, row, lda, from, ldb,
                                           to, ldc, first, run->strips, winners,
                                           problem->ldi, LANES);
                else
                    tile(k, row, lda, from, ldb, to, ldc, first, run->strips, winners,
                         problem->ldi, n < LANES ? n : run->width);
            }
        }
    }
}

#if !OF(IS_INTEGER)
/* True if rows of a tile of A would drive each other out of the first cache. It has 64
 * sets on all CPUs that are likely here. */
static bool OF(crowded)(ptrdiff_t lda, ptrdiff_t m)
{
    unsigned char rows[64] = {0};
    bool crowded = false;

    for (ptrdiff_t i = 0; i < m && i < TILE_ROWS; i++) {
        const size_t set = (size_t)(i * lda) * sizeof(T) / 64 % 64;
        crowded = crowded || ++rows[set] > CROWD;
    }
    return crowded;
}
#endif

/* One product, block by block. */
INLINE void OF(product)(struct gemm_workspace *workspace, enum gemm_form form,
                        OF(tile_function) *const tiles[][TILE_VECTORS], const T *a,
                        const T *b, T *c, int32_t *index)
{
    const struct gemm_problem *const problem = &workspace->problem;
    const ptrdiff_t n = problem->n, k = problem->k;
    const ptrdiff_t depth = workspace->depth;
    const ptrdiff_t depths = k > depth ? (k + depth - 1) / depth : 1;
    /* Blocks of whole tiles; the last one has the ragged edge too. */
    const ptrdiff_t wide = TILE_VECTORS * LANES, whole = n / wide;
    const ptrdiff_t widths = whole ? (whole * wide + GEMM_WIDTH - 1) / GEMM_WIDTH : 1;

    for (ptrdiff_t w = 0; w < widths; w++) {
        const ptrdiff_t j = w ? w * whole / widths * wide : 0;
        const ptrdiff_t end = w + 1 < widths ? (w + 1) * whole / widths * wide : n;
        for (ptrdiff_t d = 0; d < depths; d++) {
            const ptrdiff_t p = d ? d * k / depths : 0;
            const ptrdiff_t past = d + 1 < depths ? (d + 1) * k / depths : k;
            (void)OF(block)(workspace, form, tiles, end - j, past - p, a + p,
                            b + p * problem->ldb + j, c + j, p, index ? index + j : NULL);
        }
#if OF(IS_INTEGER)
        OF(finish)(c + j, problem->ldc, problem->m, end - j, form);
#endif
    }
}

static void OF(divide)(const struct gemm_problem *shape, ptrdiff_t tallest, bool edges,
                       struct gemm_workspace *workspace)
{
    const ptrdiff_t m = shape->m, steps = (m + HEIGHT_STEP - 1) / HEIGHT_STEP;
    struct gemm_problem *const problem = &workspace->problem;

    *problem = *shape;
    problem->strips = OF(strips)(m, tallest);
    problem->steps = steps / problem->strips;
    problem->taller = steps % problem->strips;
    problem->several = workspace->tall / tallest;
#if OF(IS_INTEGER)
    problem->copy_rows = problem->copy_panels = true;
#else
    problem->copy_rows = OF(crowded)(shape->lda, m);
    problem->copy_panels =
        (shape->n < LANES && !edges) ||
        (problem->strips > 3 && shape->k * shape->n * (ptrdiff_t)sizeof(T) > IN_PLACE);
#endif
    workspace->runs.n = 0;
}

/* For a problem that the call before did not have: cuts it into tiles, or computes a slim
 * one and returns false. A function of its own, as other calls would save registers. */
static __attribute__((noinline)) bool
OF(has_tiles)(const struct simdbench_operands *operands, struct gemm_workspace *workspace,
              OF(slim_function) * slim, const struct simdbench_operand *index)
{
    const struct gemm_problem shape = gemm_shape(operands, index);

    if (!slim || !OF(is_slim)(&shape)) {
        OF(divide)(&shape, index ? MASKED_ROWS : TILE_ROWS, GEMM_EDGE_TILES && !index,
                   workspace);
        return true;
    }
    workspace->problem = shape;
    workspace->problem.ldi = -1; /* nobody's */
    slim(operands, workspace);
    return false;
}

/* All products of a batch. `index` is NULL, or winners of the only product go there. */
INLINE void OF(multiply_with)(const struct simdbench_operands *operands,
                              struct gemm_workspace *workspace,
                              OF(tile_function) *const tiles[][TILE_VECTORS],
                              OF(slim_function) * slim, enum gemm_form form,
                              const struct simdbench_operand *index)
{
    const struct simdbench_operand *const a = operands->operand[0];
    const struct simdbench_operand *const b = operands->operand[1];
    const struct simdbench_operand *const c = operands->operand[2];
    const struct gemm_problem shape = gemm_shape(operands, index);

    if (shape.m == 0 || shape.n == 0)
        return;
    if (!gemm_problem_is(&workspace->problem, &shape) &&
        !OF(has_tiles)(operands, workspace, slim, index))
        return;

    const int64_t matrices = gemm_matrices(operands->shape);
    for (int64_t i = 0; i < matrices; i++)
        OF(product)(workspace, form, tiles, (const T *)a->data + i * a->stride,
                    (const T *)b->data + i * b->stride, (T *)c->data + i * c->stride,
                    index ? index->data : NULL);
}

static void OF(multiply)(const struct simdbench_operands *operands,
                         struct gemm_workspace *workspace,
                         OF(tile_function) *const tiles[][TILE_VECTORS],
                         OF(slim_function) * slim, enum gemm_form form)
{
    OF(multiply_with)(operands, workspace, tiles, slim, form, NULL);
}
