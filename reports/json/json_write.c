/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "json.h"
#include "json_common.h"

static void put_fact(struct json *json, cJSON *parent, const struct fact *fact)
{
    if (fact->kind == FACT_TEXT && fact->text)
        json_text(json, parent, fact->name, fact->text);
    else if (fact->kind == FACT_BOOL)
        json_bool(json, parent, fact->name, fact->number != 0);
    else if (fact->kind == FACT_NUMBER && isfinite(fact->number))
        json_number(json, parent, fact->name, fact->number);
}

static void put_host(struct json *json, cJSON *parent, const struct run *run)
{
    cJSON *const host = json_object(json, parent, "host");

    json_text(json, host, "fingerprint", run->fingerprint);
    cJSON *const identity = json_object(json, host, "identity");
    for (size_t i = 0; i < run->host.n; i++)
        if (run->host.fact[i].identity)
            put_fact(json, identity, &run->host.fact[i]);
    json_texts(json, host, "isas", run->isas, run->n_isas);
    cJSON *const pmu = json_object(json, host, "pmu");
    json_text(json, pmu, "state", run->pmu_state);
    json_text(json, pmu, "reason", run->pmu_reason);
    for (size_t i = 0; i < run->host.n; i++)
        put_fact(json, host, &run->host.fact[i]);
}

static void put_counters(struct json *json, cJSON *parent, const struct result *result)
{
    cJSON *counters = json_object(json, parent, "counters");

    FOR_EACH (const struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        cJSON *const item = json_object(json, counters, counter->name);
        if (counter->absent) {
            json_text(json, item, "absent", counter->absent);
            json_fields(json, item, &absence_fields, counter);
        } else {
            struct counter count = *counter;
            if (!count.n)
                count.value = count.per_element = NAN;
            json_fields(json, item, &count_fields, &count);
        }
        json_fields(json, item, &counter_fields, counter);
        if (counter->verdict || counter->doubt || counter->voided > 0)
            json_fields(json, item, &proof_fields, counter);
    }
}

static void put_metrics(struct json *json, cJSON *parent, const struct result *result)
{
    cJSON *metrics = json_object(json, parent, "metrics");

    for (size_t i = 0; i < result->n_metrics; i++)
        if (isfinite(result->metrics[i].value))
            json_fields(json, json_object(json, metrics, result->metrics[i].name),
                        &metric_fields, &result->metrics[i]);
}

static void put_limit(struct json *json, cJSON *parent, const struct result *result)
{
    cJSON *const limit = json_maybe(json, parent, "limit", result->limit_id);

    if (!limit)
        return;
    json_text(json, limit, "id", result->limit_id);
    json_fields(json, limit, &limit_fields, &result->summary.limit);
}

static void put_summary(struct json *json, cJSON *parent, const struct result *result)
{
    const bool known = result_has_summary(result);
    cJSON *const summary = json_maybe(json, parent, "summary", known);
    cJSON *const rates = json_maybe(json, parent, "rates", known);

    if (!known)
        return;
    json_fields(json, summary, &summary_fields, result);
    json_fields(json, rates, &rate_fields, result);
}

/* Several threads against one of them, if the run has both in one group. */
static void put_gain(struct json *json, cJSON *parent, const struct run *run,
                     const struct result *many)
{
    const struct result *const one =
        many->threads > 1 ? gain_partner(run, many, 1) : NULL;

    if (!one || !gain_measured(one) || !gain_measured(many))
        return;
    const struct gain gain = gain_between(one, many);
    if (!isfinite(gain.times))
        return;
    cJSON *const object = json_object(json, parent, "gain");
    json_number(json, object, "times", gain.times);
    json_interval(json, object, "ci", "ci_level", &gain.ci);
}

static void put_samples(struct json *json, cJSON *object, const double *ns,
                        const uint32_t *rounds, size_t n)
{
    json_numbers(json, object, "samples_ns", ns, NULL, n);
    json_numbers(json, object, "rounds", NULL, rounds, n);
}

