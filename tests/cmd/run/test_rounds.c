/* SPDX-License-Identifier: Apache-2.0 */
/* From a plan to samples: calibration, rounds and what is thrown away. */
#include "scripted_case.h"

/* ---- calibration ---- */

static void expect_calls(const uint64_t *calls, size_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, first + i)->calls,
                         calls[i]);
}

FRESH_TEST(test_calibration)
{
    static const uint64_t calls[] = {1, 100, CALLS, CALLS, CALLS};
    const struct result *result = one("--rounds=3");
    expect_calls(calls, 0, ARRAY_LEN(calls));
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 4 + 3);
    assert_int_equal(result->samples.iterations, CALLS);
    assert_int_equal(result->samples.n, 3);
    assert_near(result->samples.ns[2], 550000, 0.5);
    assert_near(result->summary.median_ns, 1000, 1e-9);
    /* --timeout, and ten times what the calls should take. */
    const int64_t timeouts[] = {1000000000, 1000000000 + 10 * 1000 * 101,
                                1000000000 + 10 * 1000 * 551};
    for (size_t i = 0; i < ARRAY_LEN(timeouts); i++)
        assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, i)->timeout_ns,
                         timeouts[i]);
}

/* One batch that something else slowed down does not end it. */
FRESH_TEST(test_target_is_crossed_twice)
{
    static const uint64_t calls[] = {1, 1, 100, CALLS, CALLS};
    script_trouble("batch", 1, 1, "ns", 6e5);
    assert_int_equal(one("--rounds=1")->samples.iterations, CALLS);
    expect_calls(calls, 0, ARRAY_LEN(calls));
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 4 + 1);
}

FRESH_TEST(test_very_short_and_long_calls)
{
    script.call_ns[0] = 0.5;
    assert_int_equal(one("--rounds=2")->status, STATUS_OK);
    script.call_ns[0] = 3e6;
    assert_int_equal(one("--rounds=2")->samples.iterations, 1);
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 2 + 2);
}

/* A disturbed batch of one long call tells its CPU time. */
FRESH_TEST(test_disturbed_long_call)
{
    script.call_ns[0] = 6e7;
    script_trouble("batch", 1, 1, "ns", 9e9);
    assert_int_equal(one("--rounds=1")->samples.iterations, 1);
    assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, 1)->timeout_ns,
                     1000000000 + 10 * 60000000LL * 2);
}

/* A worker that takes no longer for more calls is not believed. */
FRESH_TEST(test_calibration_ends)
{
    script_trouble("batch", 1, 1000, "ns", 1000);
    script_trouble("batch", 1, 1000, "cpu_ns", 1000);
    const struct result *result = one("--rounds=10");
    static const uint64_t calls[] = {1, 100, 10000, 1000000, 100000000};
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), ARRAY_LEN(calls));
    expect_calls(calls, 0, ARRAY_LEN(calls));
    assert_int_equal(result->status, STATUS_FAILED);
    assert_string_equal(result->reason,
                        "the time of a batch does not grow with its calls");
}

FRESH_TEST(test_timeouts_saturate)
{
    const struct how day = {.timeout_ns = 86400000000000};
    for (double call_ns = 1; call_ns < 1e300; call_ns *= 1e9)
        assert_in_range(timeout_with(&day, call_ns * 0x1p63), 1, WORKER_TIMEOUT_MAX_NS);
    assert_int_equal(timeout_with(&day, 1e300), WORKER_TIMEOUT_MAX_NS);
    assert_int_equal(timeout_with(&day, 5), day.timeout_ns + 5);
}

/* Counters that take turns need time for it. */
FRESH_TEST(test_multiplex)
{
    assert_int_equal(one("--rounds=1 --multiplex --events=cycles")->samples.iterations,
                     (uint64_t)ceil(1.1 * MULTIPLEX_BATCH_NS / 1000));
    assert_true(run->results[0].samples.ns[0] >= COUNTERS_SCALABLE_NS);
    assert_int_equal(one("--rounds=1 --multiplex")->samples.iterations, CALLS);
}

