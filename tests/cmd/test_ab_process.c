/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds on scripted workers: processes, rounds, arms, and what becomes of builds
 * that fail. What the numbers mean is for tests/reports/test_gate.c. */
#include <math.h>

#include <sys/mman.h>

#include "ab/ab_private.h"
#include "command_line.h"
#include "near.h"
#include "output/output.h"
#include "process/process.h"
#include "scripted_run.h"

static struct ab *ab;

/* Times of head's kernels, by life of its worker: 1 is as fast as base. */
static double (*head_times)(const struct asked *asked);
static bool (*disturbs)(const struct asked *asked);

static int arm_of(const struct asked *asked)
{
    const uint64_t letter = asked->kernel / 1000;
    return letter == 'b' ? ARM_BASE : letter == 'h' ? ARM_HEAD : ARM_CONTROL;
}

static void batch(const struct asked *asked, cJSON *reply)
{
    if (head_times && arm_of(asked) == ARM_HEAD) {
        const double ns = message_number(reply, "ns", 0) * head_times(asked);
        script_say(reply, "ns", ns);
        script_say(reply, "cpu_ns", ns);
    }
    if (disturbs && disturbs(asked))
        script_say(reply, "major_faults", 1);
}

/* Both builds have good and open; or base has good and old, head new and good. */
static const struct row same[] = {{"mul", "max", "f32", "scalar", "good", NULL, NULL, 0},
                                  {"mul", "max", "f32", "scalar", "open", NULL, NULL, 0}};
static const struct row older[] = {{"mul", "max", "f32", "scalar", "good", NULL, NULL, 0},
                                   {"mul", "max", "f32", "scalar", "old", NULL, NULL, 0}};
static const struct row newer[] = {
    {"mul", "max", "f32", "scalar", "new", NULL, NULL, 0},
    {"mul", "max", "f32", "scalar", "good", NULL, NULL, 0}};

/* As ab_open() does it, without files and processes. */
static void open_builds(const char *more, const struct row *base, const struct row *head,
                        bool own_processes)
{
    static const char *const names[] = {"base", "head", "control"};
    char words[256];
    ab_close(ab);
    options_free(&options);
    script_begin();
    head_times = NULL;
    disturbs = NULL;
    script.batch = batch;
    snprintf(words, sizeof words,
             "ab base head mul --isa=scalar --sizes=8 --threshold=10%%%s%s",
             *more ? " " : "", more);
    options = parsed(words);
    ab = calloc(1, sizeof *ab);
    assert_non_null(ab);
    ab->options = options;
    ab->options.all_threads = true;
    ab->own_processes = own_processes;
    ab->catalog.memory_fd = memfd_create("ab", MFD_CLOEXEC);
    script_worker(&ab->catalog, "simdbench", NULL, script_ops, NULL, 0);
    script_worker(&ab->catalog, "their base", NULL, "[]", base, 2);
    script_worker(&ab->catalog, "their head", NULL, "[]", head, 2);
    for (int i = 0; i < ARMS; i++) {
        struct ab_arm *arm = &ab->arm[i];
        arm->name = names[i];
        snprintf(arm->load, sizeof arm->load, "%s", names[i]);
        if (own_processes || i == 0)
            ab->workers[i] = worker_new(names[i], NULL, NULL, 0, ab->catalog.memory_fd);
        arm->worker = ab->workers[own_processes ? i : 0];
    }
    if (ab_plan_make(ab, "mul", &error) < 0)
        fail_msg("%s", error.text);
    ab->session = (struct session){
        .options = &ab->options, .catalog = &ab->catalog, .plan = &ab->plan};
}

static int measure(double extra_work)
{
    const struct ab_gate gate = {.seed = 7, .extra_work = extra_work};
    run_free(run);
    run = run_new();
    script.n_log = 0;
    return ab_measure(ab, &gate, NULL, run, &error);
}

static const struct result *find(const char *variant)
{
    for (size_t i = 0; i < run->n_results; i++) {
        if (!strcmp(run->results[i].variant, variant))
            return &run->results[i];
    }
    fail_msg("no result %s", variant);
    return NULL;
}

