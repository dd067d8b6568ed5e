/* SPDX-License-Identifier: Apache-2.0 */
/* Members "proof" and "base_proof" of a result. */
#include <string.h>

#include "json.h"
#include "json_value.h"

static const struct fields proof_counts =
    FIELDS(FIELD(NAME, code_proof, doubt), FIELD(NAME, code_proof, unoptimised),
           FIELD(AMOUNT, code_proof, instructions), FIELD(AMOUNT, code_proof, steps),
           FIELD(AMOUNT, code_proof, seconds), FIELD(AMOUNT, code_proof, system_calls),
           FIELD(AMOUNT, code_proof, threads), FIELD(AMOUNT, code_proof, widest_bits),
           FIELD(AMOUNT, code_proof, main_bits), FIELD(NAME, code_proof, modules));
static const struct fields isa_shares =
    FIELDS(FIELD_AS("scalar", AMOUNT, code_proof, share_scalar),
           FIELD_AS("sse", AMOUNT, code_proof, share_sse),
           FIELD_AS("avx", AMOUNT, code_proof, share_avx),
           FIELD_AS("avx512", AMOUNT, code_proof, share_avx512),
           FIELD_AS("fma", AMOUNT, code_proof, share_fma),
           FIELD_AS("transitions", AMOUNT, code_proof, share_transitions));

static void put_proof(struct json *json, cJSON *parent, const char *name,
                      const struct code_proof *proof)
{
    cJSON *const object = json_maybe(json, parent, name, proof);

    if (!object)
        return;
    json_text(json, object, "absent", proof->absent);
    if (proof->absent)
        return;
    json_text(json, object, "mode", proof->whole ? "whole" : "sampled");
    json_fields(json, object, &proof_counts, proof);
    json_fields(json, json_object(json, object, "isa"), &isa_shares, proof);
    json_call(json, object, "call", &proof->call);
    json_call(json, object, "small_call", &proof->small);
}

void json_proofs(struct json *json, cJSON *parent, const struct result *result)
{
    put_proof(json, parent, "proof", result->proof);
    put_proof(json, parent, "base_proof", result->base_proof);
}

static int read_mode(const struct value *object, struct code_proof *proof)
{
    const struct value mode = value_member(object, "mode");
    const int code = value_want(&mode, cJSON_IsString(mode.json), "a string");

    if (code)
        return code;
    proof->whole = !strcmp(mode.json->valuestring, "whole");
    return proof->whole || !strcmp(mode.json->valuestring, "sampled")
               ? 0
               : VALUE_FAIL(&mode, "expected whole or sampled");
}

static int read_proof(const struct value *entry, const char *name,
                      struct code_proof **where)
{
    const struct value object = value_member(entry, name);
    const struct value absent = value_member(&object, "absent");
    const struct value isa = value_member(&object, "isa");

    if (value_absent(&object))
        return 0;
    *where = code_proof_new();
    if (!*where)
        return value_no_memory(&object);
    const int code = value_object(&object) ?: value_name(&absent, &(*where)->absent);
    if (code || (*where)->absent)
        return code;
    return read_mode(&object, *where)
               ?: value_fields(&object, &proof_counts, *where)
               ?: value_object(&isa)
               ?: value_fields(&isa, &isa_shares, *where)
               ?: json_read_call(&object, "call", &(*where)->call)
               ?: json_read_call(&object, "small_call", &(*where)->small);
}

int json_read_proofs(const struct value *entry, struct result *result)
{
    return read_proof(entry, "proof", &result->proof)
               ?: read_proof(entry, "base_proof", &result->base_proof);
}
