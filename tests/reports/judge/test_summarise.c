/* SPDX-License-Identifier: Apache-2.0 */
/* From samples to a summary: times, limits, ratios, counters and the clock. */
#include "reports.h"
#include "unit.h"

static struct result *add_case(struct run *run, const char *id, double ns, size_t n)
{
    struct result *result = run_add_result(run);
    assert_non_null(result);
    string_set(&result->id, id);
    result_set_status(result, STATUS_OK, NULL);
    result->samples.iterations = 10;
    result->samples.overhead_ns = 2;
    result->work.ops = 1000;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(result_add_sample(result, i, (ns + 2) * 10), 0);
    return result;
}

TEST(summarise_times_and_rates)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 8);
    result->work.bytes = 400;
    result->samples.ns[0] = 5; /* less than the overhead: never below 0 */
    run_summarise(run, GROUP_ALL);
    assert_near(result->summary.median_ns, 100, 1e-9);
    assert_true(result->summary.min_ns == 0);
    assert_near(result->summary.gops, 10, 1e-9);
    assert_near(result->summary.gbps, 4, 1e-9);
    assert_true(result->summary.ci_ns.known);
    assert_null(result->summary.ci_reason);
    assert_true(result->summary.ghz == 0 && !result->summary.ghz_ci.known);
    run_free(run);
}

TEST(summarise_few_samples)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 5);
    run_summarise(run, GROUP_ALL);
    assert_false(result->summary.ci_ns.known);
    assert_string_equal(result->summary.ci_reason,
                        "5 valid rounds; an interval needs at least 6");
    result_clear_samples(result);
    assert_int_equal(result->samples.n, 0);
    assert_null(result->summary.ci_reason);
    run_summarise(run, GROUP_ALL);
    assert_true(result->summary.median_ns == 0 && result->summary.gops == 0);
    run_free(run);
}

TEST(summarise_limits)
{
    static const struct {
        double kernel, roof, share;
        bool too_low;
    } rows[] = {{98, 80, 0.8, false},
                {98, 101.9, 1.019, false},
                {98, 103, 1.03, true},
                {4, 3, 0.5, false}}; /* the loop takes 2 ns beside the call */

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = run_new();
        struct result *roof, *kernel, *other;
        add_case(run, "kernel", rows[i].kernel, 10);
        add_case(run, "roof", rows[i].roof, 10);
        add_case(run, "elsewhere", 1, 10);
        kernel = &run->results[0];
        roof = &run->results[1];
        other = &run->results[2];
        roof->is_roof = true;
        other->is_roof = true;
        other->group = 1;
        string_set(&other->id, "roof");
        string_set(&kernel->limit_id, "roof");
        run_summarise(run, GROUP_ALL);
        assert_string_equal(kernel->summary.limit.id, "roof");
        assert_near(kernel->summary.limit.share, rows[i].share, 1e-9);
        assert_near(kernel->summary.limit.gops, roof->summary.gops, 0);
        assert_true(kernel->summary.limit.gbps == 0);
        assert_int_equal(kernel->summary.limit.too_low, rows[i].too_low);
        /* A roof that failed limits nothing, and neither does a stale value. */
        result_set_status(roof, STATUS_FAILED, "died");
        run_summarise(run, 0);
        assert_null(kernel->summary.limit.id);
        run_free(run);
    }
}

TEST(summarise_bandwidth_limit)
{
    struct run *run = run_new();
    struct result *kernel, *roof;
    add_case(run, "roof", 50, 10);
    kernel = add_case(run, "kernel", 98, 10);
    roof = &run->results[0];
    kernel->work.bytes = roof->work.bytes = 1000;
    roof->work.ops = 0;
    roof->is_roof = true;
    string_set(&kernel->limit_id, "roof");
    run_summarise(run, 0);
    assert_true(kernel->summary.limit.gops == 0);
    assert_near(kernel->summary.limit.gbps, 20, 1e-9);
    assert_near(kernel->summary.limit.share, 0.5, 1e-9);
    /* They share no round. */
    for (size_t i = 0; i < roof->samples.n; i++)
        roof->samples.rounds[i] += 10;
    run_summarise(run, 0);
    assert_near(kernel->summary.limit.share, 0.5, 1e-9);
    run_free(run);
}

