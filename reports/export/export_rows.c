/* SPDX-License-Identifier: Apache-2.0 */
#include "export_rows.h"

#include <math.h>

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
    const struct export_row *const *left = a, *const *right = b;
    const int order = strcmp((*left)->name, (*right)->name);

    return order ? order : *left < *right ? -1 : *left > *right;
}

static void rename_row(struct export_row *row, unsigned repeat)
{
    char *name;

    must(asprintf(&name, "%s#%u", row->name, repeat + 1));
    free(row->name);
    row->name = name;
    row->repeat = repeat;
}

/* A baseline that stands in two groups has the same id in both. A new name may be
 * another's id, so this goes on until nothing changes. */
static void make_unique(struct export_rows *rows)
{
    FREED_BY(free_memory) struct export_row **order =
        must_have(calloc(rows->n + 1, sizeof *order));
    bool changed = true;

    for (size_t i = 0; i < rows->n; i++)
        order[i] = &rows->row[i];
    while (changed) {
        changed = false;
        qsort(order, rows->n, sizeof *order, by_name);
        for (size_t first = 0, i = 1; i < rows->n; i++) {
            if (strcmp(order[first]->name, order[i]->name)) {
                first = i;
                continue;
            }
            rename_row(order[i], (unsigned)(i - first));
            changed = true;
        }
    }
}

void export_rows_make(const struct run *run, struct export_rows *rows)
{
    FREED_BY(buffer_free) struct buffer name = {.text = NULL};

    *rows = (struct export_rows){
        .row = must_have(calloc(run->n_results + 1, sizeof *rows->row))};
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (result->is_roof || result->status == STATUS_PENDING)
            continue;
        buffer_clear(&name);
        buffer_plain(&name, result->id);
        struct export_row *row = &rows->row[rows->n++];
        *row =
            (struct export_row){.result = result, .name = copy_text(buffer_text(&name))};
    }
    make_unique(rows);
}

void export_rows_free(struct export_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++)
        free(rows->row[i].name);
    free(rows->row);
    *rows = (struct export_rows){.row = NULL};
}

/* ---- times ---- */

const char *export_arm_name(enum export_arm arm)
{
    return arm == EXPORT_BASE ? "base" : "head";
}

static double arm_ns(const struct comparison *comparison, enum export_arm arm)
{
    const double ns = arm == EXPORT_BASE ? comparison->base_ns : comparison->head_ns;

    return isfinite(ns) && ns > 0 ? ns : 0;
}

bool export_compares(const struct result *result)
{
    return result->comparison && (arm_ns(result->comparison, EXPORT_BASE) > 0 ||
                                  arm_ns(result->comparison, EXPORT_HEAD) > 0);
}

bool export_of_one_process(const struct run *run)
{
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->samples.n > 1 && !result->is_roof && !export_compares(result))
            return true;
    return false;
}

static bool compared_series(const struct comparison *comparison, enum export_arm arm,
                            struct series *series)
{
    series->median_ns = arm_ns(comparison, arm);
    if (comparison->verdict == VERDICT_UNUSABLE || series->median_ns <= 0)
        return false;
    series->ns = must_have(calloc(2 * comparison->n_trials + 1, sizeof *series->ns));
    series->n = comparison_times(comparison, arm == EXPORT_BASE, series->ns);
    series->ci_ns = stats_median_interval(series->ns, series->n, STATS_LEVEL);
    if (!series->n)
        series->ns[series->n++] = series->median_ns;
    return true;
}

bool series_make(const struct result *result, enum export_arm arm, struct series *series)
{
    *series = (struct series){.iterations = result->samples.iterations
                                                ? (double)result->samples.iterations
                                                : 1};
    if (result->status != STATUS_OK)
        return false;
    if (export_compares(result))
        return compared_series(result->comparison, arm, series);
    if (arm == EXPORT_BASE || !result_has_summary(result) ||
        !(result->summary.median_ns > 0))
        return false;
    series->median_ns = result->summary.median_ns;
    series->ci_ns = result->summary.ci_ns;
    series->ns = must_have(calloc(result->samples.n + 1, sizeof *series->ns));
    for (size_t i = 0; i < result->samples.n; i++) {
        const double ns = result->samples.ns[i] / series->iterations;
        series->ns[series->n++] = fmax(ns - result->samples.overhead_ns, 0);
    }
    if (!series->n)
        series->ns[series->n++] = series->median_ns;
    return true;
}

void series_free(struct series *series)
{
    free(series->ns);
    *series = (struct series){.ns = NULL};
}

void export_each(const struct run *run, enum export_arm arm, export_case *each,
                 void *context)
{
    FREED_BY(export_rows_free) struct export_rows rows = {0};

    export_rows_make(run, &rows);
    for (size_t i = 0; i < rows.n; i++) {
        FREED_BY(series_free) struct series series = {0};
        if (series_make(rows.row[i].result, arm, &series))
            each(&rows.row[i], &series, context);
    }
}

