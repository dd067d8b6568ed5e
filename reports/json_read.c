/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "json_value.h"

struct texts {
    char ***list;
    size_t *n;
};

static int add_text(const struct value *entry, void *context)
{
    struct texts *texts = context;
    int code = value_want(entry, cJSON_IsString(entry->json), "a string");

    if (!code && strings_add(texts->list, texts->n, entry->json->valuestring))
        code = value_no_memory(entry);
    return code;
}

static int read_texts(const struct value *array, char ***list, size_t *n)
{
    int code = value_array(array);

    return code ? code : value_each(array, add_text, &(struct texts){list, n});
}

/* ---- facts ---- */

/* Nested values are no facts but fields that a later version added. */
static int add_fact(const struct value *entry, void *context)
{
    const cJSON *json = entry->json;
    int code = 0;

    if (cJSON_IsString(json))
        code = facts_text(context, json->string, json->valuestring);
    else if (cJSON_IsNumber(json))
        code = facts_number(context, json->string, json->valuedouble);
    else if (cJSON_IsBool(json))
        code = facts_bool(context, json->string, cJSON_IsTrue(json));
    return code ? value_no_memory(entry) : 0;
}

static int read_facts(const struct value *object, struct facts *facts)
{
    int code = value_object(object);

    return code ? code : value_each(object, add_fact, facts);
}

static int add_host_fact(const struct value *entry, void *context)
{
    return host_name_reserved(entry->json->string) ? 0 : add_fact(entry, context);
}

static int add_identity(const struct value *entry, void *context)
{
    struct facts *facts = context;
    const char *name = entry->json->string;
    size_t i = 0;
    int code = 0;

    while (i < facts->n && strcmp(facts->fact[i].name, name))
        i++;
    if (i == facts->n)
        code = add_host_fact(entry, facts);
    if (i < facts->n)
        facts->fact[i].identity = true;
    return code;
}

static int read_host(const struct value *host, struct run *run)
{
    struct value fingerprint = value_member(host, "fingerprint");
    struct value identity = value_member(host, "identity");
    struct value isas = value_member(host, "isas"), pmu = value_member(host, "pmu");
    struct value state = value_member(&pmu, "state");
    struct value reason = value_member(&pmu, "reason");
    int code = value_object(host);

    if (!code)
        code = value_each(host, add_host_fact, &run->host);
    if (!code)
        code = value_name(&fingerprint, &run->fingerprint);
    if (!code)
        code = value_object(&identity);
    if (!code)
        code = value_each(&identity, add_identity, &run->host);
    if (!code)
        code = read_texts(&isas, &run->isas, &run->n_isas);
    if (!code)
        code = value_object(&pmu);
    if (!code)
        code = value_name(&state, &run->pmu_state);
    if (!code)
        code = value_name(&reason, &run->pmu_reason);
    return code;
}

/* ---- parts of a result ---- */

struct settings_reader {
    struct result *result;
    int (*add)(struct result *, const char *, const char *);
};

static int add_setting(const struct value *entry, void *context)
{
    struct settings_reader *to = context;
    int code = value_want(entry, cJSON_IsString(entry->json), "a string");

    if (!code && to->add(to->result, entry->json->string, entry->json->valuestring))
        code = value_no_memory(entry);
    return code;
}

static int read_settings(const struct value *object, struct result *result,
                         int (*add)(struct result *, const char *, const char *))
{
    int code = value_object(object);

    return code ? code
                : value_each(object, add_setting, &(struct settings_reader){result, add});
}

static int positive(const struct value *entry, double *number)
{
    int code = value_number(entry, number);

    return !code && *number < 0 ? VALUE_FAIL(entry, "expected a number from 0 up") : code;
}

static int add_clock(const struct value *entry, void *context)
{
    double number;
    int code = positive(entry, &number);

    if (!code && result_add_clock(context, number))
        code = value_no_memory(entry);
    return code;
}

static int add_count(const struct value *entry, void *context)
{
    double number;
    int code = positive(entry, &number);

    if (!code && counter_add_sample(context, number))
        code = value_no_memory(entry);
    return code;
}

struct samples_reader {
    struct result *result;
    const struct value *rounds;
    const cJSON *round;
};

static int add_sample(const struct value *entry, void *context)
{
    struct samples_reader *from = context;
    struct result *result = from->result;
    size_t n = result->n_samples;
    struct value round = *entry;
    double number, whole;
    int code = positive(entry, &number);

    if (code)
        return code;
    if (!from->round)
        return VALUE_FAIL(from->rounds, "fewer entries than samples_ns");
    round.json = from->round;
    round.place.parent = &from->rounds->place;
    code = value_whole(&round, UINT32_MAX, &whole);
    if (code)
        return code;
    if (n && result->rounds[n - 1] >= whole)
        return VALUE_FAIL(&round, "rounds must ascend");
    from->round = from->round->next;
    return result_add_sample(result, (uint32_t)whole, number) ? value_no_memory(entry) : 0;
}

