/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"
#include "unit.h"

static void median_min_mad(void **state)
{
    const double odd[] = {5, 1, 9}, even[] = {4, 1, 3, 2}, one[] = {7};
    const double spread[] = {1, 1, 2, 2, 4, 6, 9};
    assert_true(stats_median(odd, 3) == 5);
    assert_true(odd[0] == 5 && odd[1] == 1);
    assert_true(stats_median(even, 4) == 2.5);
    assert_true(stats_median(one, 1) == 7);
    assert_true(isnan(stats_median(NULL, 0)));
    assert_true(stats_min(even, 4) == 1);
    assert_true(isnan(stats_min(NULL, 0)));
    assert_true(stats_mad(spread, 7) == 1);
    assert_true(stats_mad(one, 1) == 0);
    assert_true(isnan(stats_mad(NULL, 0)));
    assert_near(stats_geomean((const double[]){1, 10, 100}, 3), 10, 1e-12);
    assert_true(isnan(stats_geomean((const double[]){1, 0}, 2)));
    assert_true(isnan(stats_geomean(NULL, 0)));
}

/* Table of the two-sided sign test at 95%. */
static void sign_k_table(void **state)
{
    static const size_t table[][2] = {{0, 0},  {1, 0},   {5, 0},   {6, 1},   {8, 1},
                                      {9, 2},  {10, 2},  {12, 3},  {15, 4},  {20, 6},
                                      {25, 8}, {30, 10}, {40, 14}, {52, 19}, {60, 22}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        assert_int_equal(stats_sign_k(table[i][0], 0.95), table[i][1]);
    /* 2 P(B < 1) = 2/64 exactly: the bound itself is allowed. */
    assert_int_equal(stats_sign_k(6, 1 - 2.0 / 64), 1);
    assert_int_equal(stats_sign_k(6, 1 - 1.99 / 64), 0);
    assert_int_equal(stats_sign_k(5, 0), 3);
}

/* Clopper-Pearson intervals at 95%, from published tables; and what they have to be where
 * they can be written down. */
static void proportions(void **state)
{
    static const struct {
        size_t successes, n;
        double lo, hi;
    } cases[] = {{0, 10, 0, 0.30850},       {1, 10, 0.00253, 0.44502},
                 {5, 10, 0.18709, 0.81291}, {10, 10, 0.69150, 1},
                 {0, 100, 0, 0.03622},      {98, 100, 0.92962, 0.99757},
                 {49, 50, 0.89353, 0.99949}};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct interval ci =
            stats_proportion_interval(cases[i].successes, cases[i].n, 0.95);
        assert_true(ci.known);
        assert_near(ci.lo, cases[i].lo, 1e-5);
        assert_near(ci.hi, cases[i].hi, 1e-5);
    }
    for (size_t n = 1; n < 3000; n = 3 * n + 1) {
        const struct interval none = stats_proportion_interval(0, n, 0.99);
        assert_near(none.hi, 1 - pow(0.005, 1 / (double)n), 1e-9);
        assert_true(none.lo == 0);
        assert_near(stats_proportion_interval(n, n, 0.99).lo, 1 - none.hi, 1e-9);
    }
    assert_false(stats_proportion_interval(0, 0, 0.95).known);
}

/* For large n the exact k must agree with the normal quantile, and its level with a sum
 * of binomial terms made in another way. */
static void sign_k_large(void **state)
{
    static const size_t sizes[] = {100, 1000, 1100, 5000, 100000};
    double *x = calloc(100000, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < 100000; i++)
        x[i] = (double)i;
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        size_t n = sizes[i], k = stats_sign_k(n, 0.95);
        double guess = (double)n / 2 + 0.5 - 1.959964 * sqrt((double)n) / 2;
        struct interval interval = stats_median_interval(x, n, 0.95);
        double tail = 0, next;
        for (size_t j = 0; j < k; j++)
            tail += exp(lgamma((double)n + 1) - lgamma((double)j + 1) -
                        lgamma((double)(n - j) + 1) - (double)n * log(2));
        next = exp(lgamma((double)n + 1) - lgamma((double)k + 1) -
                   lgamma((double)(n - k) + 1) - (double)n * log(2));
        assert_near((double)k, guess, 1);
        assert_true(2 * tail <= 0.05 && 2 * (tail + next) > 0.05);
        assert_near(interval.level, 1 - 2 * tail, 1e-8);
        assert_true(interval.lo == (double)(k - 1) && interval.hi == (double)(n - k));
    }
    free(x);
}

