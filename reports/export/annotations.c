/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that GitHub shows beside a change: about ten of each kind, so the worst first. */
#include <math.h>

#include "export.h"
#include "export_rows.h"

enum { SHOWN_MAX = 10 };

enum kind { KIND_ERROR, KIND_WARNING, KIND_NOTICE, KIND_NONE };
static const char *const kind_names[] = {"error", "warning", "notice"};

struct note {
    enum kind kind;
    double weight;                /* more comes first */
    size_t order;                 /* then less does */
    const struct export_row *row; /* NULL: a claim of a study */
    const struct study *study;
    const struct study_claim *claim;
};

static enum kind kind_of(const struct run *run, const struct result *result)
{
    if (status_is_bad(result->status) || result_code_is_worse(result))
        return KIND_ERROR;
    if (result->status >= STATUS_NOISY)
        return KIND_WARNING;
    if (result->status != STATUS_OK || !result->comparison)
        return KIND_NONE;
    if (export_fails(run, result))
        return KIND_ERROR;
    const enum verdict verdict = result->comparison->verdict;
    if (verdict == VERDICT_SAME)
        return KIND_NONE;
    /* REGRESSED is of another machine: it fails nothing. */
    return verdict == VERDICT_REGRESSED || verdict == VERDICT_INCONCLUSIVE ||
                   verdict == VERDICT_UNUSABLE || verdict == VERDICT_PLACED
               ? KIND_WARNING
               : KIND_NOTICE;
}

static enum kind kind_of_claim(const struct study_claim *claim)
{
    switch (claim->check.verdict) {
    case STUDY_REFUTED:
        return KIND_ERROR;
    case STUDY_CONFIRMED:
        return claim->contested ? KIND_WARNING : KIND_NONE;
    case STUDY_UNDECIDED:
        return KIND_WARNING;
    default:
        return KIND_NOTICE;
    }
}

/* Wrong results come before slow ones, and those are ordered by their change. */
static double weight_of(const struct result *result)
{
    if (result->status != STATUS_OK)
        return INFINITY;
    const double change = fabs(result->comparison->change);
    return isfinite(change) ? change : -1;
}

static int worst_first(const void *a, const void *b)
{
    const struct note *left = a, *right = b;

    if (left->kind != right->kind)
        return left->kind < right->kind ? -1 : 1;
    if (left->weight != right->weight)
        return left->weight > right->weight ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* Commands end at a line's end, their properties at a colon or a comma too. */
static void put_escaped(FILE *file, const char *text, bool property)
{
    for (; *text; text++) {
        if (*text == '%' || *text == '\r' || *text == '\n' ||
            (property && (*text == ':' || *text == ',')))
            fprintf(file, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, file);
    }
}

static void tell_title(const struct note *note, struct buffer *out)
{
    if (note->row) {
        buffer_format(out, "%s %s", export_word(note->row->result), note->row->name);
        return;
    }
    study_verdict_tell(note->claim, out);
    buffer_tell(out, " %s %s", note->study->name, note->claim->id);
}

static void tell_text(const struct note *note, struct buffer *out)
{
    if (!note->row) {
        export_claim_tell(out, note->claim);
        return;
    }
    export_tell(out, note->row->result);
    if (!out->length)
        buffer_add(out, export_word(note->row->result));
}

/* The place in the sources beside which GitHub shows the line. */
static void put_source(FILE *file, const struct note *note, struct buffer *scratch)
{
    const struct comparison *const comparison =
        note->row ? note->row->result->comparison : NULL;
    const char *const source =
        comparison && comparison->placement ? comparison->placement->source : NULL;
    const char *const colon = source ? strrchr(source, ':') : NULL;
    const unsigned long line = colon ? strtoul(colon + 1, NULL, 10) : 0;

    if (!line)
        return;
    buffer_clear(scratch);
    buffer_plain_n(scratch, source, (size_t)(colon - source));
    fputs("file=", file);
    put_escaped(file, buffer_text(scratch), true);
    fprintf(file, ",line=%lu,", line);
}

static void put_note(FILE *file, const struct note *note, struct buffer *scratch)
{
    fprintf(file, "::%s ", kind_names[note->kind]);
    put_source(file, note, scratch);
    buffer_clear(scratch);
    tell_title(note, scratch);
    fputs("title=", file);
    put_escaped(file, buffer_text(scratch), true);
    fputs("::", file);
    buffer_clear(scratch);
    tell_text(note, scratch);
    put_escaped(file, buffer_text(scratch), false);
    fputc('\n', file);
}

/* Writes notes of one kind; if there are too many, the last line counts the rest. */
static void put_kind(FILE *file, const struct note *note, size_t n, size_t most,
                     struct buffer *scratch)
{
    const size_t shown = n <= most ? n : most - 1;

    for (size_t i = 0; i < shown; i++)
        put_note(file, &note[i], scratch);
    if (shown < n)
        fprintf(file,
                "::%s title=simdbench%%3A %zu more::%zu more of this kind are in the "
                "report\n",
                kind_names[note->kind], n - shown, n - shown);
}

static void put_rest(FILE *file, const char *what, const char *text)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};

    if (!text)
        return;
    buffer_plain(&plain, text);
    fprintf(file, "; %s: ", what);
    put_escaped(file, buffer_text(&plain), false);
}

