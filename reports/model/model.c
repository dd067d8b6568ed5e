/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comparison.h"
#include "model.h"
#include "text/text.h"

static const char *const status_names[] = {
    [STATUS_PENDING] = "pending", [STATUS_OK] = "ok",
    [STATUS_SKIPPED] = "skipped", [STATUS_WRONG] = "wrong",
    [STATUS_FAILED] = "failed",   [STATUS_NOISY] = "noisy",
};

const char *status_name(enum status status)
{
    return (size_t)status < ARRAY_LEN(status_names) ? status_names[status] : "pending";
}

void *array_grow(void *where, size_t n, size_t size)
{
    void **array = where;

    if (!(n & (n - 1))) {
        size_t room = n ? 2 * n : 1;
        void *bigger = room > SIZE_MAX / size ? NULL : realloc(*array, room * size);
        if (!bigger)
            return NULL;
        *array = bigger;
    }
    return memset((char *)*array + n * size, 0, size);
}

int string_set(char **where, const char *text)
{
    char *copy = text ? strdup(text) : NULL;

    if (text && !copy)
        return -ENOMEM;
    free(*where);
    *where = copy;
    return 0;
}

int strings_add(char ***list, size_t *n, const char *text)
{
    char **entry = array_grow(list, *n, sizeof *entry);

    if (!entry || string_set(entry, text))
        return -ENOMEM;
    (*n)++;
    return 0;
}

static int number_add(double **list, size_t n, double value)
{
    double *entry;

    if (!isfinite(value) || value < 0)
        return -EINVAL;
    entry = array_grow(list, n, sizeof *entry);
    if (!entry)
        return -ENOMEM;
    *entry = value;
    return 0;
}

static int setting_add(struct setting **list, size_t *n, const char *name,
                       const char *value)
{
    struct setting *entry = array_grow(list, *n, sizeof *entry);

    if (!entry || string_set(&entry->name, name))
        return -ENOMEM;
    if (string_set(&entry->value, value)) {
        string_set(&entry->name, NULL);
        return -ENOMEM;
    }
    (*n)++;
    return 0;
}

static struct fact *fact_add(struct facts *facts, const char *name, enum fact_kind kind)
{
    struct fact *fact = array_grow(&facts->fact, facts->n, sizeof *fact);

    if (!fact || string_set(&fact->name, name))
        return NULL;
    fact->kind = kind;
    facts->n++;
    return fact;
}

int facts_text(struct facts *facts, const char *name, const char *text)
{
    struct fact *fact = fact_add(facts, name, FACT_TEXT);

    return fact ? string_set(&fact->text, text) : -ENOMEM;
}

int facts_number(struct facts *facts, const char *name, double number)
{
    struct fact *fact = fact_add(facts, name, FACT_NUMBER);

    if (!fact)
        return -ENOMEM;
    fact->number = number;
    return 0;
}

int facts_bool(struct facts *facts, const char *name, bool value)
{
    struct fact *fact = fact_add(facts, name, FACT_BOOL);

    if (!fact)
        return -ENOMEM;
    fact->number = value;
    return 0;
}

static const struct fact *facts_find(const struct facts *facts, const char *name,
                                     enum fact_kind kind)
{
    for (size_t i = 0; i < facts->n; i++)
        if (facts->fact[i].kind == kind && !strcmp(facts->fact[i].name, name))
            return &facts->fact[i];
    return NULL;
}

const char *facts_find_text(const struct facts *facts, const char *name)
{
    const struct fact *const fact = facts_find(facts, name, FACT_TEXT);

    return fact ? fact->text : NULL;
}

double facts_find_number(const struct facts *facts, const char *name)
{
    const struct fact *const fact = facts_find(facts, name, FACT_NUMBER);

    return fact ? fact->number : NAN;
}

struct run *run_new(void)
{
    struct run *run = calloc(1, sizeof *run);

    if (run)
        run->schema_version = RUN_SCHEMA_VERSION;
    return run;
}

struct result *run_add_result(struct run *run)
{
    struct result *result = array_grow(&run->results, run->n_results, sizeof *result);

    if (result)
        run->n_results++;
    return result;
}

struct source *run_add_source(struct run *run, const char *name)
{
    struct source *source = array_grow(&run->sources, run->n_sources, sizeof *source);

    if (!source || string_set(&source->name, name))
        return NULL;
    run->n_sources++;
    return source;
}

int result_set_status(struct result *result, enum status status, const char *reason)
{
    result->status = status;
    return string_set(&result->reason, reason);
}

int result_add_note(struct result *result, const char *note)
{
    return strings_add(&result->notes, &result->n_notes, note);
}

int result_add_setting(struct result *result, const char *name, const char *value)
{
    return setting_add(&result->settings, &result->n_settings, name, value);
}

int result_add_module_option(struct result *result, const char *name, const char *value)
{
    return setting_add(&result->module_options, &result->n_module_options, name, value);
}

int result_add_sample(struct result *result, uint32_t round, double ns)
{
    size_t n = result->n_samples;
    uint32_t *entry;
    int code;

    if (n && result->rounds[n - 1] >= round)
        return -EINVAL;
    code = number_add(&result->samples_ns, n, ns);
    if (code)
        return code;
    entry = array_grow(&result->rounds, n, sizeof *entry);
    if (!entry)
        return -ENOMEM;
    *entry = round;
    result->n_samples++;
    return 0;
}

int result_add_clock(struct result *result, double ghz)
{
    int code = number_add(&result->clock_ghz, result->n_clock, ghz);

    if (!code)
        result->n_clock++;
    return code;
}

