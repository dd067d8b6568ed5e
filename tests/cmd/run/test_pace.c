/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a group's rounds, and batches that had the core alone. */
#include "scripted_case.h"

FRESH_TEST(test_number_of_rounds)
{
    assert_int_equal(one("--time-per-case=1ms")->samples.n, ROUNDS_MIN);
    assert_int_equal(one("--time-per-case=20ms")->samples.n, 36); /* 20 ms / 551 us */
    assert_string_equal(run->results[0].samples.stopped, "time");
    assert_int_equal(run_words("mul --sizes=8 --time-per-case=20ms"), 0);
    assert_int_equal(run->results[2].samples.n, 36);
    assert_int_equal(one("--time-per-case=1s")->samples.n, 1814);
    /* More rounds than the most become longer batches. */
    assert_int_equal(one("--time-per-case=20s")->samples.iterations, 2200);
    assert_true(run->results[0].samples.n <= ROUNDS_MAX);
}

/* A batch of so long a call has no other, although something disturbs each of them. */
FRESH_TEST(test_long_calls)
{
    script.call_ns[0] = 60e6;
    script_trouble("batch", 1, 99, "major_faults", 1);
    assert_int_equal(one("--rounds=2")->samples.iterations, 1);
    assert_int_equal(script_count("batch", NULL, 0), 2 + 3 * 2);
}

/* A case whose times alternate is precise if they are close; looks are at 24 rounds, 48
 * and so on. */
static double swing;

static void alternate(const struct asked *asked, cJSON *reply)
{
    const size_t n = script_count("batch", NULL, asked->kernel);
    const double ns = (double)asked->calls * 1000 * (n % 2 ? 1 : 1 + swing);
    if (asked->calls != CALLS)
        return;
    script_say(reply, "ns", ns);
    script_say(reply, "cpu_ns", ns);
}

FRESH_TEST(test_precision)
{
    static const struct {
        const char *more, *stopped;
        double swing;
        size_t samples;
    } runs[] = {
        {"--align=64", "precision", 0.015, 24},
        {"--align=64", "time", 0.04, 174},
        {"--precision=5%", "precision", 0.04, 24},
        {"--time-per-case=50ms", "time", 0, 90},
        {"--time-per-case=50ms --precision=1%", "precision", 0, 24},
        {"--rounds=30", "rounds", 0, 30},
        {"--rounds=30 --precision=1%", "precision", 0, 24},
    };
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        run_begin();
        swing = runs[i].swing;
        script.batch = alternate;
        const struct result *result = one(runs[i].more);
        assert_string_equal(result->samples.stopped, runs[i].stopped);
        assert_int_equal(result->samples.n, runs[i].samples);
    }
}

/* ---- a core that is shared ---- */

static void expect_shares(double probed, double shared)
{
    assert_near(facts_find_number(&run->host, "core_probes"), probed, 0);
    assert_near(facts_find_number(&run->host, "core_shared_probes"), shared, 0);
}

/* The core is split in three batches, and has few adds in others. */
static void split(const struct asked *asked, cJSON *reply)
{
    const size_t n = script_count("batch", NULL, asked->kernel);
    script_say(reply, "core_split", n >= FIRST + 2 && n <= FIRST + 4);
    script_say(reply, "core_share", n >= FIRST + 9 ? 1 : 4);
}

FRESH_TEST(test_core_share)
{
    script_trouble("batch", FIRST + 2, FIRST + 4, "core_share", 2.8);
    script_trouble("batch", FIRST + 9, FIRST + 9, "ns", 990000);
    script_trouble("batch", FIRST + 9, FIRST + 9, "cpu_ns", 990000);
    const struct result *result = one("--rounds=20");
    /* The evidence decides, not the time; in round 2 the fourth batch is alone. */
    assert_int_equal(result->samples.apart.n, 3);
    assert_int_equal(result->samples.apart.rounds[0], 2);
    assert_int_equal(result->samples.apart.rounds[2], 2);
    assert_near(result->samples.apart.samples_ns[0], 550000, 0.5);
    assert_int_equal(result->samples.n, 20);
    assert_near(result->samples.ns[6], 990000, 0);
    assert_false(result->samples.shared);
    expect_shares(23, 3);
    /* A share that nobody knows is no evidence. */
    run_begin();
    script_trouble("batch", 1, 99, "core_share", 0);
    assert_int_equal(one("--rounds=20")->samples.apart.n, 0);
    assert_true(isnan(facts_find_number(&run->host, "core_probes")));
    /* The store queue decides, whatever the adds say. */
    run_begin();
    script.batch = split;
    assert_int_equal(one("--rounds=20")->samples.apart.n, 3);
    expect_shares(23, 3);
}

static void expect_shared(const struct result *result, size_t probed, size_t shared)
{
    assert_true(result->samples.shared);
    assert_int_equal(result->status, STATUS_OK);
    assert_int_equal(result->samples.n, 20);
    assert_int_equal(result->samples.apart.n, shared);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(result->samples.rounds[i], i);
    expect_shares((double)probed, (double)shared);
}

/* Up to three times as many batches, nine of them for one, until 12 had the core alone.
 */
FRESH_TEST(test_rounds_go_on)
{
    script_trouble("batch", FIRST, FIRST + 17, "core_share", 2);
    const struct result *result = one("--rounds=20");
    assert_int_equal(result->samples.n, 18);
    assert_int_equal(result->samples.apart.n, 18);
    assert_int_equal(result->samples.rounds[0], 2);
    assert_false(result->samples.shared);
    run_begin();
    script_trouble("batch", FIRST, FIRST + 17, "core_share", 2);
    script_trouble("batch", FIRST + 29, FIRST + 99, "core_share", 2);
    expect_shared(one("--rounds=20"), 60, 49);
    /* One that was not alone in 22 batches will not be in 12 of 38 others. */
    run_begin();
    script_trouble("batch", FIRST, FIRST + 48, "core_share", 2);
    expect_shared(one("--rounds=20"), 39, 39);
    /* Neighbours come and go: the core was alone in what was left. */
    run_begin();
    script_trouble("batch", FIRST, FIRST + 13, "core_share", 2);
    assert_false(one("--rounds=12")->samples.shared);
    /* No more than were asked for. */
    run_begin();
    script_trouble("batch", FIRST, FIRST, "core_share", 2);
    result = one("--rounds=2");
    assert_int_equal(result->samples.n, 2);
    assert_int_equal(result->samples.apart.n, 1);
}

/* Counts of company stand in only where there are no others. */
static void count_rounds(const struct asked *asked, cJSON *reply)
{
    script_say(reply, "minor_faults", (double)script_count("batch", NULL, asked->kernel));
}

FRESH_TEST(test_counts_apart)
{
    script.batch = count_rounds;
    script_trouble("batch", FIRST, FIRST + 5, "core_share", 2);
    const struct counter *faults = &one("--rounds=20")->samples.counters[0];
    assert_int_equal(faults->n, 20);
    assert_near(faults->samples[0], FIRST + 6, 0);
    run_begin();
    script.batch = count_rounds;
    script_trouble("batch", 1, 99, "core_share", 2);
    assert_int_equal(one("--rounds=20")->samples.counters[0].n, 20);
}

TESTS_BETWEEN(run_open, run_close)
