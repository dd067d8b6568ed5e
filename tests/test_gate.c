/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on synthetic trials: no clock, and the same random numbers every time. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gate.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

enum { ROUNDS = 6 };

static struct run *new_run(double threshold)
{
    struct run *const run = run_new();

    assert_non_null(run);
    assert_non_null(run_gate(run));
    run->gate->threshold = threshold;
    return run;
}

static struct comparison *add_case(struct run *run)
{
    struct result *const result = run_add_result(run);

    assert_non_null(result);
    return result_comparison(result);
}

/* A round in which head takes exp(d) and the control exp(c) of base's time. */
static void add_trial(struct comparison *comparison, size_t process, double base,
                      double d, double c)
{
    const struct trial trial = {.process = (uint32_t)process,
                                .base_ns = base,
                                .head_ns = base * exp(d),
                                .control_ns = base * exp(c)};

    assert_int_equal(comparison_add_trial(comparison, &trial), 0);
}

/* Processes of one round each, d = from + i * step for i = 0, 1, ... */
static struct comparison *add_ramp(struct run *run, size_t processes, double from,
                                   double step)
{
    struct comparison *const comparison = add_case(run);

    for (size_t i = 0; i < processes; i++)
        add_trial(comparison, i, 100, from + (double)i * step, 0);
    return comparison;
}

static void sign_p_is_exact(void **state)
{
    (void)state;
    assert_true(stats_sign_p(16, 16) == 1 / 65536.0);
    assert_true(stats_sign_p(16, 15) == 17 / 65536.0);
    assert_true(stats_sign_p(16, 14) == 137 / 65536.0);
    assert_true(stats_sign_p(16, 13) == 697 / 65536.0);
    assert_true(stats_sign_p(16, 0) == 1);
    assert_true(stats_sign_p(0, 0) == 1);
    assert_true(stats_sign_p(7, 4) == 0.5);
    assert_near(stats_sign_p(2001, 1001), 0.5, 1e-9);
    assert_near(stats_sign_p(10000, 0), 1, 0);
    assert_true(stats_sign_p(3000, 3000) == 0); /* below the smallest double */
}

/* x(4) and x(13) of 16, x(10) and x(23) of 32. */
static void looks_have_exact_levels(void **state)
{
    struct run *const run = new_run(0.02);

    (void)state;
    add_ramp(run, 16, 0.001, 0.001);
    add_ramp(run, 32, 0.0001, 0.0001);
    assert_int_equal(run_judge(run), 0);
    const struct comparison *const a = run->results[0].comparison;
    assert_near(log1p(a->change), 0.0085, 1e-12);
    assert_near(log1p(a->change_ci.lo), 0.004, 1e-12);
    assert_near(log1p(a->change_ci.hi), 0.013, 1e-12);
    assert_true(a->change_ci.level == 1 - 2 * 697 / 65536.0);
    assert_int_equal(a->processes, 16);
    assert_true(a->floor == 0 && a->delta == 0.02);
    assert_near(log1p(a->detectable), log1p(0.02) + 0.0045, 1e-12);
    assert_near(log1p(a->least_change), 0.001, 1e-12);
    assert_true(a->base_ns == 100 && a->p == 1);
    assert_near(a->head_ns, 100 * exp(0.0085), 1e-3);
    assert_int_equal(a->verdict, VERDICT_SAME);
    const struct comparison *const b = run->results[1].comparison;
    assert_near(log1p(b->change_ci.lo), 0.0010, 1e-12);
    assert_near(log1p(b->change_ci.hi), 0.0023, 1e-12);
    assert_near(b->change_ci.level, 1 - 0.020062, 1e-6);
    run_free(run);
}

/* Rounds of a process count once: its median does. */
static void processes_are_the_observations(void **state)
{
    struct run *const run = new_run(0.02);
    struct comparison *const comparison = add_case(run);

    (void)state;
    for (size_t process = 0; process < 16; process++)
        for (size_t round = 0; round < 5; round++)
            add_trial(comparison, process, 100, round < 3 ? 0.001 * (double)process : 0.5,
                      0);
    assert_int_equal(run_judge(run), 0);
    assert_near(log1p(comparison->change), 0.0075, 1e-12);
    /* Of 80 rounds, 32 are 0.5: the interval of all reaches further than that of the
     * processes and is the one that counts. */
    assert_int_equal(comparison->processes, 16);
    assert_true(log1p(comparison->change_ci.lo) > 0.0039);
    assert_true(comparison->change_ci.hi > 0.012);
    assert_true(comparison->change_ci.level > 0.978 &&
                comparison->change_ci.level < 0.9999);
    run_free(run);
}