/* A call of `streams` has the passes that its shape says, over the kernel's operands. */
TEST(summarise_passes)
{
    struct run *run = run_new();
    add_case(run, "roof", 400, 10);
    struct result *const kernel = add_case(run, "kernel", 98, 10), *const roof =
                                                                       run->results;
    kernel->work.bytes = 1;
    roof->work.bytes = 6400;
    roof->work.ops = 0;
    roof->is_roof = true;
    string_set(&kernel->limit_id, "roof");
    string_set(&roof->variant, "streams");
    string_set(&roof->shape, "800x8");
    run_summarise(run, 0);
    assert_near(kernel->summary.limit.share, 0.5, 1e-9);
    assert_near(kernel->summary.limit.gbps, 16, 1e-9);
    string_set(&roof->shape, "800");
    run_summarise(run, 0);
    assert_near(kernel->summary.limit.share, 4, 1e-9);
    run_free(run);
}

/* Only rounds that both have are paired: here their ratio is 3 in all of them, and
 * another one in the rounds that only one of them has. */
TEST(summarise_paired_ratios)
{
    struct run *run = run_new();
    struct result *kernel, *baseline;
    add_case(run, "kernel", 100, 0);
    add_case(run, "baseline", 100, 0);
    add_case(run, "elsewhere", 100, 10);
    kernel = &run->results[0];
    baseline = &run->results[1];
    baseline->is_baseline = run->results[2].is_baseline = true;
    run->results[2].group = 1;
    kernel->samples.overhead_ns = baseline->samples.overhead_ns = 0;
    for (uint32_t round = 0; round < 20; round++) {
        bool both = round % 2;
        if (both || round < 10)
            assert_int_equal(result_add_sample(kernel, round, both ? 100 + round : 5000),
                             0);
        if (both || round >= 10)
            assert_int_equal(
                result_add_sample(baseline, round, both ? 300 + 3 * round : 7), 0);
    }
    /* A time of 0 has no ratio. */
    for (uint32_t round = 20; round < 22; round++) {
        assert_int_equal(result_add_sample(kernel, round, round % 2 ? 100 : 0), 0);
        assert_int_equal(result_add_sample(baseline, round, round % 2 ? 0 : 100), 0);
    }
    run_summarise(run, 0);
    assert_int_equal(kernel->summary.n_ratios, 1);
    assert_int_equal(baseline->summary.n_ratios, 0);
    assert_string_equal(kernel->summary.ratios[0].baseline, "baseline");
    assert_near(kernel->summary.ratios[0].speedup, 3, 1e-9);
    assert_true(kernel->summary.ratios[0].ci.known);
    assert_near(kernel->summary.ratios[0].ci.lo, 3, 1e-9);
    assert_near(kernel->summary.ratios[0].ci.hi, 3, 1e-9);
    assert_true(kernel->summary.ratios[0].ci.level == 1 - 22.0 / 1024); /* ten pairs */
    /* Again, and without the baseline: nothing stays of the first time. */
    run_summarise(run, 0);
    assert_int_equal(kernel->summary.n_ratios, 1);
    result_set_status(baseline, STATUS_WRONG, "no");
    run_summarise(run, 0);
    assert_int_equal(kernel->summary.n_ratios, 0);
    run_free(run);
}

/* Rows of one instruction set are for cases of that set, be it the kernel's or the one
 * that a library chose; a library without one is for all. */
TEST(summarise_instruction_sets)
{
    static const struct {
        const char *isa, *module_isa;
        size_t ratios;
    } rows[] = {{"avx512", NULL, 2},  {"avx2", NULL, 2},       {"sse2", NULL, 1},
                {"lib", "avx2", 2},   {"lib", "avx512_bf", 1}, {"lib", NULL, 3},
                {"avx512", "avx2", 2}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        static const char *const isas[] = {"avx512", "avx2", "lib"};
        struct run *run = run_new();
        add_case(run, "kernel", 100, 10);
        for (size_t b = 0; b < ARRAY_LEN(isas); b++) {
            struct result *baseline = add_case(run, isas[b], 200, 10);
            baseline->is_baseline = true;
            string_set(&baseline->isa, isas[b]);
        }
        string_set(&run->results[0].isa, rows[i].isa);
        string_set(&run->results[0].module.isa, rows[i].module_isa);
        run_summarise(run, 0);
        assert_int_equal(run->results[0].summary.n_ratios, rows[i].ratios);
        assert_string_equal(run->results[0].summary.ratios[rows[i].ratios - 1].baseline,
                            "lib");
        if (rows[i].ratios == 2)
            assert_string_equal(run->results[0].summary.ratios[0].baseline,
                                strcmp(rows[i].isa, "lib") ? rows[i].isa
                                                           : rows[i].module_isa);
        run_free(run);
    }
}

