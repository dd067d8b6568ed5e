/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JUnit XML: a suite a group, a test a case. The schemas of Jenkins' xunit plug-in and of
 * Ant's junitreport both take it: properties and output stand in suites, since Ant's
 * cases have none, and the root has no attributes.
 */
#include <ctype.h>
#include <math.h>
#include <time.h>

#include "export.h"
#include "export_rows.h"

/* XML forbids two code points of plain text beside its markup. */
static void put_escaped(FILE *file, const char *raw)
{
    FREED_BY(buffer_free) struct buffer plain = {.text = NULL};

    buffer_plain(&plain, raw);
    for (const char *text = buffer_text(&plain); *text; text++) {
        if (text_entity(*text))
            fputs(text_entity(*text), file);
        else if (*text == '"')
            fputs("&quot;", file);
        else if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3))
            text += 2, fputc('?', file);
        else
            fputc(*text, file);
    }
}

static void put_attribute(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    put_escaped(file, text);
    fputc('"', file);
}

/* `of`: the case that it is of; NULL: the suite's own. */
static void put_property(FILE *file, const char *of, const char *name, const char *value)
{
    fputs("      <property name=\"", file);
    put_escaped(file, of ?: "");
    fputs(of ? ":" : "", file);
    put_escaped(file, name);
    fputc('"', file);
    put_attribute(file, "value", value);
    fputs("/>\n", file);
}

static void put_number(FILE *file, const char *of, const char *name, double value)
{
    char text[NUMBER_SIZE];

    if (!isfinite(value))
        return;
    text_exact(value, text);
    put_property(file, of, name, text);
}

static void put_interval(FILE *file, const char *of, const char *lo, const char *hi,
                         const struct interval *interval)
{
    put_number(file, of, lo, interval->known ? interval->lo : NAN);
    put_number(file, of, hi, interval->known ? interval->hi : NAN);
}

/* ---- cases ---- */

enum outcome { OUTCOME_PASS, OUTCOME_FAILURE, OUTCOME_ERROR, OUTCOME_SKIPPED, OUTCOMES };
static const char *const outcome_elements[] = {
    [OUTCOME_FAILURE] = "failure",
    [OUTCOME_ERROR] = "error",
    [OUTCOME_SKIPPED] = "skipped",
};

static enum outcome outcome_of(const struct run *run, const struct result *result)
{
    if (status_is_bad(result->status))
        return OUTCOME_ERROR;
    if (result->status == STATUS_SKIPPED || result->status == STATUS_PENDING)
        return OUTCOME_SKIPPED;
    if (export_fails(run, result))
        return OUTCOME_FAILURE;
    return result->comparison && result->comparison->verdict == VERDICT_GONE
               ? OUTCOME_SKIPPED
               : OUTCOME_PASS;
}

/* Seconds for which the case was measured. */
static double seconds(const struct result *result)
{
    const double calls =
        result->samples.iterations ? (double)result->samples.iterations : 1;
    double ns = 0;

    for (size_t i = 0; i < result->samples.n; i++)
        ns += result->samples.ns[i];
    for (size_t i = 0; result->comparison && i < result->comparison->n_trials; i++) {
        const struct trial *trial = &result->comparison->trials[i];
        ns += calls * (trial->base_ns + trial->head_ns + trial->control_ns +
                       trial->built_base_ns + trial->built_head_ns);
    }
    return isfinite(ns) ? ns * 1e-9 : 0;
}

/* The likeliest cause, and the residual. */
static void put_explanation(FILE *file, const char *of,
                            const struct explanation *explanation)
{
    const struct explained_finding *first = &explanation->findings[0];

    put_property(file, of, "cause", first->cause);
    put_property(file, of, "cause_confidence", first->confidence);
    put_number(file, of, "cause_share", first->share);
    put_number(file, of, "residual_share", explanation->residual_share);
}

static void put_equality(FILE *file, const char *of, const struct placement *placement)
{
    if (placement->equality)
        put_property(file, of, "executed_code", equality_name(placement->equality));
    if (placement->unmoved)
        put_property(file, of, "judged_as_built", placement->unmoved);
}