static void changes_beyond_the_threshold(void **state)
{
    struct run *const run = new_run(0.02);
    /* x(4) just above and just below ln(1.02) */
    const double bound = log1p(0.02);
    size_t i = 0;

    (void)state;
    add_ramp(run, 16, bound - 2.999e-3, 1e-3);
    add_ramp(run, 16, bound - 3.001e-3, 1e-3);
    add_ramp(run, 16, -bound + 2.999e-3, -1e-3);
    add_ramp(run, 16, -bound + 3.001e-3, -1e-3);
    for (; i < 4; i++) {
        struct run *const one = new_run(0.02);
        const struct comparison *const from = run->results[i].comparison;
        struct comparison *const to = add_case(one);
        for (size_t k = 0; k < from->n_trials; k++)
            assert_int_equal(comparison_add_trial(to, &from->trials[k]), 0);
        assert_int_equal(run_judge(one), 0);
        const enum verdict expected[] = {VERDICT_REGRESSED, VERDICT_INCONCLUSIVE,
                                         VERDICT_IMPROVED, VERDICT_INCONCLUSIVE};
        assert_int_equal(to->verdict, expected[i]);
        assert_true((to->reason != NULL) == (i % 2 == 1));
        assert_true(to->p == (i % 2 ? stats_sign_p(16, 12) : stats_sign_p(16, 13)));
        assert_int_equal(comparison_is_open(to, 0.02), i % 2 == 1);
        run_free(one);
    }
    run_free(run);
}

/* Medians say slower, the shortest trials do not. */
static void witness_can_veto(void **state)
{
    struct run *const run = new_run(0.02);
    struct comparison *const comparison = add_case(run);

    (void)state;
    for (size_t i = 0; i < 16; i++)
        add_trial(comparison, i, 100, i == 7 ? 0.005 : 0.04, 0);
    assert_int_equal(run_judge(run), 0);
    assert_int_equal(comparison->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(comparison->reason, "shortest trials differ by +0.50%"));
    assert_true(comparison->change_ci.lo > 0.02);
    run_free(run);
}

static void control_decides_what_counts(void **state)
{
    struct run *const run = new_run(0.02);
    struct comparison *list[6];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        list[i] = add_case(run);
    for (size_t i = 0; i < 16; i++) {
        const double ramp = ((double)i - 7.5) / 4.5; /* half-width 1 at 16 processes */
        add_trial(list[0], i, 100, 0.029, 0.015 * ramp); /* 2f = 3%: not 2.9% */
        add_trial(list[1], i, 100, 0.04, 0.015 * ramp);  /* but 4% is */
        add_trial(list[2], i, 100, 0.00, 0.03);          /* copy of base is slower */
        add_trial(list[3], i, 100, 0.00, 0.045 * ramp);  /* says nothing at 2% */
        add_trial(list[4], i, 100, -0.30, 0.045 * ramp); /* but 30% is beyond it */
        add_trial(list[5], i, 100, 0.01 + 0.015 * ramp, 0.015 * ramp);
    }
    assert_int_equal(run_judge(run), 0);
    assert_near(list[0]->floor, expm1(0.015), 1e-12);
    assert_near(list[0]->delta, 2 * expm1(0.015), 1e-12);
    assert_int_equal(list[0]->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(list[0]->reason, "beyond the threshold, but equal code"));
    /* The same within 3%, not within 2%: a second look may tell more. */
    assert_int_equal(list[5]->verdict, VERDICT_SAME);
    assert_true(comparison_is_open(list[5], 0.02));
    assert_false(comparison_is_open(list[5], 0.03));
    assert_int_equal(list[1]->verdict, VERDICT_REGRESSED);
    assert_int_equal(list[2]->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(list[2]->reason, "copy of base"));
    assert_int_equal(list[3]->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(list[3]->reason, "equal code seems to change by 4.6%"));
    assert_true(comparison_is_open(list[3], 0.02));
    assert_int_equal(list[4]->verdict, VERDICT_IMPROVED);
    assert_true(run->gate->same == 1 && run->gate->regressed == 1 &&
                run->gate->unusable == 2 && run->gate->improved == 1 &&
                run->gate->inconclusive == 1 && run->gate->only_one == 0);
    assert_near(log1p(run->gate->geomean_change), (0.029 + 0.04 - 0.3 + 0.01) / 6, 1e-12);
    run_free(run);
}