/* A plug-in meets own rows of its type and set, without such a set all, but no row that
 * is a limit. */
TEST(summarise_plugins)
{
    static const struct {
        const char *isa;
        size_t ratios;
        const char *last;
    } rows[] = {{"avx2", 1, "avx2"}, {"avx512", 1, "avx512"}, {"sse2", 2, "avx512"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        static const char *const own[] = {"avx2", "avx512", "part", "f64"};
        struct run *run = run_new();
        struct result *plugin = add_case(run, "mine:op/f32/isa/v@1", 100, 10);
        string_set(&plugin->module.name, "mine");
        string_set(&plugin->type, "f32");
        string_set(&plugin->isa, rows[i].isa);
        for (size_t k = 0; k < ARRAY_LEN(own); k++) {
            struct result *result = add_case(run, own[k], 200, 10);
            string_set(&result->type, k < 3 ? "f32" : "f64");
            string_set(&result->isa, k < 2 ? own[k] : rows[i].isa);
        }
        string_set(&run->results[1].limit_id, "part");
        run_summarise(run, 0);
        plugin = &run->results[0];
        assert_int_equal(plugin->summary.n_ratios, rows[i].ratios);
        assert_string_equal(plugin->summary.ratios[rows[i].ratios - 1].baseline,
                            rows[i].last);
        assert_near(plugin->summary.ratios[0].speedup, 2, 0.1);
        assert_int_equal(run->results[1].summary.n_ratios, 0);
        assert_true(run_meets_own(run));
        plugin->is_baseline = true;
        assert_false(run_meets_own(run));
        run_free(run);
    }
}

TEST(summarise_counters_and_clock)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 8);
    struct counter *counter = result_add_counter(result, "cycles");
    for (int i = 0; i < 7; i++) {
        assert_int_equal(counter_add_sample(counter, 1000 * i), 0);
        assert_int_equal(result_add_clock(result, 3 + 0.1 * i), 0);
    }
    run_summarise(run, 0);
    counter = &result->samples.counters[0];
    assert_near(counter->value, 300, 1e-9);
    assert_near(counter->per_element, 0.3, 1e-9);
    counter->overhead = 50;
    run_summarise(run, 0);
    assert_near(counter->value, 250, 1e-9);
    assert_near(counter->per_element, 0.25, 1e-9);
    counter->overhead = 301;
    run_summarise(run, 0);
    assert_true(counter->value == 0);
    assert_near(result->summary.ghz, 3.3, 1e-9);
    assert_true(result->summary.ghz_ci.known);
    assert_near(result->summary.ghz_ci.lo, 3, 1e-9);
    result_clear_samples(result);
    assert_int_equal(result->samples.n_counters, 1);
    assert_int_equal(result->samples.counters[0].n, 0);
    run_summarise(run, 0);
    assert_true(isnan(result->samples.counters[0].value));
    run_free(run);
}

TEST(samples_are_checked)
{
    struct run *run = run_new();
    struct result *result = run_add_result(run);
    assert_int_equal(result_add_sample(result, 3, NAN), -EINVAL);
    assert_int_equal(result_add_sample(result, 3, -1), -EINVAL);
    assert_int_equal(result_add_sample(result, 3, 1), 0);
    assert_int_equal(result_add_sample(result, 3, 1), -EINVAL);
    assert_int_equal(result_add_sample(result, 4, 1), 0);
    assert_int_equal(result_add_clock(result, INFINITY), -EINVAL);
    assert_int_equal(result->samples.n, 2);
    assert_int_equal(result->samples.n_clock, 0);
    run_free(run);
}