void export_json(struct json *json, const char *before, const char *after, FILE *file)
{
    FREED_BY(free_memory) char *text = json_take(json, ' ');

    fputs(before, file);
    json_print(text, file);
    fputs(after, file);
}

void export_number(struct json *json, struct cJSON *parent, const char *name,
                   double value)
{
    if (isfinite(value))
        json_number(json, parent, name, value);
}

double export_rate(const struct result *result, double ns)
{
    return (result->work.ops > 0 ? result->work.ops : result->work.bytes) / ns;
}

const char *export_rate_unit(const struct result *result)
{
    return result->work.ops > 0 ? "Gop/s" : "GB/s";
}

/* ---- sentences ---- */

bool export_fails(const struct run *run, const struct result *result)
{
    if (result_code_is_worse(result))
        return true;
    if (!result->comparison || (run->gate && run->gate->refused))
        return false;
    const enum verdict verdict = result->comparison->verdict;
    return verdict == VERDICT_REGRESSED ||
           (verdict == VERDICT_PLACED && run->gate && run->gate->placement) ||
           ((verdict == VERDICT_INCONCLUSIVE || verdict == VERDICT_UNUSABLE) &&
            run->gate && run->gate->strict);
}

const char *export_word(const struct result *result)
{
    if (result->status != STATUS_OK || !result->comparison)
        return status_name(result->status);
    const enum verdict verdict = result->comparison->verdict;
    return result_code_is_worse(result) && verdict != VERDICT_REGRESSED
               ? "CODE WORSE"
               : verdict_name(verdict);
}

static void tell_change(struct buffer *buffer, const struct comparison *comparison)
{
    char base[NUMBER_SIZE], head[NUMBER_SIZE];
    const struct interval *ci = &comparison->change_ci;
    const double change = comparison->change;

    text_time(comparison->base_ns, base);
    text_time(comparison->head_ns, head);
    buffer_format(buffer, "%.2f%% %s", 100 * fabs(change),
                  change < 0 ? "faster" : "slower");
    if (ci->known)
        buffer_format(buffer, " [%+.2f%%, %+.2f%%]", 100 * ci->lo, 100 * ci->hi);
    buffer_format(buffer, ": %s, now %s", base, head);
    if (comparison_is_moved(comparison))
        buffer_format(buffer, "; as built %+.2f%%", 100 * comparison->placement->change);
    if (comparison->delta > 0)
        buffer_format(buffer, "; a change counts from %.2f%%", 100 * comparison->delta);
}

static void tell_time(struct buffer *buffer, const struct result *result)
{
    char text[NUMBER_SIZE];

    text_time(result->summary.median_ns, text);
    buffer_add(buffer, text);
    if (result->summary.ci_ns.known) {
        text_time(result->summary.ci_ns.lo, text);
        buffer_format(buffer, " [%s, ", text);
        text_time(result->summary.ci_ns.hi, text);
        buffer_format(buffer, "%s]", text);
    }
    text_digits(export_rate(result, result->summary.median_ns), text);
    buffer_format(buffer, ", %s %s", text, export_rate_unit(result));
}

void export_tell(struct buffer *buffer, const struct result *result)
{
    const struct comparison *comparison = result->comparison;
    const bool both = comparison && arm_ns(comparison, EXPORT_BASE) > 0 &&
                      arm_ns(comparison, EXPORT_HEAD) > 0 && isfinite(comparison->change);
    const bool time =
        !both && result_has_summary(result) && result->summary.median_ns > 0;
    const size_t before = buffer->length;
    const char *reason =
        result->status == STATUS_OK && comparison ? comparison->reason : result->reason;

    if (both)
        tell_change(buffer, comparison);
    else if (time)
        tell_time(buffer, result);
    if (reason && *reason)
        buffer_tell(buffer, "%s%s", both || time ? "; " : "", reason);
    if (result_code_is_worse(result)) {
        buffer_add(buffer, buffer->length > before ? "; " : "");
        code_change_text(comparison, buffer);
    }
}

void export_claim_tell(struct buffer *buffer, const struct study_claim *claim)
{
    FREED_BY(buffer_free) struct buffer notes = {.text = NULL};

    study_claim_tell(claim, buffer);
    buffer_add(buffer, ": their number ");
    study_their_tell(claim, buffer);
    buffer_add(buffer, ", here ");
    study_value_tell(&claim->check, buffer);
    buffer_add(buffer, " ");
    study_interval_tell(&claim->check, buffer);
    buffer_add(buffer, ", ");
    study_verdict_tell(claim, buffer);
    study_notes_tell(claim, &notes);
    if (notes.length)
        buffer_format(buffer, "; %s", buffer_text(&notes));
}