static void interval_known_answers(void **state)
{
    const double x[] = {10, 9, 8, 7, 6, 5, 4, 3, 2, 1};
    struct interval interval = stats_median_interval(x, 10, 0.95);
    assert_true(interval.known);
    assert_true(interval.lo == 2 && interval.hi == 9);
    assert_true(interval.level == 1 - 22.0 / 1024);
    assert_false(stats_median_interval(x, 5, 0.5).known);
    assert_false(stats_median_interval(x, 6, 0.99).known);
    assert_false(stats_median_interval(NULL, 0, 0.95).known);
}

static void ratio_known_answers(void **state)
{
    const double a[] = {2, 4, 6, 8, 10, 12, 14}, b[] = {1, 2, 3, 4, 5, 6, 7};
    const double c[] = {1, 1, 2, 4, 5, 6, 7};
    struct interval interval;
    assert_near(stats_ratio(a, b, 7, 0.95, &interval), 2, 1e-12);
    assert_true(interval.known);
    assert_near(interval.lo, 2, 1e-12);
    assert_near(interval.hi, 2, 1e-12);
    assert_near(stats_ratio(b, a, 7, 0.95, &interval), 0.5, 1e-12);
    assert_near(stats_ratio(a, c, 7, 0.95, &interval), 2, 1e-12);
    assert_near(interval.lo, 2, 1e-12);
    assert_near(interval.hi, 4, 1e-12);
    assert_near(stats_ratio(a, b, 5, 0.95, &interval), 2, 1e-12);
    assert_false(interval.known);
    assert_true(isnan(stats_ratio(a, b, 0, 0.95, &interval)));
    assert_false(interval.known);
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ((double)(*seed >> 11) + 0.5) * 0x1p-53;
}

/* The interval must hold the true median as often as its exact level says, whatever the
 * distribution: here a skewed one with median log 2. 20 000 trials: three standard errors
 * are about 0.5%. */
static void interval_coverage(void **state)
{
    static const size_t sizes[] = {6, 10, 21, 52};
    uint64_t seed = 42;
    double x[52];
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        const int trials = 20000;
        double level = 0;
        int held = 0;
        for (int trial = 0; trial < trials; trial++) {
            struct interval interval;
            for (size_t j = 0; j < sizes[i]; j++)
                x[j] = -log(uniform(&seed));
            interval = stats_median_interval(x, sizes[i], 0.95);
            held += interval.lo <= log(2) && log(2) <= interval.hi;
            level = interval.level;
        }
        assert_true(level >= 0.95);
        assert_near((double)held / trials, level, 0.006);
    }
}

/* ---- run_summarise ---- */

static struct result *add_case(struct run *run, const char *id, double ns, size_t n)
{
    struct result *result = run_add_result(run);
    assert_non_null(result);
    assert_int_equal(string_set(&result->id, id), 0);
    assert_int_equal(result_set_status(result, STATUS_OK, NULL), 0);
    result->iterations = 10;
    result->overhead_ns = 2;
    result->ops = 1000;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(result_add_sample(result, i, (ns + 2) * 10), 0);
    return result;
}

static void summarise_times_and_rates(void **state)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 8);
    result->bytes = 400;
    result->samples_ns[0] = 5; /* less than the overhead: never below 0 */
    assert_int_equal(run_summarise(run, GROUP_ALL), 0);
    assert_near(result->median_ns, 100, 1e-9);
    assert_true(result->min_ns == 0);
    assert_near(result->gops, 10, 1e-9);
    assert_near(result->gbps, 4, 1e-9);
    assert_true(result->ci_ns.known);
    assert_null(result->ci_reason);
    assert_true(result->ghz == 0 && !result->ghz_ci.known);
    run_free(run);
}

static void summarise_few_samples(void **state)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 5);
    assert_int_equal(run_summarise(run, GROUP_ALL), 0);
    assert_false(result->ci_ns.known);
    assert_string_equal(result->ci_reason,
                        "5 valid rounds; an interval needs at least 6");
    result_clear_samples(result);
    assert_int_equal(result->n_samples, 0);
    assert_null(result->ci_reason);
    assert_int_equal(run_summarise(run, GROUP_ALL), 0);
    assert_true(result->median_ns == 0 && result->gops == 0);
    run_free(run);
}

