/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several runs side by side: builds, machines or instruction sets. A row is an op with an
 * instruction set, or with the fastest kernel of each case, so that runs without a kernel
 * in common have rows too. A cell is the geometric mean of how many times faster than the
 * first run a run is. Medians alone: no interval covers what differs between runs.
 * Table, Markdown, JSON and the page have the same rows.
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
    const struct text_page *page;
};

static bool is_own(const struct result *result)
{
    return !result->is_roof && !result->is_baseline;
}

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->summary.median_ns > 0 && result->id;
}

static void add_row(struct matrix *matrix, struct row row)
{
    FOR_EACH (const struct row, known, matrix->rows, matrix->n_rows)
        if (known->kind == row.kind && text_same(known->op, row.op) &&
            text_same(known->isa, row.isa))
            return;
    struct row *const added = LIST_ADD(matrix, rows, n_rows);
    *added = row;
}

/* The rows of an op stand together, in the order of the first run that has them. */
static void find_rows(struct matrix *matrix)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < matrix->n; i++)
            FOR_EACH (const struct result, result, matrix->runs[i]->results,
                      matrix->runs[i]->n_results) {
                if (result->is_roof || !is_measured(result) ||
                    result->is_baseline != pass)
                    continue;
                if (pass) {
                    add_row(matrix, (struct row){.kind = LIBRARIES});
                    continue;
                }
                add_row(matrix, (struct row){.op = result->op, .kind = OWN_FASTEST});
                add_row(
                    matrix,
                    (struct row){.op = result->op, .isa = result->isa, .kind = OWN_ISA});
            }
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

/* Libraries are the same code if they are of one version, and chose the same kernels. */
static bool same_case(enum kind kind, const struct result *a, const struct result *b)
{
    if (kind == OWN_FASTEST)
        return same_work(a, b);
    return !strcmp(a->id, b->id) &&
           (kind != LIBRARIES || (text_same(a->module.version, b->module.version) &&
                                  text_same(a->module.core, b->module.core)));
}

