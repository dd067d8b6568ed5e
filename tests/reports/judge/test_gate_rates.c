/* SPDX-License-Identifier: Apache-2.0 */
/* Error rates of the gate on simulated machines: no clock, and the same random numbers
 * every time. */
#include "gate_trials.h"
#include "random.h"
#include "unit.h"

enum { ROUNDS = 6 };

/* Spread of a process and a round, and how often something bursts in, for how long. */
struct weather {
    double process, round, burst, burst_length;
};

static double slowed(const struct weather *weather, uint64_t *seed)
{
    double x = weather->round * fabs(normal(seed));
    if (uniform(seed) < weather->burst)
        x += -weather->burst_length * log(uniform(seed));
    return x;
}

static void add_processes(struct comparison *comparison, size_t from, size_t n,
                          double truth, const struct weather *weather, uint64_t *seed)
{
    for (size_t process = from; process < from + n; process++) {
        const double layout = weather->process * normal(seed);
        const double copy = weather->process * normal(seed);
        for (size_t round = 0; round < ROUNDS; round++) {
            const double base = slowed(weather, seed);
            add_trial(comparison, process, 1e4 * exp(base),
                      truth + layout + slowed(weather, seed) - base,
                      copy + slowed(weather, seed) - base);
        }
    }
}

struct tally {
    size_t of[VERDICT_GONE + 1];
};

/* Processes of programs: one round each, and each with places of its own. */
static void add_programs(struct comparison *comparison, size_t from, size_t n,
                         double truth, const struct weather *weather, uint64_t *seed)
{
    for (size_t process = from; process < from + n; process++) {
        const double base = weather->process * normal(seed);
        const double head = weather->process * normal(seed);
        add_trial(comparison, process, 1e4 * exp(base), truth + head - base,
                  weather->process * normal(seed) - base);
    }
}

typedef void adder(struct comparison *, size_t, size_t, double, const struct weather *,
                   uint64_t *);

/* A gate of one case, with a second look if the first leaves it open. */
static struct comparison *judged(struct run *run, size_t processes, adder *add,
                                 double truth, const struct weather *weather,
                                 uint64_t *seed)
{
    struct comparison *const comparison = add_case(run);
    add(comparison, 0, processes, truth, weather, seed);
    run_judge(run);
    if (comparison_is_open(comparison, run->gate->threshold)) {
        add(comparison, processes, processes, truth, weather, seed);
        run_judge(run);
    }
    return comparison;
}

static struct tally simulate(size_t gates, double threshold, double truth,
                             const struct weather *weather)
{
    struct tally tally = {{0}};
    uint64_t seed = 20240229;
    for (size_t i = 0; i < gates; i++) {
        struct run *const run = new_run(threshold);
        tally.of[judged(run, GATE_PROCESSES, add_processes, truth, weather, &seed)
                     ->verdict]++;
        run_free(run);
    }
    return tally;
}

static const struct weather quiet = {
    .process = 0.003, .round = 0.006, .burst = 0.02, .burst_length = 0.1};
static const struct weather bursty = {
    .process = 0.004, .round = 0.01, .burst = 0.3, .burst_length = 0.3};

TEST(equal_code_is_no_regression)
{
    const struct tally calm = simulate(1000, 0.02, 0, &quiet);
    const struct tally storm = simulate(1000, 0.02, 0, &bursty);
    assert_int_equal(calm.of[VERDICT_REGRESSED] + calm.of[VERDICT_IMPROVED], 0);
    assert_int_equal(storm.of[VERDICT_REGRESSED] + storm.of[VERDICT_IMPROVED], 0);
    assert_true(calm.of[VERDICT_SAME] >= 990);
    assert_true(storm.of[VERDICT_SAME] >= 900);
}

