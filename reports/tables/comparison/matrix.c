/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs side by side: builds, machines or instruction sets. A row is an op with an
 * instruction set, or with the fastest kernel of each case, so that runs without a kernel
 * in common have rows too. A cell is the geometric mean of how many times faster than the
 * first run a run is. Medians alone: no interval covers what differs between runs.
 */
#include <math.h>

#include "comparison_sheet.h"

enum kind { OWN_ISA, OWN_FASTEST, LIBRARIES };

struct row {
    const char *op, *isa; /* point into a run; isa NULL: of another kind */
    enum kind kind;
};

struct matrix {
    const struct run *const *runs;
    const char *const *paths;
    size_t n;
    struct row *rows;
    size_t n_rows;
    FILE *file;
    bool markdown;
};

static bool is_own(const struct result *result)
{
    return !result->is_roof && !result->is_baseline;
}

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->summary.median_ns > 0 && result->id;
}

static int add_row(struct matrix *matrix, struct row row)
{
    FOR_EACH (const struct row, known, matrix->rows, matrix->n_rows)
        if (known->kind == row.kind && text_same(known->op, row.op) &&
            text_same(known->isa, row.isa))
            return 0;
    struct row *const added = LIST_ADD(matrix, rows, n_rows);
    if (!added)
        return -ENOMEM;
    *added = row;
    return 0;
}

/* The rows of an op stand together, in the order of the first run that has them. */
static int find_rows(struct matrix *matrix)
{
    int status = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < matrix->n; i++)
            FOR_EACH (const struct result, result, matrix->runs[i]->results,
                      matrix->runs[i]->n_results) {
                if (status || result->is_roof || !is_measured(result) ||
                    result->is_baseline != pass)
                    continue;
                if (pass) {
                    status = add_row(matrix, (struct row){.kind = LIBRARIES});
                    continue;
                }
                status =
                    add_row(matrix, (struct row){.op = result->op, .kind = OWN_FASTEST})
                        ?: add_row(matrix, (struct row){.op = result->op,
                                                        .isa = result->isa,
                                                        .kind = OWN_ISA});
            }
    return status;
}

static bool belongs(const struct row *row, const struct result *result)
{
    if (!is_measured(result) || result->is_roof)
        return false;
    return row->kind == LIBRARIES
               ? result->is_baseline
               : is_own(result) && text_same(row->op, result->op) &&
                     (row->kind == OWN_FASTEST || text_same(row->isa, result->isa));
}

static bool same_work(const struct result *a, const struct result *b)
{
    const char *const x = a->id + strcspn(a->id, "@"), *const y =
                                                           b->id + strcspn(b->id, "@");

    return text_same(a->op, b->op) && text_same(a->type, b->type) && !strcmp(x, y);
}

/* The time of the same case, or of the fastest one that does the same work; 0 without. */
static double time_of(const struct run *run, const struct row *row,
                      const struct result *like)
{
    double least = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (belongs(row, result) &&
            (row->kind == OWN_FASTEST ? same_work(result, like)
                                      : !strcmp(result->id, like->id)) &&
            (!least || result->summary.median_ns < least))
            least = result->summary.median_ns;
    return least;
}

/* Each work counts once in a row of the fastest. */
static bool is_first(const struct run *run, const struct row *row, size_t index)
{
    for (size_t i = 0; row->kind == OWN_FASTEST && i < index; i++)
        if (belongs(row, &run->results[i]) &&
            same_work(&run->results[i], &run->results[index]))
            return false;
    return true;
}

/* The speedup over the first run; NaN if they have nothing in common. */
static double speed(const struct matrix *matrix, const struct row *row, size_t run,
                    size_t *cases)
{
    const struct run *const base = matrix->runs[0];
    double logs = 0;

    *cases = 0;
    for (size_t i = 0; i < base->n_results; i++) {
        const struct result *const like = &base->results[i];
        if (!belongs(row, like) || !is_first(base, row, i))
            continue;
        const double before = time_of(base, row, like),
                     now = time_of(matrix->runs[run], row, like);
        if (!(before > 0) || !(now > 0))
            continue;
        logs += log(before / now);
        ++*cases;
    }
    return *cases ? exp(logs / (double)*cases) : NAN;
}

/* ---- writing ---- */

static const char *name_of(const struct matrix *matrix, size_t run)
{
    const char *const label = facts_find_text(&matrix->runs[run]->settings, "label");

    return label && *label ? label : basename(matrix->paths[run]);
}

static void put_row(const struct matrix *matrix, const struct row *row, struct grid *grid)
{
    const char *const isa = row->isa ?: "";
    size_t all, cases;

    grid_cell(grid, "%s%s%s",
              row->kind == LIBRARIES ? "libraries, same code" : row->op ?: "",
              row->kind == OWN_FASTEST ? " fastest" : *isa ? " " : "", isa);
    speed(matrix, row, 0, &all);
    grid_cell(grid, "%zu", all);
    for (size_t i = 0; i < matrix->n; i++) {
        const double times = speed(matrix, row, i, &cases);
        if (!isfinite(times))
            GRID_TEXTS(grid, "-");
        else if (cases < all)
            grid_cell(grid, "%.3fx (%zu)", times, cases);
        else
            grid_cell(grid, "%.3fx", times);
    }
}

static void put_run(const struct matrix *matrix, size_t index)
{
    const struct run *const run = matrix->runs[index];
    const struct {
        const char *name, *text;
    } facts[] = {{"", matrix->paths[index]},
                 {"commit ", run->tool_commit},
                 {"build ", run->tool_build_id},
                 {"measured ", run->started_at},
                 {"", facts_find_text(&run->host, "cpu")},
                 {"fingerprint ", run->fingerprint}};
    FREED_BY(buffer_free) struct buffer line = {.text = NULL};

    buffer_plain(&line, name_of(matrix, index));
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        if (!facts[i].text || !*facts[i].text)
            continue;
        buffer_tell(&line, "%s%s%s", i ? ", " : ": ", facts[i].name, facts[i].text);
    }
    text_item(matrix->file, matrix->markdown, "%s", buffer_text(&line));
}

int matrix_write(const struct run *const *runs, const char *const *paths, size_t n,
                 bool markdown, FILE *file)
{
    struct matrix matrix = {
        .runs = runs, .paths = paths, .n = n, .file = file, .markdown = markdown};
    int status = find_rows(&matrix);

    if (!status) {
        fprintf(file,
                "%sHow many times faster than the first run each run is; over 1 is "
                "faster%s\n\n",
                markdown ? "**" : "", markdown ? "**" : "");
        struct grid grid = {.at = "lr", .columns = n + 2};
        GRID_TEXTS(&grid, "op and ISA", "cases");
        for (size_t i = 0; i < n; i++)
            GRID_TEXTS(&grid, name_of(&matrix, i));
        FOR_EACH (const struct row, row, matrix.rows, matrix.n_rows)
            put_row(&matrix, row, &grid);
        status = grid_write(&grid, markdown, 0, file);
        fputc('\n', file);
        for (size_t i = 0; i < n; i++)
            put_run(&matrix, i);
        static const char *const words[] = {
            "geometric means of medians over cases that both runs have; a number in "
            "parentheses is their count if some are missing",
            "fastest: the fastest kernel of each case, whatever its instruction set",
            "runs at different times differ by more than code: libraries show by how "
            "much; simdbench ab measures builds at once"};
        for (size_t i = 0; i < ARRAY_LEN(words); i++)
            text_item(file, markdown, "%s", words[i]);
    }
    free(matrix.rows);
    return status;
}
