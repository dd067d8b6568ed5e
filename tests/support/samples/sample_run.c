/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "sample_code.h"
#include "sample_run.h"

/* One planned case; `time` is what a call will take, 0 for cases that get no samples. */
struct plan_row {
    size_t group;
    const char *id, *op, *type, *isa, *variant, *shape, *module, *core, *limit;
    enum status status;
    const char *reason;
    double ns, ops, bytes;
    bool roof;
};

#define OPENBLAS "openblas:gemm/plustimes-f32/lib/sgemm"
#define SKYLAKEX "openblas,coretype=SkylakeX:gemm/plustimes-f32/lib/sgemm"
#define BLAS(row, shape) row "@" shape, "gemm", "plustimes-f32", "lib", "sgemm", shape
#define ROOF "roof/f32/avx512/fma_max@registers"
#define COPY "roof/f32/avx512/copy@800000;threads=2"
#define TANH(prefix, isa, variant, shape) \
    prefix "tanh/f32/" isa "/" variant "@" shape, "tanh", "f32", isa, variant, shape
#define LAYER "n16c16h512w512k16r3s3b16"
#define CONV(prefix, isa, variant, shape) \
    prefix "conv/f32/" isa "/" variant "@" shape, "conv", "f32", isa, variant, shape
#define GEMM(isa, variant, shape)                                                       \
    "gemm/maxplus-f32/" isa "/" variant "@" shape, "gemm", "maxplus-f32", isa, variant, \
        shape

#define ROOF_ROW(group, ns)                                                 \
    {group, ROOF, "roof",    "f32", "avx512", "fma_max", "registers", NULL, \
     NULL,  NULL, STATUS_OK, NULL,  ns,       100000,    0,           true}

static const struct plan_row rows[] = {
    {0, GEMM("avx512", "fma", "64x64x64"), NULL, NULL, ROOF, STATUS_OK, NULL, 3210.25,
     524288, 49152, false},
    {0, GEMM("avx512", "add", "64x64x64"), NULL, NULL, ROOF, STATUS_OK, NULL, 6010.5,
     524288, 49152, false},
    {0, BLAS(OPENBLAS, "64x64x64"), "openblas", "Haswell", NULL, STATUS_OK, NULL, 4100.75,
     524288, 49152, false},
    {0, BLAS(SKYLAKEX, "64x64x64"), "openblas", "SkylakeX", NULL, STATUS_OK, NULL, 3150.5,
     524288, 49152, false},
    ROOF_ROW(0, 600),
    {1, GEMM("avx512", "fma", "128x128x128"), NULL, NULL, ROOF, STATUS_OK, NULL,
     24500.125, 4194304, 196608, false},
    {1, GEMM("avx512", "add", "128x128x128"), NULL, NULL, ROOF, STATUS_WRONG,
     "output (3, 5) is 1.5 but should be 2.25; 17 of 16384 are wrong", 0, 4194304, 196608,
     false},
    {1, GEMM("avx2", "fma", "128x128x128"), NULL, NULL, NULL, STATUS_FAILED,
     "the worker died of signal 11 (SIGSEGV)", 0, 4194304, 196608, false},
    {1, GEMM("neon", "fma", "128x128x128"), NULL, NULL, NULL, STATUS_SKIPPED,
     "this CPU has no neon", 0, 4194304, 196608, false},
    {1, GEMM("sse2", "add", "128x128x128"), NULL, NULL, NULL, STATUS_NOISY,
     "more than half of the batches were void: steal time moved", 88000, 4194304, 196608,
     false},
    {1, BLAS(OPENBLAS, "128x128x128"), "openblas", "Haswell", NULL, STATUS_OK, NULL,
     33000.5, 4194304, 196608, false},
    {1, BLAS(SKYLAKEX, "128x128x128"), "openblas", "SkylakeX", NULL, STATUS_OK, NULL,
     25100.25, 4194304, 196608, false},
    ROOF_ROW(1, 596.2),
    {2, "relu/f32/avx512/max@100000;threads=2", "relu", "f32", "avx512", "max", "100000",
     NULL, NULL, COPY, STATUS_OK, NULL, 9500, 100000, 800000, false},
    {2, COPY, "roof", "f32", "avx512", "copy", "800000", NULL, NULL, NULL, STATUS_OK,
     NULL, 9900, 0, 800000, true},
    {3, TANH("", "avx512", "table", "1000"), NULL, NULL, NULL, STATUS_OK, NULL, 110, 1000,
     8000, false},
    {3, TANH("", "avx2", "table", "1000"), NULL, NULL, NULL, STATUS_OK, NULL, 240, 1000,
     8000, false},
    {3, TANH("sleef:", "avx512", "u10", "1000"), "sleef", NULL, NULL, STATUS_OK, NULL,
     330, 1000, 8000, false},
    {3, TANH("sleef:", "avx512", "u35", "1000"), "sleef", NULL, NULL, STATUS_OK, NULL,
     260, 1000, 8000, false},
    {3, TANH("sleef:", "avx2", "u35", "1000"), "sleef", NULL, NULL, STATUS_OK, NULL, 560,
     1000, 8000, false},
    {3, TANH("numpy:", "lib", "tanh", "1000"), "numpy", NULL, NULL, STATUS_OK, NULL, 900,
     1000, 8000, false},
    {4, TANH("", "avx512", "table", "4000"), NULL, NULL, NULL, STATUS_OK, NULL, 430, 4000,
     32000, false},
    {4, TANH("sleef:", "avx512", "u35", "4000"), "sleef", NULL, NULL, STATUS_OK, NULL,
     1040, 4000, 32000, false},
    {4, TANH("numpy:", "lib", "tanh", "4000"), "numpy", NULL, NULL, STATUS_OK, NULL, 1900,
     4000, 32000, false},
    {5, CONV("", "avx512", "direct", LAYER), NULL, NULL, ROOF, STATUS_OK, NULL, 1.5e8,
     19178000000, 134000000, false},
    {5, CONV("openblas:", "lib", "im2col", LAYER), "openblas", "SkylakeX", NULL,
     STATUS_OK, NULL, 6.1e8, 19178000000, 134000000, false},
    ROOF_ROW(5, 600)};