TEST(real_changes_are_found)
{
    assert_true(simulate(500, 0.02, 0.04, &quiet).of[VERDICT_REGRESSED] >= 495);
    assert_true(simulate(500, 0.02, -0.04, &quiet).of[VERDICT_IMPROVED] >= 495);
    assert_true(simulate(500, 0.01, 0.02, &quiet).of[VERDICT_REGRESSED] >= 460);
}

/* The worst case of equality, a change of just the threshold: one side of two looks errs
 * in at most 1.07% + 1.01% of gates. Without bursts, so that delta is the threshold, and
 * with so little noise in the rounds that the shortest trials decide nothing. */
TEST(errors_are_bounded_at_the_threshold)
{
    static const struct weather plain = {.process = 0.002, .round = 0.0001};
    const struct tally at = simulate(4000, 0.02, log1p(0.02), &plain);
    assert_in_range(at.of[VERDICT_REGRESSED], 20, 110);
    assert_int_equal(at.of[VERDICT_IMPROVED] + at.of[VERDICT_UNUSABLE], 0);
}

/* Gates that stay open may name a number of processes, which decides most of them. */
TEST(advice_decides)
{
    static const struct weather windy = {.process = 0.015};
    uint64_t seed = 5;
    size_t advised = 0, decided = 0;
    for (size_t i = 0; i < 400; i++) {
        struct run *const run = new_run(0.02), *const more = new_run(0.02);
        const double truth = 0.1 * uniform(&seed);
        const struct comparison *const open =
            judged(run, GATE_PROCESSES, add_programs, truth, &windy, &seed);
        const char *const advice =
            open->reason ? strstr(open->reason, "; --processes=") : NULL;
        if (advice) {
            const size_t n = strtoul(strchr(advice, '=') + 1, NULL, 10);
            const enum verdict verdict =
                judged(more, n, add_programs, truth, &windy, &seed)->verdict;
            advised++;
            decided += verdict == VERDICT_REGRESSED || verdict == VERDICT_SAME;
        }
        run_free(run);
        run_free(more);
    }
    assert_true(advised >= 40);
    assert_true(10 * decided >= 8 * advised);
}

static int rank_of(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_IMPROVED:
        return 0;
    case VERDICT_SAME:
        return 2;
    case VERDICT_REGRESSED:
        return 4;
    default:
        return -1;
    }
}

/* Slower trials never look faster, and what regresses at a threshold does at all smaller
 * ones; base and head exchanged give the opposite. */
TEST(verdicts_are_monotone)
{
    int last = 0;
    for (int step = -60; step <= 60; step++) {
        struct run *const run = new_run(0.02), *const wide = new_run(0.03),
                          *const turned = new_run(0.02);
        uint64_t seed = 7, same = 7;
        struct comparison *const a = add_case(run), *const b = add_case(wide),
                                 *const t = add_case(turned);
        add_processes(a, 0, 16, step * 0.001, &quiet, &seed);
        add_processes(b, 0, 16, step * 0.001, &quiet, &same);
        FOR_EACH (const struct trial, from, a->trials, a->n_trials) {
            const struct trial trial = {.process = from->process,
                                        .base_ns = from->head_ns,
                                        .head_ns = from->base_ns,
                                        .control_ns = from->head_ns * from->control_ns /
                                                      from->base_ns};
            assert_int_equal(comparison_add_trial(t, &trial), 0);
        }
        run_judge(run);
        run_judge(wide);
        run_judge(turned);
        const int rank = rank_of(a->verdict);
        if (rank >= 0) {
            assert_true(rank >= last);
            last = rank;
            assert_int_equal(rank_of(t->verdict), 4 - rank);
        }
        assert_near((1 + a->change) * (1 + t->change), 1, 1e-12);
        if (b->verdict == VERDICT_REGRESSED)
            assert_int_equal(a->verdict, VERDICT_REGRESSED);
        assert_true(a->detectable > a->delta && a->change_ci.lo <= a->change &&
                    a->change <= a->change_ci.hi);
        run_free(run);
        run_free(wide);
        run_free(turned);
    }
    assert_int_equal(last, 4);
}
