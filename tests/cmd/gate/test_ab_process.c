/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds in processes and rounds. What the numbers mean is for
 * tests/reports/judge/test_gate.c. */
#include "process/process.h"
#include "scripted_builds.h"

/* ---- processes and rounds ---- */

TEST(test_equal_builds)
{
    open_builds("", same, same, false);
    script.loop_ns = 100;
    assert_int_equal(measure(0), 0);
    assert_string_equal(error.text, "");
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
    assert_int_equal(script_count("reference", "simdbench", ANY_KERNEL),
                     1 + AB_PROCESSES);
    /* At the end of each, other inputs and answers check both kernels of all arms again.
     */
    assert_int_equal(script_count("change", "simdbench", ANY_KERNEL), AB_PROCESSES);
    assert_int_equal(script_count("check", "base", ANY_KERNEL),
                     AB_PROCESSES * ARMS * 2 * 2);
    assert_int_equal(script_count("setup", "simdbench", ANY_KERNEL), AB_PROCESSES);
    assert_int_equal(script_count("overhead", NULL, ANY_KERNEL), 1);
    for (size_t i = 0; i < good->n_trials; i++) {
        assert_int_equal(good->trials[i].process, i / AB_ROUNDS);
        assert_near(good->trials[i].base_ns, 1000, 1e-9);
        assert_near(good->trials[i].head_ns, 1000, 1e-9);
        assert_near(good->trials[i].control_ns, 1000, 1e-9);
    }
    /* Operands move, answers stay behind all of them. */
    const uint64_t answers = script_asked("check", NULL, ANY_KERNEL, 0)->bytes;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < script_count("map", NULL, ANY_KERNEL); i++) {
        const uint64_t bytes = script_asked("map", NULL, ANY_KERNEL, i)->bytes;
        least = bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
    }
    assert_true(least < most && most <= answers);
    assert_int_equal(run_find("good")->samples.n, good->n_trials);
    assert_near(run_find("good")->summary.median_ns, 1000, 1e-9);
    assert_int_equal(run->gate->n_arms, ARMS);
    assert_string_equal(run->gate->kind, "paired");
}

/* Processes, and in each the batches of what both builds have. */
TEST(test_seconds)
{
    const double quick = 24 * 204000.8 + 1.6, slow = 6 * 2060000.0 + 2000000;
    open_builds("--sizes=10000000", same, same, false);
    assert_near(ab_seconds(ab), 16 * (2 * 0.007 + 2 * 3 * (quick + slow) * 1e-9), 1e-9);
    open_builds("--processes=8", older, newer, true);
    assert_near(ab_seconds(ab), 8 * (0.015 + 3 * quick * 1e-9), 1e-9);
}

/* ---- who watches ---- */

static uint32_t told, groups_done;

static void tell(void *context, const struct progress *progress)
{
    assert_ptr_equal(context, &told);
    assert_string_equal(progress->step, "process");
    assert_int_equal(progress->done, told++);
    assert_int_equal(progress->wanted, 8);
    assert_int_equal(progress->started, 5);
}

static void finish(void *context, struct run *grown, size_t group)
{
    assert_ptr_equal(context, &told);
    assert_int_equal(group, 0);
    assert_int_equal(told, 8);
    groups_done++;
    assert_int_equal(grown->results[0].comparison->verdict, VERDICT_SAME);
}

static void passing(const struct asked *asked, cJSON *reply)
{
    script.now += 1000;
}

TEST(test_watcher)
{
    const struct watcher watcher = {
        .context = &told, .progress = tell, .group_done = finish};
    const struct ab_gate gate = {.seed = 7};
    open_builds("--processes=8 --rounds=4 --strict", same, same, true);
    script.batch = passing;
    script.now = 5;
    run_free(run);
    run = run_new();
    assert_int_equal(ab_measure(ab, &gate, &watcher, run, &error), 0);
    assert_int_equal(groups_done, 2); /* looks */
    assert_near(run->gate->seconds,
                1e-6 * (double)script_count("batch", NULL, ANY_KERNEL), 1e-12);
    assert_near(run->gate->threshold, 0.1, 0);
    assert_true(run->gate->strict && run->gate->own_processes);
    assert_near(facts_find_number(&run->settings, "processes"), 8, 0);
    assert_near(facts_find_number(&run->settings, "process_rounds"), 4, 0);
    assert_false(run->interrupted);
}

/* 1, 100 and twice 120 calls make 120 us; then rounds have up to a fifth more, the same
 * for all arms, of which each is first, second and third once in three rounds. */