static void few_processes_ties_no_control(void **state)
{
    struct run *const run = new_run(0.02);
    struct comparison *const few = add_ramp(run, 6, 0.1, 0);
    struct comparison *const seven = add_ramp(run, 7, 0.1, 0);
    struct comparison *const ties = add_ramp(run, 16, 0, 0);
    struct comparison *const alone = add_case(run);
    struct comparison *const crashed = add_case(run);
    struct comparison *const added = add_case(run);

    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        const struct trial trial = {i, 100, 110, 0};
        assert_int_equal(comparison_add_trial(alone, &trial), 0);
    }
    crashed->verdict = VERDICT_UNUSABLE;
    assert_int_equal(string_set(&crashed->reason, "head: SIGSEGV"), 0);
    added->verdict = VERDICT_NEW;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(run_judge(run), 0);
        assert_int_equal(few->verdict, VERDICT_UNUSABLE);
        assert_string_equal(few->reason, "6 processes are too few for an interval");
        assert_false(few->change_ci.known);
        assert_true(isnan(few->detectable));
        /* All of 7 beyond: p = 1/128, which Holm refuses for four cases at once. */
        assert_true(seven->p == 1 / 128.0);
        assert_int_equal(seven->verdict, VERDICT_INCONCLUSIVE);
        assert_non_null(strstr(seven->reason, "4 cases"));
        assert_int_equal(ties->verdict, VERDICT_SAME);
        assert_true(ties->change == 0 && ties->change_ci.lo == 0 &&
                    ties->change_ci.hi == 0);
        assert_int_equal(alone->verdict, VERDICT_REGRESSED);
        assert_true(isnan(alone->floor) && alone->delta == 0.02);
        assert_false(alone->control_ci.known);
        assert_int_equal(crashed->verdict, VERDICT_UNUSABLE);
        assert_string_equal(crashed->reason, "head: SIGSEGV");
        assert_false(comparison_is_open(crashed, 0.02));
        assert_int_equal(added->verdict, VERDICT_NEW);
        assert_int_equal(run->gate->only_one, 1);
    }
    run_free(run);
}

static void holm_tables(void **state)
{
    static const double p[] = {0.01, 0.04, 0.03, 0.005}, same[] = {0.02, 0.02};
    bool holds[4];

    (void)state;
    assert_int_equal(gate_holm(p, holds, 4, 0.05), 0);
    assert_true(holds[0] && !holds[1] && !holds[2] && holds[3]);
    /* 0.03 > 0.05 / 2 stops what 0.04 <= 0.05 / 1 would pass. */
    assert_int_equal(gate_holm(p + 1, holds, 2, 0.05), 0);
    assert_true(!holds[0] && !holds[1]);
    assert_int_equal(gate_holm(same, holds, 2, 0.04), 0);
    assert_true(holds[0] && holds[1]);
    assert_int_equal(gate_holm(NULL, NULL, 0, 0.05), 0);
}

/* 16, 15, 14 and 13 of 16 processes beyond: four cases hold, five do not, for 13 of 16
 * has p = 697/65536 > 0.011 / 2. */
static void holm_over_all_cases(void **state)
{
    (void)state;
    for (size_t nulls = 0; nulls < 2; nulls++) {
        struct run *const run = new_run(0.02);
        for (size_t k = 0; k < 4; k++)
            add_ramp(run, 16, log1p(0.02) + 0.0005 - 0.001 * (double)k, 0.001);
        if (nulls)
            add_ramp(run, 16, 0, 0);
        assert_int_equal(run_judge(run), 0);
        for (size_t k = 0; k < 4; k++) {
            const struct comparison *const c = run->results[k].comparison;
            assert_true(c->p == stats_sign_p(16, 16 - k));
            assert_int_equal(c->significant, k < 3 || !nulls);
            assert_int_equal(c->verdict,
                             k < 3 || !nulls ? VERDICT_REGRESSED : VERDICT_INCONCLUSIVE);
        }
        run_free(run);
    }
}

