/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_verdicts.h"

#include <math.h>

#include "sample_code.h"
#include "sample_run.h"

enum { PROCESSES = 16, FEW_PROCESSES = 2, ROUNDS = 6, SAMPLES = 7 };

static const struct sample_row {
    const char *variant;
    enum verdict verdict;
    double base_ns, head_ns; /* 0: this build has no such case */
    const char *reason;
} rows[] = {
    {"same", VERDICT_SAME, 3210, 3213, NULL},
    {"improved", VERDICT_IMPROVED, 3210, 2900, NULL},
    {"slow", VERDICT_REGRESSED, 3210, 3380, NULL},
    {"slower", VERDICT_REGRESSED, 3210, 4100, NULL},
    {"unclear", VERDICT_INCONCLUSIVE, 3210, 3275, "the interval reaches beyond 2%"},
    {"loud", VERDICT_UNUSABLE, 3210, 3300, "equal code seemed to change by 9%, over 4%"},
    {"fresh", VERDICT_NEW, 0, 1200, "base has no such case"},
    {"gone", VERDICT_GONE, 1300, 0, "head has no such case"}};

static void add_trials(struct comparison *comparison, uint32_t processes, double base,
                       double head)
{
    static const double noise[] = {0, 1.5, -0.5, 2.25, 0.25, -1, 0.75, -2, 3, 0.5, -0.25};
    for (uint32_t i = 0; i < processes * ROUNDS; i++) {
        const double own = noise[i % 11] / 1000, other = noise[(3 * i + 5) % 11] / 1000;
        const struct trial trial = {.process = i / ROUNDS,
                                    .base_ns = base * (1 + own),
                                    .head_ns = head * (1 + other),
                                    .control_ns = base * (1 - other)};
        need(!comparison_add_trial(comparison, &trial));
    }
}

static void compare(struct result *result, const struct sample_row *row,
                    uint32_t processes)
{
    struct comparison *c = result_comparison(result);
    const bool both = row->base_ns > 0 && row->head_ns > 0;
    need(c);
    c->verdict = row->verdict;
    string_set(&c->reason, row->reason);
    c->base_ns = row->base_ns;
    c->head_ns = row->head_ns;
    c->change = c->least_change = NAN;
    c->control_change = c->floor = c->delta = c->detectable = c->p = NAN;
    if (!both)
        return;
    add_trials(c, processes, row->base_ns, row->head_ns);
    c->processes = processes;
    c->voided = 2;
    c->change = row->head_ns / row->base_ns - 1;
    c->change_ci = (struct interval){true, c->change - 0.004, c->change + 0.006, 0.9787};
    c->least_change = c->change;
    c->control_change = 0.0005;
    c->control_ci = (struct interval){true, -0.001, 0.002, 0.9787};
    c->floor = 0.002;
    c->delta = 0.02;
    c->detectable = 0.026;
    c->p = row->verdict == VERDICT_REGRESSED ? 0.0000152587890625 : 0.5;
    c->significant = row->verdict == VERDICT_REGRESSED;
}

static struct result *add_case(struct run *run, const char *variant, size_t group)
{
    struct result *result = run_add_result(run);
    char *id = NULL, *shape = NULL;
    need(result);
    need(asprintf(&shape, "%zux64x64", 64 + group) > 0);
    need(asprintf(&id, "gemm/maxplus-f32/avx512/%s@%s", variant, shape) > 0);
    string_set(&result->id, id);
    string_set(&result->op, "gemm");
    string_set(&result->type, "maxplus-f32");
    string_set(&result->isa, "avx512");
    string_set(&result->variant, variant);
    string_set(&result->shape, shape);
    result->group = group;
    result->threads = result->threads_used = 1;
    result->work.ops = 524288;
    result->work.bytes = 49152;
    result->samples.iterations = 100;
    result_set_status(result, STATUS_OK, NULL);
    free(id);
    free(shape);
    return result;
}