TEST(test_rounds)
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
    at += 2 * LOOKED;
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
    assert_int_equal(run_find("good")->comparison->n_trials, 8 * AB_ROUNDS_LEAST);
}

static double first_times[ARMS]; /* of the first batch behind another arm */

static void learn(const struct asked *asked, cJSON *reply)
{
    static int last = ARMS;
    const double ns = message_number(reply, "ns", 0) *
                      (head_times && arm_of(asked) == ARM_HEAD ? head_times(asked) : 1);
    const double first = arm_of(asked) == last ? 1 : first_times[arm_of(asked)];
    script_say(reply, "ns", first * ns);
    script_say(reply, "cpu_ns", first * ns);
    last = arm_of(asked);
}

static double undecided(const struct asked *asked)
{
    return asked->kernel % 10 && asked->life % 2 ? 1.3 : 1;
}

/* Times are of what was learned; the note is for whoever is undecided. */
TEST(test_learning)
{
    /* `before` the rounds: batches of calibration, and those that are looked at. */
    static const struct {
        const char *options;
        double base, head;
        size_t before;
        const char *variant, *note;
    } rows[] = {
        {"--variants=good", 2, 1.5, 9 + 6 * LOOKED, "good", NULL},
        {"--variants=good", 1.2, 1.24, 9 + 6 * LOOKED, "good", NULL},
        {"--variants=good", 1.09, 1.05, 12 + 2 * LOOKED, "good", NULL},
        {"--variants=open", 2, 1.5, 9 + 6 * LOOKED, "open",
         "takes 2.0 times as long as later ones: four go before each timed one; "
         "--inputs"},
        {"--variants=open --inputs=2", 2, 1.5, 9 + 6 * LOOKED, "open", "2.0 times"},
        {"--variants=open", 1.2, 1.24, 9 + 6 * LOOKED, "open", NULL}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char words[80];
        snprintf(words, sizeof words, "--processes=8 %s", rows[i].options);
        open_builds(words, same, same, false);
        script.batch = learn;
        head_times = undecided;
        first_times[ARM_BASE] = first_times[ARM_CONTROL] = rows[i].base;
        first_times[ARM_HEAD] = rows[i].head;
        assert_int_equal(measure(0), 0);
        const bool learns = rows[i].base > 1.25, open = !strcmp(rows[i].variant, "open");
        const struct result *const result = run_find(rows[i].variant);
        const double base_ns =
            expect(rows[i].variant, open ? VERDICT_INCONCLUSIVE : VERDICT_SAME)->base_ns;
        assert_near(base_ns, learns ? 1000 : 1000 * rows[i].base, 1e-9);
        assert_int_equal(script_count("batch", NULL, ANY_KERNEL),
                         rows[i].before +
                             (open ? 16 : 8) * ARMS * AB_ROUNDS * (learns ? 5 : 1));
        assert_int_equal(result->n_notes, rows[i].note != NULL);
        if (!rows[i].note)
            continue;
        assert_non_null(strstr(result->notes[0], rows[i].note));
        assert_int_equal(!strstr(result->notes[0], "inputs"), i == 4);
    }
}

static void slow_reset(const struct asked *asked, cJSON *reply)
{
    const double ns = message_number(reply, "ns", 0) * (asked->reset ? 2 : 1);
    script_say(reply, "ns", ns);
    script_say(reply, "cpu_ns", ns);
}

/* Calls on the data of the first take twice the time: batches have half as many, also if
 * a build dies while that is found out. */
TEST(test_first_data)
{
    enum { BEFORE = 4 + LOOKED + 6 };
    for (int dies = 0; dies < 3; dies++) {
        open_builds("--processes=8", same, same, false);
        ab->plan.groups[0].shape.map.operand[1].role = SIMDBENCH_INOUT;
        script.batch = slow_reset;
        if (dies)
            script_trouble("batch", dies == 1 ? BEFORE + 1 : 1, 0, NULL, -ECONNRESET)
                ->kernel = 1000 * 'b' + (dies == 2);
        assert_int_equal(measure(0), 0);
        const char *const ends = dies == 2 ? "open" : "good";
        const char *const other = dies == 2 ? "good" : "open";
        assert_int_equal(run_find(ends)->status, dies ? STATUS_FAILED : STATUS_OK);
        assert_near(expect(other, VERDICT_SAME)->base_ns, 2000, 1e-9);
        assert_in_range(run_find(other)->samples.iterations, 60, 66);
    }
}

static double slower(const struct asked *asked)
{
    return 1.25;
}

static double faster(const struct asked *asked)
{
    return 0.75;
}