/* One that can be computed and two that cannot. */
static void plan_metrics(struct result *result)
{
    static const char *const planned[][3] = {
        {"cycles per element", "", "probe-ghz * ns / elements"},
        {"licence 2", "%", "100 * core_power.lvl2 / instructions"},
        {"effective clock", "GHz", "tsc-ghz"}};
    for (size_t i = 0; i < ARRAY_LEN(planned); i++) {
        struct metric *metric =
            result_add_metric(result, planned[i][0], planned[i][1], planned[i][2]);
        need(metric);
        metric->asked = true;
    }
}

enum { PROVED = 3 }; /* the first ones */

static void plan_case(struct run *run, const struct plan_row *row)
{
    struct result *result = run_add_result(run);
    struct counter *counter;
    need(result);
    result->group = row->group;
    string_set(&result->id, row->id);
    string_set(&result->op, row->op);
    string_set(&result->type, row->type);
    string_set(&result->isa, row->isa);
    string_set(&result->variant, row->variant);
    string_set(&result->shape, row->shape);
    string_set(&result->limit_id, row->limit);
    string_set(&result->module.name, row->module);
    result->threads = row->group == 2 ? 2 : 1;
    if (row->group == 2)
        result_add_setting(result, "threads", "2");
    if (row->module && strchr(row->id, ','))
        result_add_module_option(result, "coretype", "SkylakeX");
    if (!strcmp(row->op, "conv")) {
        string_set(&result->layout, "nchw16c");
        result->samples.workspace_bytes = row->module ? 36e6 : 0;
        string_set(&result->code.implementation, row->module ? NULL : "tile 28x16");
    }
    if (!strcmp(row->op, "tanh")) {
        result->accuracy.known = true;
        result->accuracy.max_ulp = result->accuracy.mean_ulp =
            result->accuracy.worst_input = NAN;
    }
    if (row->module && !strcmp(row->module, "numpy"))
        string_set(&result->unranked, "2 threads, not 1");
    result->is_roof = row->roof;
    result->is_baseline = row->module;
    result->work.ops = row->ops;
    result->work.bytes = row->bytes;
    for (int i = 0; i < 2; i++) {
        counter = result_add_counter(result, i ? "core_power.lvl2" : "instructions");
        need(counter);
        counter->asked = true;
    }
    if (row->group == 0 && !row->roof)
        plan_metrics(result);
    if (row - rows < PROVED) {
        result->code.proof = calloc(1, sizeof *result->code.proof);
        need(result->code.proof);
        string_set(&result->code.proof->absent, "it was not measured");
    }
}

