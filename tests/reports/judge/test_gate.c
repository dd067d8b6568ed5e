/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on trials that were made up. */
#include "gate_trials.h"
#include "judge/gate.h"
#include "unit.h"

/* Processes of one round each, d = from + i * step for i = 0, 1, ... */
static struct comparison *add_ramp(struct run *run, size_t processes, double from,
                                   double step)
{
    struct comparison *const comparison = add_case(run);
    for (size_t i = 0; i < processes; i++)
        add_trial(comparison, i, 100, from + (double)i * step, 0);
    return comparison;
}

TEST(sign_p_is_exact)
{
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
TEST(looks_have_exact_levels)
{
    struct run *const run = new_run(0.02);
    add_ramp(run, 16, 0.001, 0.001);
    add_ramp(run, 32, 0.0001, 0.0001);
    run_judge(run);
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
TEST(processes_are_the_observations)
{
    struct run *const run = new_run(0.02);
    struct comparison *const comparison = add_case(run);
    for (size_t process = 0; process < 16; process++)
        for (size_t round = 0; round < 5; round++)
            add_trial(comparison, process, 100, round < 3 ? 0.001 * (double)process : 0.5,
                      0);
    run_judge(run);
    assert_near(log1p(comparison->change), 0.0075, 1e-12);
    /* 32 of 80 rounds are 0.5: the interval of all reaches further than that of the
     * processes and is the one that counts. */
    assert_int_equal(comparison->processes, 16);
    assert_true(log1p(comparison->change_ci.lo) > 0.0039);
    assert_true(comparison->change_ci.hi > 0.012);
    assert_true(comparison->change_ci.level > 0.978 &&
                comparison->change_ci.level < 0.9999);
    run_free(run);
}

TEST(changes_beyond_the_threshold)
{
    /* x(4) just above and just below ln(1.02) */
    const double bound = log1p(0.02);
    const struct {
        double from, step;
        enum verdict verdict;
    } cases[] = {{bound - 2.999e-3, 1e-3, VERDICT_REGRESSED},
                 {bound - 3.001e-3, 1e-3, VERDICT_INCONCLUSIVE},
                 {-bound + 2.999e-3, -1e-3, VERDICT_IMPROVED},
                 {-bound + 3.001e-3, -1e-3, VERDICT_INCONCLUSIVE}};

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct run *const run = new_run(0.02);
        const struct comparison *const c =
            add_ramp(run, 16, cases[i].from, cases[i].step);
        run_judge(run);
        assert_int_equal(c->verdict, cases[i].verdict);
        assert_true((c->reason != NULL) == (i % 2 == 1));
        assert_true(c->p == (i % 2 ? stats_sign_p(16, 12) : stats_sign_p(16, 13)));
        assert_int_equal(comparison_is_open(c, 0.02), i % 2 == 1);
        run_free(run);
    }
}

/* Ends of an interval lie at unequal distances: the farther one counts. What the step of
 * a clock adds no process takes away. */
TEST(undecided_cases_say_what_decides)
{
    const struct {
        double lo, middle, hi, control, rounding;
        const char *advice;
    } rows[] = {{0.008, 0.010, 0.023, 0, 0, "+2.00%; --processes=64 may decide"},
                {-0.008, -0.010, -0.023, 0, 0, "-1.96%; --processes=64 may decide"},
                {0.015, 0.030, 0.032, 0, 0, "+2.00%; --processes=80 may decide"},
                {0.005, 0.030, 0.032, 0, 0, "+2.00%; --processes=224 may decide"},
                {0.029, 0.030, 0.031, 0.0152, 0, "+3.06%; --processes=32 may decide"},
                {0.008, 0.019, 0.023, 0, 0, "+2.00%; --threshold=2.4% may decide"},
                {0.008, 0.010, 0.025, 0, 0.011, "+2.20%; --threshold=2.6% may decide"}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const run = new_run(0.02);
        struct comparison *const c = add_case(run);
        c->rounding = rows[i].rounding;
        /* The interval of 32 processes ends at the 10th and the 23rd. */
        for (size_t p = 0; p < 32; p++)
            add_trial(c, p, 100,
                      p < 10   ? rows[i].lo
                      : p < 22 ? rows[i].middle
                               : rows[i].hi,
                      p % 2 ? rows[i].control : -rows[i].control);
        run_judge(run);
        assert_int_equal(c->verdict, VERDICT_INCONCLUSIVE);
        assert_string_equal(c->reason + strlen("the interval reaches across "),
                            rows[i].advice);
        run_free(run);
    }
}

/* Trials that a gate finds slower; a verdict that nobody gave is the first one. */
TEST(a_plain_run_has_no_verdicts)
{
    struct run *const gated = new_run(0.02), *const run = run_new();
    struct run *const runs[] = {gated, run};
    for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
        const struct comparison *const c = add_ramp(runs[i], 16, 0.05, 0.001);
        run_judge(runs[i]);
        assert_int_equal(c->verdict, i ? VERDICT_SAME : VERDICT_REGRESSED);
        assert_int_equal(c->processes, i ? 0 : 16);
        run_free(runs[i]);
    }
}