static void put_properties(FILE *file, const struct export_row *row)
{
    const struct result *const result = row->result;
    const struct comparison *const comparison = result->comparison;
    const char *const of = row->name;

    put_property(file, of, "status", status_name(result->status));
    if (result_has_summary(result) && result->summary.median_ns > 0) {
        put_number(file, of, "median_ns", result->summary.median_ns);
        put_interval(file, of, "ci_lo_ns", "ci_hi_ns", &result->summary.ci_ns);
    }
    if (comparison)
        put_property(file, of, "verdict", verdict_name(comparison->verdict));
    if (comparison && comparison->code) {
        put_property(file, of, "code", code_verdict_name(comparison->code->verdict));
        put_number(file, of, "base_instructions", comparison->code->base_instructions);
        put_number(file, of, "head_instructions", comparison->code->head_instructions);
    }
    if (export_compares(result)) {
        put_number(file, of, "base_ns", comparison->base_ns);
        put_number(file, of, "head_ns", comparison->head_ns);
        put_number(file, of, "change", comparison->change);
        put_interval(file, of, "change_lo", "change_hi", &comparison->change_ci);
        if (comparison_is_moved(comparison))
            put_number(file, of, "change_as_built", comparison->placement->change);
        if (comparison->placement)
            put_equality(file, of, comparison->placement);
        put_number(file, of, "delta", comparison->delta);
        put_number(file, of, "detectable", comparison->detectable);
    }
    if (result->explanation && result->explanation->n_findings)
        put_explanation(file, of, result->explanation);
}

/* A test with what it tells, or with nothing if it passes: `type` is for those that do
 * not. */
static void put_test(FILE *file, const char *classname, const char *name, double seconds,
                     enum outcome outcome, const char *message, const char *type)
{
    fputs("    <testcase", file);
    put_attribute(file, "classname", classname);
    put_attribute(file, "name", name);
    fprintf(file, " time=\"%.3f\"", seconds);
    if (outcome == OUTCOME_PASS) {
        fputs("/>\n", file);
        return;
    }
    fprintf(file, ">\n      <%s", outcome_elements[outcome]);
    put_attribute(file, "message", *message ? message : type);
    if (outcome != OUTCOME_SKIPPED)
        put_attribute(file, "type", type);
    fputs("/>\n    </testcase>\n", file);
}

static void put_case(const struct run *run, const struct export_row *row, FILE *file,
                     struct buffer *scratch)
{
    const struct result *result = row->result;
    char classname[3 * MODEL_NAME_MAX];

    snprintf(classname, sizeof classname, "simdbench.%s.%s", result->op ?: "",
             result->type ?: "");
    buffer_clear(scratch);
    export_tell(scratch, result);
    put_test(file, classname, row->name, seconds(result), outcome_of(run, result),
             buffer_text(scratch), export_word(result));
}

/* A line of a suite's output. */
static void put_line(FILE *file, const char *name, struct buffer *scratch)
{
    put_escaped(file, name);
    fputs(": ", file);
    put_escaped(file, buffer_text(scratch));
    fputc('\n', file);
}

/* ---- suites ---- */

struct counts {
    size_t tests, outcome[OUTCOMES];
    double seconds;
};

static struct counts count(const struct run *run, const struct export_row *row, size_t n)
{
    struct counts counts = {.tests = n};

    for (size_t i = 0; i < n; i++) {
        counts.outcome[outcome_of(run, row[i].result)]++;
        counts.seconds += seconds(row[i].result);
    }
    return counts;
}

/* "2024-05-06T07:08:09" of a time with a Z, which the format does not know; the first
 * second of 1970 if it is no time. */
static void put_timestamp(FILE *file, const char *text)
{
    static const char form[] = "%Y-%m-%dT%H:%M:%SZ";
    struct tm time = {.tm_mday = 1};
    char again[32] = "";
    const char *const end = text ? strptime(text, form, &time) : NULL;

    timegm(&time);
    strftime(again, sizeof again, form, &time);
    fprintf(file, " timestamp=\"%.19s\"",
            end && !*end && time.tm_year > -1900 && !strcmp(again, text)
                ? text
                : "1970-01-01T00:00:00");
}

