/* SPDX-License-Identifier: Apache-2.0 */
/* The ratio of an experiment, of samples that are made up. */
#include "explain/conditions.h"
#include "unit.h"

enum { BATCH = 1000 };

/* Times of a variant over a base that takes 1000 ns: `early` in the first so many
 * rounds, 0.8 of it in the others. */
static struct experiment made_up(uint32_t rounds, uint32_t first, double early)
{
    struct run *const run = run_new();
    for (int i = 0; i < 2; i++)
        run_add_result(run)->samples.iterations = 1;
    for (uint32_t round = 0; round < rounds; round++) {
        result_add_sample(&run->results[0], round, BATCH);
        result_add_sample(&run->results[1], round, BATCH * (round < first ? early : 0.8));
    }
    const struct experiment made =
        experiment_ratio("huge_pages", &run->results[1], &run->results[0], ALL_ROUNDS);
    run_free(run);
    return made;
}

/* A gain that a third of the rounds lacks, all of them early, has an interval with none;
 * so has a loss. */
TEST(test_both_halves)
{
    const struct experiment same = made_up(40, 0, 1), late = made_up(40, 13, 1),
                            more = made_up(40, 13, 0.6);
    assert_near(same.ratio, 0.8, 1e-12);
    assert_near(same.ci.hi, 0.8, 1e-12);
    assert_near(late.ratio, 0.8, 1e-12);
    assert_near(late.ci.lo, 0.8, 1e-12);
    assert_near(late.ci.hi, 1, 1e-12);
    assert_near(more.ci.lo, 0.6, 1e-12);
    assert_near(more.ci.hi, 0.8, 1e-12);
}

TEST(test_too_few_rounds)
{
    const struct experiment made = made_up(5, 0, 1);
    assert_false(made.ci.known);
    assert_string_equal(made.absent, "too few rounds");
}

/* Copies have the loop around calls in common, also where so few rounds judge them that
 * all of them count. */
TEST(test_few_rounds_of_copies)
{
    struct run *const run = run_new();
    for (int i = 0; i < 2; i++) {
        struct samples *const samples = &run_add_result(run)->samples;
        samples->iterations = 1;
        samples->overhead_ns = BATCH / 2.0;
    }
    for (uint32_t round = 0; round < 8; round++) {
        result_add_sample(&run->results[0], round, BATCH);
        result_add_sample(&run->results[1], round, BATCH * 0.8);
    }
    assert_near(
        experiment_ratio("place", &run->results[1], &run->results[0], JUDGING).ratio, 0.8,
        1e-12);
    assert_near(
        experiment_ratio("alone", &run->results[1], &run->results[0], ALL_ROUNDS).ratio,
        0.6, 1e-12);
    run_free(run);
}

/* Probes that differ from batch to batch as much as two cases do show no other clock. */
TEST(test_clock_share)
{
    struct run *const run = run_new();
    for (int i = 0; i < 2; i++)
        run_add_result(run)->samples.iterations = 1;
    for (int round = 0; round < 20; round++) {
        result_add_clock(&run->results[0], round < 11 ? 3.6 : 4.1);
        result_add_clock(&run->results[1], round < 9 ? 3.6 : 4.1);
    }
    run_summarise(run, GROUP_ALL);
    assert_near(run->results[0].summary.ghz / run->results[1].summary.ghz, 3.6 / 4.1,
                1e-9);
    assert_true(explain_clock_share(run, &run->results[0]) >= 1);
    for (int round = 0; round < 200; round++)
        result_add_clock(&run->results[0], 3.6);
    for (int round = 0; round < 200; round++)
        result_add_clock(&run->results[1], 4.1);
    run_summarise(run, GROUP_ALL);
    assert_near(explain_clock_share(run, &run->results[0]), 3.6 / 4.1, 1e-9);
    run_free(run);
}
