/* SPDX-License-Identifier: Apache-2.0 */
/* The sets that a study measures together, and the numbers from common rounds. */
#include "unit.h"

#include "process/process.h"
#include "studies/studies_private.h"

/* ---- times by round ---- */

static void fill(struct series *series, const uint64_t *rounds, const double *ns,
                 size_t n)
{
    struct result result = {.samples.iterations = 1};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(result_add_sample(&result, (uint32_t)rounds[i], ns[i]), 0);
    series_take(series, &result, 0);
    free(result.samples.ns);
    free(result.samples.rounds);
}

TEST(test_common_rounds)
{
    static const uint64_t a_rounds[] = {0, 1, 2, 4, 7, 8},
                          b_rounds[] = {1, 2, 3, 4, 8, 9};
    static const double a_ns[] = {9, 20, 30, 40, 9, 50}, b_ns[] = {10, 10, 9, 10, 10, 9};
    struct series a = {.n = 0}, b = {.n = 0};
    fill(&a, a_rounds, a_ns, 6);
    fill(&b, b_rounds, b_ns, 6);
    const struct series *const pair[] = {&a, &b}, *const same[] = {&a, &a, &a};
    /* Rounds 1, 2, 4 and 8: 2, 3, 4, 5 times. */
    const struct estimate ratio = series_estimate(pair, 2, 0.95, rule_ratio, NULL);
    assert_float_equal(ratio.value, 3.5, 1e-12);
    assert_false(ratio.ci.known);
    const struct estimate equal = series_estimate(same, 3, 0.95, rule_ratio, NULL);
    assert_float_equal(equal.value, 1, 0);
    assert_true(equal.ci.known);
    assert_float_equal(equal.ci.hi, 1, 0);
    const struct series none = {.n = 0};
    const struct series *const with_none[] = {&a, &none};
    assert_true(isnan(series_estimate(with_none, 2, 0.95, rule_ratio, NULL).value));
    series_clear(&a);
    series_clear(&b);
}

/* Two passes that disagree: the interval holds the medians of both. */
TEST(test_passes)
{
    struct series a = {.n = 0}, b = {.n = 0};
    for (uint64_t pass = 0; pass < 2; pass++) {
        struct result mine = {.samples.iterations = 1}, other = {.samples.iterations = 1};
        for (uint32_t i = 0; i < 100; i++) {
            /* The second pass is short: the pooled interval does not see it. */
            if (pass && i == 10)
                break;
            result_add_sample(&mine, i, pass ? 12 : 10);
            result_add_sample(&other, i, 10);
        }
        series_take(&a, &mine, pass);
        series_take(&b, &other, pass);
        free(mine.samples.ns);
        free(mine.samples.rounds);
        free(other.samples.ns);
        free(other.samples.rounds);
    }
    const struct series *const pair[] = {&a, &b};
    const struct estimate ratio = series_estimate(pair, 2, 0.95, rule_ratio, NULL);
    assert_int_equal(a.n, 110);
    assert_float_equal(ratio.value, 1, 1e-12);
    assert_float_equal(ratio.ci.lo, 1, 1e-12);
    assert_float_equal(ratio.ci.hi, 1.2, 1e-12);
    series_clear(&a);
    series_clear(&b);
}

/* ---- sets ---- */

static struct study study;
static struct set_list sets;

static void study_begin(void)
{
    sets_free(&sets);
    study_clear(&study);
    for (const char *const *name = (const char *const[]){"good", "bad", "wide", NULL};
         *name; name++) {
        struct study_arm *const arm = NAMED_ADD(&study, arms, n_arms, *name);
        string_set(&arm->op, "relu");
        string_set(&arm->variant, *name);
    }
    string_set(&study.arms[2].shape, "4096");
    string_set(&study.arms[2].isa, "avx512");
}

