/* SPDX-License-Identifier: Apache-2.0 */
/* Members "findings" and "explanation" of a result. */
#include <math.h>

#include "json.h"
#include "json_common.h"
#include "json_value.h"

static const struct fields executed_fields =
    FIELDS(FIELD(TEXT, executed, mode), FIELD(SPAN, executed, instructions),
           FIELD(SPAN, executed, steps), FIELD(SPAN, executed, seconds),
           FIELD(SPAN, executed, windows), FIELD(SPAN, executed, system_calls),
           FIELD(SPAN, executed, threads), FIELD(SPAN, executed, share_scalar),
           FIELD(SPAN, executed, share_sse), FIELD(SPAN, executed, share_avx),
           FIELD(SPAN, executed, share_avx512), FIELD(SPAN, executed, share_fma),
           FIELD(SPAN, executed, widest_bits), FIELD(BOOL, executed, mixes_sse_avx),
           FIELD(NAME, executed, modules), FIELD(NAME, executed, producer));
static const struct fields loop_fields =
    FIELDS(FIELD(TEXT, explained_loop, where), FIELD(NAME, explained_loop, source),
           FIELD(NAME, explained_loop, mix), FIELD(SPAN, explained_loop, share),
           FIELD(SPAN, explained_loop, iterations), FIELD(SPAN, explained_loop, trips));
static const struct fields line_fields =
    FIELDS(FIELD(TEXT, explained_line, text), FIELD(NAME, explained_line, source),
           FIELD(SPAN, explained_line, executed), FIELD(NAME, explained_line, form),
           FIELD(RATE, explained_line, throughput), FIELD(RATE, explained_line, latency));
static const struct fields bound_fields =
    FIELDS(FIELD(TEXT, explained_bound, name), FIELD(NAME, explained_bound, text),
           FIELD(SPAN, explained_bound, cycles), FIELD(BOOL, explained_bound, limits),
           FIELD(BOOL, explained_bound, refuted));
static const struct fields evidence_fields =
    FIELDS(FIELD(TEXT, explained_evidence, what), FIELD(NAME, explained_evidence, text),
           FIELD(NAME, explained_evidence, unit), FIELD(NAME, explained_evidence, source),
           FIELD(NUMBER, explained_evidence, value),
           FIELD(NUMBER, explained_evidence, threshold),
           FIELD(BOOL, explained_evidence, at_least), FIELD(NAME, explained_evidence, of),
           FIELD(NUMBER, explained_evidence, factor));
static const struct fields ratio_of_fields =
    FIELDS(FIELD(TEXT, explained_ratio, name), FIELD(NAME, explained_ratio, text),
           FIELD(NAME, explained_ratio, reaches), FIELD(NAME, explained_ratio, absent),
           FIELD(SPAN, explained_ratio, ratio));
static const struct fields finding_fields = FIELDS(
    FIELD(TEXT, explained_finding, cause), FIELD(NAME, explained_finding, text),
    FIELD(TEXT, explained_finding, confidence), FIELD(NUMBER, explained_finding, share),
    FIELD(NAME, explained_finding, refute), FIELD(NAME, explained_finding, experiment),
    FIELD(NAME, explained_finding, remedy));
static const struct fields exclusion_fields = FIELDS(
    FIELD(TEXT, explained_exclusion, cause), FIELD(BOOL, explained_exclusion, counter));
static const struct fields unknown_fields =
    FIELDS(FIELD(TEXT, explained_unknown, cause), FIELD(NAME, explained_unknown, missing),
           FIELD(NAME, explained_unknown, why));
static const struct fields explanation_fields =
    FIELDS(FIELD(NAME, explanation, not_traced), FIELD(SPAN, explanation, cycles),
           FIELD(SPAN, explanation, seconds));
static const struct fields residual_fields =
    FIELDS(FIELD_AS("cycles", SPAN, explanation, residual_cycles),
           FIELD_AS("share", SPAN, explanation, residual_share));

/* ---- writing ---- */

