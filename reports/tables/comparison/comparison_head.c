/* SPDX-License-Identifier: Apache-2.0 */
/* The head of a comparison in Markdown: all that a lead reads before a decision. */
#include "comparison_sheet.h"

#include <math.h>

enum { CELL_MAX = 60, EXTREMES = 5 };

/* At most so many bytes of a text that may come from a file; characters stay whole. */
static void add_short_n(struct buffer *buffer, const char *text, size_t n)
{
    size_t end = buffer->length + CELL_MAX;

    buffer_plain_n(buffer, text, n);
    if (buffer->length <= end)
        return;
    while ((buffer->text[end] & 0xc0) == 0x80)
        end--;
    buffer->text[buffer->length = end] = '\0';
    buffer_add(buffer, "...");
}

static void add_short(struct buffer *buffer, const char *text)
{
    add_short_n(buffer, text, strlen(text));
}

static void put_short(struct markdown_piece *piece, const char *text)
{
    buffer_clear(&piece->scratch);
    add_short(&piece->scratch, text);
    text_markdown_cell(piece->file, "", buffer_text(&piece->scratch));
}

static void put_line(struct markdown_piece *piece)
{
    text_markdown_tell(piece->file, "\n- %s", buffer_text(&piece->scratch));
    buffer_clear(&piece->scratch);
}

/* ---- what was compared ---- */

static const struct {
    const char *title;
    size_t offset;
} facts[] = {{"label", offsetof(struct arm, label)},
             {"file", offsetof(struct arm, path)},
             {"version", offsetof(struct arm, version)},
             {"commit", offsetof(struct arm, commit)},
             {"build-id", offsetof(struct arm, build_id)},
             {"measured", offsetof(struct arm, started_at)},
             {"host", offsetof(struct arm, host)}};

static const char *fact_of(const struct arm *arm, size_t offset)
{
    return *(char *const *)((const char *)arm + offset) ?: "";
}

static void put_builds(struct markdown_piece *piece)
{
    const struct gate *const gate = piece->run->gate;

    fputs("\n|  |", piece->file);
    for (size_t i = 0; i < gate->n_arms && i < 2; i++)
        put_short(piece, gate->arms[i].name);
    fputs("\n| :-- |", piece->file);
    for (size_t i = 0; i < gate->n_arms && i < 2; i++)
        fputs(" :-- |", piece->file);
    for (size_t f = 0; f < ARRAY_LEN(facts); f++) {
        bool known = false;
        for (size_t i = 0; i < gate->n_arms && i < 2; i++)
            known |= *fact_of(&gate->arms[i], facts[f].offset) != '\0';
        if (!known)
            continue;
        fprintf(piece->file, "\n| %s |", facts[f].title);
        for (size_t i = 0; i < gate->n_arms && i < 2; i++)
            put_short(piece, fact_of(&gate->arms[i], facts[f].offset));
    }
    fputc('\n', piece->file);
}

/* ---- how far times can be trusted ---- */

void libraries_text(const struct run *run, struct buffer *buffer)
{
    const struct gate *const gate = run->gate;
    struct library_change change;
    const size_t n = gate_libraries(run, &change);

    if (n)
        buffer_format(
            buffer,
            "libraries, the same code in both: %zu case%s, %+.2f%% (%+.2f to %+.2f)", n,
            n == 1 ? "" : "s", 100 * change.median, 100 * change.least,
            100 * change.most);
    if (isfinite(gate->drift))
        buffer_format(
            buffer,
            "%sthe machine changed by %+.2f%%, as %.0f libraries and limits say; "
            "changes of own cases by op are without that, raw ones beside them",
            buffer->length ? "; " : "", 100 * gate->drift, gate->controls);
}

void between_text(const struct run *run, struct buffer *buffer)
{
    const struct gate *const gate = run->gate;

    if (!(gate->between > 0))
        return;
    buffer_format(buffer,
                  "noise between the runs: %.2f%%; a change must exceed twice that; ",
                  100 * fmin(gate->between, gate->between_alone));
    if (gate->between > gate->between_alone)
        buffer_format(buffer, "%.2f%% of cases with a neighbour on the core; ",
                      100 * gate->between);
    if (isfinite(gate->drift))
        buffer_add(buffer, "19 of 20 libraries and limits lie within two thirds of "
                           "that around the change of the machine");
    else
        buffer_format(buffer,
                      "assumed, as both runs share too few libraries and limits to know: "
                      "%.0f",
                      gate->controls);
}

static void put_trust(struct markdown_piece *piece)
{
    static void (*const texts[])(const struct run *, struct buffer *) = {libraries_text,
                                                                         between_text};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        buffer_clear(&piece->scratch);
        texts[i](piece->run, &piece->scratch);
        if (piece->scratch.length)
            put_line(piece);
    }
    if (piece->run->gate->refused) {
        buffer_clear(&piece->scratch);
        buffer_add(&piece->scratch, "times were not judged: ");
        add_short(&piece->scratch, piece->run->gate->refused);
        put_line(piece);
    }
    fputc('\n', piece->file);
}

/* ---- op x ISA ---- */

static void add_change(struct buffer *buffer, double change)
{
    if (isfinite(change))
        buffer_format(buffer, "%+.2f%%", 100 * change);
    else
        buffer_add(buffer, "-");
}

/* "80.1% to 78.3%", or "78.3%" if that is all that is known. */
static void add_pair(struct buffer *buffer, double before, double after, int digits,
                     const char *unit)
{
    if (isfinite(before))
        buffer_format(buffer, "%.*f%s to ", digits, before, unit);
    buffer_format(buffer, "%.*f%s", digits, after, unit);
}