static const struct comparison *expect(const char *variant, enum verdict verdict)
{
    const struct comparison *comparison = find(variant)->comparison;
    if (comparison->verdict != verdict)
        fail_msg("%s is %s: %s", variant, verdict_name(comparison->verdict),
                 comparison->reason ?: "");
    return comparison;
}

static size_t prepared(char arm, uint64_t kernel)
{
    return script_count("prepare", NULL, 1000 * (uint64_t)arm + kernel);
}

/* ---- processes and rounds ---- */

static void test_equal_builds(void **state)
{
    open_builds("", same, same, false);
    script.loop_ns = 100;
    assert_int_equal(measure(0), 0);
    const struct comparison *good = expect("good", VERDICT_SAME);
    expect("open", VERDICT_SAME);
    assert_int_equal(run_exit_status(run), EXIT_OK);
    /* Each of the processes is fresh, and has all arms and all rounds of both cases. */
    assert_int_equal(good->processes, AB_PROCESSES);
    assert_int_equal(good->n_trials, AB_PROCESSES * AB_ROUNDS);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), AB_PROCESSES);
    assert_int_equal(script_count("kill", "base", ANY_KERNEL), AB_PROCESSES);
    assert_int_equal(script_count("load", "base", ANY_KERNEL), AB_PROCESSES * ARMS);
    assert_int_equal(prepared('c', 1), AB_PROCESSES);
    /* Inputs are written for each, answers once; calls and the loop's cost are found
     * once. */
    assert_int_equal(script_count("fill", "simdbench", ANY_KERNEL), AB_PROCESSES);
    assert_int_equal(script_count("reference", "simdbench", ANY_KERNEL), 1);
    assert_int_equal(script_count("setup", "simdbench", ANY_KERNEL), AB_PROCESSES + 1);
    assert_int_equal(script_count("overhead", NULL, ANY_KERNEL), 1);
    for (size_t i = 0; i < good->n_trials; i++) {
        assert_int_equal(good->trials[i].process, i / AB_ROUNDS);
        assert_near(good->trials[i].base_ns, 1000, 1e-9);
        assert_near(good->trials[i].head_ns, 1000, 1e-9);
        assert_near(good->trials[i].control_ns, 1000, 1e-9);
    }
    assert_int_equal(find("good")->n_samples, good->n_trials);
    assert_near(find("good")->median_ns, 1000, 1e-9);
    assert_int_equal(run->gate->n_arms, ARMS);
    assert_string_equal(run->gate->kind, "paired");
    assert_true(ab_seconds(ab) > 0);
}

/* 1, 100 and twice 120 calls make 120 us; then rounds have up to a fifth more, the same
 * for all arms, of which each is first, second and third once in three rounds. */
static void test_rounds(void **state)
{
    uint64_t most = 0, least = UINT64_MAX;
    int first_orders = 0;
    open_builds("--processes=8 --variants=good --timeout=1s", same, same, false);
    assert_int_equal(measure(0), 0);
    static const uint64_t calls[] = {1, 100, 132, 132};
    size_t at = 0;
    for (size_t i = 0; i < ARRAY_LEN(calls); i++)
        for (int arm = 0; arm < ARMS; arm++) {
            const struct asked *asked = script_asked("batch", NULL, ANY_KERNEL, at++);
            assert_int_equal(asked->calls, calls[i]);
            assert_int_equal(arm_of(asked), arm);
        }
    assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, 3)->timeout_ns,
                     1000000000 + 10 * 1000 * 101);
    for (size_t block = 0; block < 8 * AB_ROUNDS / ARMS; block++) {
        int places[ARMS] = {0};
        for (int round = 0; round < ARMS; round++) {
            const uint64_t n = script_asked("batch", NULL, ANY_KERNEL, at)->calls;
            for (int place = 0; place < ARMS; place++) {
                const struct asked *asked = script_asked("batch", NULL, ANY_KERNEL, at++);
                assert_int_equal(asked->calls, n);
                places[arm_of(asked)] |= 1 << place;
                first_orders |= round == 0 && place == 0 ? 1 << arm_of(asked) : 0;
            }
            most = n > most ? n : most;
            least = n < least ? n : least;
        }
        for (int arm = 0; arm < ARMS; arm++)
            assert_int_equal(places[arm], 7);
    }
    assert_null(script_asked("batch", NULL, ANY_KERNEL, at));
    assert_int_equal(first_orders, 7);
    assert_in_range(least, 132, 133);
    assert_in_range(most, 156, 158);
    /* Calls longer than a batch have fewer rounds. */
    open_builds("--processes=8 --variants=good", same, same, false);
    for (size_t k = 0; k < ARRAY_LEN(script.call_ns); k++)
        script.call_ns[k] = 1e6;
    assert_int_equal(measure(0), 0);
    assert_int_equal(find("good")->comparison->n_trials, 8 * AB_ROUNDS_LEAST);
}