/* Medians say slower, the shortest trials do not. */
TEST(witness_can_veto)
{
    struct run *const run = new_run(0.02);
    struct comparison *const comparison = add_case(run);
    for (size_t i = 0; i < 16; i++)
        add_trial(comparison, i, 100, i == 7 ? 0.005 : 0.04, 0);
    run_judge(run);
    assert_int_equal(comparison->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(comparison->reason, "shortest trials differ by +0.50%"));
    assert_true(comparison->change_ci.lo > 0.02);
    run_free(run);
}

TEST(control_decides_what_counts)
{
    struct run *const run = new_run(0.02);
    struct comparison *list[7];
    for (size_t i = 0; i < ARRAY_LEN(list); i++)
        list[i] = add_case(run);
    for (size_t i = 0; i < 16; i++) {
        const double ramp = ((double)i - 7.5) / 4.5;    /* half-width 1 at 16 processes */
        add_trial(list[6], i, 100, 0.08, 0.045 * ramp); /* 2f = 9%: more would tell */
        add_trial(list[0], i, 100, 0.029, 0.015 * ramp); /* 2f = 3%: not 2.9% */
        add_trial(list[1], i, 100, 0.04, 0.015 * ramp);  /* but 4% is */
        add_trial(list[2], i, 100, 0.00, 0.03);          /* copy of base is slower */
        add_trial(list[3], i, 100, 0.00, 0.045 * ramp);  /* says nothing at 2% */
        add_trial(list[4], i, 100, -0.30, 0.045 * ramp); /* but 30% is beyond it */
        add_trial(list[5], i, 100, 0.01 + 0.015 * ramp, 0.015 * ramp);
    }
    run_judge(run);
    assert_near(list[0]->floor, expm1(0.015), 1e-12);
    assert_near(list[0]->delta, 2 * expm1(0.015), 1e-12);
    assert_int_equal(list[0]->verdict, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(list[0]->reason, "beyond the threshold, but equal code"));
    assert_non_null(strstr(list[0]->reason, "; --processes=16 may decide"));
    /* The same within 3%, not within 2%: a second look may tell more. */
    assert_int_equal(list[5]->verdict, VERDICT_SAME);
    assert_true(comparison_is_open(list[5], 0.02));
    assert_false(comparison_is_open(list[5], 0.03));
    assert_int_equal(list[1]->verdict, VERDICT_REGRESSED);
    assert_int_equal(list[2]->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(list[2]->reason, "copy of base"));
    assert_int_equal(list[3]->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(list[3]->reason, "equal code seems to change by 4.6%"));
    assert_non_null(strstr(list[3]->reason, "can be called; --processes=16 may decide"));
    assert_int_equal(list[6]->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(list[6]->reason, "can be called; --processes=16 may decide"));
    assert_true(comparison_is_open(list[3], 0.02));
    assert_int_equal(list[4]->verdict, VERDICT_IMPROVED);
    assert_true(run->gate->same == 1 && run->gate->regressed == 1 &&
                run->gate->unusable == 3 && run->gate->improved == 1 &&
                run->gate->inconclusive == 1 && run->gate->only_one == 0);
    assert_near(log1p(run->gate->geomean_change), (0.029 + 0.04 - 0.3 + 0.01) / 4, 1e-12);
    run_free(run);
}

TEST(few_processes_ties_no_control)
{
    struct run *const run = new_run(0.02);
    struct comparison *const few = add_ramp(run, 6, 0.1, 0);
    struct comparison *const seven = add_ramp(run, 7, 0.1, 0);
    struct comparison *const ties = add_ramp(run, 16, 0, 0);
    struct comparison *const alone = add_case(run);
    struct comparison *const crashed = add_case(run);
    struct comparison *const added = add_case(run);
    for (uint32_t i = 0; i < 16; i++) {
        const struct trial trial = {.process = i, .base_ns = 100, .head_ns = 110};
        assert_int_equal(comparison_add_trial(alone, &trial), 0);
    }
    crashed->verdict = VERDICT_UNUSABLE;
    string_set(&crashed->reason, "head: SIGSEGV");
    added->verdict = VERDICT_NEW;
    added->head_ns = 100;
    assert_false(comparison_has_change(added));
    for (int again = 0; again < 2; again++) {
        run_judge(run);
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

TEST(holm_tables)
{
    static const double p[] = {0.01, 0.04, 0.03, 0.005}, same[] = {0.02, 0.02};
    bool holds[4];
    gate_holm(p, holds, 4, 0.05);
    assert_true(holds[0] && !holds[1] && !holds[2] && holds[3]);
    /* 0.03 > 0.05 / 2 stops what 0.04 <= 0.05 / 1 would pass. */
    gate_holm(p + 1, holds, 2, 0.05);
    assert_true(!holds[0] && !holds[1]);
    gate_holm(same, holds, 2, 0.04);
    assert_true(holds[0] && holds[1]);
    gate_holm(NULL, NULL, 0, 0.05);
}

/* 16, 15, 14 and 13 of 16 processes beyond: four cases hold, five do not, for 13 of 16
 * has p = 697/65536 > 0.011 / 2. */
TEST(holm_over_all_cases)
{
    for (size_t nulls = 0; nulls < 2; nulls++) {
        struct run *const run = new_run(0.02);
        for (size_t k = 0; k < 4; k++)
            add_ramp(run, 16, log1p(0.02) + 0.0005 - 0.001 * (double)k, 0.001);
        if (nulls)
            add_ramp(run, 16, 0, 0);
        run_judge(run);
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