static void put_result(struct json *json, cJSON *parent, const struct run *run,
                       const struct result *result, bool fastest)
{
    cJSON *object = json_object(json, parent, NULL);
    bool bad = result->status != STATUS_OK && result->status != STATUS_PENDING;

    json_fields(json, object, &case_fields, result);
    json_text(json, object, "role", result_role(result));
    json_fields(json, object, &result_settings, result);
    json_text(json, object, "status", status_name(result->status));
    json_text(json, object, "reason", bad && !result->reason ? "" : result->reason);
    json_fields(json, object, &work_fields, result);
    cJSON *const rung = result->work.level ? json_object(json, object, "rung") : NULL;
    if (rung) {
        json_text(json, rung, "kind", result->variant);
        json_fields(json, rung, &rung_fields, result);
    }
    json_fields(json, object, &measured_fields, result);
    cJSON *const accuracy = json_maybe(json, object, "accuracy", result->accuracy.known);
    if (accuracy)
        json_fields(json, accuracy, &accuracy_fields, result);
    put_samples(json, object, result->samples.ns, result->samples.rounds,
                result->samples.n);
    const struct apart *const apart = &result->samples.apart;
    cJSON *const set_apart = json_maybe(json, object, "apart", apart->n);
    if (set_apart)
        put_samples(json, set_apart, apart->samples_ns, apart->rounds, apart->n);
    json_numbers(json, object, "voided_ns", result->samples.voided_ns, NULL,
                 result->samples.n_voided_ns);
    put_summary(json, object, result);
    if (fastest)
        json_bool(json, object, "fastest", true);
    put_gain(json, object, run, result);
    put_limit(json, object, result);
    json_fields(json, object, &ratios_fields, result);
    put_counters(json, object, result);
    put_metrics(json, object, result);
    json_fields(json, object, &clock_fields, result);
    json_explanation(json, object, result->explanation);
    json_comparison(json, object, result->comparison);
    json_fields(json, object, &proofs_fields, result);
}

static void put_audit(struct json *json, cJSON *root, const struct run *run)
{
    struct audit audit = {.n = 0};
    if (!run_is_audit(run))
        return;
    run_audit(run, &audit);
    cJSON *const list = json_array(json, root, "audit");
    FOR_EACH (const struct audit_range, range, audit.range, audit.n) {
        cJSON *const object = json_object(json, list, NULL);
        json_text(json, object, "dispatcher",
                  range->dispatcher ? range->dispatcher->id : NULL);
        json_text(json, object, "fastest", range->better->id);
        json_text(json, object, "like", range->like ? range->like->id : NULL);
        json_text(json, object, "from", range->better->shape);
        json_text(json, object, "to", range->last->shape);
        json_number(json, object, "sizes", (double)range->sizes);
        json_numbers(json, object, "times", (const double[]){range->least, range->most},
                     NULL, 2);
        json_bool(json, object, "worse", range->worse);
    }
    audit_free(&audit);
}

static void make_document(struct json *json, const struct run *run)
{
    cJSON *const root = json_object(json, NULL, NULL);

    json_number(json, root, "schema_version", run->schema_version);
    cJSON *const tool = json_object(json, root, "tool");
    json_text(json, tool, "name", "simdbench");
    json_fields(json, tool, &tool_fields, run);
    json_fields(json, root, &run_fields, run);
    cJSON *const settings = json_object(json, root, "settings");
    for (size_t i = 0; i < run->settings.n; i++)
        put_fact(json, settings, &run->settings.fact[i]);
    put_host(json, root, run);
    json_fields(json, root, &run_sources, run);
    json_answer(json, root, run_answer(run));
    put_audit(json, root, run);
    json_judgements(json, root, run);
    json_gate(json, root, run);
    json_fields(json, root, &run_account, run);
    json_studies(json, root, run);
    cJSON *const results = json_array(json, root, "results");
    FREED_BY(free_memory) bool *fastest =
        must_have(calloc(run->n_results + 1, sizeof *fastest));
    run_fastest(run, NULL, fastest);
    for (size_t i = 0; i < run->n_results; i++)
        put_result(json, results, run, &run->results[i], fastest[i]);
}

int run_make_json(const struct run *run, struct json *json, struct error *error)
{
    *json = (struct json){.root = NULL};
    make_document(json, run);
    const int code = json_check(json->root, NULL, error);
    if (code)
        json_free(json);
    return code;
}

int run_write_json(const struct run *run, FILE *file, struct error *error)
{
    struct json json;
    const int code = run_make_json(run, &json, error);

    return code ? code : json_end(&json, file, error);
}
