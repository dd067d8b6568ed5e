/* SPDX-License-Identifier: Apache-2.0 */
/* Members "findings" and "explanation" of a result. */

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
static const struct fields line_fields =
    FIELDS(FIELD(TEXT, explained_line, text), FIELD(NAME, explained_line, source),
           FIELD(SPAN, explained_line, executed), FIELD(NAME, explained_line, form),
           FIELD(RATE, explained_line, throughput), FIELD(RATE, explained_line, latency));
static const struct fields loop_fields =
    FIELDS(FIELD(TEXT, explained_loop, where), FIELD(NAME, explained_loop, source),
           FIELD(NAME, explained_loop, mix), FIELD(SPAN, explained_loop, share),
           FIELD(SPAN, explained_loop, iterations), FIELD(SPAN, explained_loop, trips),
           {.name = "counts",
            .kind = FIELD_COUNTS,
            .offset = offsetof(struct explained_loop, counts),
            .length = offsetof(struct explained_loop, n_counts)},
           FIELD_LIST_AS("code", LIST, explained_loop, lines, n_lines, line_fields));
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
           FIELD(NUMBER, explained_evidence, factor), FIELD(CI, explained_evidence, ci));
static const struct fields ratio_of_fields =
    FIELDS(FIELD(TEXT, explained_ratio, name), FIELD(NAME, explained_ratio, text),
           FIELD(NAME, explained_ratio, reaches), FIELD(NAME, explained_ratio, absent),
           FIELD(SPAN, explained_ratio, ratio), FIELD(CI, explained_ratio, ci));
#define EVIDENCE(name) \
    FIELD_LIST_AS(#name, LIST, explained_finding, name, n_##name, evidence_fields)
static const struct fields finding_fields = FIELDS(
    FIELD(TEXT, explained_finding, cause), FIELD(NAME, explained_finding, text),
    FIELD(TEXT, explained_finding, confidence), FIELD(NUMBER, explained_finding, share),
    FIELD(NAME, explained_finding, refute), FIELD(NAME, explained_finding, experiment),
    FIELD(NAME, explained_finding, remedy), EVIDENCE(evidence), EVIDENCE(against));
static const struct fields exclusion_fields = FIELDS(
    FIELD(TEXT, explained_exclusion, cause), FIELD(BOOL, explained_exclusion, counter),
    FIELD_PART_OF(explained_exclusion, why, evidence_fields));
static const struct fields unknown_fields =
    FIELDS(FIELD(TEXT, explained_unknown, cause), FIELD(NAME, explained_unknown, missing),
           FIELD(NAME, explained_unknown, why));
static const struct fields explanation_fields =
    FIELDS(FIELD(NAME, explanation, not_traced), FIELD(SPAN, explanation, cycles),
           FIELD(SPAN, explanation, seconds));
static const struct fields residual_fields =
    FIELDS(FIELD_AS("cycles", SPAN, explanation, residual_cycles),
           FIELD_AS("share", SPAN, explanation, residual_share));
#define LIST_OF(name, list, fields) \
    FIELD_LIST_AS(name, LIST, explanation, list, n_##list, fields)
static const struct fields finding_lists =
    FIELDS(LIST_OF("findings", findings, finding_fields));
static const struct fields reason_lists =
    FIELDS(LIST_OF("loops", loops, loop_fields), LIST_OF("bounds", bounds, bound_fields),
           LIST_OF("excluded", excluded, exclusion_fields),
           LIST_OF("unknown", unknown, unknown_fields),
           LIST_OF("experiments", ratios, ratio_of_fields),
           FIELD_GROUP("residual", residual_fields));

/* ---- writing ---- */

void json_explanation(struct json *json, cJSON *parent, const struct explanation *why)
{
    static const struct explanation nothing = {.n_findings = 0};
    json_fields(json, parent, &finding_lists, why ?: &nothing);
    cJSON *const object = json_maybe(json, parent, "explanation", why);
    if (!object)
        return;
    json_fields(json, object, &explanation_fields, why);
    cJSON *const executed = json_maybe(json, object, "executed", why->executed.mode);
    if (executed)
        json_fields(json, executed, &executed_fields, &why->executed);
    json_fields(json, object, &reason_lists, why);
}

/* ---- reading ---- */

static int read_executed(const struct value *object, struct executed *executed)
{
    const struct value value = value_member(object, "executed");
    return value_absent(&value) ? 0 : value_fields(&value, &executed_fields, executed);
}

/* Findings of a document without an explanation are not simdbench's. */
int json_read_explanation(const struct value *entry, struct result *result)
{
    const struct value object = value_member(entry, "explanation");
    if (value_absent(&object))
        return 0;
    struct explanation *const why = result_explanation(result);
    if (!why)
        return value_no_memory(entry);
    return value_fields(&object, &explanation_fields, why)
               ?: read_executed(&object, &why->executed)
               ?: value_fields(&object, &reason_lists, why)
               ?: value_fields(entry, &finding_lists, why);
}