TEST(test_changes)
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
    /* A call without its loop may be very short. */
    for (size_t k = 0; k < ARRAY_LEN(script.call_ns); k++)
        script.call_ns[k] = 0.5;
    script.loop_ns = 0.25;
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_SAME);
    /* A loop of which nothing is told costs nothing; what head prepares is told. */
    script_trouble("overhead", 1, 1, "ns", 0);
    script_trouble("prepare", 1, 99, "workspace_bytes", 4096)->kernel = 1000 * 'h';
    assert_int_equal(measure(0), 0);
    assert_near(run_find("good")->samples.overhead_ns, 0, 0);
    assert_near(run_find("good")->samples.workspace_bytes, 4096, 0);
    /* Head's calls take no longer than the loop alone: no round counts. */
    script.loop_ns = 3000;
    head_times = faster;
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_SHORT);
    expect("good", VERDICT_UNUSABLE);
    /* Or hardly longer than nothing, which is as little as the loop. */
    for (size_t k = 0; k < ARRAY_LEN(script.call_ns); k++)
        script.call_ns[k] = 1000;
    script.loop_ns = 1001;
    head_times = NULL;
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_SHORT);
    assert_int_equal(run_find("good")->samples.n, 0);
    script.loop_ns = 999;
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_OK);
}

/* ---- the second look ---- */

TEST(test_second_look)
{
    open_builds("--processes=8", same, same, false);
    head_times = undecided;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
    assert_int_equal(expect("open", VERDICT_INCONCLUSIVE)->processes, 16);
    assert_int_equal(prepared('h', 0), 8);
    assert_int_equal(prepared('h', 1), 16);
    /* Answers may have been overwritten meanwhile. */
    assert_int_equal(script_count("reference", NULL, ANY_KERNEL), 2 + 16);
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

TEST(test_disturbed_processes)
{
    open_builds("--processes=8 --rounds=4 --variants=good", same, same, false);
    disturbs = every_third_life;
    assert_int_equal(measure(0), 0);
    const struct comparison *good = expect("good", VERDICT_SAME);
    assert_int_equal(good->processes, 8);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 8 + 3);
    assert_int_equal(good->voided, 3 * 2 * 4); /* as many again */
    assert_int_equal(run_find("good")->samples.voided, good->voided);
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
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL),
                     ARMS * (32 + 16 * 8) + 2 * LOOKED);
    expect("good", VERDICT_UNUSABLE);
    assert_int_equal(run_find("good")->status, STATUS_NOISY);
    assert_non_null(
        strstr(run_find("good")->reason, "16 of 16 processes were too disturbed"));
    assert_int_equal(run_exit_status(run), EXIT_OK);
}

static int quiet_lives, quiet_rounds[2]; /* of even and odd lives among these */

/* In the first process batches of calibration do not count. */
static bool after_some_rounds(const struct asked *asked)
{
    static int life, n;
    n = asked->life == life ? n + 1 : asked->life == 1 ? -4 * ARMS - 2 * LOOKED : 0;
    life = asked->life;
    return life > quiet_lives || n >= ARMS * quiet_rounds[life % 2];
}

/* A quarter of the rounds makes a process, half of the processes a comparison. */
TEST(test_usable_processes)
{
    open_builds("--processes=8 --variants=good", same, same, false);
    disturbs = after_some_rounds;
    quiet_lives = 99;
    quiet_rounds[0] = AB_ROUNDS / 4 - 1;
    quiet_rounds[1] = AB_ROUNDS / 4;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
    assert_int_equal(run_find("good")->comparison->n_trials, 8 * AB_ROUNDS / 4);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 15);
    quiet_rounds[0] = AB_ROUNDS;
    quiet_rounds[1] = AB_ROUNDS;
    for (quiet_lives = 3; quiet_lives <= 4; quiet_lives++) {
        open_builds("--processes=8 --variants=good", same, same, false);
        disturbs = after_some_rounds;
        assert_int_equal(measure(0), 0);
        assert_int_equal(run_find("good")->status,
                         quiet_lives < 4 ? STATUS_NOISY : STATUS_OK);
    }
}

static void steal(const struct asked *asked, cJSON *reply)
{
    script.stolen += asked->life == 2;
}

TEST(test_stolen_time)
{
    open_builds("--processes=8 --rounds=4 --variants=good", same, same, false);
    script.batch = steal;
    assert_int_equal(measure(0), 0);
    assert_int_equal(expect("good", VERDICT_SAME)->voided, 2 * 4);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 8 + 1);
}