/* A team is known; threads of a library are told by their time. */
FRESH_TEST(test_threads_used)
{
    script_trouble("batch", 1, 99, "threads_busy", 2.6);
    assert_int_equal(one("--rounds=1")->threads_used, 1);
    assert_int_equal(run->results[0].n_notes, 0);
    run_begin();
    script_trouble("batch", 1, 99, "threads_busy", 2.6)->worker = "lib";
    script_trouble("prepare", 1, 9, "threads", 0)->worker = "lib";
    assert_int_equal(run_words("mul --variants=mine --sizes=8 --rounds=1 --baseline=lib"),
                     0);
    const struct result *library = &run->results[1];
    assert_int_equal(library->threads_used, 3);
    assert_true(library->is_baseline);
    /* It is measured, but no fair opponent. */
    assert_string_equal(library->unranked, "used 3 threads, the case asked for 1");
    assert_null(run->results[0].unranked);
}

/* Threads of a library that seems to use `busy` of two; the first `n` batches wait for
 * their CPUs. */
static int used_of_two(double busy, int n)
{
    run_begin();
    script_trouble("batch", 1, 999, "threads_busy", busy)->worker = "lib";
    script_trouble("batch", 1, n, "waited_ns", 5e5)->worker = "lib";
    script_trouble("prepare", 1, 9, "threads", 0)->worker = "lib";
    assert_int_equal(run_words("mul --variants=mine --sizes=8 --rounds=2 --threads=2 "
                               "--baseline=lib"),
                     0);
    assert_true(run->results[1].is_baseline);
    return run->results[1].threads_used;
}

/* Threads that waited for a CPU are not all seen: one valid batch tells, or nobody. What
 * was seen to work did work. */
FRESH_TEST(test_threads_unknown)
{
    assert_int_equal(used_of_two(1, 5), 1);
    assert_string_equal(run->results[1].unranked, "used 1 threads, the case asked for 2");
    assert_int_equal(used_of_two(1, 999), 0);
    assert_null(run->results[1].unranked);
    assert_int_equal(used_of_two(2, 999), 2);
}

/* ---- what is thrown away ---- */