static void put_row(struct markdown_piece *piece, const struct gate_row *row)
{
    struct buffer *const cell = &piece->scratch;

    fputs("\n|", piece->file);
    put_short(piece, row->op);
    put_short(piece, row->isa);
    buffer_clear(cell);
    buffer_format(cell, "%zu", row->usable);
    if (row->usable < row->cases)
        buffer_format(cell, " of %zu", row->cases);
    text_markdown_cell(piece->file, "", buffer_text(cell));
    buffer_clear(cell);
    add_change(cell, row->change);
    if (row->ci.known)
        buffer_format(cell, " [%+.2f, %+.2f]", 100 * row->ci.lo, 100 * row->ci.hi);
    text_markdown_cell(piece->file, "", buffer_text(cell));
    if (isfinite(piece->run->gate->drift)) {
        buffer_clear(cell);
        add_change(cell, row->raw);
        text_markdown_cell(piece->file, "", buffer_text(cell));
    }
    buffer_clear(cell);
    if (isfinite(row->share_after))
        add_pair(cell, 100 * row->share_before, 100 * row->share_after, 1, "%");
    text_markdown_cell(piece->file, "", buffer_text(cell));
    buffer_clear(cell);
    FOR_EACH (const struct gate_versus, versus, row->versus, row->n_versus) {
        if (!isfinite(versus->after))
            continue;
        buffer_add(cell, cell->length ? ", " : "");
        add_short_n(cell, versus->label, versus->length);
        buffer_add(cell, " ");
        add_pair(cell, versus->before, versus->after, 3, "x");
    }
    text_markdown_cell(piece->file, "", buffer_text(cell));
}

/* Rows without any number are a line: "no usable case: gemm avx512 (12)". Returns the
 * number of those without room. */
static size_t put_empty_rows(struct markdown_piece *piece, const struct gate_row *rows,
                             size_t n, size_t most)
{
    struct markdown_piece line = {.run = piece->run};
    size_t empty = 0;

    piece_begin(&line);
    FOR_EACH (const struct gate_row, row, rows, n) {
        if (row->usable)
            continue;
        buffer_add(&line.scratch, empty++ ? ", " : "no usable case: ");
        add_short(&line.scratch, row->op);
        buffer_add(&line.scratch, " ");
        add_short(&line.scratch, row->isa);
        buffer_format(&line.scratch, " (%zu)", row->cases);
    }
    if (empty) {
        put_line(&line);
        fputc('\n', line.file);
    }
    return piece_end(&line, piece, most) ? 0 : empty;
}

void rows_markdown(struct markdown_piece *piece, size_t most)
{
    struct gate_row *rows = NULL;
    size_t n = 0, left_out = 0;
    const bool drift = isfinite(piece->run->gate->drift);
    bool any = false;

    gate_rows(piece->run, &rows, &n);
    for (size_t i = 0; i < n; i++)
        any |= rows[i].usable > 0;
    if (any) {
        fprintf(piece->file,
                "\n| op | ISA | cases | change |%s limit | speed against |\n"
                "| :-- | :-- | --: | --: |%s --: | :-- |",
                drift ? " raw |" : "", drift ? " --: |" : "");
        for (size_t i = 0; i < n; i++) {
            struct markdown_piece row = {.run = piece->run};
            if (!rows[i].usable)
                continue;
            if (left_out) {
                left_out++;
                continue;
            }
            piece_begin(&row);
            put_row(&row, &rows[i]);
            left_out += !piece_end(&row, piece, most);
        }
        fputc('\n', piece->file);
    }
    left_out += put_empty_rows(piece, rows, n, most);
    if (left_out)
        fprintf(piece->file, "\n%zu more rows are below.\n", left_out);
    gate_rows_free(rows, n);
    piece->rows_left = left_out;
}

/* ---- the worst and the best ---- */

static void put_extremes(struct markdown_piece *piece, const char *title,
                         const struct result *const *list, size_t n, bool best)
{
    if (!n)
        return;
    fprintf(piece->file,
            "\n| %s | change | interval | verdict |\n| :-- | --: | --: | :-- |", title);
    for (size_t i = 0; i < n; i++) {
        const struct result *const result = list[best ? n - 1 - i : i];
        static const enum change_column shown[] = {CHANGE_SIZE, CHANGE_INTERVAL,
                                                   CHANGE_VERDICT};
        fputs("\n|", piece->file);
        put_short(piece, result->id ?: "");
        for (size_t k = 0; k < ARRAY_LEN(shown); k++) {
            char text[CELL_SIZE];
            enum tone tone;
            change_cell(result->comparison, shown[k], text, &tone);
            text_markdown_cell(piece->file, "", text);
        }
    }
    fputc('\n', piece->file);
}

/* Few cases are one table, the worst first. */
static void put_worst_and_best(struct markdown_piece *piece)
{
    const struct run *const run = piece->run;
    FREED_BY(free_memory) const struct result **list =
        must_have(calloc(run->n_results + 1, sizeof *list));
    const size_t n = gate_worst_first(run, list);
    const bool is_few = n <= 2 * EXTREMES;

    put_extremes(piece, is_few ? "case, the worst first" : "worst", list,
                 is_few ? n : EXTREMES, false);
    if (!is_few)
        put_extremes(piece, "best", list + n - EXTREMES, EXTREMES, true);
}

/* ---- the whole ---- */

void head_markdown(struct markdown_piece *piece)
{
    struct markdown_piece extremes = {.run = piece->run};

    answer_markdown(piece->run, piece->file);
    put_builds(piece);
    put_trust(piece);
    piece_begin(&extremes);
    put_worst_and_best(&extremes);
    rows_markdown(piece, HEAD_MAX - piece_size(&extremes));
    piece_end(&extremes, piece, SIZE_MAX);
}
