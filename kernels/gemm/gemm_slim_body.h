/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of gemm_body.h for matrices that are too slim for tiles.
 *
 * narrow: B has few columns, which fill less than a vector. So the lanes are k-steps. B
 * is copied column by column, and an element of C is the best lane of a sum.
 *
 * flat: A has few rows or k-steps. So rows of B are read, and rows of C written, from end
 * to end.
 */

/* Rows and columns of a narrow tile: eight sums, with what they need, fit into 16
 * registers. */
#define NARROW_ROWS 4
#define NARROW_COLUMNS 2
/* The time of an element of C beside that of its products, in products of vectors. */
#define NARROW_FOLD 6
/* Rows and k-steps of a flat tile, and columns of a block. */
#define FLAT_ROWS 2
#define FLAT_STEPS 4
#define FLAT_WIDTH 512
/* Twice as many rows are flat if B has more bytes than this. A file may define it. */
#ifndef FLAT_FAR
#define FLAT_FAR (1 << 20)
#endif

/* The way of products that are not cut into tiles. */
typedef void OF(slim_function)(const struct simdbench_operands *,
                               const struct gemm_workspace *);

#if defined(GEMM_SLIM) && !OF(IS_INTEGER)
/* Narrow products take longer by a quarter, and copy B. */
static bool OF(is_narrow)(const struct gemm_problem *shape)
{
    const ptrdiff_t m = shape->m, n = shape->n, k = shape->k;

    return n < LANES && 5 * n * (k + m * (k / LANES + NARROW_FOLD)) < 4 * k * (m + 1);
}

/* Tiles of three rows pay where there are some. */
static bool OF(is_flat)(const struct gemm_problem *shape)
{
    const ptrdiff_t m = shape->m, n = shape->n, k = shape->k;

    if (k <= FLAT_STEPS)
        return k > 0;
    return m <= FLAT_ROWS || (m == FLAT_ROWS + 1 && HEIGHT_STEP > 1) ||
           (m == 2 * FLAT_ROWS && k * n * (ptrdiff_t)sizeof(T) > FLAT_FAR);
}

static bool OF(is_slim)(const struct gemm_problem *shape)
{
    return shape->n < LANES ? OF(is_narrow)(shape) : OF(is_flat)(shape);
}

INLINE VEC OF(slim_times)(VEC a, VEC b, VEC one, enum gemm_form form)
{
    return gemm_form_fma(form) ? MULTIPLY_ADD(a, one, b) : OF(times)(a, b, form);
}

/* ---- narrow ---- */

/* To columns `ldto` elements apart, which end with what wins nothing. */
static void OF(pack_columns)(T *to, ptrdiff_t ldto, const T *b, ptrdiff_t ldb,
                             ptrdiff_t n, ptrdiff_t k, enum gemm_form form)
{
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t p = k; p < ldto; p++)
            to[j * ldto + p] = OF(start)(form);
    if (n == 1 && ldb == 1) {
        memcpy(to, b, (size_t)k * sizeof(T));
        return;
    }
    for (ptrdiff_t p = 0; p < k; p++) {
        T *at = to + p;
        for (ptrdiff_t j = 0; j < n; j++) {
            at[0] = b[p * ldb + j];
            at += ldto;
            /* Hidden, or compilers scatter vectors, which is slower. */
            HIDE(at);
        }
    }
}

#define HALVE(n)                    \
    if (LANES > (n)) {              \
        VEC upper = v;              \
        for (int i = 0; i < n; i++) \
            upper[i] = v[i + (n)];  \
        v = BETTER(upper, v);       \
    }
INLINE T OF(best_lane)(VEC v, enum gemm_form form)
{
    HALVE(8)
    HALVE(4)
    HALVE(2)
    HALVE(1)
    return v[0];
}
#undef HALVE

#define NARROW_START(u, i, j, r)      \
    if ((i) < rows) {                 \
        acc[i][0] = acc[i][1] = zero; \
    }
#define NARROW_STEP(u, i, j, r)                          \
    if ((i) < rows) {                                    \
        const VEC x = NARROW_LOAD(ROW_ADDRESS(0, j, r)); \
        VEC t = OF(slim_times)(x, bv[0], one, form);     \
        UPDATE(acc[i][0], t);                            \
        if (columns > 1) {                               \
            t = OF(slim_times)(x, bv[1], one, form);     \
            UPDATE(acc[i][1], t);                        \
        }                                                \
    }
#define NARROW_STEPS                                                             \
    {                                                                            \
        const VEC bv[NARROW_COLUMNS] = {LOAD(b), LOAD(b + (columns - 1) * ldb)}; \
        LINES_4(NARROW_STEP, 0)                                                  \
    }