FRESH_TEST(test_evidence)
{
    static const struct {
        const char *field;
        double number;
        bool void_;
    } evidence[] = {
        {"cpu_ns", 550000 / 1.009, false},
        {"cpu_ns", 550000 / 1.011, true},
        {"waited_ns", 5500, false},
        {"waited_ns", 5501, true},
        {"major_faults", 1, true},
        {"minor_faults", 1, false},
        {"migrated", 0, true},
        {"process_ns", 1100000, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(evidence); i++) {
        run_begin();
        script_trouble("batch", FIRST, FIRST, evidence[i].field, evidence[i].number);
        const struct result *result = one("--rounds=10");
        const uint32_t lost = evidence[i].void_;
        assert_int_equal(result->samples.voided, lost);
        assert_int_equal(result->samples.n, 10);
        assert_int_equal(result->samples.rounds[0], lost);
        assert_int_equal(result->samples.rounds[9], 9 + lost);
        assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 4 + 10 + lost);
        assert_int_equal(result->status, STATUS_OK);
    }
    /* The caller of a team may wait for its helpers. */
    run_begin();
    script_trouble("batch", 1, 99, "cpu_ns", 1);
    script_trouble("batch", 1, 99, "waited_ns", 1);
    assert_int_equal(one("--rounds=10")->samples.voided, 0);
    static const struct {
        const char *reply;
        int threads;
        bool void_;
    } replies[] = {
        {"{\"ns\": 1}", 1, true},
        {"{\"ns\": 9, \"waited_ns\": 0}", 1, false},
        {"{\"ns\": 9, \"waited_ns\": 1, \"cpu_ns\": 9}", 1, true},
        {"{\"ns\": 100, \"cpu_ns\": 149}", 1, false},
        {"{\"ns\": 100, \"cpu_ns\": 150}", 2, false},
        {"{\"ns\": 100, \"cpu_ns\": 100, \"process_ns\": 340}", 3, false},
        {"{\"ns\": 100, \"cpu_ns\": 300, \"threads_busy\": 1.4}", 1, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(replies); i++) {
        cJSON *const reply = cJSON_Parse(replies[i].reply);
        const struct batch batch = batch_read(reply);
        assert_int_equal(batch.threads, replies[i].threads);
        assert_int_equal(batch.void_, replies[i].void_);
        cJSON_Delete(reply);
    }
}

/* Only that batch is lost, but the whole round runs again. */
FRESH_TEST(test_round_of_several)
{
    struct trouble *const trouble =
        script_trouble("batch", FIRST + 3, FIRST + 3, "migrated", 0);
    trouble->worker = "simdbench";
    trouble->kernel = 1;
    assert_int_equal(run_words("mul --isa=all --sizes=8 --rounds=10"), 0);
    assert_int_equal(run->n_results, 5);
    FOR_EACH (const struct result, result, run->results, 5) {
        const bool lost = strstr(result->id, "/fma@") != NULL;
        assert_int_equal(result->samples.voided, lost);
        assert_int_equal(result->samples.n, 11 - lost);
        assert_int_equal(result->samples.rounds[3], lost ? 4 : 3);
    }
}

static void steal(const struct asked *asked, cJSON *reply)
{
    script.stolen += asked->kernel == 1 && script_count("batch", "simdbench", 1) == FIRST;
}

/* Time that was stolen is stolen from a round, nobody knows from which batch. */
FRESH_TEST(test_stolen_round)
{
    script.batch = steal;
    assert_int_equal(run_words("mul --isa=all --sizes=8 --rounds=10"), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(run->results[i].samples.voided, 1);
        assert_int_equal(run->results[i].samples.rounds[0], 1);
        assert_int_equal(run->results[i].samples.n, 10);
    }
}

static int third_is_good;

static void disturb(const struct asked *asked, cJSON *reply)
{
    const size_t n = script_count("batch", NULL, asked->kernel);
    if (n % 3 || !third_is_good)
        script_say(reply, "major_faults", 1);
}

FRESH_TEST(test_noisy)
{
    script.batch = disturb;
    third_is_good = false;
    const struct result *result = one("--rounds=10");
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 4 + 30);
    assert_int_equal(result->status, STATUS_NOISY);
    assert_string_equal(result->reason, "30 of 30 batches were disturbed (preempted, "
                                        "stolen time, migration or major faults)");
    run_begin();
    script.batch = disturb;
    third_is_good = true;
    result = one("--rounds=10");
    assert_int_equal(result->samples.n, 10);
    assert_int_equal(result->samples.voided, 19);
    assert_int_equal(result->status, STATUS_NOISY);
    /* Half of them are enough. */
    run_begin();
    script_trouble("batch", FIRST, FIRST + 9, "migrated", 0);
    result = one("--rounds=10");
    assert_int_equal(result->samples.n, 10);
    assert_int_equal(result->status, STATUS_OK);
}

/* ---- clock probes ---- */

/* After the first, which comes at once, one for each 2.5 ms of batches; a case whose
 * probe was thrown away has the next. */
FRESH_TEST(test_probes)
{
    static const size_t probed[] = {0, 10, 15, 20, 25};
    const struct result *result = one("--rounds=30");
    for (size_t i = 0, k = 0; i < 34; i++) {
        const bool expected = i >= 4 && k < 5 && i - 4 == probed[k];
        assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, i)->probe, expected);
        k += expected;
    }
    assert_int_equal(result->samples.n_clock, 5);
    assert_near(result->summary.ghz, 3, 1e-9);
    run_begin();
    script_trouble("batch", FIRST, FIRST, "migrated", 0);
    one("--rounds=5");
    assert_true(script_asked("batch", NULL, ANY_KERNEL, 4)->probe);
    assert_true(script_asked("batch", NULL, ANY_KERNEL, 5)->probe);
    assert_false(script_asked("batch", NULL, ANY_KERNEL, 6)->probe);
}

static void annotate(const struct asked *asked, cJSON *reply)
{
    cJSON_AddStringToObject(reply, "note", asked->probe ? "probed" : "not probed");
}

FRESH_TEST(test_notes_do_not_repeat)
{
    script.batch = annotate;
    const struct result *result = one("--rounds=12");
    assert_int_equal(result->n_notes, 2);
    assert_string_equal(result->notes[0], "probed");
    assert_string_equal(result->notes[1], "not probed");
}

FRESH_TEST(test_each_case_is_probed)
{
    assert_int_equal(run_words("mul --isa=all --sizes=8 --rounds=2"), 0);
    for (size_t i = 0; i < run->n_results; i++)
        assert_int_equal(run->results[i].samples.n_clock, 1);
}

TESTS_BETWEEN(run_open, run_close)
