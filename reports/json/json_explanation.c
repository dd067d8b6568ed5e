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
/* ---- writing ---- */

void json_explanation(struct json *json, cJSON *parent, const struct explanation *why)
{
    static const struct explanation nothing = {.n_findings = 0};
    json_fields(json, parent, &explanation_findings, why ?: &nothing);
    cJSON *const object = json_maybe(json, parent, "explanation", why);
    if (!object)
        return;
    json_fields(json, object, &explanation_fields, why);
    cJSON *const executed = json_maybe(json, object, "executed", why->executed.mode);
    if (executed)
        json_fields(json, executed, &executed_fields, &why->executed);
    json_fields(json, object, &explanation_reasons, why);
}

/* ---- reading ---- */

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
               ?: value_maybe(&object, "executed", &executed_fields, &why->executed)
               ?: value_fields(&object, &explanation_reasons, why)
               ?: value_fields(entry, &explanation_findings, why);
}
