/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_code.h"

static void add_call(struct code_proof *proof)
{
    struct whole_call *const call = &proof->call;
    struct code_loop *const loop = LIST_ADD(call, loops, n_loops);
    need(loop);
    string_set(&call->shape, "64x64x64");
    call->ops = 524288;
    call->instructions = 104663;
    call->main_bits = 256;
    call->share_avx = 0.75;
    loop->share = 0.875;
    loop->iterations = 1024;
    loop->instructions = 94208;
    loop->calls = 1;
    loop->spills = 2048;
    loop->reloads = 4096;
    loop->widest_bits = 256;
    loop->spills_exact = true;
    string_set(&loop->where, "my.so tile_run+0x40");
    string_set(&loop->source, "tile.c:49");
    string_set(&proof->small.absent, "at 32x64x64: the worker died");
}

void sample_code(struct comparison *comparison, enum code_verdict verdict)
{
    struct code_change *const code = comparison->code = calloc(1, sizeof *code);
    need(code);
    string_set(&code->shape, "64x64x64");
    code->verdict = verdict;
    code->base_instructions = 0.25;
    code->head_instructions = 0.375;
    if (verdict == CODE_NOT_JUDGED)
        string_set(&code->reason, "head: a foreign worker marks no calls");
    if (verdict != CODE_WORSE)
        return;
    struct code_fault *const fault = LIST_ADD(code, faults, n_faults);
    need(fault);
    string_set(&fault->what, "calls");
    fault->head = 0.03125;
    string_set(&fault->where, "my.so tile_run+0x40");
    string_set(&fault->text, "hot loops make 31.25 calls per 1000 operations, before "
                             "0, in my.so tile_run+0x40");
}

void sample_proof(struct result *result, size_t seed)
{
    struct code_proof *const proof = result->code.proof;
    string_set(&proof->absent, seed == 2 ? "a foreign worker marks no calls" : NULL);
    if (proof->absent)
        return;
    const bool whole = seed == 0;
    string_set(&proof->executed.mode, whole ? "whole" : "sampled");
    proof->executed.instructions = 104663;
    proof->executed.steps = 1629;
    proof->executed.seconds = 0.125;
    proof->executed.system_calls = (double)seed;
    proof->executed.threads = 1;
    proof->executed.share_scalar = 0.25;
    proof->executed.share_avx = 0.75;
    proof->executed.share_fma = 0.5;
    proof->executed.widest_bits = proof->executed.main_bits = 256;
    if (whole)
        add_call(proof);
    string_set(&proof->executed.modules, "97% jit, 3% libdnnl.so.2");
    if (!whole) {
        string_set(&proof->unoptimised, "its debug information says -O0");
        string_set(&result->code.unoptimised, proof->unoptimised);
    }
    string_set(&proof->doubt,
               whole ? "executes vectors of 256 bits, avx512 has 512" : NULL);
}