static int read_samples(const struct value *object, struct result *result)
{
    struct value samples = value_member(object, "samples_ns");
    struct value rounds = value_member(object, "rounds");
    struct samples_reader from = {.result = result, .rounds = &rounds};
    int code = value_array(&samples);

    if (!code)
        code = value_array(&rounds);
    if (code)
        return code;
    from.round = rounds.json->child;
    code = value_each(&samples, add_sample, &from);
    if (!code && from.round)
        code = VALUE_FAIL(&rounds, "more entries than samples_ns");
    return code;
}

static int add_counter(const struct value *entry, void *context)
{
    struct value reason = value_member(entry, "absent");
    struct value samples = value_member(entry, "samples");
    struct counter *counter = result_add_counter(context, entry->json->string);
    int code;

    if (!counter)
        return value_no_memory(entry);
    code = value_fields(entry, &counter_fields, counter);
    if (!code)
        code = value_name(&reason, &counter->absent);
    if (code || counter->absent)
        return code;
    code = value_fields(entry, &count_fields, counter);
    if (!code)
        code = value_array(&samples);
    return code ? code : value_each(&samples, add_count, counter);
}

static int add_ratio(const struct value *entry, void *context)
{
    static const struct field table[] = {
        {"speedup", FIELD_NUMBER, offsetof(struct ratio, speedup)}};
    static const struct fields fields = {table, ARRAY_LEN(table)};
    struct value baseline = value_member(entry, "baseline");
    struct ratio *ratio;
    int code = value_object(entry);

    if (!code)
        code = value_want(&baseline, cJSON_IsString(baseline.json), "a string");
    if (code)
        return code;
    ratio = result_add_ratio(context, baseline.json->valuestring);
    if (!ratio)
        return value_no_memory(entry);
    code = value_fields(entry, &fields, ratio);
    return code ? code : value_interval(entry, "ci", &ratio->ci);
}

static int read_status(const struct value *object, struct result *result)
{
    struct value status = value_member(object, "status");
    struct value reason = value_member(object, "reason");
    int code = value_want(&status, cJSON_IsString(status.json), "a string");
    int found = STATUS_PENDING;

    if (code)
        return code;
    while (found <= STATUS_NOISY &&
           strcmp(status_name((enum status)found), status.json->valuestring))
        found++;
    if (found > STATUS_NOISY)
        return VALUE_FAIL(&status, "unknown status");
    result->status = (enum status)found;
    code = value_name(&reason, &result->reason);
    if (!code && !result->reason && found != STATUS_OK && found != STATUS_PENDING)
        code = VALUE_FAIL(&reason, "missing; a case that is %s has one",
                          status_name(result->status));
    return code;
}

static int read_role(const struct value *object, struct result *result)
{
    struct value role = value_member(object, "role");
    int code = value_want(&role, cJSON_IsString(role.json), "a string");

    if (code)
        return code;
    result->is_roof = !strcmp(role.json->valuestring, "roof");
    result->is_baseline = !strcmp(role.json->valuestring, "baseline");
    if (!result->is_roof && !result->is_baseline &&
        strcmp(role.json->valuestring, "kernel"))
        code = VALUE_FAIL(&role, "expected kernel, baseline or roof");
    return code;
}

static int read_limit(const struct value *object, struct result *result)
{
    struct value limit = value_member(object, "limit");
    struct value id = value_member(&limit, "id");
    int code;

    if (value_absent(&limit))
        return 0;
    code = value_fields(&limit, &limit_fields, &result->limit);
    if (!code)
        code = value_text(&id, &result->limit_id);
    if (!code && result->limit.share > 0)
        code = value_text(&id, &result->limit.id);
    return code;
}

static int read_derived(const struct value *object, struct result *result)
{
    struct value summary = value_member(object, "summary");
    struct value reason = value_member(&summary, "ci_reason");
    struct value rates = value_member(object, "rates");
    struct value clock = value_member(object, "clock");
    struct value ghz = value_member(&clock, "ghz");
    struct value probes = value_member(&clock, "samples");
    int code = 0;

    if (!value_absent(&summary)) {
        code = value_fields(&summary, &summary_fields, result);
        if (!code)
            code = value_interval(&summary, "ci_ns", &result->ci_ns);
        if (!code)
            code = value_name(&reason, &result->ci_reason);
    }
    if (!code && !value_absent(&rates))
        code = value_fields(&rates, &rate_fields, result);
    if (!code)
        code = value_object(&clock);
    if (!code && !value_absent(&ghz))
        code = value_number(&ghz, &result->ghz);
    if (!code)
        code = value_interval(&clock, "ci", &result->ghz_ci);
    if (!code)
        code = value_array(&probes);
    if (!code)
        code = value_each(&probes, add_clock, result);
    return code;
}

