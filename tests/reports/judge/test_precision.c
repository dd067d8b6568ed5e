/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds that end once the median is precise: how often its interval then holds the true
 * median, on simulated machines with the same random numbers every time. */
#include "judge/judge.h"
#include "model/model.h"
#include "random.h"
#include "unit.h"

enum { FIRST_LOOK = 24, ROUNDS = 192, TRIALS = 1000 };

/* Noise of each has median 0. */
static double gauss(uint64_t *seed)
{
    return normal(seed);
}

static double tail(uint64_t *seed)
{
    return -log(uniform(seed)) - log(2);
}

static double two_levels(uint64_t *seed)
{
    /* The median lies in the lower one, where 5/6 of its times are below. */
    const double lower_median = 0.9674215661017014;
    return (uniform(seed) < 0.6 ? 0 : 10) + normal(seed) - lower_median;
}

static double heavy(uint64_t *seed)
{
    return tan(3.141592653589793 * (uniform(seed) - 0.5)) / 2;
}

/* Takes rounds until they are precise, and returns whether the interval holds 1000. */
static bool one_run(double (*noise)(uint64_t *), double spread, uint64_t *seed,
                    size_t *rounds)
{
    struct run *const run = run_new();
    struct result *const result = run_add_result(run);
    size_t look = FIRST_LOOK;
    result->samples.iterations = 1;
    result->status = STATUS_OK;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const double ns = 1000 * (1 + spread * noise(seed));
        assert_int_equal(result_add_sample(result, i, fmax(ns, 0)), 0);
        if (result->samples.n < look)
            continue;
        look *= 2;
        if (result_precise(result, 0.01))
            break;
    }
    run_summarise(run, GROUP_ALL);
    const bool held =
        result->summary.ci_ns.lo <= 1000 && result->summary.ci_ns.hi >= 1000;
    *rounds += result->samples.n;
    run_free(run);
    return held;
}

TEST(test_coverage)
{
    double (*const noises[])(uint64_t *) = {gauss, tail, two_levels, heavy};
    static const double spreads[] = {0.003, 0.01, 0.02, 0.03, 0.05};
    uint64_t seed = 1;
    size_t all = 0;
    for (size_t n = 0; n < ARRAY_LEN(noises); n++)
        for (size_t s = 0; s < ARRAY_LEN(spreads); s++) {
            size_t held = 0, rounds = 0;
            for (size_t t = 0; t < TRIALS; t++)
                held += one_run(noises[n], spreads[s], &seed, &rounds);
            /* Three standard errors below 95%. */
            if (held < 0.929 * TRIALS)
                fail_msg("noise %zu, spread %g: %zu of %d", n, spreads[s], held, TRIALS);
            if (n == 0 && s == 0)
                assert_int_equal(rounds, FIRST_LOOK * TRIALS);
            all += held;
        }
    assert_true((double)all >= 0.95 * TRIALS * 20);
}

TEST(test_needs_samples)
{
    struct run *const run = run_new();
    struct result *const result = run_add_result(run);
    result->samples.iterations = 1;
    for (uint32_t i = 0; i < 8; i++) {
        /* The 99% interval of a median needs eight. */
        assert_false(result_precise(result, 0.01));
        assert_int_equal(result_add_sample(result, i, 1000 + 9.9 * (i % 2)), 0);
    }
    assert_true(result_precise(result, 0.01));
    assert_false(result_precise(result, 0.004));
    run_free(run);
}