/* The time of the same case, or of the fastest one that does the same work; 0 without. */
static double time_of(const struct run *run, const struct row *row,
                      const struct result *like)
{
    double least = 0;

    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (belongs(row, result) && same_case(row->kind, result, like) &&
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

static void name_row(const struct row *row, char name[CELL_SIZE])
{
    const char *const isa = row->isa ?: "";

    snprintf(name, CELL_SIZE, "%s%s%s",
             row->kind == LIBRARIES ? "libraries, same code" : row->op ?: "",
             row->kind == OWN_FASTEST ? " fastest" : *isa ? " " : "", isa);
}

/* The cells of the runs [first, end). */
static void put_row(const struct matrix *matrix, const struct row *row, size_t first,
                    size_t end, struct grid *grid)
{
    char name[CELL_SIZE];
    size_t all, cases;

    name_row(row, name);
    grid_cell(grid, "%s", name);
    speed(matrix, row, 0, &all);
    grid_cell(grid, "%zu", all);
    for (size_t i = first; i < end; i++) {
        const double times = speed(matrix, row, i, &cases);
        if (!isfinite(times))
            GRID_TEXTS(grid, "-");
        else if (cases < all)
            grid_cell(grid, "%.3fx (%zu)", times, cases);
        else
            grid_cell(grid, "%.3fx", times);
    }
}

/* Adds how many times as fast as the first the other runs are; false: none has these
 * cases. */
static bool tell_row(const struct matrix *matrix, const struct row *row,
                     struct buffer *text)
{
    enum { NAMED = 5 };
    size_t told = 0, cases;

    for (size_t i = 1; i < matrix->n; i++) {
        const double times = speed(matrix, row, i, &cases);
        if (!isfinite(times) || ++told > NAMED)
            continue;
        buffer_tell(text, "%s%s", told > 1 ? ", " : "", name_of(matrix, i));
        buffer_format(text, " %.2f", times);
    }
    if (told > NAMED)
        buffer_format(text, " and %zu more", told - NAMED);
    return told > 0;
}

static struct answer matrix_answer(const struct matrix *matrix)
{
    struct answer answer = {.n = 0};
    bool known = false;

    FOR_EACH (const struct row, row, matrix->rows, matrix->n_rows) {
        if (row->kind == OWN_ISA)
            continue;
        buffer_plain(&answer.text, row->kind == LIBRARIES
                                       ? "libraries, whose code is the same"
                                       : row->op ?: "");
        buffer_add(&answer.text, ": ");
        if (!tell_row(matrix, row, &answer.text)) {
            buffer_clear(&answer.text);
            continue;
        }
        buffer_tell(&answer.text, " times as fast as %s", name_of(matrix, 0));
        known |= row->kind == LIBRARIES;
        answer_next(&answer);
    }
    buffer_add(&answer.text,
               !answer.n ? "no run has a case of the first one; "
               : known   ? "what libraries differ by is the machine's; "
                       : "how much of it is the machine's nobody knows, as no library is "
                         "the same in these runs; ");
    buffer_add(&answer.text, "builds take turns in simdbench ab OLD NEW");
    answer_next(&answer);
    return answer;
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
    text_item(matrix->page, "%s", buffer_text(&line));
}

/* The end of the runs that stand beside each other from the first one on: as many as the
 * terminal has room for. */
static size_t runs_beside(const struct matrix *matrix, size_t first)
{
    enum { GAP = 2, CASES = 5, TIMES = 11 };
    int width = CASES, widest = 0;
    size_t end = first;

    FOR_EACH (const struct row, row, matrix->rows, matrix->n_rows) {
        char name[CELL_SIZE];
        name_row(row, name);
        widest = text_width(name) > widest ? text_width(name) : widest;
    }
    for (width += widest + GAP; end < matrix->n; end++) {
        const int name = text_width(name_of(matrix, end));
        width += GAP + (name > TIMES ? name : TIMES);
        if (matrix->page->width && width > matrix->page->width && end > first)
            break;
    }
    return matrix->page->markdown ? matrix->n : end;
}

static void put_table(const struct matrix *matrix, size_t first, size_t end)
{
    struct grid grid = {.at = "lr", .columns = end - first + 2};

    GRID_TEXTS(&grid, "op and ISA", "cases");
    for (size_t i = first; i < end; i++)
        GRID_TEXTS(&grid, name_of(matrix, i));
    FOR_EACH (const struct row, row, matrix->rows, matrix->n_rows)
        put_row(matrix, row, first, end, &grid);
    grid_write(&grid, matrix->page, 0);
}

static void write_text(const struct matrix *matrix)
{
    const struct text_page *const page = matrix->page;
    FILE *const file = page->file;
    static const char *const words[] = {
        "geometric means of medians over cases that both runs have; a number in "
        "parentheses is their count if some are missing",
        "fastest: the fastest kernel of each case, whatever its instruction set"};

    if (page->markdown)
        text_answer(page, matrix_answer(matrix));
    fputs("How many times faster than the first run each run is; over 1 is faster\n\n",
          file);
    for (size_t first = 0, end; first < matrix->n; first = end) {
        end = runs_beside(matrix, first);
        put_table(matrix, first, end);
        fputc('\n', file);
    }
    for (size_t i = 0; i < matrix->n; i++)
        put_run(matrix, i);
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        text_item(page, "%s", words[i]);
    if (!page->markdown)
        text_answer(page, matrix_answer(matrix));
}

static void make_json(const struct matrix *matrix, struct json *json)
{
    struct cJSON *const root = json_object(json, NULL, NULL);
    size_t cases;

    json_answer(json, root, matrix_answer(matrix));
    json_number(json, root, "matrix_version", 1);
    struct cJSON *const runs = json_array(json, root, "runs");
    for (size_t i = 0; i < matrix->n; i++) {
        const struct run *const run = matrix->runs[i];
        struct cJSON *const one = json_object(json, runs, NULL);
        json_text(json, one, "name", name_of(matrix, i));
        json_text(json, one, "path", matrix->paths[i]);
        json_text(json, one, "commit", run->tool_commit);
        json_text(json, one, "build_id", run->tool_build_id);
        json_text(json, one, "started_at", run->started_at);
        json_text(json, one, "cpu", facts_find_text(&run->host, "cpu"));
        json_text(json, one, "fingerprint", run->fingerprint);
    }
    struct cJSON *const rows = json_array(json, root, "rows");
    FOR_EACH (const struct row, row, matrix->rows, matrix->n_rows) {
        char name[CELL_SIZE];
        name_row(row, name);
        struct cJSON *const entry = json_object(json, rows, NULL);
        json_text(json, entry, "name", name);
        struct cJSON *const cells = json_array(json, entry, "runs");
        for (size_t i = 0; i < matrix->n; i++) {
            struct cJSON *const cell = json_object(json, cells, NULL);
            json_number(json, cell, "times", speed(matrix, row, i, &cases));
            json_number(json, cell, "cases", (double)cases);
        }
    }
}

void matrix_write(const struct run *const *runs, const char *const *paths, size_t n,
                  const struct text_page *page)
{
    struct matrix matrix = {.runs = runs, .paths = paths, .n = n, .page = page};

    find_rows(&matrix);
    write_text(&matrix);
    free(matrix.rows);
}

void matrix_json(const struct run *const *runs, const char *const *paths, size_t n,
                 struct json *json)
{
    struct matrix matrix = {.runs = runs, .paths = paths, .n = n};

    find_rows(&matrix);
    make_json(&matrix, json);
    free(matrix.rows);
}
