/* SPDX-License-Identifier: Apache-2.0 */
/* Members "proof" and "base_proof" of a result. */
#include "json_value.h"

static void json_call(struct json *json, cJSON *parent, const char *name,
                      const struct whole_call *call)
{
    cJSON *const object = json_maybe(json, parent, name, call->absent || call->shape);

    if (!object)
        return;
    json_text(json, object, "absent", call->absent);
    if (call->absent)
        return;
    json_fields(json, object, &whole_call_fields, call);
}

static int json_read_call(const struct value *proof, const char *name,
                          struct whole_call *call)
{
    const struct value object = value_member(proof, name);
    const struct value absent = value_member(&object, "absent");

    if (value_absent(&object))
        return 0;
    const int code = value_object(&object) ?: value_name(&absent, &call->absent);
    if (code || call->absent)
        return code;
    return value_fields(&object, &whole_call_fields, call);
}

static const struct fields judged =
    FIELDS(FIELD(NAME, code_proof, doubt), FIELD(NAME, code_proof, unoptimised));
static const struct fields isa_shares =
    FIELDS(FIELD_AS("scalar", AMOUNT, executed, share_scalar),
           FIELD_AS("sse", AMOUNT, executed, share_sse),
           FIELD_AS("avx", AMOUNT, executed, share_avx),
           FIELD_AS("avx512", AMOUNT, executed, share_avx512),
           FIELD_AS("fma", AMOUNT, executed, share_fma),
           FIELD_AS("transitions", AMOUNT, executed, share_transitions));
static const struct fields counts =
    FIELDS(FIELD(TEXT, executed, mode), FIELD(AMOUNT, executed, instructions),
           FIELD(AMOUNT, executed, steps), FIELD(AMOUNT, executed, seconds),
           FIELD(AMOUNT, executed, system_calls), FIELD(AMOUNT, executed, threads),
           FIELD(AMOUNT, executed, widest_bits), FIELD(AMOUNT, executed, main_bits),
           FIELD(NAME, executed, modules), FIELD_GROUP("isa", isa_shares));

static void put_proof(struct json *json, cJSON *parent, const char *name,
                      const struct code_proof *proof)
{
    cJSON *const object = json_maybe(json, parent, name, proof);

    if (!object)
        return;
    json_text(json, object, "absent", proof->absent);
    if (proof->absent)
        return;
    json_fields(json, object, &judged, proof);
    json_fields(json, object, &counts, &proof->executed);
    json_call(json, object, "call", &proof->call);
    json_call(json, object, "small_call", &proof->small);
}

void json_proofs(struct json *json, cJSON *parent, const struct result *result)
{
    put_proof(json, parent, "proof", result->code.proof);
    put_proof(json, parent, "base_proof", result->code.base_proof);
}

static int check_mode(const struct value *object, const char *mode)
{
    const struct value value = value_member(object, "mode");

    return !strcmp(mode, "whole") || !strcmp(mode, "sampled")
               ? 0
               : VALUE_FAIL(&value, "expected whole or sampled");
}

static int read_proof(const struct value *entry, const char *name,
                      struct code_proof **where)
{
    const struct value object = value_member(entry, name);
    const struct value absent = value_member(&object, "absent");

    if (value_absent(&object))
        return 0;
    *where = calloc(1, sizeof **where);
    if (!*where)
        return value_no_memory(&object);
    const int code = value_object(&object) ?: value_name(&absent, &(*where)->absent);
    if (code || (*where)->absent)
        return code;
    struct executed *const executed = &(*where)->executed;
    return value_fields(&object, &judged, *where)
               ?: value_fields(&object, &counts, executed)
               ?: check_mode(&object, executed->mode)
               ?: json_read_call(&object, "call", &(*where)->call)
               ?: json_read_call(&object, "small_call", &(*where)->small);
}

int json_read_proofs(const struct value *entry, struct result *result)
{
    return read_proof(entry, "proof", &result->code.proof)
               ?: read_proof(entry, "base_proof", &result->code.base_proof);
}