static void summarise_limits(void **state)
{
    static const struct {
        double kernel, roof, share;
        bool too_low;
    } rows[] = {
        {100, 80, 0.8, false}, {100, 101.9, 1.019, false}, {100, 103, 1.03, true}};

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
        assert_int_equal(string_set(&other->id, "roof"), 0);
        assert_int_equal(string_set(&kernel->limit_id, "roof"), 0);
        assert_int_equal(run_summarise(run, GROUP_ALL), 0);
        assert_string_equal(kernel->limit.id, "roof");
        assert_near(kernel->limit.share, rows[i].share, 1e-9);
        assert_near(kernel->limit.gops, roof->gops, 0);
        assert_true(kernel->limit.gbps == 0);
        assert_int_equal(kernel->limit.too_low, rows[i].too_low);
        /* A roof that failed limits nothing, and neither does a stale value. */
        assert_int_equal(result_set_status(roof, STATUS_FAILED, "died"), 0);
        assert_int_equal(run_summarise(run, 0), 0);
        assert_null(kernel->limit.id);
        run_free(run);
    }
}

static void summarise_bandwidth_limit(void **state)
{
    struct run *run = run_new();
    struct result *kernel, *roof;
    add_case(run, "roof", 50, 10);
    kernel = add_case(run, "kernel", 100, 10);
    roof = &run->results[0];
    kernel->bytes = roof->bytes = 1000;
    roof->ops = 0;
    roof->is_roof = true;
    assert_int_equal(string_set(&kernel->limit_id, "roof"), 0);
    assert_int_equal(run_summarise(run, 0), 0);
    assert_true(kernel->limit.gops == 0);
    assert_near(kernel->limit.gbps, 20, 1e-9);
    assert_near(kernel->limit.share, 0.5, 1e-9);
    /* They share no round. */
    for (size_t i = 0; i < roof->n_samples; i++)
        roof->rounds[i] += 10;
    assert_int_equal(run_summarise(run, 0), 0);
    assert_near(kernel->limit.share, 0.5, 1e-9);
    run_free(run);
}

/* Only rounds that both have are paired: here their ratio is 3 in all of them, and
 * another one in the rounds that only one of them has. */
static void summarise_paired_ratios(void **state)
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
    kernel->overhead_ns = baseline->overhead_ns = 0;
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
    assert_int_equal(run_summarise(run, 0), 0);
    assert_int_equal(kernel->n_ratios, 1);
    assert_int_equal(baseline->n_ratios, 0);
    assert_string_equal(kernel->ratios[0].baseline, "baseline");
    assert_near(kernel->ratios[0].speedup, 3, 1e-9);
    assert_true(kernel->ratios[0].ci.known);
    assert_near(kernel->ratios[0].ci.lo, 3, 1e-9);
    assert_near(kernel->ratios[0].ci.hi, 3, 1e-9);
    assert_true(kernel->ratios[0].ci.level == 1 - 22.0 / 1024); /* ten pairs */
    /* Again, and without the baseline: nothing stays of the first time. */
    assert_int_equal(run_summarise(run, 0), 0);
    assert_int_equal(kernel->n_ratios, 1);
    assert_int_equal(result_set_status(baseline, STATUS_WRONG, "no"), 0);
    assert_int_equal(run_summarise(run, 0), 0);
    assert_int_equal(kernel->n_ratios, 0);
    run_free(run);
}

/* Rows of one instruction set are for cases of that set, be it the kernel's or the one
 * that a library chose; a library without one is for all. */
static void summarise_instruction_sets(void **state)
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
            assert_int_equal(string_set(&baseline->isa, isas[b]), 0);
        }
        assert_int_equal(string_set(&run->results[0].isa, rows[i].isa), 0);
        assert_int_equal(string_set(&run->results[0].module_isa, rows[i].module_isa), 0);
        assert_int_equal(run_summarise(run, 0), 0);
        assert_int_equal(run->results[0].n_ratios, rows[i].ratios);
        assert_string_equal(run->results[0].ratios[rows[i].ratios - 1].baseline, "lib");
        if (rows[i].ratios == 2)
            assert_string_equal(run->results[0].ratios[0].baseline,
                                strcmp(rows[i].isa, "lib") ? rows[i].isa
                                                           : rows[i].module_isa);
        run_free(run);
    }
}

