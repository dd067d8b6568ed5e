/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "comparison.h"
#include "model.h"
#include "text/text.h"

const struct fields run_fields =
    FIELDS(FIELD_ARRAY("argv", TEXTS, run, argv, argc), FIELD(TEXT, run, started_at),
           FIELD(TEXT, run, seed), FIELD(BOOL, run, interrupted));
const struct fields tool_fields =
    FIELDS(FIELD_AS("version", TEXT, run, tool_version),
           FIELD_AS("commit", TEXT, run, tool_commit),
           FIELD_AS("compiler", TEXT, run, tool_compiler),
           FIELD_AS("flags", TEXT, run, tool_flags),
           FIELD_AS("build_id", NAME, run, tool_build_id),
           FIELD_ARRAY("plugins", NOTES, run, plugins, n_plugins),
           FIELD_ARRAY("libraries", NOTES, run, libraries, n_libraries));
static const struct fields source_fields =
    FIELDS(FIELD(TEXT, source, name), FIELD(NAME, source, fingerprint),
           FIELD(NAME, source, cpu), FIELD(NAME, source, started_at),
           FIELD(NAME, source, node), FIELD_AS("version", NAME, source, tool_version));
const struct fields run_sources =
    FIELDS(FIELD_LIST_AS("sources", LATER, run, sources, n_sources, source_fields));
const struct fields run_account = FIELDS(FIELD_MAYBE_OF(run, account, account_fields));
static const struct fields setting_fields =
    FIELDS(FIELD(TEXT, setting, name), FIELD(TEXT, setting, value));
const struct fields result_settings =
    FIELDS(FIELD_LIST_AS("settings", KEYED, result, settings, n_settings, setting_fields),
           FIELD_LIST_AS("module_options", KEYED, result, module.options,
                         module.n_options, setting_fields));

static const char *const status_names[] = {
    [STATUS_PENDING] = "pending",     [STATUS_OK] = "ok",
    [STATUS_SKIPPED] = "skipped",     [STATUS_WRONG] = "wrong",
    [STATUS_FAILED] = "failed",       [STATUS_NOISY] = "noisy",
    [STATUS_SHORT] = "short",         [STATUS_SUSPECT] = "suspect",
    [STATUS_UNCHECKED] = "unchecked",
};

bool status_is_bad(enum status status)
{
    return status == STATUS_WRONG || status == STATUS_FAILED;
}

bool status_has_time(enum status status)
{
    return status == STATUS_OK || status == STATUS_SUSPECT || status == STATUS_UNCHECKED;
}

const char *status_name(enum status status)
{
    return (size_t)status < ARRAY_LEN(status_names) ? status_names[status] : "pending";
}

static int number_add(double **list, size_t *n, double value)
{
    if (!isfinite(value) || value < 0)
        return -EINVAL;
    double *const entry = array_add(list, n, sizeof *entry);
    *entry = value;
    return 0;
}

static void setting_add(struct setting **list, size_t *n, const char *name,
                        const char *value)
{
    struct setting *const entry = named_add(list, n, sizeof *entry, name);

    entry->value = copy_text(value);
}

static void fact_add(struct facts *facts, const char *name, struct fact like)
{
    struct fact *const fact = NAMED_ADD(facts, fact, n, name);

    fact->kind = like.kind;
    fact->number = like.number;
    fact->text = copy_text(like.text);
}

void facts_text(struct facts *facts, const char *name, const char *text)
{
    fact_add(facts, name, (struct fact){.kind = FACT_TEXT, .text = (char *)text});
}

void facts_number(struct facts *facts, const char *name, double number)
{
    fact_add(facts, name, (struct fact){.kind = FACT_NUMBER, .number = number});
}

void facts_bool(struct facts *facts, const char *name, bool value)
{
    fact_add(facts, name, (struct fact){.kind = FACT_BOOL, .number = value});
}

