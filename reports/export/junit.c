/* SPDX-License-Identifier: Apache-2.0 */
/* JUnit XML: a suite a group, a test a case. */
#include <math.h>
#include <string.h>

#include "export.h"
#include "export_rows.h"

/* XML forbids two code points of plain text beside its markup. */
static void put_escaped(FILE *file, const char *raw)
{
    struct buffer plain = {.text = NULL};

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
    buffer_free(&plain);
}

static void put_attribute(FILE *file, const char *name, const char *text)
{
    fprintf(file, " %s=\"", name);
    put_escaped(file, text);
    fputc('"', file);
}

static void put_property(FILE *file, const char *indent, const char *name,
                         const char *value)
{
    fprintf(file, "%s<property", indent);
    put_attribute(file, "name", name);
    put_attribute(file, "value", value);
    fputs("/>\n", file);
}

static void put_number(FILE *file, const char *name, double value)
{
    char text[NUMBER_SIZE];

    if (!isfinite(value))
        return;
    text_exact(value, text);
    put_property(file, "        ", name, text);
}

static void put_interval(FILE *file, const char *lo, const char *hi,
                         const struct interval *interval)
{
    put_number(file, lo, interval->known ? interval->lo : NAN);
    put_number(file, hi, interval->known ? interval->hi : NAN);
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
    const double calls = result->iterations ? (double)result->iterations : 1;
    double ns = 0;

    for (size_t i = 0; i < result->n_samples; i++)
        ns += result->samples_ns[i];
    for (size_t i = 0; result->comparison && i < result->comparison->n_trials; i++) {
        const struct trial *trial = &result->comparison->trials[i];
        ns += calls * (trial->base_ns + trial->head_ns + trial->control_ns);
    }
    return isfinite(ns) ? ns * 1e-9 : 0;
}

/* The likeliest cause, and the residual. */
static void put_explanation(FILE *file, const struct explanation *explanation)
{
    const struct explained_finding *first = &explanation->findings[0];

    put_property(file, "        ", "cause", first->cause);
    put_property(file, "        ", "cause_confidence", first->confidence);
    put_number(file, "cause_share", first->share);
    put_number(file, "residual_share", explanation->residual_share);
}

static void put_properties(FILE *file, const struct result *result)
{
    const struct comparison *comparison = result->comparison;

    fputs("      <properties>\n", file);
    put_property(file, "        ", "status", status_name(result->status));
    if (result_has_summary(result) && result->median_ns > 0) {
        put_number(file, "median_ns", result->median_ns);
        put_interval(file, "ci_lo_ns", "ci_hi_ns", &result->ci_ns);
    }
    if (comparison)
        put_property(file, "        ", "verdict", verdict_name(comparison->verdict));
    if (comparison && comparison->code) {
        put_property(file, "        ", "code",
                     code_verdict_name(comparison->code->verdict));
        put_number(file, "base_instructions", comparison->code->base_instructions);
        put_number(file, "head_instructions", comparison->code->head_instructions);
    }
    if (export_compares(result)) {
        put_number(file, "base_ns", comparison->base_ns);
        put_number(file, "head_ns", comparison->head_ns);
        put_number(file, "change", comparison->change);
        put_interval(file, "change_lo", "change_hi", &comparison->change_ci);
        put_number(file, "delta", comparison->delta);
        put_number(file, "detectable", comparison->detectable);
    }
    if (result->explanation && result->explanation->n_findings)
        put_explanation(file, result->explanation);
    fputs("      </properties>\n", file);
}

static void put_case(const struct run *run, const struct export_row *row, FILE *file,
                     struct buffer *scratch)
{
    const struct result *result = row->result;
    const enum outcome outcome = outcome_of(run, result);
    const char *type = export_word(result);