/* Opens the suite of that number, counted from 0, and its properties. */
static void open_suite(const struct run *run, size_t id, const char *name,
                       const char *package, const struct counts *counts, FILE *file)
{
    const char *host = facts_find_text(&run->host, "node") ?: run->fingerprint ?: "";

    while (isspace((unsigned char)*host))
        host++;
    fputs("  <testsuite", file);
    put_attribute(file, "name", name);
    fprintf(file, " id=\"%zu\"", id);
    put_attribute(file, "package", package);
    fprintf(
        file,
        " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\"",
        counts->tests, counts->outcome[OUTCOME_FAILURE], counts->outcome[OUTCOME_ERROR],
        counts->outcome[OUTCOME_SKIPPED], counts->seconds);
    put_timestamp(file, run->started_at);
    put_attribute(file, "hostname", *host ? host : "localhost");
    fputs(">\n    <properties>\n", file);
    put_property(file, NULL, "simdbench", run->tool_version);
}

static void close_suite(FILE *file)
{
    fputs("</system-out>\n    <system-err/>\n  </testsuite>\n", file);
}

static void put_suite(const struct run *run, size_t id, const struct export_row *row,
                      size_t n, FILE *file, struct buffer *scratch)
{
    const size_t first = (size_t)(row->result - run->results);
    const struct counts counts = count(run, row, n);
    char name[512], work[WORK_SIZE];

    group_title(run, first, run_group_end(run, first), name, sizeof name, work);
    open_suite(run, id, name, "simdbench", &counts, file);
    put_property(file, NULL, "fingerprint", run->fingerprint);
    put_property(file, NULL, "seed", run->seed);
    if (run->gate && run->gate->harness)
        put_property(file, NULL, "harness", run->gate->harness);
    if (run->gate && run->gate->remark)
        put_property(file, NULL, "remark", run->gate->remark);
    if (run->gate && run->gate->refused)
        put_property(file, NULL, "times_do_not_gate", run->gate->refused);
    for (size_t i = 0; i < n; i++)
        put_properties(file, &row[i]);
    fputs("    </properties>\n", file);
    for (size_t i = 0; i < n; i++)
        put_case(run, &row[i], file, scratch);
    fputs("    <system-out>", file);
    for (size_t i = 0; i < n; i++) {
        buffer_clear(scratch);
        export_tell(scratch, row[i].result);
        put_line(file, row[i].name, scratch);
    }
    close_suite(file);
}

/* ---- studies ---- */

static enum outcome claim_outcome(const struct study_claim *claim)
{
    const enum study_verdict verdict = claim->check.verdict;

    if (verdict == STUDY_REFUTED || claim->contested)
        return OUTCOME_FAILURE;
    return verdict == STUDY_CONFIRMED ? OUTCOME_PASS : OUTCOME_SKIPPED;
}

static struct counts count_claims(const struct study *study)
{
    struct counts counts = {.tests = study->n_claims, .seconds = study->seconds};

    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims)
        counts.outcome[claim_outcome(claim)]++;
    return counts;
}

static void put_study(const struct run *run, size_t i, FILE *file, struct buffer *scratch)
{
    const struct study *const study = &run->studies[i];
    const struct counts counts = count_claims(study);
    char classname[2 * MODEL_NAME_MAX];

    snprintf(classname, sizeof classname, "simdbench.study.%s", study->name);
    open_suite(run, i, study->name, "simdbench.study", &counts, file);
    fputs("    </properties>\n", file);
    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
        buffer_clear(scratch);
        export_claim_tell(scratch, claim);
        put_test(file, classname, claim->id, 0, claim_outcome(claim),
                 buffer_text(scratch), study_verdict_name(claim->check.verdict));
    }
    fputs("    <system-out>", file);
    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims) {
        buffer_clear(scratch);
        export_claim_tell(scratch, claim);
        put_line(file, claim->id, scratch);
    }
    close_suite(file);
}

void junit_write(const struct run *run, FILE *file)
{
    FREED_BY(buffer_free) struct buffer scratch = {.text = NULL};
    FREED_BY(export_rows_free) struct export_rows rows = {0};
    size_t id = 0;

    export_rows_make(run, &rows);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", file);
    while (id < run->n_studies)
        put_study(run, id++, file, &scratch);
    for (size_t first = 0, end; first < rows.n; first = end) {
        const size_t group = rows.row[first].result->group;
        for (end = first; end < rows.n && rows.row[end].result->group == group;)
            end++;
        put_suite(run, id++, &rows.row[first], end - first, file, &scratch);
    }
    fputs("</testsuites>\n", file);
}