#define NARROW_STORE(u, i, j, r)                                               \
    if ((i) < rows)                                                            \
        for (int v = 0; v < columns; v++) {                                    \
            T *const to = c + (i) * ldc + v;                                   \
            const T best = OF(best_lane)(acc[i][v], form);                     \
            const bool better = gemm_form_min(form) ? best < *to : best > *to; \
            if (!first || better)                                              \
                *to = best;                                                    \
        }

/* rows, columns and form are constants, as in tile(). */
GEMM_TILE_BODY
OF(narrow_tile)(const int rows, const int columns, const enum gemm_form form, ptrdiff_t k,
                const T *a, ptrdiff_t lda, const T *b, ptrdiff_t ldb, T *c, ptrdiff_t ldc,
                bool first)
{
    const VEC zero = SPLAT(OF(start)(form));
    const ptrdiff_t s1 = lda * (ptrdiff_t)sizeof(T), s3 = 3 * s1, s5 = 0, s7 = 0;
    const char *base[1] = {(const char *)a};
    VEC acc[NARROW_ROWS][NARROW_COLUMNS], one = SPLAT((T)1);

    HIDE_VECTOR(one);
    (void)s3, (void)s5, (void)s7;
    LINES_4(NARROW_START, 0)
#define NARROW_LOAD LOAD
    for (; k >= LANES; k -= LANES) {
        NARROW_STEPS
        base[0] += sizeof(VEC);
        b += LANES;
    }
#undef NARROW_LOAD
#define NARROW_LOAD(p) OF(load_first)(p, k)
    if (k > 0)
        NARROW_STEPS
#undef NARROW_LOAD
    LINES_4(NARROW_STORE, 0)
}

INLINE void OF(narrow_product)(const struct gemm_problem *problem, T *panels,
                               const enum gemm_form form, const T *a, const T *b, T *c)
{
    const ptrdiff_t m = problem->m, n = problem->n, lda = problem->lda,
                    ldc = problem->ldc;
    const ptrdiff_t deepest = GEMM_COLUMN_BYTES / (ptrdiff_t)sizeof(T);
    ptrdiff_t rows, columns, k;

    for (ptrdiff_t p = 0; p < problem->k; p += k) {
        k = problem->k - p < deepest ? problem->k - p : deepest;
        const ptrdiff_t ldb = gemm_padded(k, sizeof(T));
        OF(pack_columns)(panels, ldb, b + p * problem->ldb, problem->ldb, n, k, form);
        for (ptrdiff_t i = 0; i < m; i += rows) {
            rows = m - i < NARROW_ROWS ? 1 : NARROW_ROWS;
            for (ptrdiff_t j = 0; j < n; j += columns) {
                columns = n - j < NARROW_COLUMNS ? 1 : NARROW_COLUMNS;
                const T *const row = a + i * lda + p;
                const T *const column = panels + j * ldb;
                T *const to = c + i * ldc + j;
#define NARROW_TILE(rows, columns) \
    OF(narrow_tile)(rows, columns, form, k, row, lda, column, ldb, to, ldc, p > 0)
                if (rows > 1 && columns > 1)
                    NARROW_TILE(NARROW_ROWS, NARROW_COLUMNS);
                else if (rows > 1)
                    NARROW_TILE(NARROW_ROWS, 1);
                else if (columns > 1)
                    NARROW_TILE(1, NARROW_COLUMNS);
                else
                    NARROW_TILE(1, 1);
#undef NARROW_TILE
            }
        }
    }
}

/* ---- flat ---- */

#define FLAT_STEP(u, i, j, r)                          \
    if ((i) < steps) {                                 \
        const VEC y = LOAD(ROW_ADDRESS(0, j, r));      \
        VEC t = OF(slim_times)(y, x[0][i], one, form); \
        UPDATE(best[0], t);                            \
        if (rows > 1) {                                \
            t = OF(slim_times)(y, x[1][i], one, form); \
            UPDATE(best[1], t);                        \
        }                                              \
    }
#define FLAT_VECTOR(at)                                                   \
    {                                                                     \
        const char *const base[1] = {(const char *)(b + (at))};           \
        T *const to[FLAT_ROWS] = {c + (at), c + (rows - 1) * ldc + (at)}; \
        VEC best[FLAT_ROWS] = {zero, zero};                               \
        if (first) {                                                      \
            best[0] = LOAD(to[0]);                                        \
            best[1] = LOAD(to[1]);                                        \
        }                                                                 \
        LINES_4(FLAT_STEP, 0)                                             \
        STORE(to[0], best[0]);                                            \
        if (rows > 1)                                                     \
            STORE(to[1], best[1]);                                        \
    }