/* ---- simulated machines ---- */

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *seed)
{
    return ((double)(next_random(seed) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(6.283185307179586 * uniform(seed));
}

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

/* Gates of one case each, with a second look where the first leaves it open. */
static struct tally simulate(size_t gates, double threshold, double truth,
                             const struct weather *weather)
{
    struct tally tally = {{0}};
    uint64_t seed = 20240229;

    for (size_t i = 0; i < gates; i++) {
        struct run *const run = new_run(threshold);
        struct comparison *const comparison = add_case(run);
        add_processes(comparison, 0, GATE_PROCESSES, truth, weather, &seed);
        assert_int_equal(run_judge(run), 0);
        if (comparison_is_open(comparison, threshold)) {
            add_processes(comparison, GATE_PROCESSES, GATE_PROCESSES, truth, weather,
                          &seed);
            assert_int_equal(run_judge(run), 0);
        }
        tally.of[comparison->verdict]++;
        run_free(run);
    }
    return tally;
}

static const struct weather quiet = {
    .process = 0.003, .round = 0.006, .burst = 0.02, .burst_length = 0.1};
static const struct weather bursty = {
    .process = 0.004, .round = 0.01, .burst = 0.3, .burst_length = 0.3};

static void equal_code_is_no_regression(void **state)
{
    const struct tally calm = simulate(1000, 0.02, 0, &quiet);
    const struct tally storm = simulate(1000, 0.02, 0, &bursty);

    (void)state;
    assert_int_equal(calm.of[VERDICT_REGRESSED] + calm.of[VERDICT_IMPROVED], 0);
    assert_int_equal(storm.of[VERDICT_REGRESSED] + storm.of[VERDICT_IMPROVED], 0);
    assert_true(calm.of[VERDICT_SAME] >= 990);
    assert_true(storm.of[VERDICT_SAME] >= 900);
}

static void real_changes_are_found(void **state)
{
    (void)state;
    assert_true(simulate(500, 0.02, 0.04, &quiet).of[VERDICT_REGRESSED] >= 495);
    assert_true(simulate(500, 0.02, -0.04, &quiet).of[VERDICT_IMPROVED] >= 495);
    assert_true(simulate(500, 0.01, 0.02, &quiet).of[VERDICT_REGRESSED] >= 460);
}

/* The worst case of equality, a change of just the threshold: one side of two looks errs
 * in at most 1.07% + 1.01% of gates. Without bursts, so that delta is the threshold, and
 * with so little noise in the rounds that the shortest trials decide nothing. */
static void errors_are_bounded_at_the_threshold(void **state)
{
    static const struct weather plain = {.process = 0.002, .round = 0.0001};
    const struct tally at = simulate(4000, 0.02, log1p(0.02), &plain);

    (void)state;
    assert_in_range(at.of[VERDICT_REGRESSED], 20, 110);
    assert_int_equal(at.of[VERDICT_IMPROVED] + at.of[VERDICT_UNUSABLE], 0);
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
static void verdicts_are_monotone(void **state)
{
    int last = 0;

    (void)state;
    for (int step = -60; step <= 60; step++) {
        struct run *const run = new_run(0.02), *const wide = new_run(0.03),
                          *const turned = new_run(0.02);
        uint64_t seed = 7, same = 7;
        struct comparison *const a = add_case(run), *const b = add_case(wide),
                                 *const t = add_case(turned);
        add_processes(a, 0, 16, step * 0.001, &quiet, &seed);
        add_processes(b, 0, 16, step * 0.001, &quiet, &same);
        for (size_t i = 0; i < a->n_trials; i++) {
            const struct trial *const from = &a->trials[i];
            const struct trial trial = {from->process, from->head_ns, from->base_ns,
                                        from->head_ns * from->control_ns / from->base_ns};
            assert_int_equal(comparison_add_trial(t, &trial), 0);
        }
        assert_int_equal(run_judge(run) | run_judge(wide) | run_judge(turned), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sign_p_is_exact),
        cmocka_unit_test(looks_have_exact_levels),
        cmocka_unit_test(processes_are_the_observations),
        cmocka_unit_test(changes_beyond_the_threshold),
        cmocka_unit_test(witness_can_veto),
        cmocka_unit_test(control_decides_what_counts),
        cmocka_unit_test(few_processes_ties_no_control),
        cmocka_unit_test(holm_tables),
        cmocka_unit_test(holm_over_all_cases),
        cmocka_unit_test(equal_code_is_no_regression),
        cmocka_unit_test(real_changes_are_found),
        cmocka_unit_test(errors_are_bounded_at_the_threshold),
        cmocka_unit_test(verdicts_are_monotone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