static struct study_claim *claim(enum study_measure measure, const char *a, const char *b,
                                 const char *at, const char *quick)
{
    struct study_claim *const claim = study_add_claim(&study, "x");
    study_check_begin(&claim->check);
    claim->check.measure = measure;
    strings_add(&claim->check.of, &claim->check.n_of, a);
    if (b)
        strings_add(&claim->check.of, &claim->check.n_of, b);
    strings_add(&claim->check.at, &claim->check.n_at, at);
    if (quick)
        strings_add(&claim->check.quick, &claim->check.n_quick, quick);
    return claim;
}

static void make(bool quick, const char *folder)
{
    const struct set_settings settings = {.quick = quick, .cpus = 2, .folder = folder};
    sets_make(&study, &settings, &sets);
}

TEST(test_common_sets)
{
    study_begin();
    claim(MEASURE_TIME_RATIO, "bad", "good", "1024", NULL);
    claim(MEASURE_TIME_RATIO, "wide", "good", "1024", "64");
    claim(MEASURE_STATIC, "bad", NULL, "1024", NULL);
    claim(MEASURE_HOST, "bad", NULL, "1024", NULL);
    make(false, NULL);
    assert_int_equal(sets.n, 1);
    const struct round_set *const set = sets_find(&sets, "1024", NULL);
    /* The arm that others are held against leads, and is there twice. */
    assert_int_equal(set->n, 4);
    assert_string_equal(set->member[0].arm->name, "good");
    assert_true(set->member[3].duplicate);
    assert_string_equal(set->member[3].arm->name, "good");
    const struct member *const bad = set_find(set, "bad", 1, false);
    assert_true(bad->timed && bad->traced && !bad->roofs && !bad->absent);
    assert_string_equal(bad->name.shape, "1024");
    assert_string_equal(bad->name.type, "f32");
    assert_null(bad->name.isa);
    assert_string_equal(set_find(set, "wide", 0, false)->name.shape, "4096");
    assert_null(set_find(set, "wide", 0, true));
    sets_free(&sets);
    make(true, NULL);
    assert_int_equal(sets.n, 2);
    assert_int_equal(sets_find(&sets, "64", NULL)->n, 3);
}

TEST(test_threads_and_slopes)
{
    study_begin();
    claim(MEASURE_THREAD_RATIO, "good", NULL, "1024", NULL)->check.threads =
        STUDY_THREADS_ALL;
    struct study_check *const slope =
        &claim(MEASURE_SLOPE, "bad", NULL, "64", NULL)->check;
    strings_add(&slope->at, &slope->n_at, "1024");
    claim(MEASURE_THREAD_RATIO, "bad", NULL, "4096", NULL)->check.threads = 9;
    make(false, NULL);
    const struct round_set *const set = sets_find(&sets, "1024", NULL);
    assert_int_equal(set_find(set, "good", 2, false)->name.settings.threads, 2);
    assert_int_equal(set_find(set, "good", 1, false)->name.settings.threads, 1);
    assert_non_null(sets_find(&sets, "64", &study.claims[1].check));
    assert_int_equal(sets_find(&sets, "64", &study.claims[1].check)->n, 2);
    assert_null(sets_find(&sets, "64", NULL));
    assert_non_null(strstr(
        set_find(sets_find(&sets, "4096", NULL), "bad", 9, false)->absent, "9 CPUs"));
}

TEST(test_modules)
{
    study_begin();
    string_set(&study.arms[0].module, "./mine.so,steps=3");
    string_set(&study.arms[1].module, "openblas");
    claim(MEASURE_TIME_RATIO, "bad", "good", "1024", NULL);
    make(false, "some/where");
    const struct round_set *const set = sets_find(&sets, "1024", NULL);
    assert_string_equal(set_find(set, "good", 0, false)->name.module,
                        "some/where/./mine.so,steps=3");
    assert_string_equal(set_find(set, "bad", 0, false)->name.module, "openblas");
}

