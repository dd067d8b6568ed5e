/* SPDX-License-Identifier: Apache-2.0 */
/* Times that cannot be: shorter than the loop, or above the limit. */
#include "judge/judge.h"
#include "unit.h"

enum { ROUNDS = 20, CALLS = 10 };
#define OVERHEAD 2.0

/* Each second round takes `spread` more. */
static struct result *add(struct run *run, const char *id, double ns, double spread)
{
    struct result *result = run_add_result(run);
    assert_non_null(result);
    string_set(&result->id, id);
    result_set_status(result, STATUS_OK, NULL);
    result->samples.iterations = CALLS;
    result->samples.overhead_ns = OVERHEAD;
    result->work.ops = 1000;
    result->work.bytes = 1000;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const double call = ns * (1 + (i % 2 ? spread : 0)) + OVERHEAD;
        assert_int_equal(result_add_sample(result, i, call * CALLS), 0);
    }
    return result;
}

TEST(test_unchecked)
{
    struct run *run = run_new();
    add(run, "kernel", 1000, 0);
    add(run, "roof", 500, 0);
    add(run, "library", 1000, 0);
    string_set(&run->results[0].limit_id, "roof");
    result_set_status(&run->results[0], STATUS_UNCHECKED, "alone");
    run->results[1].is_roof = run->results[2].is_baseline = true;
    for (int again = 0; again < 2; again++)
        run_summarise(run, GROUP_ALL);
    /* It has a time and a limit, but no ratio. */
    assert_int_equal(run->results[0].status, STATUS_UNCHECKED);
    assert_string_equal(run->results[0].reason, "alone");
    assert_true(run->results[0].summary.median_ns > 0 &&
                run->results[0].summary.limit.id);
    assert_int_equal(run->results[0].summary.n_ratios, 0);
    assert_true(status_has_time(STATUS_UNCHECKED) && !status_is_bad(STATUS_UNCHECKED));
    run_free(run);
}

static void summarise(struct run *run)
{
    /* The second time it begins with what the first one said. */
    run_summarise(run, GROUP_ALL);
    run_summarise(run, GROUP_ALL);
}

TEST(test_short)
{
    static const struct {
        double ns, spread;
        enum status status;
    } rows[] = {{0, 0, STATUS_SHORT},
                {OVERHEAD - 0.01, 0, STATUS_SHORT},
                {OVERHEAD - 0.01, 0.1, STATUS_SHORT}, /* the median is above it */
                {OVERHEAD + 0.01, 0, STATUS_OK}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = run_new();
        struct result *result = add(run, "a", rows[i].ns, rows[i].spread);
        summarise(run);
        assert_int_equal(result->status, rows[i].status);
        assert_int_equal(result->reason != NULL, rows[i].status == STATUS_SHORT);
        assert_true(result_has_summary(result));
        /* Other samples, another status. */
        result->samples.overhead_ns = 0;
        summarise(run);
        assert_int_equal(result->status, STATUS_OK);
        assert_null(result->reason);
        run_free(run);
    }
}

/* One too short to time limits nothing, and is nobody's opponent. */
TEST(test_short_ones_count_for_nothing)
{
    struct run *run = run_new();
    add(run, "kernel", 100, 0);
    add(run, "roof", 1, 0);
    add(run, "library", 1, 0);
    string_set(&run->results[0].limit_id, "roof");
    run->results[1].is_roof = true;
    run->results[2].is_baseline = true;
    summarise(run);
    assert_int_equal(run->results[0].status, STATUS_OK);
    assert_null(run->results[0].summary.limit.id);
    assert_int_equal(run->results[0].summary.n_ratios, 0);
    run_free(run);
}

TEST(test_suspect)
{
    static const struct {
        double ns, spread, roof_ns;
        bool stream;
        enum status status;
    } rows[] = {
        {1000, 0, 1000, false, STATUS_OK},
        {1000, 0, 1019, false, STATUS_OK},
        {1000, 0, 1021, false, STATUS_SUSPECT},
        {1000, 0.03, 1040, false, STATUS_OK}, /* the interval reaches down to 1.0097 */
        {1000, 0.01, 1040, false, STATUS_SUSPECT},
        {1000, 0, 1250, true, STATUS_OK},
        {1000, 0, 1270, true, STATUS_SUSPECT},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = run_new();
        /* The limit may take the time of the loop, too. */
        add(run, "kernel", rows[i].ns - OVERHEAD, rows[i].spread);
        add(run, "roof", rows[i].roof_ns, 0);
        add(run, "library", 1000, 0);
        struct result *kernel = &run->results[0], *library = &run->results[2];
        string_set(&kernel->limit_id, "roof");
        run->results[1].is_roof = true;
        run->results[1].work.ops = rows[i].stream ? 0 : 1000;
        library->is_baseline = true;
        summarise(run);
        if (kernel->status != rows[i].status)
            fail_msg("row %zu is %s", i, status_name(kernel->status));
        const bool ok = kernel->status == STATUS_OK;
        assert_int_equal(kernel->summary.n_ratios, ok);
        assert_int_equal(!kernel->reason, ok);
        assert_string_equal(kernel->summary.limit.id, "roof");
        assert_true(result_has_summary(kernel));
        /* Without the limit there is nothing against it. */
        string_set(&kernel->limit_id, NULL);
        summarise(run);
        assert_int_equal(kernel->status, STATUS_OK);
        run_free(run);
    }
}

/* Too few rounds for an interval are no evidence. */
TEST(test_few_rounds)
{
    struct run *run = run_new();
    add(run, "kernel", 1000, 0);
    add(run, "roof", 2000, 0);
    string_set(&run->results[0].limit_id, "roof");
    run->results[1].is_roof = true;
    run->results[0].samples.n = run->results[1].samples.n = STATS_MIN_SAMPLES - 1;
    summarise(run);
    assert_int_equal(run->results[0].status, STATUS_OK);
    assert_true(run->results[0].summary.limit.too_low);
    run_free(run);
}