static double slower(const struct asked *asked)
{
    return 1.25;
}

static double faster(const struct asked *asked)
{
    return 0.75;
}

static void test_changes(void **state)
{
    open_builds("", same, same, false);
    head_times = slower;
    assert_int_equal(measure(0), 0);
    assert_near(expect("good", VERDICT_REGRESSED)->change, 0.25, 1e-9);
    assert_int_equal(run_exit_status(run), EXIT_REGRESSED);
    head_times = faster;
    assert_int_equal(measure(0), 0);
    assert_near(expect("good", VERDICT_IMPROVED)->change, -0.25, 1e-9);
    assert_int_equal(run_exit_status(run), EXIT_OK);
    /* Real work that head does in addition. */
    head_times = NULL;
    assert_int_equal(measure(0.5), 0);
    const struct comparison *good = expect("good", VERDICT_REGRESSED);
    assert_near(good->change, 0.5, 0.01);
    for (size_t i = 0; i < good->n_trials; i++)
        assert_near(good->trials[i].control_ns, 1000, 1e-9);
    /* Head's calls take no longer than the loop alone: no round counts. */
    script.loop_ns = 3000;
    head_times = faster;
    assert_int_equal(measure(0), 0);
    assert_int_equal(find("good")->status, STATUS_NOISY);
}

/* ---- the second look ---- */

static double undecided(const struct asked *asked)
{
    return asked->kernel % 10 && asked->life % 2 ? 1.3 : 1;
}

static void test_second_look(void **state)
{
    open_builds("--processes=8", same, same, false);
    head_times = undecided;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
    assert_int_equal(expect("open", VERDICT_INCONCLUSIVE)->processes, 16);
    assert_int_equal(prepared('h', 0), 8);
    assert_int_equal(prepared('h', 1), 16);
    /* Answers may have been overwritten meanwhile. */
    assert_int_equal(script_count("reference", NULL, ANY_KERNEL), 2);
    assert_int_equal(run_exit_status(run), EXIT_OK);
    run->gate->strict = true;
    assert_int_equal(run_exit_status(run), EXIT_UNDECIDED);
}

/* ---- disturbances ---- */

static bool every_third_life(const struct asked *asked)
{
    return asked->life % 3 == 0 && arm_of(asked) == ARM_CONTROL;
}

static bool always(const struct asked *asked)
{
    return true;
}

static bool every_other_batch_of_head(const struct asked *asked)
{
    static unsigned n;
    return arm_of(asked) == ARM_HEAD && n++ % 2;
}

static void test_disturbed_processes(void **state)
{
    open_builds("--processes=8 --rounds=4 --variants=good", same, same, false);
    disturbs = every_third_life;
    assert_int_equal(measure(0), 0);
    const struct comparison *good = expect("good", VERDICT_SAME);
    assert_int_equal(good->processes, 8);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 8 + 3);
    assert_int_equal(good->voided, 3 * 2 * 4); /* as many again */
    assert_int_equal(good->n_trials, 8 * 4);
    /* Rounds are replaced too. */
    disturbs = every_other_batch_of_head;
    assert_int_equal(measure(0), 0);
    good = expect("good", VERDICT_SAME);
    assert_int_equal(good->n_trials, 8 * 4);
    assert_true(good->voided >= 8 * 3 && good->voided <= 8 * 4);
    /* At most as many again; after 30 tries calibration believes any batch. */
    open_builds("--processes=8 --rounds=4 --variants=good", same, same, false);
    disturbs = always;
    assert_int_equal(measure(0), 0);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 16);
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), ARMS * (32 + 16 * 8));
    expect("good", VERDICT_UNUSABLE);
    assert_int_equal(find("good")->status, STATUS_NOISY);
    assert_non_null(
        strstr(find("good")->reason, "16 of 16 processes were too disturbed"));
    assert_int_equal(run_exit_status(run), EXIT_OK);
}

