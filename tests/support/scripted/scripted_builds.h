/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds on scripted workers, compared as `simdbench ab` does it. */
#pragma once

#include <sys/mman.h>

#include "ab/ab_private.h"
#include "command_line.h"
#include "output/output.h"
#include "scripted_run.h"

/* Batches of base, and of head, that show that calls are not learned. */
enum { LOOKED = 6 };
static struct ab *ab;
static struct request ab_what; /* what its command line says, of op mul */
static char mul[] = "mul";

/* Times of head's kernels, by life of its worker: 1 is as fast as base. */
static double (*head_times)(const struct asked *asked);
static bool any_isa; /* nothing is said of sets, of which the first alone is there */
static bool (*disturbs)(const struct asked *asked);

static inline int arm_of(const struct asked *asked)
{
    const uint64_t letter = asked->kernel / 1000;
    return letter == 'b' ? ARM_BASE : letter == 'h' ? ARM_HEAD : ARM_CONTROL;
}

static inline void batch(const struct asked *asked, cJSON *reply)
{
    if (head_times && arm_of(asked) == ARM_HEAD) {
        const double ns = message_number(reply, "ns", 0) * head_times(asked);
        script_say(reply, "ns", ns);
        script_say(reply, "cpu_ns", ns);
    }
    if (disturbs && disturbs(asked))
        script_say(reply, "major_faults", 1);
}

/* Both builds have good and open. */
static const struct row same[] = {{"mul", "max", "f32", "scalar", "good", NULL, NULL, 0},
                                  {"mul", "max", "f32", "scalar", "open", NULL, NULL, 0}};

/* Rows of three sets and two types. */
static const struct row many[] = {
    {"mul", "max", "f32", "scalar", "good", NULL, NULL, 0},
    {"mul", "min", "f64", "scalar", "good", NULL, NULL, 0},
    {"mul", "max", "f32", "avx2", "good", NULL, NULL, 0},
    {"mul", "max", "f32", "avx512", "good", NULL, NULL, 0},
    {"mul", "max", "f32", "scalar", "slow", NULL, NULL, SIMDBENCH_PATHOLOGY}};

/* Base has good and old, head new and good. */
static const struct row older[] = {{"mul", "max", "f32", "scalar", "good", NULL, NULL, 0},
                                   {"mul", "max", "f32", "scalar", "old", NULL, NULL, 0}};
static const struct row newer[] = {
    {"mul", "max", "f32", "scalar", "new", NULL, NULL, 0},
    {"mul", "max", "f32", "scalar", "good", NULL, NULL, 0}};

/* The own rows that limit kernels. */
static const struct row own_roofs[] = {
    {"roof", NULL, "f32", "scalar", "add_max", NULL, NULL, SIMDBENCH_REGISTERS},
    {"roof", NULL, "f32", "scalar", "copy", NULL, NULL, 0},
    {"mul", "max", "f32", "scalar", "own", NULL, NULL, 0}};

/* As ab_open() does it, without files and processes. */
static inline void open_builds(const char *more, const struct row *base,
                               const struct row *head, bool own_processes)
{
    static const char *const names[] = {"base", "head", "control"};
    char words[256];
    ab_close(ab);
    options_free(&options);
    script_begin();
    head_times = NULL;
    disturbs = NULL;
    script.batch = batch;
    snprintf(words, sizeof words, "ab base head mul%s --sizes=8 --threshold=10%%%s%s",
             any_isa ? "" : " --isa=scalar", *more ? " " : "", more);
    script.isas = any_isa ? 1 : script.isas;
    options = parsed(words);
    ab = calloc(1, sizeof *ab);
    assert_non_null(ab);
    ab->how = options.how;
    ab->how.all_threads = true;
    ab_what = options.request;
    ab_what.op = mul;
    ab->request = (struct ab_request){.what = &ab_what,
                                      .processes = options.processes,
                                      .threshold = options.threshold,
                                      .strict = options.strict,
                                      .code = options.gate_code};
    ab->own_processes = own_processes;
    ab->catalog.memory_fd = memfd_create("ab", MFD_CLOEXEC);
    script_worker(&ab->catalog, "simdbench", NULL, script_ops, own_roofs, 3);
    const size_t rows = base == many ? 5 : 2;
    script_worker(&ab->catalog, "their base", NULL, "[]", base, rows);
    script_worker(&ab->catalog, "their head", NULL, "[]", head, rows);
    for (int i = 0; i < ARMS; i++) {
        struct ab_arm *arm = &ab->arm[i];
        arm->name = names[i];
        snprintf(arm->load, sizeof arm->load, "%s", names[i]);
        if (own_processes || i == 0)
            ab->workers[i] = worker_new(names[i], NULL, NULL, 0, ab->catalog.memory_fd);
        arm->worker = ab->workers[own_processes ? i : 0];
    }
    if (ab_plan_make(ab, &error) < 0)
        fail_msg("%s", error.text);
    ab->session =
        (struct session){.how = &ab->how, .catalog = &ab->catalog, .plan = &ab->plan};
}

static inline int measure(double extra_work)
{
    const struct ab_gate gate = {.seed = 7, .extra_work = extra_work};
    run_free(run);
    run = run_new();
    script.n_log = 0;
    return ab_measure(ab, &gate, NULL, run, &error);
}

static inline const struct comparison *expect(const char *variant, enum verdict verdict)
{
    const struct comparison *comparison = run_find(variant)->comparison;
    if (comparison->verdict != verdict)
        fail_msg("%s is %s: %s", variant, verdict_name(comparison->verdict),
                 comparison->reason ?: "");
    return comparison;
}

static inline size_t prepared(char arm, uint64_t kernel)
{
    return script_count("prepare", NULL, 1000 * (uint64_t)arm + kernel);
}

static inline int close_builds(void **state)
{
    any_isa = false;
    ab_close(ab);
    run_free(run);
    options_free(&options);
    return 0;
}

TESTS_BETWEEN(NULL, close_builds)
