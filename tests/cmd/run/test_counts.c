/* SPDX-License-Identifier: Apache-2.0 */
/* From what a batch counted to numbers of a call: what is subtracted, and what is told of
 * an event. */
#include "scripted_case.h"

FRESH_TEST(test_loop_is_subtracted)
{
    script.loop_ns = 100;
    const struct result *result = one("--rounds=10");
    assert_int_equal(result->samples.iterations, 500);
    assert_near(result->samples.ns[0], 550000, 0.5);
    assert_near(result->samples.overhead_ns, 100, 0);
    assert_near(result->summary.median_ns, 1000, 1e-9);
    run_begin();
    assert_int_equal(run_words("mul --isa=all --sizes=8,16 --rounds=1 --baseline=lib"),
                     0);
    /* Once for all cases of a worker in a group. */
    assert_int_equal(script_count("overhead", "simdbench", ANY_KERNEL), 2);
    assert_int_equal(script_count("overhead", "lib", ANY_KERNEL), 2);
}

/* An event counts 2 a call of the loop and 100 a region; the kernel has 7 of it. */
static void count(const struct asked *asked, cJSON *reply)
{
    char text[128];
    snprintf(text, sizeof text,
             "[{\"value\": %.0f, \"running_share\": 0.5, \"scope\": \"user\", "
             "\"threads\": 2}, {\"value\": 11}]",
             (double)asked->calls * 9 + 100);
    cJSON_AddItemToObject(reply, "counts", cJSON_Parse(text));
    script_say(reply, "minor_faults", 2 * (double)asked->calls);
    script_say(reply, "voluntary_switches", 3 * (double)asked->calls);
    script_say(reply, "involuntary_switches", (double)asked->calls);
}

static const struct counter *counter_of(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->samples.n_counters; i++) {
        if (!strcmp(result->samples.counters[i].name, name))
            return &result->samples.counters[i];
    }
    fail_msg("no counter %s", name);
    return NULL;
}

FRESH_TEST(test_events)
{
    script.batch = count;
    script.overhead_counts = "[{\"call\": 2, \"region\": 100}]";
    const struct result *result = one("--rounds=10 --events=cycles,instructions");
    assert_near(counter_of(result, "instructions")->value, 11.0 / CALLS, 1e-9);
    assert_near(counter_of(result, "instructions")->running_share, 1, 0);
    assert_near(counter_of(result, "instructions")->threads, 1, 0);
    const struct counter *cycles = counter_of(result, "cycles");
    assert_near(cycles->overhead, 2 + 100.0 / CALLS, 1e-9);
    /* One in 80 us was asked for. */
    assert_int_equal(script_asked("batch", NULL, ANY_KERNEL, 6)->regions, 7);
    assert_near(cycles->value, 7, 1e-9);
    assert_near(cycles->running_share, 0.5, 1e-9);
    assert_near(cycles->threads, 2, 0);
    assert_string_equal(cycles->scope, "user");
    assert_true(cycles->asked);
    /* Results that need no events. */
    assert_near(counter_of(result, "page-faults")->value, 2, 1e-9);
    assert_near(counter_of(result, "context-switches")->value, 4, 1e-9);
    assert_near(counter_of(result, "task-clock")->value, 1000, 1e-9);
    script_trouble("batch", 1, 99, "regions", 8);
    result = one("--rounds=10 --events=cycles");
    assert_near(counter_of(result, "cycles")->overhead, 2 + 8 * 100.0 / CALLS, 1e-9);
    script.trouble[0].verb = NULL;
    /* Cold calls have a region each. */
    result = one("--rounds=10 --events=cycles --cache=cold");
    assert_near(counter_of(result, "cycles")->overhead, 102, 1e-9);
    /* An event replaces what getrusage says, where the kernel counts it. */
    result = one("--rounds=10 --events=page-faults");
    assert_near(counter_of(result, "page-faults")->value, 7, 1e-9);
    assert_non_null(counter_of(result, "page-faults")->config);
}

/* More branches than instructions, in 3000 cycles by clock and time. */
static double counted_cycles;
static void contradict(const struct asked *asked, cJSON *reply)
{
    char text[256];
    const double calls = (double)asked->calls;
    snprintf(text, sizeof text,
             "[{\"value\": %.0f}, {\"value\": %.0f}, {\"value\": %.0f}, "
             "{\"absent\": \"it jumped\", \"impossible\": true}]",
             50 * calls, 60 * calls, counted_cycles * calls);
    cJSON_AddItemToObject(reply, "counts", cJSON_Parse(text));
    if (asked->probe)
        script_say(reply, "ghz", 3);
}

FRESH_TEST(test_proofs)
{
    script.batch = contradict;
    counted_cycles = 2800;
    script.proofs = "[{\"verdict\": \"proven\"}, {\"verdict\": \"unproven\", \"reason\": "
                    "\"nobody knows\"}, {\"verdict\": \"proven\"}, "
                    "{\"verdict\": \"refused\"}]";
    const struct result *result =
        one("--rounds=10 --events=instructions,branches,cycles,branch-misses");
    const struct counter *const branches = counter_of(result, "branches");
    assert_string_equal(counter_of(result, "instructions")->verdict, "proven");
    assert_string_equal(branches->verdict, "unproven");
    assert_string_equal(branches->doubt,
                        "more branches than instructions (60 against 51)");
    assert_string_equal(branches->doubt, counter_of(result, "instructions")->doubt);
    assert_null(counter_of(result, "cycles")->doubt);
    assert_int_equal(result->n_notes, 0);
    assert_null(counter_of(result, "branch-misses")->verdict);
    assert_near(counter_of(result, "branch-misses")->voided, 10, 0);
    assert_near(branches->voided, 0, 0);
    /* The clock has no place of its own: a note tells. */
    counted_cycles = 2600;
    result = one("--rounds=10 --events=instructions,branches,cycles,branch-misses");
    assert_non_null(strstr(counter_of(result, "cycles")->doubt, "fewer cycles"));
    assert_int_equal(result->n_notes, 1);
    assert_non_null(strstr(result->notes[0], "clock probe"));
}

static void refuse(const struct asked *asked, cJSON *reply)
{
    cJSON_AddItemToObject(
        reply, "counts",
        cJSON_Parse("[{\"absent\": \"no PMU\", \"fix\": \"a host\", \"errno\": 2, "
                    "\"errno_name\": \"ENOENT\"}]"));
}

FRESH_TEST(test_absent_events)
{
    script.batch = refuse;
    const struct result *result = one("--rounds=2 --events=cycles");
    const struct counter *cycles = counter_of(result, "cycles");
    assert_string_equal(cycles->absent, "no PMU");
    assert_string_equal(cycles->fix, "a host");
    assert_string_equal(cycles->errno_name, "ENOENT");
    assert_near(cycles->code, 2, 0);
    result = one("--rounds=2 --events=page-faults");
    assert_string_equal(counter_of(result, "page-faults")->event, "getrusage");
    assert_null(counter_of(result, "page-faults")->config);
}

TESTS_BETWEEN(run_open, run_close)
