/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "text/text.h"

bool executed_whole(const struct executed *executed)
{
    return executed->mode && !strcmp(executed->mode, "whole");
}

void executed_clear(struct executed *executed)
{
    FREE_EACH(executed->mode, executed->modules, executed->producer);
}

struct code_proof *code_proof_new(void)
{
    return calloc(1, sizeof(struct code_proof));
}

void whole_call_clear(struct whole_call *call)
{
    FOR_EACH (const struct code_loop, loop, call->loops, call->n_loops)
        FREE_EACH(loop->where, loop->source);
    free(call->loops);
    FREE_EACH(call->absent, call->shape);
    *call = (struct whole_call){.n_loops = 0};
}

struct code_loop *whole_call_add(struct whole_call *call)
{
    return LIST_ADD(call, loops, n_loops);
}

void code_proof_free(struct code_proof *proof)
{
    if (!proof)
        return;
    FREE_EACH(proof->absent, proof->doubt, proof->unoptimised);
    executed_clear(&proof->executed);
    whole_call_clear(&proof->call);
    whole_call_clear(&proof->small);
    free(proof);
}

static const char *const verdict_names[] = {[CODE_NOT_JUDGED] = "NOT JUDGED",
                                            [CODE_NO_WORSE] = "NO WORSE",
                                            [CODE_WORSE] = "WORSE"};

NAMES_BOTH_WAYS(code_verdict, code_verdict, verdict_names)

struct code_change *code_change_new(void)
{
    return calloc(1, sizeof(struct code_change));
}

struct code_fault *code_change_add(struct code_change *change)
{
    return LIST_ADD(change, faults, n_faults);
}

void code_change_free(struct code_change *change)
{
    if (!change)
        return;
    FOR_EACH (const struct code_fault, fault, change->faults, change->n_faults)
        FREE_EACH(fault->what, fault->where, fault->text);
    free(change->faults);
    FREE_EACH(change->reason, change->shape);
    free(change);
}
