/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"
#include "unit.h"

TEST(median_min_mad)
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
TEST(sign_k_table)
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
TEST(proportions)
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
TEST(sign_k_large)
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

TEST(interval_known_answers)
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

TEST(ratio_known_answers)
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
TEST(interval_coverage)
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