static int add_result(const struct value *entry, void *context)
{
    static const struct field table[] = {
        {"ops", FIELD_NUMBER, offsetof(struct result, ops)},
        {"bytes", FIELD_NUMBER, offsetof(struct result, bytes)},
    };
    static const struct fields work_fields = {table, ARRAY_LEN(table)};
    struct value settings = value_member(entry, "settings");
    struct value options = value_member(entry, "module_options");
    struct value notes = value_member(entry, "notes"), work = value_member(entry, "work");
    struct value ratios = value_member(entry, "ratios");
    struct value counters = value_member(entry, "counters");
    struct value group = value_member(entry, "group");
    struct run *run = context;
    struct result *result = run_add_result(run);
    int code = result ? 0 : value_no_memory(entry);

    if (!code)
        code = value_fields(entry, &case_fields, result);
    if (!code && run->n_results > 1 && result[-1].group > result->group)
        code = VALUE_FAIL(&group, "groups must ascend");
    if (!code)
        code = read_role(entry, result);
    if (!code)
        code = read_settings(&settings, result, result_add_setting);
    if (!code)
        code = read_settings(&options, result, result_add_module_option);
    if (!code)
        code = read_status(entry, result);
    if (!code && !value_absent(&notes))
        code = read_texts(&notes, &result->notes, &result->n_notes);
    if (!code)
        code = value_fields(&work, &work_fields, result);
    if (!code)
        code = value_fields(entry, &measured_fields, result);
    if (!code)
        code = read_samples(entry, result);
    if (!code)
        code = read_derived(entry, result);
    if (!code)
        code = read_limit(entry, result);
    if (!code)
        code = value_array(&ratios);
    if (!code)
        code = value_each(&ratios, add_ratio, result);
    if (!code)
        code = value_object(&counters);
    if (!code)
        code = value_each(&counters, add_counter, result);
    return code;
}

/* ---- the document ---- */

static int read_version(const struct value *root, struct run *run)
{
    struct value version = value_member(root, "schema_version");
    double number = 0;
    int code = value_whole(&version, INT32_MAX, &number);

    run->schema_version = (int)number;
    if (!code && run->schema_version != RUN_SCHEMA_VERSION)
        code = VALUE_FAIL(&version, "%d is not supported; this program reads %d",
                          run->schema_version, RUN_SCHEMA_VERSION);
    return code;
}

static int read_document(const struct value *root, struct run *run)
{
    struct value tool = value_member(root, "tool"), name = value_member(&tool, "name");
    struct value argv = value_member(root, "argv"), host = value_member(root, "host");
    struct value settings = value_member(root, "settings");
    struct value results = value_member(root, "results");
    int code = value_object(root);

    if (!code)
        code = read_version(root, run);
    if (!code)
        code = value_want(&name, cJSON_IsString(name.json) &&
                                     !strcmp(name.json->valuestring, "simdbench"),
                          "\"simdbench\"");
    if (!code)
        code = value_fields(&tool, &tool_fields, run);
    if (!code)
        code = read_texts(&argv, &run->argv, &run->argc);
    if (!code)
        code = value_fields(root, &run_fields, run);
    if (!code)
        code = read_facts(&settings, &run->settings);
    if (!code)
        code = read_host(&host, run);
    if (!code)
        code = value_array(&results);
    if (!code)
        code = value_each(&results, add_result, run);
    return code;
}

int run_read_json(struct run **run, const char *bytes, size_t size, struct error *error)
{
    struct run *made = NULL;
    const char *end = NULL;
    struct value root = {.error = error};
    cJSON *tree = NULL;
    int code = json_scan(bytes, size, error);

    *run = NULL;
    if (code)
        return code;
    tree = cJSON_ParseWithLengthOpts(bytes, size, &end, false);
    code = -EINVAL;
    if (!tree) {
        error_set(error, code, "byte %zu: this is no JSON", end ? (size_t)(end - bytes) : 0);
        goto out;
    }
    while (end < bytes + size && strchr(" \t\r\n", *end))
        end++;
    if (end < bytes + size) {
        error_set(error, code, "byte %zu: more text after the end of the document",
                  (size_t)(end - bytes));
        goto out;
    }
    /* A key that is there twice is bad input here, not a clash. */
    if (json_check(tree, NULL, error))
        goto out;
    root.json = tree;
    made = run_new();
    code = made ? read_document(&root, made) : value_no_memory(&root);
    if (!code) {
        *run = made;
        made = NULL;
    }
out:
    run_free(made);
    cJSON_Delete(tree);
    return code;
}