static struct run *new_run(bool gated)
{
    struct run *run = run_new();
    need(run);
    string_set(&run->tool_version, "0.1.0");
    string_set(&run->started_at, "2024-05-06T07:08:09Z");
    string_set(&run->seed, "42");
    string_set(&run->fingerprint, "00112233445566ff");
    facts_text(&run->host, "cpu", "Example CPU 9000");
    facts_text(&run->host, "governor", "powersave");
    facts_number(&run->host, "cpus", 2);
    facts_number(&run->host, "aslr", 2);
    facts_number(&run->host, "load_1min", 0.25);
    facts_number(&run->host, "l1d_bytes", 32768);
    facts_number(&run->host, "l2u_bytes", 1048576);
    if (!gated)
        return run;
    struct gate *gate = run_gate(run);
    need(gate);
    string_set(&gate->kind, "paired");
    gate->threshold = 0.02;
    gate->seconds = 2.5;
    need(gate_add_arm(gate, "base", "old/kernels.so"));
    need(gate_add_arm(gate, "head", "new/kernels.so"));
    gate->geomean_change = NAN;
    return run;
}

static void count(struct gate *gate, enum verdict verdict)
{
    size_t *const counts[] = {[VERDICT_SAME] = &gate->same,
                              [VERDICT_IMPROVED] = &gate->improved,
                              [VERDICT_REGRESSED] = &gate->regressed,
                              [VERDICT_INCONCLUSIVE] = &gate->inconclusive,
                              [VERDICT_UNUSABLE] = &gate->unusable,
                              [VERDICT_NEW] = &gate->only_one,
                              [VERDICT_GONE] = &gate->only_one};
    ++*counts[verdict];
}

struct run *sample_verdicts(bool strict)
{
    struct run *run = new_run(true);
    run->gate->strict = strict;
    run->gate->geomean_change = 0.031;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        compare(add_case(run, rows[i].variant, i / 4), &rows[i], PROCESSES);
        count(run->gate, rows[i].verdict);
    }
    struct result *wrong = add_case(run, "wrong", ARRAY_LEN(rows) / 4);
    result_set_status(wrong, STATUS_WRONG, "head: output (3, 5) is 1.5, not 2.25");
    return run;
}

struct run *sample_verdicts_code(void)
{
    struct run *run = sample_verdicts_stored();
    sample_code(run->results[0].comparison, CODE_WORSE);
    sample_code(run->results[1].comparison, CODE_NO_WORSE);
    sample_code(run->results[4].comparison, CODE_NOT_JUDGED);
    return run;
}

struct run *sample_verdicts_stored(void)
{
    struct run *run = sample_verdicts(false);
    string_set(&run->gate->kind, "stored");
    string_set(&run->gate->refused, "the hosts differ: cpu, microcode");
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].comparison)
            run->results[i].comparison->n_trials = 0;
    return run;
}

struct run *sample_verdicts_hostile(void)
{
    struct run *run = sample_verdicts(false);
    HOSTILE(&run->gate->refused, &run->gate->arms[0].path, &run->host.fact[0].text,
            &run->fingerprint, &run->started_at);
    FOR_EACH (struct result, result, run->results, run->n_results) {
        string_set(&result->id, SAMPLE_HOSTILE); /* all of them the same */
        string_set(&result->op, SAMPLE_HOSTILE);
        string_set(&result->variant, SAMPLE_HOSTILE "\xef\xbf\xbe");
        string_set(&result->shape, SAMPLE_HOSTILE);
        result_add_setting(result, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
        if (result->comparison)
            string_set(&result->comparison->reason, SAMPLE_HOSTILE);
        else
            string_set(&result->reason, SAMPLE_HOSTILE);
    }
    return run;
}

struct run *sample_many(size_t cases)
{
    struct run *run = new_run(false);
    char variant[32];
    for (size_t i = 0; i < cases; i++) {
        snprintf(variant, sizeof variant, "v%zu", i);
        struct result *result = add_case(run, variant, i / 4);
        for (uint32_t round = 0; round < SAMPLES; round++)
            need(!result_add_sample(result, round,
                                    100 * (1000.0 + (double)(i + 3 * round % 5))));
    }
    run_summarise(run, GROUP_ALL);
    return run;
}

struct run *sample_verdicts_many(size_t cases)
{
    struct run *run = new_run(true);
    char variant[32];
    for (size_t i = 0; i < cases; i++) {
        struct sample_row row = rows[i % 3];
        row.head_ns *= 1 + 1e-6 * (double)i;
        snprintf(variant, sizeof variant, "v%zu", i);
        compare(add_case(run, variant, i / 4), &row, FEW_PROCESSES);
        count(run->gate, row.verdict);
    }
    return run;
}