static void put_evidence(struct json *json, cJSON *object,
                         const struct explained_evidence *evidence)
{
    json_fields(json, object, &evidence_fields, evidence);
    json_interval(json, object, "ci", "ci_level", &evidence->ci);
}

static void put_evidence_list(struct json *json, cJSON *parent, const char *name,
                              const struct explained_evidence *list, size_t n)
{
    cJSON *const array = json_array(json, parent, name);
    for (size_t i = 0; i < n; i++)
        put_evidence(json, json_object(json, array, NULL), &list[i]);
}

static void put_finding(struct json *json, cJSON *parent,
                        const struct explained_finding *finding)
{
    cJSON *const object = json_object(json, parent, NULL);
    json_fields(json, object, &finding_fields, finding);
    put_evidence_list(json, object, "evidence", finding->evidence, finding->n_evidence);
    put_evidence_list(json, object, "against", finding->against, finding->n_against);
}

static void put_loop(struct json *json, cJSON *parent, const struct explained_loop *loop)
{
    cJSON *const object = json_object(json, parent, NULL);
    json_fields(json, object, &loop_fields, loop);
    cJSON *const counts = json_object(json, object, "counts");
    for (size_t i = 0; i < loop->n_counts; i++)
        json_number(json, counts, loop->counts[i].name, loop->counts[i].value);
    cJSON *const code = json_array(json, object, "code");
    for (size_t i = 0; i < loop->n_lines; i++)
        json_fields(json, json_object(json, code, NULL), &line_fields, &loop->lines[i]);
}

static void put_causes(struct json *json, cJSON *object, const struct explanation *why)
{
    cJSON *const excluded = json_array(json, object, "excluded");
    FOR_EACH (const struct explained_exclusion, exclusion, why->excluded,
              why->n_excluded) {
        cJSON *const entry = json_object(json, excluded, NULL);
        json_fields(json, entry, &exclusion_fields, exclusion);
        put_evidence(json, json_object(json, entry, "why"), &exclusion->why);
    }
    cJSON *const unknown = json_array(json, object, "unknown");
    for (size_t i = 0; i < why->n_unknown; i++)
        json_fields(json, json_object(json, unknown, NULL), &unknown_fields,
                    &why->unknown[i]);
}

static void put_ratios(struct json *json, cJSON *object, const struct explanation *why)
{
    cJSON *const ratios = json_array(json, object, "experiments");
    FOR_EACH (const struct explained_ratio, ratio, why->ratios, why->n_ratios) {
        cJSON *const entry = json_object(json, ratios, NULL);
        json_fields(json, entry, &ratio_of_fields, ratio);
        json_interval(json, entry, "ci", "ci_level", &ratio->ci);
    }
}

void json_explanation(struct json *json, cJSON *parent, const struct explanation *why)
{
    cJSON *const findings = json_array(json, parent, "findings");
    for (size_t i = 0; why && i < why->n_findings; i++)
        put_finding(json, findings, &why->findings[i]);
    cJSON *const object = json_maybe(json, parent, "explanation", why);
    if (!object)
        return;
    json_fields(json, object, &explanation_fields, why);
    cJSON *const executed = json_maybe(json, object, "executed", why->executed.mode);
    if (executed)
        json_fields(json, executed, &executed_fields, &why->executed);
    cJSON *const loops = json_array(json, object, "loops");
    for (size_t i = 0; i < why->n_loops; i++)
        put_loop(json, loops, &why->loops[i]);
    cJSON *const bounds = json_array(json, object, "bounds");
    for (size_t i = 0; i < why->n_bounds; i++)
        json_fields(json, json_object(json, bounds, NULL), &bound_fields,
                    &why->bounds[i]);
    put_causes(json, object, why);
    put_ratios(json, object, why);
    json_fields(json, json_object(json, object, "residual"), &residual_fields, why);
}

/* ---- reading ---- */

typedef int read_entry(const struct value *entry, void *context);

static int read_array(const struct value *object, const char *name, read_entry *read,
                      void *context)
{
    const struct value array = value_member(object, name);
    return value_array(&array) ?: value_each(&array, read, context);
}