struct run *sample_run_plan(void)
{
    struct run *run = run_new();
    static const char *const argv[] = {"simdbench", "gemm", "--sizes=64..128"};
    need(run);
    string_set(&run->tool_version, "0.1.0");
    string_set(&run->tool_commit, "0123abc");
    string_set(&run->tool_compiler, "gcc 12.2.0");
    string_set(&run->tool_flags, "-O3");
    string_set(&run->started_at, "2024-05-06T07:08:09Z");
    string_set(&run->seed, "18446744073709551615");
    for (size_t i = 0; i < ARRAY_LEN(argv); i++)
        strings_add(&run->argv, &run->argc, argv[i]);
    facts_text(&run->settings, "cache", "hot");
    facts_text(&run->settings, "cpu_measured", "1,3");
    facts_number(&run->settings, "align", 64);
    facts_bool(&run->settings, "check_full", false);
    string_set(&run->fingerprint, "00112233445566ff");
    facts_text(&run->host, "cpu", "Example CPU 9000");
    run->host.fact[0].identity = true;
    facts_number(&run->host, "cpus", 2);
    run->host.fact[1].identity = true;
    facts_text(&run->host, "kernel", "6.1.0");
    facts_number(&run->host, "load", 0.1);
    facts_bool(&run->host, "smt", true);
    facts_number(&run->host, "core_probes", 20);
    facts_number(&run->host, "core_shared_probes", 9);
    strings_add(&run->isas, &run->n_isas, "scalar");
    strings_add(&run->isas, &run->n_isas, "avx512");
    string_set(&run->pmu_state, "no hardware");
    string_set(&run->pmu_reason, "this virtual machine shows no counters");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        plan_case(run, &rows[i]);
    return run;
}

static void measure_counters(struct result *result, bool last_group)
{
    struct counter *counter = &result->samples.counters[0];
    string_set(&counter->event, "zen4::RETIRED_INSTRUCTIONS:u");
    string_set(&counter->config, "0x5100c0");
    string_set(&counter->scope, "user");
    counter->user_read = true;
    counter->threads = 3;
    if (last_group) {
        string_set(&counter->absent, "counted by other passes only");
    } else {
        counter->running_share = 1;
        for (int i = 0; i < 5; i++)
            need(!counter_add_sample(counter, 1e6 * (i + 1)));
    }
    string_set(&result->samples.counters[1].absent, "zen4 has no event of this name");
    string_set(&result->samples.counters[1].fix, "simdbench list events");
    string_set(&result->samples.counters[1].errno_name, "ENOENT");
    result->samples.counters[1].code = 2;
    counter = result_add_counter(result, "page-faults");
    need(counter);
    counter->running_share = 1;
    counter->overhead = 0.25;
    for (int i = 0; i < 5; i++)
        need(!counter_add_sample(counter, 0));
}

static void measure_case(struct result *result, const struct plan_row *row, size_t seed)
{
    /* A fixed pattern in place of noise; rounds 3 and 7 of some cases are set apart. */
    static const double noise[] = {0,  1.5, -0.5, 2.25,  0.25, -1,  0.75,
                                   -2, 3,   0.5,  -0.25, 1,    1.25};
    uint32_t skip = row->module ? 3 : 7;

    result_set_status(result, row->status, row->reason);
    if (result->code.proof)
        sample_proof(result, seed);
    if (row->module) {
        string_set(&result->module.version, "0.3.21");
        string_set(&result->module.core, row->core);
    }
    if (row->core && !strcmp(row->core, "Haswell"))
        result_add_note(result, "narrower than this CPU: avx2, not avx512");
    if (row->ns <= 0)
        return;
    result->threads_used = result->unranked ? 2 : result->threads;
    if (result->accuracy.known) {
        result->accuracy.max_ulp = row->module ? 3.4567 : 1.4712;
        result->accuracy.mean_ulp = 0.25;
        result->accuracy.worst_input = -0.625;
    }
    result->samples.prepare_ns = 1234.5;
    result->samples.iterations = 100;
    result->samples.overhead_ns = 1.75;
    result->samples.voided = row->status == STATUS_NOISY ? 9 : 1;
    for (uint32_t i = 0; i < result->samples.voided; i++)
        need(!result_add_voided(result, row->ns * (110 + i)));
    result->samples.shared = seed == 1;
    string_set(&result->samples.stopped, "time");
    for (uint32_t round = 0; round < ARRAY_LEN(noise); round++) {
        double ns = row->ns * (1 + noise[(5 * round + seed) % 13] / 1000) + 1.75;
        if (round == skip)
            need(!result_add_apart(result, round, ns * 130));
        if (round == skip || (row->group == 2 && round > 4))
            continue;
        need(!result_add_sample(result, round, ns * 100));
        need(!result_add_clock(result, 3.7 + noise[round] / 1000));
    }
    measure_counters(result, row->group == 2);
}