/* So many rows of C and k-steps, which are constants as `form` and `first` are. The last
 * vector begins further left if it would reach over the end: what is done twice changes
 * nothing. */
GEMM_TILE_BODY
OF(flat_rows)(const int rows, const int steps, const bool first,
              const enum gemm_form form, ptrdiff_t n, const T *a, ptrdiff_t lda,
              const T *b, ptrdiff_t ldb, T *c, ptrdiff_t ldc)
{
    const VEC zero = SPLAT(OF(start)(form));
    const ptrdiff_t s1 = ldb * (ptrdiff_t)sizeof(T), s3 = 3 * s1, s5 = 0, s7 = 0;
    VEC x[FLAT_ROWS][FLAT_STEPS], one = SPLAT((T)1);
    ptrdiff_t at = 0;

    HIDE_VECTOR(one);
    (void)s3, (void)s5, (void)s7;
    for (int i = 0; i < steps; i++) {
        x[0][i] = SPLAT(a[i]);
        x[1][i] = SPLAT(a[(rows - 1) * lda + i]);
    }
    for (; at <= n - 2 * LANES; at += 2 * LANES) {
        FLAT_VECTOR(at)
        FLAT_VECTOR(at + LANES)
    }
    if (at <= n - LANES) {
        FLAT_VECTOR(at)
        at += LANES;
    }
    if (at < n)
        FLAT_VECTOR(n - LANES)
}

#define FLAT_CASE(rows, steps)             \
    case FLAT_STEPS *(rows) + (steps):     \
        if (p > 0)                         \
            FLAT_PART(rows, steps, true);  \
        else                               \
            FLAT_PART(rows, steps, false); \
        break;
#define FLAT_PART(rows, steps, first) \
    OF(flat_rows)(rows, steps, first, form, n, row, lda, from, ldb, to, ldc)

INLINE void OF(flat_product)(const struct gemm_problem *problem,
                             const enum gemm_form form, const T *a, const T *b, T *c)
{
    const ptrdiff_t m = problem->m, k = problem->k, lda = problem->lda,
                    ldb = problem->ldb, ldc = problem->ldc;
    const ptrdiff_t pairs = (m + FLAT_ROWS - 1) / FLAT_ROWS;
    const ptrdiff_t groups = (k + FLAT_STEPS - 1) / FLAT_STEPS;
    ptrdiff_t n;

    /* Some rows of B or of C are used again: the first cache keeps them. */
    for (ptrdiff_t j = 0; j < problem->n; j += n) {
        n = problem->n - j < 2 * FLAT_WIDTH ? problem->n - j : FLAT_WIDTH;
        for (ptrdiff_t t = 0; t < pairs * groups; t++) {
            const ptrdiff_t i = (m < k ? t % pairs : t / groups) * FLAT_ROWS;
            const ptrdiff_t p = (m < k ? t / pairs : t % groups) * FLAT_STEPS;
            const T *const row = a + i * lda + p, *const from = b + p * ldb + j;
            T *const to = c + i * ldc + j;
            const ptrdiff_t rows = m - i < FLAT_ROWS ? m - i : FLAT_ROWS;
            const ptrdiff_t steps = k - p < FLAT_STEPS ? k - p : FLAT_STEPS;
            switch (FLAT_STEPS * rows + steps) {
                FLAT_CASE(1, 1)
                FLAT_CASE(1, 2)
                FLAT_CASE(1, 3)
                FLAT_CASE(1, 4)
                FLAT_CASE(2, 1)
                FLAT_CASE(2, 2)
                FLAT_CASE(2, 3)
                FLAT_CASE(2, 4)
            }
        }
    }
}

INLINE void OF(slim_products)(const struct simdbench_operands *operands,
                              const struct gemm_workspace *workspace,
                              const enum gemm_form form)
{
    struct simdbench_operand *const *const operand = operands->operand;
    const struct gemm_problem *const problem = &workspace->problem;
    const int64_t matrices = gemm_matrices(operands->shape);

    for (int64_t i = 0; i < matrices; i++) {
        const T *const a = (const T *)operand[0]->data + i * operand[0]->stride;
        const T *const b = (const T *)operand[1]->data + i * operand[1]->stride;
        T *const c = (T *)operand[2]->data + i * operand[2]->stride;
        if (problem->n < LANES)
            OF(narrow_product)(problem, workspace->panels, form, a, b, c);
        else
            OF(flat_product)(problem, form, a, b, c);
    }
}
#else
static bool OF(is_slim)(const struct gemm_problem *shape)
{
    return false;
}

static inline void OF(slim_products)(const struct simdbench_operands *operands,
                                     const struct gemm_workspace *workspace,
                                     enum gemm_form form)
{
}
#endif