static int read_evidence(const struct value *entry, struct explained_evidence *evidence)
{
    if (!evidence)
        return value_no_memory(entry);
    return value_fields(entry, &evidence_fields, evidence)
               ?: value_interval(entry, "ci", 0, &evidence->ci);
}

static int add_evidence(const struct value *entry, void *context)
{
    return read_evidence(entry, finding_add_evidence(context, NULL));
}

static int add_against(const struct value *entry, void *context)
{
    return read_evidence(entry, finding_add_against(context, NULL));
}

static int add_finding(const struct value *entry, void *context)
{
    struct explained_finding *const finding = explanation_add_finding(context, NULL);
    if (!finding)
        return value_no_memory(entry);
    return value_fields(entry, &finding_fields, finding)
               ?: read_array(entry, "evidence", add_evidence, finding)
               ?: read_array(entry, "against", add_against, finding);
}

static int add_loop_count(const struct value *entry, void *context)
{
    double number;
    return value_from(entry, 0, &number)
               ?: (loop_add_count(context, entry->json->string, number)
                       ? value_no_memory(entry)
                       : 0);
}

static int add_line(const struct value *entry, void *context)
{
    struct explained_line *const line = loop_add_line(context, NULL);
    return line ? value_fields(entry, &line_fields, line) : value_no_memory(entry);
}

static int add_loop(const struct value *entry, void *context)
{
    const struct value counts = value_member(entry, "counts");
    struct explained_loop *const loop = explanation_add_loop(context, NULL);
    if (!loop)
        return value_no_memory(entry);
    return value_fields(entry, &loop_fields, loop)
               ?: value_object(&counts)
               ?: value_each(&counts, add_loop_count, loop)
               ?: read_array(entry, "code", add_line, loop);
}

static int add_bound(const struct value *entry, void *context)
{
    struct explained_bound *const bound = explanation_add_bound(context, NULL);
    return bound ? value_fields(entry, &bound_fields, bound) : value_no_memory(entry);
}

static int add_exclusion(const struct value *entry, void *context)
{
    const struct value why = value_member(entry, "why");
    struct explained_exclusion *const exclusion =
        explanation_add_exclusion(context, NULL);
    if (!exclusion)
        return value_no_memory(entry);
    return value_fields(entry, &exclusion_fields, exclusion)
               ?: read_evidence(&why, &exclusion->why);
}

static int add_unknown(const struct value *entry, void *context)
{
    struct explained_unknown *const unknown = explanation_add_unknown(context, NULL);
    return unknown ? value_fields(entry, &unknown_fields, unknown)
                   : value_no_memory(entry);
}

static int add_explained_ratio(const struct value *entry, void *context)
{
    struct explained_ratio *const ratio = explanation_add_ratio(context, NULL);
    if (!ratio)
        return value_no_memory(entry);
    return value_fields(entry, &ratio_of_fields, ratio)
               ?: value_interval(entry, "ci", 0, &ratio->ci);
}

static int read_executed(const struct value *object, struct executed *executed)
{
    const struct value value = value_member(object, "executed");
    return value_absent(&value) ? 0 : value_fields(&value, &executed_fields, executed);
}

/* Findings of a document without an explanation are not simdbench's. */
int json_read_explanation(const struct value *entry, struct result *result)
{
    const struct value object = value_member(entry, "explanation");
    const struct value residual = value_member(&object, "residual");
    if (value_absent(&object))
        return 0;
    struct explanation *const why = result_explanation(result);
    if (!why)
        return value_no_memory(entry);
    return value_fields(&object, &explanation_fields, why)
               ?: read_executed(&object, &why->executed)
               ?: read_array(&object, "loops", add_loop, why)
               ?: read_array(&object, "bounds", add_bound, why)
               ?: read_array(&object, "excluded", add_exclusion, why)
               ?: read_array(&object, "unknown", add_unknown, why)
               ?: read_array(&object, "experiments", add_explained_ratio, why)
               ?: value_fields(&residual, &residual_fields, why)
               ?: read_array(entry, "findings", add_finding, why);
}