/* An arm that is no case costs nothing but its own claims. */
TEST(test_absent_arms)
{
    study_begin();
    string_set(&study.arms[1].shape, "+q1");
    string_set(&study.arms[0].op, NULL);
    claim(MEASURE_TIME_RATIO, "bad", "good", "64", NULL);
    make(false, NULL);
    const struct round_set *const set = sets_find(&sets, "64", NULL);
    assert_non_null(set_find(set, "bad", 0, false)->absent);
    assert_non_null(strstr(set_find(set, "good", 0, false)->absent, "it has no op"));
    assert_int_equal(set->n, 2);
}

/* ---- arms without a number ---- */

/* The first claim, of which arm bad ended so. */
static void check_advice(enum status status, const char *reason, const char *type)
{
    struct study_check *const check = &study.claims[0].check;
    struct round_set *const set = &sets.set[0];
    struct run *const run = run_new();
    run_add_result(run)->status = status;
    struct member *const bad = (struct member *)set_find(set, "bad", 0, false);
    string_set(&bad->absent, reason);
    bad->run = run;
    const struct studying all = {.study = &study, .sets = sets, .settings.quick = true};
    each_check(&study, points_fill, &all);
    const struct study_point *const point = &check->points[check->n_points - 1];
    assert_string_equal(point->reason, reason);
    assert_true(text_same(point->type, type));
    bad->run = NULL;
    run_free(run);
}

/* Only a longer run finds a quiet moment, or room for a long call. No time gives memory
 * or pages to an arm that was skipped; a wrong result stays wrong. */
TEST(test_advice_of_absent_arms)
{
    static const struct {
        enum status status;
        const char *reason, *type;
    } rows[] = {
        {STATUS_NOISY, "arm bad has no number", "the same without --quick"},
        {STATUS_SKIPPED, "arm bad is skipped: " NO_TIME_LEFT, "the same without --quick"},
        {STATUS_SKIPPED, "arm bad has no number", NULL},
        {STATUS_FAILED, "arm bad has no number", NULL},
        {STATUS_WRONG, "arm bad has no number", NULL}};
    static const enum study_measure measures[] = {MEASURE_TIME_RATIO, MEASURE_SLOPE};
    for (size_t i = 0; i < ARRAY_LEN(measures); i++) {
        study_begin();
        claim(measures[i], "bad", measures[i] == MEASURE_SLOPE ? NULL : "good", "64",
              NULL);
        make(false, NULL);
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            check_advice(rows[k].status, rows[k].reason, rows[k].type);
    }
}

/* ---- needs ---- */

TEST(test_needs)
{
    struct run *const run = run_new();
    string_set(&run->pmu_state, "no hardware");
    string_set(&run->pmu_reason, "a guest without one");
    static const struct {
        const char *need, *reason;
    } rows[] = {
        {"cpus:1", NULL},
        {"cpus:100000", "it needs 100000 CPUs; here are "},
        {"isa:scalar", NULL},
        {"isa:sse9", "sse9: 'sse9' is no instruction set"},
        {"module:nobody", "there is no module 'nobody'"},
        {"event:cycles", "no hardware counters: a guest without one"},
        {"uarch:z80", "it needs a CPU of kind z80; here is "},
        {"memory:1MB", NULL},
        {"memory:90000GB", "it needs 90000GB of memory; "},
        {"never:no such GPU", "no such GPU"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *need = (char *)(uintptr_t)rows[i].need;
        struct study_check check = {.needs = &need, .n_needs = 1};
        meet_needs(&check, run);
        assert_int_equal(check.reason != NULL, rows[i].reason != NULL);
        if (rows[i].reason)
            assert_non_null(strstr(check.reason, rows[i].reason));
        if (rows[i].reason) /* folders of this machine */
            assert_null(strstr(check.reason, "looked in"));
        FREE_EACH(check.reason, check.type);
    }
    run_free(run);
}

static int forget(void **state)
{
    sets_free(&sets);
    study_clear(&study);
    return 0;
}

TESTS_BETWEEN(NULL, forget)
