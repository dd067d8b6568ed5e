/* SPDX-License-Identifier: Apache-2.0 */
/* Members "call" and "small_call" of a proof and "code" of a comparison. */
#include "json_value.h"

static const struct fields call_shares =
    FIELDS(FIELD_AS("sse", AMOUNT, whole_call, share_sse),
           FIELD_AS("avx", AMOUNT, whole_call, share_avx),
           FIELD_AS("avx512", AMOUNT, whole_call, share_avx512));
static const struct fields loop_fields =
    FIELDS(FIELD(NAME, code_loop, where), FIELD(NAME, code_loop, source),
           FIELD(AMOUNT, code_loop, share), FIELD(AMOUNT, code_loop, iterations),
           FIELD(AMOUNT, code_loop, instructions), FIELD(AMOUNT, code_loop, calls),
           FIELD(AMOUNT, code_loop, spills), FIELD(AMOUNT, code_loop, reloads),
           FIELD(AMOUNT, code_loop, widest_bits), FIELD(AMOUNT, code_loop, offset),
           FIELD(AMOUNT, code_loop, bytes), FIELD(BOOL, code_loop, spills_exact));
static const struct fields call_fields =
    FIELDS(FIELD(NAME, whole_call, shape), FIELD(AMOUNT, whole_call, ops),
           FIELD(AMOUNT, whole_call, instructions), FIELD(AMOUNT, whole_call, main_bits),
           FIELD_GROUP("isa", call_shares),
           FIELD_LIST_AS("loops", LIST, whole_call, loops, n_loops, loop_fields));
static const struct fields fault_fields =
    FIELDS(FIELD(TEXT, code_fault, what), FIELD(AMOUNT, code_fault, base),
           FIELD(AMOUNT, code_fault, head), FIELD(NAME, code_fault, where),
           FIELD(TEXT, code_fault, text));
static const struct fields change_fields =
    FIELDS(FIELD(NAME, code_change, reason), FIELD(NAME, code_change, shape),
           FIELD(AMOUNT, code_change, base_instructions),
           FIELD(AMOUNT, code_change, head_instructions),
           FIELD_LIST_AS("faults", LIST, code_change, faults, n_faults, fault_fields));

/* ---- writing ---- */

void json_call(struct json *json, cJSON *parent, const char *name,
               const struct whole_call *call)
{
    cJSON *const object = json_maybe(json, parent, name, call->absent || call->shape);

    if (!object)
        return;
    json_text(json, object, "absent", call->absent);
    if (call->absent)
        return;
    json_fields(json, object, &call_fields, call);
}

void json_code(struct json *json, cJSON *parent, const struct code_change *code)
{
    cJSON *const object = json_maybe(json, parent, "code", code);

    if (!object)
        return;
    json_text(json, object, "verdict", code_verdict_name(code->verdict));
    json_fields(json, object, &change_fields, code);
}

/* ---- reading ---- */

int json_read_call(const struct value *proof, const char *name, struct whole_call *call)
{
    const struct value object = value_member(proof, name);
    const struct value absent = value_member(&object, "absent");

    if (value_absent(&object))
        return 0;
    const int code = value_object(&object) ?: value_name(&absent, &call->absent);
    if (code || call->absent)
        return code;
    return value_fields(&object, &call_fields, call);
}

int json_read_code(const struct value *comparison_object, struct comparison *comparison)
{
    const struct value object = value_member(comparison_object, "code");
    const struct value verdict = value_member(&object, "verdict");

    if (value_absent(&object))
        return 0;
    struct code_change *const code = comparison->code = code_change_new();
    if (!code)
        return value_no_memory(&object);
    int status = value_object(&object)
                     ?: value_want(&verdict, cJSON_IsString(verdict.json), "a string");
    if (!status && code_verdict_find(verdict.json->valuestring, &code->verdict))
        status = VALUE_FAIL(&verdict, "unknown verdict");
    return status ?: value_fields(&object, &change_fields, code);
}
