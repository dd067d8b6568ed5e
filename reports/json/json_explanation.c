/* SPDX-License-Identifier: Apache-2.0 */
/* Members "findings" and "explanation" of a result. */
#include "json_common.h"
#include "json_value.h"

/* ---- writing ---- */

void json_explanation(struct json *json, cJSON *parent, const struct explanation *why)
{
    static const struct explanation nothing = {.n_findings = 0};
    json_fields(json, parent, &explanation_findings, why ?: &nothing);
    cJSON *const object = json_maybe(json, parent, "explanation", why);
    if (object)
        json_fields(json, object, &explanation_fields, why);
}

/* ---- reading ---- */

/* Findings of a document without an explanation are not simdbench's. */
int json_read_explanation(const struct value *entry, struct result *result)
{
    const struct value object = value_member(entry, "explanation");
    if (value_absent(&object))
        return 0;
    struct explanation *const why = result_explanation(result);
    return value_fields(&object, &explanation_fields, why)
               ?: value_fields(entry, &explanation_findings, why);
}
