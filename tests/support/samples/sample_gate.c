/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_gate.h"
#include "sample_code.h"

#include <math.h>

/* d and c of all processes: these plus a ramp of that half-width at 16 processes. As
 * built, head of gemm is slower by `built`. */
static const struct row {
    const char *op, *id;
    double ns, d, d_width, c, c_width, built;
} rows[] = {
    {"gemm", "gemm/maxplus-f32/avx512/fma@64x64x64", 3212, 0.052, 0.002, 0.001, 0.001,
     0.3},
    {"gemm", "gemm/maxplus-f32/avx512/fma@128x128x128", 24510, -0.0005, 0.003, 0, 0.002,
     0.4},
    {"gemm", "gemm/maxplus-f32/avx512/add@128x128x128", 48020, 0.018, 0.006, 0, 0.002, 0},
    {"gemm", "gemm/maxplus-f32/avx2/fma@128x128x128", 0, 0, 0, 0, 0, 0},
    {"gemm", "gemm/maxplus-f32/avx2/add@128x128x128", 0, 0, 0, 0, 0, 0},
    {"relu", "relu/f32/avx512/max@100000", 9495, -0.084, 0.004, 0.002, 0.003, 0},
    {"relu", "relu/f32/avx512/max@1000000", 141200, 0.004, 0.011, 0.003, 0.014, 0},
    {"relu", "relu/f32/avx2/max@1000000", 150100, 0.004, 0.011, 0.05, 0.014, 0}};

static struct result *add_case(struct run *run, const struct row *row, size_t group)
{
    struct result *const result = run_add_result(run);
    need(result);
    result->group = group;
    result->threads = 1;
    result->status = STATUS_OK;
    string_set(&result->id, row->id);
    string_set(&result->op, row->op);
    string_set(&result->type, "f32");
    string_set(&result->isa, "avx512");
    string_set(&result->variant, "fma");
    string_set(&result->shape, "64");
    need(result_comparison(result));
    return result;
}

static void add_trials(struct comparison *comparison, const struct row *row,
                       uint32_t processes, uint32_t rounds)
{
    for (uint32_t process = 0; process < processes; process++)
        for (uint32_t round = 0; round < rounds; round++) {
            const double ramp = (process - (processes - 1) / 2.0) / 4.5;
            const double wave = (round % 3 - 1.0) / 10;
            const struct trial trial = {
                .process = process,
                .base_ns = row->ns * (1 + wave / 50),
                .head_ns = row->ns * exp(row->d + row->d_width * (ramp + wave)),
                .control_ns = row->ns * exp(row->c + row->c_width * (ramp - wave)),
                .built_base_ns = row->op[0] == 'g' ? row->ns * (1 - wave / 50) : 0,
                .built_head_ns =
                    row->op[0] == 'g' ? row->ns * exp(row->d + row->built) : 0};
            need(!comparison_add_trial(comparison, &trial));
        }
    comparison->voided = 3;
}

/* Facts about the code of row `i`. */
static void add_placement(struct comparison *comparison, size_t i)
{
    static const enum code_equality equal[] = {EQUALITY_NEARLY, EQUALITY_SAME,
                                               EQUALITY_OTHER};
    struct placement *const placement = comparison_placement(comparison);
    need(placement);
    if (i >= ARRAY_LEN(equal)) {
        string_set(&placement->unmoved, "base: several threads");
        return;
    }
    placement->equality = equal[i];
    placement->instructions = i == 0 ? 2 : 0;
    string_set(&placement->where, i == 0 ? "fma_avx512+0x40" : NULL);
    string_set(&placement->source, i == 0 ? "src/fma,1.c:49" : NULL);
    placement->base_offset = 8;
    placement->head_offset = 48;
    placement->base_loop = placement->head_loop = 23;
}

static void add_arms(struct gate *gate)
{
    static const char *const arms[][5] = {
        {"base", "old/kernels.so", "0123abcd", "libm.so.6 aa11", "libopenblas.so.0 bb22"},
        {"head", "new/kernels.so", "4567cdef", "libm.so.6 aa11", "libopenblas.so.0 cc33"},
        {"control", "old/kernels.so", NULL, "libm.so.6 aa11", "libopenblas.so.0 bb22"}};
    for (size_t i = 0; i < ARRAY_LEN(arms); i++) {
        struct arm *const arm = gate_add_arm(gate, arms[i][0], arms[i][1]);
        need(arm);
        string_set(&arm->build_id, arms[i][2]);
        string_set(&arm->version, i == 1 ? "0.2" : NULL);
        for (size_t k = 3; k < 5; k++)
            strings_add(&arm->objects, &arm->n_objects, arms[i][k]);
    }
}

static struct run *new_run(void)
{
    struct run *const run = run_new();
    need(run && run_gate(run));
    string_set(&run->gate->kind, "paired");
    string_set(&run->tool_version, "0.1.0");
    string_set(&run->started_at, "2024-05-06T07:08:09Z");
    string_set(&run->seed, "7");
    string_set(&run->fingerprint, "00112233445566ff");
    facts_text(&run->host, "cpu", "Example CPU 9000");
    run->gate->threshold = 0.02;
    run->gate->seconds = 3.25;
    add_arms(run->gate);
    return run;
}

static void set_only(struct result *result, enum verdict verdict, const char *reason)
{
    result->comparison->verdict = verdict;
    string_set(&result->comparison->reason, reason);
}

struct run *sample_gate(void)
{
    struct run *const run = new_run();
    run->gate->own_processes = true;
    string_set(&run->gate->left_out, "6 of 14 kernels, by --isa; --isa=all has them");
    string_set(&run->gate->lacking, "2 kernels of avx512_fp16");
    string_set(&run->gate->selftest, "2% finds 4% in 99 of 100 gates");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct result *const result = add_case(run, &rows[i], rows[i].op[0] == 'r');
        if (rows[i].ns > 0)
            add_trials(result->comparison, &rows[i], i == 2 ? 32 : 16, 6);
        if (rows[i].ns > 0)
            add_placement(result->comparison, i);
    }
    set_only(&run->results[3], VERDICT_UNUSABLE, "head: the worker died of SIGSEGV");
    set_only(&run->results[4], VERDICT_NEW, "only head has it");
    run->gate->code = true;
    sample_code(run->results[1].comparison, CODE_NO_WORSE);
    sample_code(run->results[5].comparison, CODE_WORSE);
    sample_code(run->results[6].comparison, CODE_NOT_JUDGED);
    run_judge(run);
    return run;
}

struct run *sample_gate_small(size_t n)
{
    struct run *const run = new_run();
    for (size_t i = 0; i < n; i++)
        add_trials(add_case(run, &rows[i % 2], 0)->comparison, &rows[i % 2], 8, 1);
    run_judge(run);
    return run;
}

struct run *sample_gate_hostile(void)
{
    struct run *const run = sample_gate();
    HOSTILE(&run->gate->kind, &run->gate->refused, &run->gate->selftest);
    for (size_t i = 0; i < run->gate->n_arms; i++) {
        struct arm *const arm = &run->gate->arms[i];
        HOSTILE(&arm->name, &arm->path, &arm->build_id, &arm->version, &arm->commit,
                &arm->objects[i % 2]);
    }
    FOR_EACH (struct result, result, run->results, run->n_results) {
        struct code_change *const code = result->comparison->code;
        HOSTILE(&result->id, &result->op, &result->comparison->reason);
        if (code)
            HOSTILE(&code->reason, &code->shape);
        if (code && code->n_faults)
            HOSTILE(&code->faults[0].where, &code->faults[0].text);
    }
    return run;
}
