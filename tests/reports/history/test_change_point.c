/* SPDX-License-Identifier: Apache-2.0 */
/* Change points: how often equal code seems to change, and how often a change is seen, in
 * simulated histories; no clock, and the same random numbers every time. */
#include "effort.h"
#include "random.h"
#include "reports.h"
#include "unit.h"

enum { MACHINES = 4, RUNS_MAX = 120, CASES = 1500 };

/* Histories of one case on hosts that look the same, as they may be: logarithms of
 * medians. */
struct weather {
    const char *name;
    double spread;       /* of each run */
    double burst;        /* how often something slows a run, by 5% on average */
    double slow;         /* how often a process is laid out such that it is 4% slower */
    double machines;     /* spread of the machines behind one fingerprint */
    double moves;        /* how often a run has another one than the run before */
    double drift, keeps; /* spread of a slow drift, and how much of it stays */
};

static const struct weather weathers[] = {
    {.name = "quiet", .spread = 0.005},
    {.name = "heavy tails", .spread = 0.005, .burst = 0.1},
    {.name = "two modes", .spread = 0.005, .slow = 0.3},
    {.name = "machines", .spread = 0.005, .machines = 0.01, .moves = 0.5},
    {.name = "drift", .spread = 0.004, .drift = 0.008, .keeps = 0.6},
    {.name = "all of it",
     .spread = 0.005,
     .burst = 0.1,
     .slow = 0.2,
     .machines = 0.01,
     .moves = 0.5},
};

static void make_history(const struct weather *weather, size_t n, size_t at, double step,
                         uint64_t *seed, double *x)
{
    double machine[MACHINES], drift = 0;
    size_t here = 0;

    for (size_t i = 0; i < MACHINES; i++)
        machine[i] = weather->machines * normal(seed);
    for (size_t i = 0; i < 20 + n; i++) {
        if (uniform(seed) < weather->moves)
            here = next_random(seed) % MACHINES;
        drift = weather->keeps * drift + weather->drift * normal(seed);
        double value = weather->spread * normal(seed) + machine[here] + drift;
        if (uniform(seed) < weather->burst)
            value += -0.05 * log(uniform(seed));
        if (uniform(seed) < weather->slow)
            value += 0.04;
        if (i >= 20)
            x[i - 20] = value + (i - 20 >= at ? step : 0);
    }
}

/* Histories in which a change is seen; `near`: within three runs of `at`. */
static size_t count_seen(const struct weather *weather, size_t n, size_t at, double step,
                         size_t cases, size_t *near)
{
    uint64_t seed = 20240229 + n;
    size_t seen = 0;

    *near = 0;
    for (size_t i = 0; i < cases; i++) {
        double x[RUNS_MAX];
        size_t change[RUNS_MAX / CHANGE_SEGMENT];
        make_history(weather, n, at, step, &seed, x);
        const size_t found = stats_change_points(x, n, 0.01, 1, change);
        bool hit = false;
        for (size_t k = 0; k < found; k++)
            hit |= change[k] + 3 >= at && change[k] <= at + 3;
        seen += found > 0;
        *near += hit;
    }
    return seen;
}

TEST(test_false_alarms)
{
    static const size_t lengths[] = {20, 40, 100};
    const size_t cases = effort_of(CASES);
    for (size_t w = 0; w < ARRAY_LEN(weathers); w++) {
        size_t alarms = 0, near;
        for (size_t k = 0; k < ARRAY_LEN(lengths); k++)
            alarms += count_seen(&weathers[w], lengths[k], 0, 0, cases, &near);
        printf("%s: %zu false alarms in %zu histories\n", weathers[w].name, alarms,
               cases * ARRAY_LEN(lengths));
        assert_true(alarms <= cases * ARRAY_LEN(lengths) / 1000);
    }
}

TEST(test_power)
{
    static const struct {
        size_t n, at;
    } places[] = {{20, 10},  {30, 20},  {40, 20}, {40, 30},
                  {100, 50}, {100, 80}, {100, 90}};
    const size_t cases = getenv("SIMDBENCH_LONG") ? 200 : 5;
    for (size_t w = 0; w < ARRAY_LEN(weathers); w++)
        for (size_t k = 0; k < ARRAY_LEN(places); k++) {
            size_t two, five;
            if (!effort_turn())
                continue;
            count_seen(&weathers[w], places[k].n, places[k].at, 0.02, cases, &two);
            count_seen(&weathers[w], places[k].n, places[k].at, 0.05, cases, &five);
            printf("%s, run %zu of %zu: 2%% seen in %.0f%%, 5%% in %.0f%%\n",
                   weathers[w].name, places[k].at, places[k].n,
                   100.0 * (double)two / (double)cases,
                   100.0 * (double)five / (double)cases);
            /* Half a history of a hundred runs after it shows 5% whatever the weather. */
            if (places[k].at == 50)
                assert_true(10 * five >= 8 * cases);
            if (w == 0 && places[k].n >= 30)
                assert_true(10 * five >= 8 * cases);
            if (w == 0 && 2 * places[k].at == places[k].n && places[k].n > 20)
                assert_true(10 * two >= 8 * cases);
        }
}

TEST(test_exact)
{
    double x[100];
    size_t at[100 / CHANGE_SEGMENT];
    uint64_t seed = 1;

    /* Three levels; single values far out are none. */
    for (size_t i = 0; i < 100; i++)
        x[i] = (i < 30 ? 0 : i < 65 ? 0.1 : 0.05) + 0.001 * normal(&seed) + (i % 20 == 7);
    assert_int_equal(stats_change_points(x, 100, 0.01, 1, at), 2);
    assert_int_equal(at[0], 30);
    assert_int_equal(at[1], 65);
    /* A smaller change than asked for is none. */
    assert_int_equal(stats_change_points(x, 100, 0.2, 1, at), 0);
    /* The fewest values of which a step in the middle is seen. */
    double step[CHANGE_VALUES];
    for (size_t n = CHANGE_VALUES; n + 2 >= CHANGE_VALUES; n -= 2) {
        for (size_t i = 0; i < n; i++)
            step[i] = 2 * i < n ? 0 : 0.1;
        assert_int_equal(stats_change_points(step, n, 0.01, 1, at), n == CHANGE_VALUES);
    }
    /* Too few values, or equal ones. */
    assert_int_equal(stats_change_points(x + 24, 2 * CHANGE_SEGMENT - 1, 0.01, 1, at), 0);
    for (size_t i = 0; i < 100; i++)
        x[i] = 5;
    assert_int_equal(stats_change_points(x, 100, 0, 1, at), 0);
    assert_int_equal(stats_change_points(x, 0, 0, 1, at), 0);
}