    buffer_clear(scratch);
    buffer_format(scratch, "simdbench.%s.%s", result->op ?: "", result->type ?: "");
    fputs("    <testcase", file);
    put_attribute(file, "classname", buffer_text(scratch));
    put_attribute(file, "name", row->name);
    fprintf(file, " time=\"%.6f\">\n", seconds(result));
    put_properties(file, result);
    buffer_clear(scratch);
    export_tell(scratch, result);
    if (outcome != OUTCOME_PASS) {
        fprintf(file, "      <%s", outcome_elements[outcome]);
        put_attribute(file, "message", scratch->length ? buffer_text(scratch) : type);
        if (outcome != OUTCOME_SKIPPED)
            put_attribute(file, "type", type);
        fputs("/>\n", file);
    } else {
        fputs("      <system-out>", file);
        put_escaped(file, buffer_text(scratch));
        fputs("</system-out>\n", file);
    }
    fputs("    </testcase>\n", file);
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

static void put_counts(FILE *file, const struct counts *counts)
{
    fprintf(file,
            " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" "
            "time=\"%.6f\"",
            counts->tests, counts->outcome[OUTCOME_FAILURE],
            counts->outcome[OUTCOME_ERROR], counts->outcome[OUTCOME_SKIPPED],
            counts->seconds);
}

/* "2024-05-06T07:08:09", without the Z that the format does not know. */
static void put_timestamp(FILE *file, const char *text)
{
    static const char form[] = "0000-00-00T00:00:00Z";

    if (!text || strlen(text) != sizeof form - 1)
        return;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return;
    fprintf(file, " timestamp=\"%.19s\"", text);
}

static void put_suite(const struct run *run, const struct export_row *row, size_t n,
                      FILE *file, struct buffer *scratch)
{
    const size_t first = (size_t)(row->result - run->results);
    const struct counts counts = count(run, row, n);
    char name[512], work[WORK_SIZE], number[NUMBER_SIZE];

    group_title(run, first, run_group_end(run, first), name, sizeof name, work);
    snprintf(number, sizeof number, "%zu", row->result->group);
    fputs("  <testsuite", file);
    put_attribute(file, "name", name);
    put_attribute(file, "id", number);
    put_attribute(file, "package", "simdbench");
    put_counts(file, &counts);
    put_timestamp(file, run->started_at);
    put_attribute(file, "hostname", run->fingerprint);
    fputs(">\n    <properties>\n", file);
    put_property(file, "      ", "simdbench", run->tool_version);
    put_property(file, "      ", "seed", run->seed);
    if (run->gate && run->gate->refused)
        put_property(file, "      ", "times_do_not_gate", run->gate->refused);
    fputs("    </properties>\n", file);
    for (size_t i = 0; i < n; i++)
        put_case(run, &row[i], file, scratch);
    fputs("  </testsuite>\n", file);
}

/* ---- studies ---- */

static enum outcome claim_outcome(const struct study_claim *claim)
{
    const enum study_verdict verdict = claim->check.verdict;

    if (verdict == STUDY_REFUTED || claim->contested)
        return OUTCOME_FAILURE;
    return verdict == STUDY_CONFIRMED ? OUTCOME_PASS : OUTCOME_SKIPPED;
}

static void put_claim(const struct study *study, const struct study_claim *claim,
                      FILE *file, struct buffer *scratch)
{
    const enum outcome outcome = claim_outcome(claim);

    buffer_clear(scratch);
    buffer_format(scratch, "simdbench.study.%s", study->name);
    fputs("    <testcase", file);
    put_attribute(file, "classname", buffer_text(scratch));
    put_attribute(file, "name", claim->id);
    fputs(" time=\"0\">\n      ", file);
    buffer_clear(scratch);
    export_claim_tell(scratch, claim);
    if (outcome == OUTCOME_PASS) {
        fputs("<system-out>", file);
        put_escaped(file, buffer_text(scratch));
        fputs("</system-out>\n", file);
    } else {
        fprintf(file, "<%s", outcome_elements[outcome]);
        put_attribute(file, "message", buffer_text(scratch));
        if (outcome != OUTCOME_SKIPPED)
            put_attribute(file, "type", study_verdict_name(claim->check.verdict));
        fputs("/>\n", file);
    }
    fputs("    </testcase>\n", file);
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

    fputs("  <testsuite", file);
    put_attribute(file, "name", study->name);
    fprintf(file, " id=\"%zu\"", i);
    put_attribute(file, "package", "simdbench.study");
    put_counts(file, &counts);
    put_timestamp(file, run->started_at);
    put_attribute(file, "hostname", run->fingerprint);
    fputs(">\n    <properties>\n", file);
    put_property(file, "      ", "simdbench", run->tool_version);
    fputs("    </properties>\n", file);
    FOR_EACH (const struct study_claim, claim, study->claims, study->n_claims)
        put_claim(study, claim, file, scratch);
    fputs("  </testsuite>\n", file);
}

static void add_claims(struct counts *sum, const struct study *study)
{
    const struct counts more = count_claims(study);

    sum->tests += more.tests;
    sum->seconds += more.seconds;
    for (enum outcome outcome = OUTCOME_PASS; outcome < OUTCOMES; outcome++)
        sum->outcome[outcome] += more.outcome[outcome];
}

int junit_write(const struct run *run, FILE *file)
{
    struct buffer scratch = {.text = NULL};
    struct export_rows rows;
    const int code = export_rows_make(run, &rows);
    const size_t n = code ? 0 : rows.n;
    struct counts counts = count(run, rows.row, n);

    FOR_EACH (const struct study, study, run->studies, run->n_studies)
        add_claims(&counts, study);

    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"simdbench\"",
          file);
    put_counts(file, &counts);
    fputs(">\n", file);
    for (size_t i = 0; i < run->n_studies; i++)
        put_study(run, i, file, &scratch);
    for (size_t first = 0, end; first < n; first = end) {
        const size_t group = rows.row[first].result->group;
        for (end = first; end < rows.n && rows.row[end].result->group == group;)
            end++;
        put_suite(run, &rows.row[first], end - first, file, &scratch);
    }
    fputs("</testsuites>\n", file);
    export_rows_free(&rows);
    buffer_free(&scratch);
    return code;
}