void sample_run_measure(struct run *run, size_t group)
{
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].group == group)
            measure_case(&run->results[i], &rows[i], i);
    run_summarise(run, group);
}

struct run *sample_run_alone(void)
{
    struct run *run = sample_run_plan();
    for (size_t group = 0; group < SAMPLE_GROUPS; group++)
        sample_run_measure(run, group);
    return run;
}

/* The relu group with its roof, and one of tanh that the sample has not. */
struct run *sample_run_other(void)
{
    static const struct plan_row tanh_row = {4,    TANH("", "avx512", "table", "9000"),
                                             NULL, NULL,
                                             NULL, STATUS_OK,
                                             NULL, 900,
                                             9000, 72000,
                                             false};
    struct run *other = run_new();
    need(other);
    string_set(&other->fingerprint, "ffee0000ffee0000");
    string_set(&other->started_at, "2024-05-05T00:00:00Z");
    facts_text(&other->host, "cpu", "Other CPU 100");
    for (size_t i = 0; i < 3; i++) {
        const struct plan_row *row = i < 2 ? &rows[13 + i] : &tanh_row;
        plan_case(other, row);
        measure_case(&other->results[i], row, i);
    }
    for (size_t i = 0; i < other->results[0].samples.n; i++)
        other->results[0].samples.ns[i] *= 2;
    run_summarise(other, GROUP_ALL);
    return other;
}

struct run *sample_run(void)
{
    struct run *run = sample_run_alone(), *other = sample_run_other();
    run_merge(run, other, "results/b.json");
    run_free(other);
    return run;
}

struct run *sample_run_small(void)
{
    struct run *small = run_new();
    need(small);
    string_set(&small->started_at, "now");
    facts_number(&small->settings, "align", 64);
    facts_text(&small->host, "cpu", "x");
    small->host.fact[0].identity = true;
    for (size_t i = 10; i < 13; i++) {
        plan_case(small, &rows[i]);
        measure_case(&small->results[i - 10], &rows[i], i);
    }
    run_summarise(small, 1);
    return small;
}

static void make_hostile(struct result *result)
{
    char *id = NULL;
    need(asprintf(&id, "%s:%s", SAMPLE_HOSTILE, result->id) > 0);
    string_set(&result->id, id);
    free(id);
    HOSTILE(&result->module.name, &result->module.version, &result->module.core,
            &result->variant, &result->shape, &result->layout,
            &result->code.implementation);
    if (result->unranked)
        string_set(&result->unranked, SAMPLE_HOSTILE);
    if (result->source)
        string_set(&result->source, SAMPLE_HOSTILE);
    result_add_setting(result, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
    result_add_module_option(result, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
    result_add_note(result, SAMPLE_HOSTILE);
    if (result->status != STATUS_OK)
        string_set(&result->reason, SAMPLE_HOSTILE);
    if (result->limit_id) {
        need(asprintf(&id, "%s:%s", SAMPLE_HOSTILE, result->limit_id) > 0);
        string_set(&result->limit_id, id);
        if (result->summary.limit.id)
            string_set(&result->summary.limit.id, id);
        free(id);
    }
    string_set(&result->samples.counters[0].name, SAMPLE_HOSTILE);
    if (result->n_metrics) {
        HOSTILE(&result->metrics[0].name, &result->metrics[0].unit,
                &result->metrics[1].formula);
    }
    if (result->samples.counters[1].absent)
        string_set(&result->samples.counters[1].absent, SAMPLE_HOSTILE);
}

struct run *sample_run_hostile(void)
{
    struct run *run = sample_run();
    strings_add(&run->argv, &run->argc, SAMPLE_HOSTILE);
    strings_add(&run->isas, &run->n_isas, SAMPLE_HOSTILE);
    HOSTILE(&run->tool_compiler, &run->seed, &run->pmu_reason);
    facts_text(&run->host, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
    string_set(&run->host.fact[0].text, SAMPLE_HOSTILE);
    facts_text(&run->settings, SAMPLE_HOSTILE, SAMPLE_HOSTILE);
    HOSTILE(&run->sources[0].name, &run->sources[0].cpu);
    for (size_t i = 0; i < run->n_results; i++)
        make_hostile(&run->results[i]);
    run_summarise(run, GROUP_ALL);
    return run;
}

char *sample_text(const struct run *run, enum format format,
                  const struct text_options *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct error error = {.text = ""};
    need(file);
    need(!run_write(run, format, options, file, &error));
    need(!fclose(file));
    return text;
}
