/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds and the roofs that limit their kernels. What a share says is for
 * tests/reports/judge/test_status.c. */
#include "process/process.h"
#include "scripted_builds.h"

/* The roof is kernel 0 or 1 of the own worker, which loaded nothing. */
static bool is_roof(const struct asked *asked)
{
    return asked->kernel < 1000;
}

static double time_of_good;

/* Head's good takes that part of the time of base and of its roof. */
static double only_good(const struct asked *asked)
{
    return asked->kernel % 1000 ? 1 : time_of_good;
}

static const struct row mixes[] = {
    {"mul", "max", "f32", "scalar", "good", NULL, "add_max", 0},
    {"mul", "max", "f32", "scalar", "open", NULL, "add_max", 0}};

TEST(test_shares)
{
    static const struct {
        const struct row *builds;
        const char *more;
        double time;
        bool above;
        enum verdict verdict; /* if it is not */
    } rows[] = {
        {mixes, "", 0.97, true, VERDICT_SAME},
        {mixes, "", 0.3, true, VERDICT_IMPROVED},
        {mixes, "", 0.99, false, VERDICT_SAME},
        {mixes, "", 1.5, false, VERDICT_REGRESSED},
        {mixes, " --pages=2m", 0.3, false, VERDICT_IMPROVED},
        {same, "", 0.3, false, VERDICT_IMPROVED},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        char more[64];
        snprintf(more, sizeof more, "--processes=8%s", rows[i / 2].more);
        open_builds(more, rows[i / 2].builds, rows[i / 2].builds, i % 2);
        script_trouble("map", 1, 999, "huge_bytes", 1e9);
        time_of_good = rows[i / 2].time;
        head_times = only_good;
        assert_int_equal(measure(0), 0);
        const struct result *const good = run_find("good");
        const bool above = good->status == STATUS_SUSPECT;
        if (above != rows[i / 2].above)
            fail_msg("row %zu: %s", i, status_name(good->status));
        expect("good", above ? VERDICT_UNUSABLE : rows[i / 2].verdict);
        expect("open", VERDICT_SAME);
        assert_int_equal(run_exit_status(run),
                         !above && rows[i / 2].time > 1 ? EXIT_REGRESSED : EXIT_OK);
    }
}

/* It keeps its trials and its share, and stands in no mean. */
TEST(test_suspect)
{
    open_builds("--processes=8", mixes, mixes, false);
    time_of_good = 0.5;
    head_times = only_good;
    assert_int_equal(measure(0), 0);
    const struct result *const good = run_find("good");
    assert_string_equal(good->reason,
                        "200.0% of its limit (roof/f32/scalar/add_max@registers), at "
                        "least 200.0%: it does less than it should, the limit was "
                        "measured too low, or another roof would fit");
    assert_string_equal(good->comparison->reason, good->reason);
    assert_near(good->summary.limit.share, 2, 1e-9);
    assert_int_equal(good->comparison->processes, 8);
    assert_int_equal(good->comparison->n_trials, 8 * AB_ROUNDS);
    assert_int_equal(good->samples.n, 8 * AB_ROUNDS);
    assert_false(comparison_has_change(good->comparison));
    assert_near(run->gate->geomean_change, 0, 1e-9);
    assert_int_equal(run->gate->unusable, 1);
    assert_near(run_find("open")->summary.limit.share, 1, 1e-9);
}

/* A roof is prepared once a process, calibrated once, and has a batch for each case that
 * it limits; the own kernels are nothing to compare. */
TEST(test_cost)
{
    open_builds("--processes=8", mixes, mixes, false);
    const double seconds = ab_seconds(ab);
    assert_int_equal(measure(0), 0);
    assert_int_equal(run->n_results, 3);
    const struct result *const roof = run_find("roof/");
    assert_true(roof->is_roof && !roof->comparison && roof->status == STATUS_OK);
    assert_int_equal(roof->samples.n, 8 * 2);
    assert_int_equal(script_count("prepare", "simdbench", ANY_KERNEL), 8);
    assert_int_equal(script_count("batch", "simdbench", ANY_KERNEL), 4 + 8 * 2);
    assert_int_equal(script_asked("batch", "simdbench", 0, 4)->calls, 132);
    open_builds("--processes=8", same, same, false);
    assert_near(seconds - ab_seconds(ab), 8 * 2 * (144000.8 + 3 * 60000) * 1e-9, 1e-9);
    assert_int_equal(measure(0), 0);
    assert_int_equal(script_count("batch", "simdbench", ANY_KERNEL), 0);
}

/* Nothing that happens to a roof ends a case. */
TEST(test_roof_that_fails)
{
    static const struct {
        const char *verb;
        int first, code;
        enum status status;
    } rows[] = {{"prepare", 1, ECONNRESET, STATUS_FAILED},
                {"prepare", 1, ENOTSUP, STATUS_SKIPPED},
                {"batch", 2, ENOTSUP, STATUS_SKIPPED},
                {"batch", 2, 0, STATUS_FAILED},
                {"batch", 9, ECONNRESET, STATUS_FAILED},
                {"batch", 9, 0, STATUS_FAILED}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        open_builds("--processes=8", mixes, mixes, false);
        struct trouble *const trouble =
            script_trouble(rows[i].verb, rows[i].first, rows[i].first, "ns", 0);
        trouble->worker = "simdbench";
        trouble->code = -rows[i].code;
        assert_int_equal(measure(0), 0);
        const struct result *const roof = run_find("roof/");
        if (roof->status != rows[i].status)
            fail_msg("row %zu: %s", i, status_name(roof->status));
        assert_int_equal(roof->samples.n, 0);
        assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
        assert_int_equal(expect("open", VERDICT_SAME)->processes, 8);
        assert_null(run_find("good")->summary.limit.id);
        assert_int_equal(run_exit_status(run), EXIT_OK);
    }
}

static bool faults, steals;

static void disturb_roof(const struct asked *asked, cJSON *reply)
{
    batch(asked, reply);
    if (is_roof(asked) && faults)
        script_say(reply, "major_faults", 1);
    script.stolen += is_roof(asked) && steals;
}

/* Batches that are void are no evidence against a case. */
TEST(test_disturbed_roof)
{
    for (int i = 0; i < 2; i++) {
        open_builds("--processes=8", mixes, mixes, false);
        script.batch = disturb_roof;
        faults = i == 0;
        steals = i == 1;
        time_of_good = 0.5;
        head_times = only_good;
        assert_int_equal(measure(0), 0);
        expect("good", VERDICT_IMPROVED);
        assert_int_equal(run_find("roof/")->samples.n, 0);
        assert_int_equal(run_find("roof/")->status, STATUS_SKIPPED);
    }
}