static int quiet_lives, quiet_rounds[2]; /* of even and odd lives among these */

/* In the first process two batches of each arm are calibration's that count. */
static bool after_some_rounds(const struct asked *asked)
{
    static int life, n;
    n = asked->life == life ? n + 1 : asked->life == 1 ? -4 * ARMS : 0;
    life = asked->life;
    return life > quiet_lives || n >= ARMS * quiet_rounds[life % 2];
}

/* A quarter of the rounds makes a process, half of the processes a comparison. */
static void test_usable_processes(void **state)
{
    open_builds("--processes=8 --variants=good", same, same, false);
    disturbs = after_some_rounds;
    quiet_lives = 99;
    quiet_rounds[0] = AB_ROUNDS / 4 - 1;
    quiet_rounds[1] = AB_ROUNDS / 4;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
    assert_int_equal(find("good")->comparison->n_trials, 8 * AB_ROUNDS / 4);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 15);
    quiet_rounds[0] = AB_ROUNDS;
    quiet_rounds[1] = AB_ROUNDS;
    for (quiet_lives = 3; quiet_lives <= 4; quiet_lives++) {
        open_builds("--processes=8 --variants=good", same, same, false);
        disturbs = after_some_rounds;
        assert_int_equal(measure(0), 0);
        assert_int_equal(find("good")->status,
                         quiet_lives < 4 ? STATUS_NOISY : STATUS_OK);
    }
}

static void steal(const struct asked *asked, cJSON *reply)
{
    script.stolen += asked->life == 2;
}

static void test_stolen_time(void **state)
{
    open_builds("--processes=8 --rounds=4 --variants=good", same, same, false);
    script.batch = steal;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->voided, 2 * 4);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 8 + 1);
}

/* ---- builds that differ or fail ---- */

static void test_only_one_has_it(void **state)
{
    open_builds("", older, newer, false);
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_SAME);
    assert_string_equal(expect("old", VERDICT_GONE)->reason, "only base has it");
    assert_string_equal(expect("new", VERDICT_NEW)->reason, "only head has it");
    assert_int_equal(find("old")->status, STATUS_SKIPPED);
    /* Head's own number of the kernel that both have. */
    assert_int_equal(prepared('b', 0), AB_PROCESSES);
    assert_int_equal(prepared('h', 1), AB_PROCESSES);
    assert_int_equal(prepared('b', 1) + prepared('h', 0), 0);
}

static void test_failing_builds(void **state)
{
    static const struct {
        const char *verb;
        char arm;
        int first, code; /* EDOM: it is wrong; 0: its clock stands still */
        enum status status;
        const char *name;
    } rows[] = {
        {"check", 'h', 1, ECONNRESET, STATUS_FAILED, "head"},
        {"check", 'b', 3, ETIMEDOUT, STATUS_FAILED, "base"},
        {"check", 'c', 2, EDOM, STATUS_WRONG, "control (a copy of base)"},
        {"prepare", 'h', 1, ENOTSUP, STATUS_SKIPPED, "head"},
        {"batch", 'h', 30, ECONNRESET, STATUS_FAILED, "head"},
        {"batch", 'h', 30, 0, STATUS_FAILED, NULL},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        const int code = rows[i / 2].code, first = rows[i / 2].first;
        char reason[128] = "the clock did not advance during a batch";
        open_builds("--processes=8", same, same, i % 2);
        struct trouble *const trouble = script_trouble(rows[i / 2].verb, first, first,
                                                       code == EDOM ? "wrong" : "ns", 0);
        trouble->kernel = 1000 * (uint64_t)rows[i / 2].arm + 1;
        trouble->code = -code;
        assert_int_equal(measure(0), 0);
        const struct result *open = find("open");
        if (open->status != rows[i / 2].status)
            fail_msg("row %zu: %s", i, status_name(open->status));
        if (code)
            snprintf(reason, sizeof reason, "%s: %s in '%s'", rows[i / 2].name,
                     strerror(code), rows[i / 2].verb);
        assert_string_equal(open->reason, reason);
        assert_string_equal(open->comparison->reason, reason);
        assert_int_equal(open->comparison->verdict, VERDICT_UNUSABLE);
        assert_int_equal(open->n_samples, 0);
        assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
        assert_int_equal(run_exit_status(run),
                         open->status == STATUS_SKIPPED ? EXIT_OK : EXIT_WRONG);
    }
}

