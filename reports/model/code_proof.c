/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"
#include "text/text.h"

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
static const struct fields whole_call_fields =
    FIELDS(FIELD(ABSENT, whole_call, absent), FIELD(NAME, whole_call, shape),
           FIELD(AMOUNT, whole_call, ops), FIELD(AMOUNT, whole_call, instructions),
           FIELD(AMOUNT, whole_call, main_bits), FIELD_GROUP("isa", call_shares),
           FIELD_LIST_AS("loops", LIST, whole_call, loops, n_loops, loop_fields));
static const struct fields isa_shares =
    FIELDS(FIELD_AS("scalar", AMOUNT, code_proof, executed.share_scalar),
           FIELD_AS("sse", AMOUNT, code_proof, executed.share_sse),
           FIELD_AS("avx", AMOUNT, code_proof, executed.share_avx),
           FIELD_AS("avx512", AMOUNT, code_proof, executed.share_avx512),
           FIELD_AS("fma", AMOUNT, code_proof, executed.share_fma),
           FIELD_AS("transitions", AMOUNT, code_proof, executed.share_transitions));
#define EXECUTED(kind, member) FIELD_AS(#member, kind, code_proof, executed.member)
static const struct fields code_proof_fields = FIELDS(
    FIELD(ABSENT, code_proof, absent), FIELD(NAME, code_proof, doubt),
    FIELD(NAME, code_proof, unoptimised), EXECUTED(TEXT, mode),
    EXECUTED(AMOUNT, instructions), EXECUTED(AMOUNT, steps), EXECUTED(AMOUNT, seconds),
    EXECUTED(AMOUNT, system_calls), EXECUTED(AMOUNT, threads),
    EXECUTED(AMOUNT, widest_bits), EXECUTED(AMOUNT, main_bits), EXECUTED(NAME, modules),
    FIELD_GROUP("isa", isa_shares),
    FIELD_PART_AS("call", KNOWN, code_proof, call, whole_call_fields),
    FIELD_PART_AS("small_call", KNOWN, code_proof, small, whole_call_fields));
const struct fields proofs_fields =
    FIELDS(FIELD_MAYBE_AS("proof", result, code.proof, code_proof_fields),
           FIELD_MAYBE_AS("base_proof", result, code.base_proof, code_proof_fields));

bool executed_whole(const struct executed *executed)
{
    return executed->mode && !strcmp(executed->mode, "whole");
}

void whole_call_clear(struct whole_call *call)
{
    fields_free(&whole_call_fields, call);
    *call = (struct whole_call){.n_loops = 0};
}

void code_proof_free(struct code_proof *proof)
{
    if (!proof)
        return;
    fields_free(&code_proof_fields, proof);
    FREE_EACH(proof->executed.producer, proof);
}

static const char *const verdict_names[] = {[CODE_NOT_JUDGED] = "NOT JUDGED",
                                            [CODE_NO_WORSE] = "NO WORSE",
                                            [CODE_WORSE] = "WORSE"};

NAMES(code_verdict, code_verdict, verdict_names)

static const struct fields fault_fields =
    FIELDS(FIELD(TEXT, code_fault, what), FIELD(AMOUNT, code_fault, base),
           FIELD(AMOUNT, code_fault, head), FIELD(NAME, code_fault, where),
           FIELD(TEXT, code_fault, text));
const struct fields code_change_fields =
    FIELDS(FIELD_WORD_AS("verdict", WORD, code_change, verdict, verdict_names),
           FIELD(NAME, code_change, reason), FIELD(NAME, code_change, shape),
           FIELD(AMOUNT, code_change, base_instructions),
           FIELD(AMOUNT, code_change, head_instructions),
           FIELD_LIST_AS("faults", LIST, code_change, faults, n_faults, fault_fields));

void code_change_free(struct code_change *change)
{
    if (!change)
        return;
    fields_free(&code_change_fields, change);
    free(change);
}
