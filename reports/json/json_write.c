/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "json_make.h"

/* A key may come from a file too; `scratch` cannot hold key and value at once. */
static void put_named(struct maker *maker, cJSON *parent, const char *name, cJSON *item)
{
    put(maker, parent, valid(maker, name), item);
}

static void put_settings(struct maker *maker, cJSON *parent, const char *name,
                         const struct setting *settings, size_t n)
{
    cJSON *object = put(maker, parent, name, cJSON_CreateObject());

    for (size_t i = 0; i < n; i++) {
        const char *value = settings[i].value ? settings[i].value : "";
        cJSON *item = cJSON_CreateString(valid(maker, value));
        put_named(maker, object, settings[i].name, item);
    }
}

static void put_fact(struct maker *maker, cJSON *parent, const struct fact *fact)
{
    char number[NUMBER_SIZE];

    if (fact->kind == FACT_TEXT && fact->text) {
        cJSON *item = cJSON_CreateString(valid(maker, fact->text));
        put_named(maker, parent, fact->name, item);
    } else if (fact->kind == FACT_BOOL) {
        put_named(maker, parent, fact->name, cJSON_CreateBool(fact->number != 0));
    } else if (fact->kind == FACT_NUMBER && isfinite(fact->number)) {
        text_exact(fact->number, number);
        put_named(maker, parent, fact->name, cJSON_CreateRaw(number));
    }
}

static void put_host(struct maker *maker, cJSON *parent, const struct run *run)
{
    cJSON *host = put(maker, parent, "host", cJSON_CreateObject());
    cJSON *identity, *pmu;

    put_text(maker, host, "fingerprint", run->fingerprint);
    identity = put(maker, host, "identity", cJSON_CreateObject());
    for (size_t i = 0; i < run->host.n; i++)
        if (run->host.fact[i].identity)
            put_fact(maker, identity, &run->host.fact[i]);
    put_texts(maker, host, "isas", run->isas, run->n_isas);
    pmu = put(maker, host, "pmu", cJSON_CreateObject());
    put_text(maker, pmu, "state", run->pmu_state);
    put_text(maker, pmu, "reason", run->pmu_reason);
    for (size_t i = 0; i < run->host.n; i++)
        put_fact(maker, host, &run->host.fact[i]);
}

static void put_counters(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *counters = put(maker, parent, "counters", cJSON_CreateObject());

    for (size_t i = 0; i < result->n_counters; i++) {
        const struct counter *counter = &result->counters[i];
        cJSON *item = cJSON_CreateObject();
        put_named(maker, counters, counter->name, item);
        if (maker->failed)
            return;
        if (counter->absent) {
            put_text(maker, item, "absent", counter->absent);
            put_fields(maker, item, &absence_fields, counter);
        } else {
            struct counter count = *counter;
            if (!count.n)
                count.value = count.per_element = NAN;
            put_fields(maker, item, &count_fields, &count);
            put_numbers(maker, item, "samples", counter->samples, NULL, counter->n);
        }
        put_fields(maker, item, &counter_fields, counter);
    }
}

static void put_metrics(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *metrics = put(maker, parent, "metrics", cJSON_CreateObject());

    for (size_t i = 0; i < result->n_metrics; i++) {
        cJSON *item = isfinite(result->metrics[i].value) ? cJSON_CreateObject() : NULL;
        if (!item)
            continue;
        put_named(maker, metrics, result->metrics[i].name, item);
        if (maker->failed)
            return;
        put_fields(maker, item, &metric_fields, &result->metrics[i]);
    }
}

static void put_limit(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *limit;

    if (!result->limit_id) {
        put(maker, parent, "limit", cJSON_CreateNull());
        return;
    }
    limit = put(maker, parent, "limit", cJSON_CreateObject());
    put_text(maker, limit, "id", result->limit_id);
    put_fields(maker, limit, &limit_fields, &result->limit);
}

static void put_summary(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *summary, *rates;

    if (!result_has_summary(result)) {
        put(maker, parent, "summary", cJSON_CreateNull());
        put(maker, parent, "rates", cJSON_CreateNull());
        return;
    }
    summary = put(maker, parent, "summary", cJSON_CreateObject());
    put_fields(maker, summary, &summary_fields, result);
    put_interval(maker, summary, "ci_ns", "ci_level", &result->ci_ns);
    put_text(maker, summary, "ci_reason", result->ci_reason);
    rates = put(maker, parent, "rates", cJSON_CreateObject());
    put_fields(maker, rates, &rate_fields, result);
}