/* A plug-in meets own rows of its type and set, without such a set all, but no row that
 * is a limit. */
static void summarise_plugins(void **state)
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
        assert_int_equal(string_set(&plugin->module, "mine"), 0);
        assert_int_equal(string_set(&plugin->type, "f32"), 0);
        assert_int_equal(string_set(&plugin->isa, rows[i].isa), 0);
        for (size_t k = 0; k < ARRAY_LEN(own); k++) {
            struct result *result = add_case(run, own[k], 200, 10);
            assert_int_equal(string_set(&result->type, k < 3 ? "f32" : "f64"), 0);
            assert_int_equal(string_set(&result->isa, k < 2 ? own[k] : rows[i].isa), 0);
        }
        assert_int_equal(string_set(&run->results[1].limit_id, "part"), 0);
        assert_int_equal(run_summarise(run, 0), 0);
        plugin = &run->results[0];
        assert_int_equal(plugin->n_ratios, rows[i].ratios);
        assert_string_equal(plugin->ratios[rows[i].ratios - 1].baseline, rows[i].last);
        assert_near(plugin->ratios[0].speedup, 2, 0.1);
        assert_int_equal(run->results[1].n_ratios, 0);
        assert_true(run_meets_own(run));
        plugin->is_baseline = true;
        assert_false(run_meets_own(run));
        run_free(run);
    }
}

static void summarise_counters_and_clock(void **state)
{
    struct run *run = run_new();
    struct result *result = add_case(run, "a", 100, 8);
    struct counter *counter = result_add_counter(result, "cycles");
    for (int i = 0; i < 7; i++) {
        assert_int_equal(counter_add_sample(counter, 1000 * i), 0);
        assert_int_equal(result_add_clock(result, 3 + 0.1 * i), 0);
    }
    assert_int_equal(run_summarise(run, 0), 0);
    counter = &result->counters[0];
    assert_near(counter->value, 300, 1e-9);
    assert_near(counter->per_element, 0.3, 1e-9);
    counter->overhead = 50;
    assert_int_equal(run_summarise(run, 0), 0);
    assert_near(counter->value, 250, 1e-9);
    assert_near(counter->per_element, 0.25, 1e-9);
    counter->overhead = 301;
    assert_int_equal(run_summarise(run, 0), 0);
    assert_true(counter->value == 0);
    assert_near(result->ghz, 3.3, 1e-9);
    assert_true(result->ghz_ci.known);
    assert_near(result->ghz_ci.lo, 3, 1e-9);
    result_clear_samples(result);
    assert_int_equal(result->n_counters, 1);
    assert_int_equal(result->counters[0].n, 0);
    assert_int_equal(run_summarise(run, 0), 0);
    assert_true(isnan(result->counters[0].value));
    run_free(run);
}

static void samples_are_checked(void **state)
{
    struct run *run = run_new();
    struct result *result = run_add_result(run);
    assert_int_equal(result_add_sample(result, 3, NAN), -EINVAL);
    assert_int_equal(result_add_sample(result, 3, -1), -EINVAL);
    assert_int_equal(result_add_sample(result, 3, 1), 0);
    assert_int_equal(result_add_sample(result, 3, 1), -EINVAL);
    assert_int_equal(result_add_sample(result, 4, 1), 0);
    assert_int_equal(result_add_clock(result, INFINITY), -EINVAL);
    assert_int_equal(result->n_samples, 2);
    assert_int_equal(result->n_clock, 0);
    run_free(run);
}

int main(void)
{
    return RUN_TESTS(TEST(median_min_mad), TEST(sign_k_table), TEST(sign_k_large),
                     TEST(proportions), TEST(interval_known_answers),
                     TEST(ratio_known_answers), TEST(interval_coverage),
                     TEST(summarise_times_and_rates), TEST(summarise_few_samples),
                     TEST(summarise_limits), TEST(summarise_bandwidth_limit),
                     TEST(summarise_paired_ratios), TEST(summarise_instruction_sets),
                     TEST(summarise_plugins), TEST(summarise_counters_and_clock),
                     TEST(samples_are_checked));
}