static void test_own_processes(void **state)
{
    open_builds("--processes=8", same, same, true);
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_SAME);
    static const char *const names[] = {"base", "head", "control"};
    for (int i = 0; i < ARMS; i++) {
        assert_int_equal(script_count("start", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("kill", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("load", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("overhead", names[i], ANY_KERNEL), 1);
    }
}

static void test_build_that_does_not_load(void **state)
{
    open_builds("--processes=8", same, same, true);
    script_trouble("load", 3, 3, NULL, -ENOEXEC)->worker = "head";
    assert_int_equal(measure(0), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(run->results[i].status, STATUS_FAILED);
        assert_string_equal(run->results[i].reason, "head: Exec format error in 'load'");
    }
    assert_int_equal(script_count("start", "head", ANY_KERNEL), 3);
    open_builds("--processes=8", same, same, true);
    script_trouble("map", 1, 9, NULL, -EOPNOTSUPP)->worker = "head";
    assert_int_equal(measure(0), 0);
    assert_int_equal(find("good")->status, STATUS_SKIPPED);
    /* Nothing can start the owner of an op again, unless it is ours. */
    open_builds("--processes=8", same, same, false);
    struct worker **const workers = ab->catalog.workers, *const owner = workers[0];
    workers[0] = workers[1];
    workers[1] = owner;
    worker_kill(owner);
    assert_int_equal(measure(0), 0);
    assert_int_equal(find("good")->status, STATUS_FAILED);
}

static void test_interruption(void **state)
{
    open_builds("--processes=8 --rounds=4", same, same, false);
    script_trouble("batch", 30, 30, NULL, -EINTR)->kernel = 1000 * 'h' + 1;
    assert_int_equal(measure(0), -EINTR);
    assert_true(run->interrupted);
    /* Processes that came to their end count. */
    const uint32_t processes = find("good")->comparison->processes;
    assert_true(processes >= 5 && processes <= 6);
    assert_int_equal(find("good")->comparison->n_trials, 4 * processes);
    assert_int_equal(find("good")->status, STATUS_OK);
    open_builds("--processes=8", same, same, false);
    script_trouble("overhead", 1, 1, NULL, -EINTR);
    assert_int_equal(measure(0), -EINTR);
    assert_string_equal(find("good")->comparison->reason, "interrupted");
    assert_int_equal(find("good")->status, STATUS_SKIPPED);
}

/* The seed decides the inputs: the same in all processes and in all runs with it. */
static void test_seed(void **state)
{
    char hash[32];
    open_builds("--processes=8", same, same, false);
    assert_int_equal(measure(0), 0);
    snprintf(hash, sizeof hash, "%s", find("good")->input_hash);
    assert_int_equal(measure(0), 0);
    assert_string_equal(find("good")->input_hash, hash);
    const struct ab_gate other = {.seed = 8};
    run_free(run);
    run = run_new();
    assert_int_equal(ab_measure(ab, &other, NULL, run, &error), 0);
    assert_string_not_equal(find("good")->input_hash, hash);
}

static int close_builds(void **state)
{
    ab_close(ab);
    run_free(run);
    options_free(&options);
    return 0;
}

int main(void)
{
#define TEST(name) cmocka_unit_test(name)
    const struct CMUnitTest tests[] = {TEST(test_equal_builds),
                                       TEST(test_rounds),
                                       TEST(test_changes),
                                       TEST(test_second_look),
                                       TEST(test_disturbed_processes),
                                       TEST(test_usable_processes),
                                       TEST(test_stolen_time),
                                       TEST(test_only_one_has_it),
                                       TEST(test_failing_builds),
                                       TEST(test_own_processes),
                                       TEST(test_build_that_does_not_load),
                                       TEST(test_interruption),
                                       TEST(test_seed)};
    return cmocka_run_group_tests(tests, NULL, close_builds);
}