static void put_accuracy(struct maker *maker, cJSON *parent, const struct result *result)
{
    if (result->has_accuracy)
        put_fields(maker, put(maker, parent, "accuracy", cJSON_CreateObject()),
                   &accuracy_fields, result);
    else
        put(maker, parent, "accuracy", cJSON_CreateNull());
}

static void put_ratios(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *ratios = put(maker, parent, "ratios", cJSON_CreateArray());

    for (size_t i = 0; i < result->n_ratios; i++) {
        cJSON *item = put(maker, ratios, NULL, cJSON_CreateObject());
        put_fields(maker, item, &ratio_fields, &result->ratios[i]);
        put_interval(maker, item, "ci", "ci_level", &result->ratios[i].ci);
    }
}

static void put_result(struct maker *maker, cJSON *parent, const struct result *result)
{
    cJSON *object = put(maker, parent, NULL, cJSON_CreateObject());
    bool bad = result->status != STATUS_OK && result->status != STATUS_PENDING;
    cJSON *work, *clock;

    put_fields(maker, object, &case_fields, result);
    put_text(maker, object, "role",
             result->is_roof       ? "roof"
             : result->is_baseline ? "baseline"
                                   : "kernel");
    put_settings(maker, object, "settings", result->settings, result->n_settings);
    put_settings(maker, object, "module_options", result->module_options,
                 result->n_module_options);
    put_text(maker, object, "status", status_name(result->status));
    put_text(maker, object, "reason", bad && !result->reason ? "" : result->reason);
    put_texts(maker, object, "notes", result->notes, result->n_notes);
    work = put(maker, object, "work", cJSON_CreateObject());
    put_number(maker, work, "ops", result->ops);
    put_number(maker, work, "bytes", result->bytes);
    put_fields(maker, object, &measured_fields, result);
    put_accuracy(maker, object, result);
    put_numbers(maker, object, "samples_ns", result->samples_ns, NULL, result->n_samples);
    put_numbers(maker, object, "rounds", NULL, result->rounds, result->n_samples);
    put_summary(maker, object, result);
    put_limit(maker, object, result);
    put_ratios(maker, object, result);
    put_counters(maker, object, result);
    put_metrics(maker, object, result);
    clock = put(maker, object, "clock", cJSON_CreateObject());
    put_number(maker, clock, "ghz", result->ghz > 0 ? result->ghz : NAN);
    put_interval(maker, clock, "ci", "ci_level", &result->ghz_ci);
    put_numbers(maker, clock, "samples", result->clock_ghz, NULL, result->n_clock);
    put(maker, object, "findings", cJSON_CreateArray());
    put_comparison(maker, object, result->comparison);
}

static cJSON *make_document(struct maker *maker, const struct run *run)
{
    cJSON *root = cJSON_CreateObject(), *tool, *settings, *sources, *results;

    put_number(maker, root, "schema_version", run->schema_version);
    tool = put(maker, root, "tool", cJSON_CreateObject());
    put_text(maker, tool, "name", "simdbench");
    put_fields(maker, tool, &tool_fields, run);
    put_texts(maker, root, "argv", run->argv, run->argc);
    put_fields(maker, root, &run_fields, run);
    settings = put(maker, root, "settings", cJSON_CreateObject());
    for (size_t i = 0; i < run->settings.n; i++)
        put_fact(maker, settings, &run->settings.fact[i]);
    put_host(maker, root, run);
    sources = put(maker, root, "sources", cJSON_CreateArray());
    for (size_t i = 0; i < run->n_sources; i++)
        put_fields(maker, put(maker, sources, NULL, cJSON_CreateObject()), &source_fields,
                   &run->sources[i]);
    put_gate(maker, root, run->gate);
    results = put(maker, root, "results", cJSON_CreateArray());
    for (size_t i = 0; i < run->n_results; i++)
        put_result(maker, results, &run->results[i]);
    return root;
}

int run_write_json(const struct run *run, FILE *file, struct error *error)
{
    struct maker maker = {.failed = false};
    cJSON *root = make_document(&maker, run);
    char *text = NULL;
    int code;

    code = maker.failed ? error_set(error, -ENOMEM, "out of memory")
                        : json_check(root, NULL, error);
    if (code)
        goto out;
    text = cJSON_Print(root);
    if (!text) {
        code = error_set(error, -ENOMEM, "out of memory");
        goto out;
    }
    errno = 0;
    if (fputs(text, file) < 0 || fputc('\n', file) < 0 || fflush(file)) {
        code = errno ? -errno : -EIO;
        error_set(error, code, "cannot write JSON: %s", strerror(-code));
    }
out:
    cJSON_free(text);
    cJSON_Delete(root);
    buffer_free(&maker.scratch);
    return code;
}
