/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_common.h"
#include "summarise.h"
#include "text.h"

/* The tree is built without looking at each step: `failed` tells at the end. */
struct maker {
    bool failed;
    struct buffer scratch;
};

/* Adds `item` to an object, or to an array if `name` is NULL, and returns it. */
static cJSON *put(struct maker *maker, cJSON *parent, const char *name, cJSON *item)
{
    bool added = parent && item &&
                 (name ? cJSON_AddItemToObject(parent, name, item)
                       : cJSON_AddItemToArray(parent, item));

    if (added)
        return item;
    cJSON_Delete(item);
    maker->failed = true;
    return NULL;
}

/* A document must be UTF-8; bytes that are not become the escapes that people see. */
static const char *valid(struct maker *maker, const char *text)
{
    size_t left = strlen(text), step, good = 0;
    uint32_t code;

    while ((step = text_utf8((const unsigned char *)text + good, left - good, &code)))
        good += step;
    if (good == left)
        return text;
    buffer_clear(&maker->scratch);
    for (; left; text += step, left -= step) {
        step = text_utf8((const unsigned char *)text, left, &code);
        if (step) {
            buffer_format(&maker->scratch, "%.*s", (int)step, text);
        } else {
            step = 1;
            buffer_format(&maker->scratch, "\\x%02x", *(const unsigned char *)text);
        }
    }
    maker->failed |= maker->scratch.failed;
    return buffer_text(&maker->scratch);
}

static void put_text(struct maker *maker, cJSON *parent, const char *name,
                     const char *text)
{
    put(maker, parent, name,
        text ? cJSON_CreateString(valid(maker, text)) : cJSON_CreateNull());
}

/* cJSON prints doubles only nearly exactly, so numbers are given to it as text. */
static void put_number(struct maker *maker, cJSON *parent, const char *name, double value)
{
    char text[NUMBER_SIZE];

    if (isfinite(value))
        text_exact(value, text);
    put(maker, parent, name,
        isfinite(value) ? cJSON_CreateRaw(text) : cJSON_CreateNull());
}

static void put_numbers(struct maker *maker, cJSON *parent, const char *name,
                        const double *values, const uint32_t *whole, size_t n)
{
    char text[NUMBER_SIZE];

    buffer_clear(&maker->scratch);
    buffer_add(&maker->scratch, "[");
    for (size_t i = 0; i < n; i++) {
        text_exact(whole ? whole[i] : values[i], text);
        buffer_format(&maker->scratch, "%s%s", i ? ", " : "", text);
    }
    buffer_add(&maker->scratch, "]");
    maker->failed |= maker->scratch.failed;
    put(maker, parent, name, cJSON_CreateRaw(buffer_text(&maker->scratch)));
}

static void put_texts(struct maker *maker, cJSON *parent, const char *name,
                      char *const *texts, size_t n)
{
    cJSON *array = put(maker, parent, name, cJSON_CreateArray());

    for (size_t i = 0; i < n; i++)
        put_text(maker, array, NULL, texts[i] ? texts[i] : "");
}

static void put_interval(struct maker *maker, cJSON *parent, const char *name,
                         const char *level_name, const struct interval *interval)
{
    bool known = interval->known && isfinite(interval->lo) && isfinite(interval->hi);

    if (known)
        put_numbers(maker, parent, name, (const double[]){interval->lo, interval->hi},
                    NULL, 2);
    else
        put(maker, parent, name, cJSON_CreateNull());
    put_number(maker, parent, level_name, known ? interval->level : NAN);
}

static void put_field(struct maker *maker, cJSON *parent, const struct field *field,
                      const char *base)
{
    const void *at = base + field->offset;
    const char *text;
    double rate;

    switch (field->kind) {
    case FIELD_TEXT:
        text = *(char *const *)at;
        put_text(maker, parent, field->name, text ? text : "");
        break;
    case FIELD_NAME:
        put_text(maker, parent, field->name, *(char *const *)at);
        break;
    case FIELD_NUMBER:
    case FIELD_AMOUNT:
        put_number(maker, parent, field->name, *(const double *)at);
        break;
    case FIELD_RATE:
        rate = *(const double *)at;
        put_number(maker, parent, field->name, rate != 0 ? rate : NAN);
        break;
    case FIELD_INT:
        put_number(maker, parent, field->name, *(const int *)at);
        break;
    case FIELD_U32:
        put_number(maker, parent, field->name, *(const uint32_t *)at);
        break;
    case FIELD_U64:
        put_number(maker, parent, field->name, (double)*(const uint64_t *)at);
        break;
    case FIELD_SIZE:
        put_number(maker, parent, field->name, (double)*(const size_t *)at);
        break;
    case FIELD_BOOL:
        put(maker, parent, field->name, cJSON_CreateBool(*(const bool *)at));
        break;
    }
}

static void put_fields(struct maker *maker, cJSON *parent, const struct fields *fields,
                       const void *base)
{
    for (size_t i = 0; i < fields->n; i++)
        put_field(maker, parent, &fields->field[i], base);
}

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
    clock = put(maker, object, "clock", cJSON_CreateObject());
    put_number(maker, clock, "ghz", result->ghz > 0 ? result->ghz : NAN);
    put_interval(maker, clock, "ci", "ci_level", &result->ghz_ci);
    put_numbers(maker, clock, "samples", result->clock_ghz, NULL, result->n_clock);
    put(maker, object, "findings", cJSON_CreateArray());
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