void facts_replace(struct facts *facts, const char *name, const char *text)
{
    for (size_t i = 0; i < facts->n; i++)
        if (facts->fact[i].kind == FACT_TEXT && !strcmp(facts->fact[i].name, name)) {
            string_set(&facts->fact[i].text, text);
            return;
        }
    facts_text(facts, name, text);
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

bool run_is_emulated(const struct run *run)
{
    return text_same(facts_find_text(&run->host, "virtualisation"), "qemu");
}

struct run *run_new(void)
{
    struct run *const run = must_have(calloc(1, sizeof *run));

    run->schema_version = RUN_SCHEMA_VERSION;
    return run;
}

struct result *run_add_result(struct run *run)
{
    return LIST_ADD(run, results, n_results);
}

void result_set_name(struct result *result, const char *name)
{
    const size_t first = strcspn(name, "/");
    char op[MODEL_NAME_MAX], shape[MODEL_NAME_MAX];

    snprintf(op, sizeof op, "%.*s", (int)(first < MODEL_NAME_MAX ? first : 255), name);
    snprintf(shape, sizeof shape, "%s", name[first] ? name + first + 1 : "");
    for (char *at = shape; (at = strchr(at, '/')); at++)
        *at = 'x';
    string_set(&result->id, name);
    string_set(&result->op, op);
    string_set(&result->shape, shape);
    string_set(&result->type, "");
    string_set(&result->isa, "");
    string_set(&result->variant, "");
}

void result_set_status(struct result *result, enum status status, const char *reason)
{
    result->status = status;
    string_set(&result->reason, reason);
}

void result_add_note(struct result *result, const char *note)
{
    strings_add(&result->notes, &result->n_notes, note);
}

void result_add_setting(struct result *result, const char *name, const char *value)
{
    setting_add(&result->settings, &result->n_settings, name, value);
}

void result_add_module_option(struct result *result, const char *name, const char *value)
{
    setting_add(&result->module.options, &result->module.n_options, name, value);
}

/* Rounds do not go back. */
static int sample_add(double **samples, uint32_t **rounds, size_t *n, uint32_t round,
                      double ns)
{
    if (*n && (*rounds)[*n - 1] > round)
        return -EINVAL;
    uint32_t *const entry = array_grow(rounds, *n, sizeof *entry);
    *entry = round;
    return number_add(samples, n, ns);
}

int result_add_sample(struct result *result, uint32_t round, double ns)
{
    const size_t n = result->samples.n;

    if (n && result->samples.rounds[n - 1] == round)
        return -EINVAL;
    return sample_add(&result->samples.ns, &result->samples.rounds, &result->samples.n,
                      round, ns);
}

int result_add_apart(struct result *result, uint32_t round, double ns)
{
    struct apart *const apart = &result->samples.apart;

    return sample_add(&apart->samples_ns, &apart->rounds, &apart->n, round, ns);
}

void result_join_apart(struct result *result)
{
    const struct apart *const apart = &result->samples.apart;
    FREED_BY(free_memory) double *ns = result->samples.ns;
    FREED_BY(free_memory) uint32_t *rounds = result->samples.rounds;
    const size_t n = result->samples.n;

    result->samples.ns = NULL;
    result->samples.rounds = NULL;
    result->samples.n = 0;
    result->samples.shared = true;
    /* A round that has a sample takes no second one. */
    for (size_t i = 0, k = 0; i + k < n + apart->n;)
        if (k == apart->n || (i < n && rounds[i] <= apart->rounds[k])) {
            result_add_sample(result, rounds[i], ns[i]);
            i++;
        } else {
            result_add_sample(result, apart->rounds[k], apart->samples_ns[k]);
            k++;
        }
}

int result_add_voided(struct result *result, double ns)
{
    return number_add(&result->samples.voided_ns, &result->samples.n_voided_ns, ns);
}

int result_add_clock(struct result *result, double ghz)
{
    return number_add(&result->samples.clock_ghz, &result->samples.n_clock, ghz);
}

struct counter *result_add_counter(struct result *result, const char *name)
{
    return NAMED_ADD(&result->samples, counters, n_counters, name);
}

int counter_add_sample(struct counter *counter, double value)
{
    return number_add(&counter->samples, &counter->n, value);
}

struct metric *result_add_metric(struct result *result, const char *name,
                                 const char *unit, const char *formula)
{
    struct metric *const metric = NAMED_ADD(result, metrics, n_metrics, name);

    metric->unit = copy_text(unit);
    metric->formula = copy_text(formula);
    metric->value = NAN;
    return metric;
}

bool result_has_summary(const struct result *result)
{
    return (result->status == STATUS_OK || result->status >= STATUS_NOISY) &&
           ((result->samples.n && result->samples.iterations) ||
            result->summary.median_ns > 0);
}

const char *result_role(const struct result *result)
{
    return result->is_roof ? "roof" : result->is_baseline ? "baseline" : "kernel";
}

const char *result_element(const struct result *result)
{
    const char *const type = result->type ?: "", *const dash = strrchr(type, '-');

    return dash ? dash + 1 : type;
}

static int compare_ids(const void *left, const void *right)
{
    const struct result *const *a = left, *const *b = right;
    const int order = strcmp((*a)->id, (*b)->id);

    return order ? order : (*a > *b) - (*a < *b);
}

struct result **run_by_id(const struct run *run,
                          bool (*wanted)(const struct result *result), size_t *n)
{
    struct result **const list = must_have(malloc((run->n_results + 1) * sizeof *list));

    *n = 0;
    FOR_EACH (struct result, result, run->results, run->n_results)
        if (result->id && (!wanted || wanted(result)))
            list[(*n)++] = result;
    qsort(list, *n, sizeof *list, compare_ids);
    return list;
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
    double ns = result->samples.ns[sample] / (double)result->samples.iterations;

    return fmax(ns - result->samples.overhead_ns, 0);
}

void result_clear_ratios(struct result *result)
{
    for (size_t i = 0; i < result->summary.n_ratios; i++)
        free(result->summary.ratios[i].baseline);
    free(result->summary.ratios);
    result->summary.ratios = NULL;
    result->summary.n_ratios = 0;
}

void result_clear_samples(struct result *result)
{
    FREE_EACH(result->samples.ns, result->samples.rounds,
              result->samples.apart.samples_ns, result->samples.apart.rounds);
    result->samples.apart = (struct apart){.n = 0};
    result->samples.shared = false;
    string_set(&result->samples.stopped, NULL);
    FREE_EACH(result->samples.clock_ghz, result->samples.voided_ns);
    result->samples.ns = result->samples.clock_ghz = result->samples.voided_ns = NULL;
    result->samples.rounds = NULL;
    result->samples.n = result->samples.n_clock = result->samples.n_voided_ns = 0;
    result->samples.voided = 0;
    FOR_EACH (struct counter, counter, result->samples.counters,
              result->samples.n_counters) {
        free(counter->samples);
        counter->samples = NULL;
        counter->n = counter->n_alone = 0;
        counter->value = counter->per_element = counter->voided = 0;
    }
    for (size_t i = 0; i < result->n_metrics; i++)
        result->metrics[i].value = NAN;
    result->summary.median_ns = result->summary.min_ns = result->summary.mad_ns = 0;
    result->summary.gops = result->summary.gbps = result->summary.ghz = 0;
    result->summary.ci_ns = result->summary.ghz_ci = (struct interval){.known = false};
    string_set(&result->summary.ci_reason, NULL);
    free(result->summary.limit.id);
    result->summary.limit = (struct limit){.guessed = result->summary.limit.guessed};
    result_clear_ratios(result);
}

static void facts_free(struct facts *facts)
{
    FOR_EACH (struct fact, fact, facts->fact, facts->n)
        FREE_EACH(fact->name, fact->text);
    free(facts->fact);
}

static void result_free(struct result *result)
{
    result_clear_samples(result);
    FREE_EACH(result->id, result->op, result->type, result->isa, result->variant,
              result->shape, result->module.name, result->module.version,
              result->module.core, result->module.isa, result->work.input_hash,
              result->reason, result->limit_id, result->code.unoptimised,
              result->code.print, result->layout, result->code.implementation,
              result->unranked, result->source, result->work.level);
    fields_free(&result_settings, result);
    strings_free(result->notes, result->n_notes);
    FOR_EACH (struct counter, counter, result->samples.counters,
              result->samples.n_counters)
        FREE_EACH(counter->name, counter->event, counter->config, counter->scope,
                  counter->absent, counter->fix, counter->errno_name, counter->verdict,
                  counter->doubt);
    free(result->samples.counters);
    FOR_EACH (struct metric, metric, result->metrics, result->n_metrics)
        FREE_EACH(metric->name, metric->unit, metric->formula);
    free(result->metrics);
    comparison_free(result->comparison);
    explanation_free(result->explanation);
    code_proof_free(result->code.proof);
    code_proof_free(result->code.base_proof);
}

void run_free(struct run *run)
{
    if (!run)
        return;
    fields_free(&run_fields, run);
    fields_free(&tool_fields, run);
    fields_free(&run_sources, run);
    FREE_EACH(run->fingerprint, run->pmu_state, run->pmu_reason);
    facts_free(&run->settings);
    facts_free(&run->host);
    strings_free(run->isas, run->n_isas);
    gate_free(run->gate);
    fields_free(&run_account, run);
    FOR_EACH (struct study, study, run->studies, run->n_studies)
        study_clear(study);
    free(run->studies);
    FOR_EACH (struct judgement, judgement, run->judgements, run->n_judgements)
        judgement_clear(judgement);
    free(run->judgements);
    FOR_EACH (struct result, result, run->results, run->n_results)
        result_free(result);
    FREE_EACH(run->results, run);
}

void run_delete(struct run **run)
{
    run_free(*run);
}