struct counter *result_add_counter(struct result *result, const char *name)
{
    struct counter *counter =
        array_grow(&result->counters, result->n_counters, sizeof *counter);

    if (!counter || string_set(&counter->name, name))
        return NULL;
    result->n_counters++;
    return counter;
}

int counter_add_sample(struct counter *counter, double value)
{
    int code = number_add(&counter->samples, counter->n, value);

    if (!code)
        counter->n++;
    return code;
}

struct metric *result_add_metric(struct result *result, const char *name,
                                 const char *unit, const char *formula)
{
    struct metric *metric =
        array_grow(&result->metrics, result->n_metrics, sizeof *metric);

    if (!metric)
        return NULL;
    metric->value = NAN;
    result->n_metrics++;
    return string_set(&metric->name, name) || string_set(&metric->unit, unit) ||
                   string_set(&metric->formula, formula)
               ? NULL
               : metric;
}

struct ratio *result_add_ratio(struct result *result, const char *baseline)
{
    struct ratio *ratio = array_grow(&result->ratios, result->n_ratios, sizeof *ratio);

    if (!ratio || string_set(&ratio->baseline, baseline))
        return NULL;
    result->n_ratios++;
    return ratio;
}

bool result_has_summary(const struct result *result)
{
    return (result->status == STATUS_OK || result->status == STATUS_NOISY) &&
           ((result->n_samples && result->iterations) || result->median_ns > 0);
}

const char *result_role(const struct result *result)
{
    return result->is_roof ? "roof" : result->is_baseline ? "baseline" : "kernel";
}

size_t run_group_end(const struct run *run, size_t first)
{
    size_t end = first;

    while (end < run->n_results && run->results[end].group == run->results[first].group)
        end++;
    return end;
}

double result_per_call(const struct result *result, size_t sample)
{
    double ns = result->samples_ns[sample] / (double)result->iterations;

    return fmax(ns - result->overhead_ns, 0);
}

void result_clear_ratios(struct result *result)
{
    for (size_t i = 0; i < result->n_ratios; i++)
        free(result->ratios[i].baseline);
    free(result->ratios);
    result->ratios = NULL;
    result->n_ratios = 0;
}

void result_clear_samples(struct result *result)
{
    free(result->samples_ns);
    free(result->rounds);
    free(result->clock_ghz);
    result->samples_ns = result->clock_ghz = NULL;
    result->rounds = NULL;
    result->n_samples = result->n_clock = 0;
    result->voided = 0;
    for (size_t i = 0; i < result->n_counters; i++) {
        struct counter *counter = &result->counters[i];
        free(counter->samples);
        counter->samples = NULL;
        counter->n = 0;
        counter->value = counter->per_element = 0;
    }
    for (size_t i = 0; i < result->n_metrics; i++)
        result->metrics[i].value = NAN;
    result->median_ns = result->min_ns = result->mad_ns = 0;
    result->gops = result->gbps = result->ghz = 0;
    result->ci_ns = result->ghz_ci = (struct interval){.known = false};
    string_set(&result->ci_reason, NULL);
    free(result->limit.id);
    result->limit = (struct limit){.id = NULL};
    result_clear_ratios(result);
}

static void strings_free(char **list, size_t n)
{
    texts_free(list, n);
    free(list);
}

static void settings_free(struct setting *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        TEXTS_FREE(list[i].name, list[i].value);
    }
    free(list);
}

static void facts_free(struct facts *facts)
{
    for (size_t i = 0; i < facts->n; i++) {
        TEXTS_FREE(facts->fact[i].name, facts->fact[i].text);
    }
    free(facts->fact);
}

static void result_free(struct result *result)
{
    result_clear_samples(result);
    TEXTS_FREE(result->id, result->op, result->type, result->isa, result->variant,
               result->shape, result->module, result->module_version, result->module_core,
               result->module_isa, result->input_hash, result->reason, result->limit_id,
               result->layout, result->implementation, result->unranked, result->source);
    settings_free(result->settings, result->n_settings);
    settings_free(result->module_options, result->n_module_options);
    strings_free(result->notes, result->n_notes);
    for (size_t i = 0; i < result->n_counters; i++) {
        TEXTS_FREE(result->counters[i].name, result->counters[i].event,
                   result->counters[i].config, result->counters[i].scope,
                   result->counters[i].absent, result->counters[i].fix,
                   result->counters[i].errno_name);
    }
    free(result->counters);
    for (size_t i = 0; i < result->n_metrics; i++) {
        TEXTS_FREE(result->metrics[i].name, result->metrics[i].unit,
                   result->metrics[i].formula);
    }
    free(result->metrics);
    comparison_free(result->comparison);
}

static void sources_free(struct source *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        TEXTS_FREE(list[i].name, list[i].fingerprint, list[i].cpu, list[i].started_at,
                   list[i].tool_version);
    }
    free(list);
}

void run_free(struct run *run)
{
    if (!run)
        return;
    TEXTS_FREE(run->tool_version, run->tool_commit, run->tool_compiler, run->tool_flags,
               run->started_at, run->seed, run->fingerprint, run->pmu_state,
               run->pmu_reason);
    strings_free(run->argv, run->argc);
    facts_free(&run->settings);
    facts_free(&run->host);
    strings_free(run->isas, run->n_isas);
    sources_free(run->sources, run->n_sources);
    gate_free(run->gate);
    for (size_t i = 0; i < run->n_results; i++)
        result_free(&run->results[i]);
    free(run->results);
    free(run);
}