static void put_summary(const struct run *run, const struct export_rows *rows, FILE *file)
{
    const struct gate *gate = run->gate;
    size_t ended[STATUS_COUNT] = {0};

    FOR_EACH (const struct study, study, run->studies, run->n_studies) {
        FREED_BY(buffer_free) struct buffer text = {.text = NULL};
        study_tell(study, &text);
        fputs("::notice title=simdbench study::", file);
        put_escaped(file, buffer_text(&text), false);
        fputc('\n', file);
    }
    for (size_t i = 0; i < rows->n; i++)
        ended[rows->row[i].result->status]++;
    fprintf(file, "::notice title=simdbench::%zu case%s", rows->n,
            rows->n == 1 ? "" : "s");
    for (enum status status = STATUS_OK; status < STATUS_COUNT; status++)
        if (ended[status])
            fprintf(file, ", %zu %s", ended[status], status_name(status));
    if (gate)
        fprintf(file,
                "; %zu regressed, %zu improved, %zu same, %zu inconclusive, %zu unusable",
                gate->regressed, gate->improved, gate->same, gate->inconclusive,
                gate->unusable);
    if (gate && gate->placed)
        fprintf(file, ", %zu placed", gate->placed);
    if (gate && run_code_worse(run))
        fprintf(file, ", %zu of worse code", run_code_worse(run));
    if (gate && isfinite(gate->geomean_change))
        fprintf(file, "; geometric mean of changes %+.2f%%25",
                100 * gate->geomean_change);
    if (gate) {
        put_rest(file, "left out", gate->left_out);
        put_rest(file, "this CPU lacks", gate->lacking);
        put_rest(file, "times do not gate", gate->refused);
    }
    fputc('\n', file);
}

/* Notes of all claims that have one; returns their number. */
static size_t take_claims(const struct run *run, struct note *notes)
{
    size_t n = 0;

    FOR_EACH (const struct study, study, run->studies, run->n_studies)
        FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
            const enum kind kind = kind_of_claim(claim);
            if (kind != KIND_NONE)
                notes[n] = (struct note){
                    .kind = kind, .order = n, .study = study, .claim = claim};
            n += kind != KIND_NONE;
        }
    return n;
}

void annotations_write(const struct run *run, FILE *file)
{
    FREED_BY(buffer_free) struct buffer scratch = {.text = NULL};
    FREED_BY(export_rows_free) struct export_rows rows = {0};
    size_t n_claims = 0;

    export_rows_make(run, &rows);
    FOR_EACH (const struct study, study, run->studies, run->n_studies)
        n_claims += study->n_claims;
    FREED_BY(free_memory) struct note *notes =
        must_have(calloc(rows.n + n_claims + 1, sizeof *notes));
    size_t n = take_claims(run, notes);
    for (size_t i = 0; i < rows.n; i++) {
        const struct result *result = rows.row[i].result;
        const enum kind kind = kind_of(run, result);
        if (kind != KIND_NONE)
            notes[n++] = (struct note){.kind = kind,
                                       .weight = weight_of(result),
                                       .order = n_claims + i,
                                       .row = &rows.row[i]};
    }
    qsort(notes, n, sizeof *notes, worst_first);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && notes[end].kind == notes[first].kind;)
            end++;
        put_kind(file, &notes[first], end - first,
                 SHOWN_MAX - (notes[first].kind == KIND_NOTICE), &scratch);
    }
    put_summary(run, &rows, file);
}
