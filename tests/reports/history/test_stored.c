/* SPDX-License-Identifier: Apache-2.0 */
/* Two samples that are not paired, and two runs from files. */
#include "random.h"
#include "read_back.h"
#include "sample_gate.h"
#include "unit.h"

/* ---- statistics ---- */

TEST(shift_and_its_interval)
{
    const double a[] = {1, 2, 3, 4, 5}, b[] = {11, 12.5, 13, 14, 15};
    struct interval ci;
    double many[400], moved[300];
    size_t below = 0, above = 0;
    assert_true(stats_shift(a, 5, b, 5, 0.978, &ci) == 10);
    /* 2 / 252 is allowed, 4 / 252 too: k = 2; the third, 8 / 252, is not. */
    assert_true(ci.known && ci.lo == 7 && ci.hi == 13);
    assert_near(ci.level, 1 - 4 / 252.0, 1e-12);
    assert_true(stats_shift(a, 4, b, 4, 0.978, &ci) > 0 && !ci.known);
    assert_true(isnan(stats_shift(a, 0, b, 4, 0.978, &ci)));
    for (size_t i = 0; i < 400; i++)
        many[i] = sin((double)i * 12.9898);
    for (size_t i = 0; i < 300; i++)
        moved[i] = 5 + sin((double)i * 78.233);
    const double estimate = stats_shift(many, 400, moved, 300, 0.978, &ci);
    for (size_t i = 0; i < 400; i++)
        for (size_t k = 0; k < 300; k++) {
            below += moved[k] - many[i] < estimate;
            above += moved[k] - many[i] > estimate;
        }
    assert_in_range(below, 59990, 60000);
    assert_in_range(above, 59990, 60000);
    assert_true(ci.known && ci.lo < estimate && estimate < ci.hi);
    assert_true(ci.hi - ci.lo < 0.4 && ci.level >= 0.978 && ci.level < 0.979);
}

/* The quartile of 1 to 13 has rank 4 and a deviation of rank of sqrt(13 3/16) = 1.5612,
 * so that the order statistics are those of ranks 1 and 7.4348. */
TEST(quartiles)
{
    double x[13];
    for (size_t i = 0; i < 13; i++)
        x[i] = (double)((5 * i) % 13 + 1);
    x[0] = 1;
    const struct quartile all = stats_quartile(x, 13);
    assert_near(all.at, 4, 1e-12);
    assert_near(all.error, sqrt(13 * 0.1875), 1e-12);
    assert_true(stats_quartile(x, 1).at == 1 && isnan(stats_quartile(x, 5).error));
    assert_true(isnan(stats_quartile(x, 0).at));
}

/* A change of the slower half changes neither the quartile nor, of many values, its
 * error; two samples of one distribution differ by more than 2.29 errors in 2.2%. */
TEST(quartiles_of_noisy_batches)
{
    enum { N = 24, TRIES = 4000 };
    uint64_t random = 11;
    size_t missed = 0;
    for (size_t i = 0; i < TRIES; i++) {
        double a[N], b[N], many[100];
        for (size_t k = 0; k < N; k++) {
            a[k] = -log(1 - uniform(&random));
            b[k] = -log(1 - uniform(&random));
        }
        const struct quartile p = stats_quartile(a, N), q = stats_quartile(b, N);
        missed += fabs(p.at - q.at) > 2.2904 * hypot(p.error, q.error);
        if (i)
            continue;
        for (size_t k = 0; k < 100; k++)
            many[k] = uniform(&random);
        const struct quartile before = stats_quartile(many, 100);
        for (size_t k = 0; k < 100; k++)
            many[k] *= many[k] > 0.5 ? 3 : 1;
        assert_near(stats_quartile(many, 100).at, before.at, 0);
        assert_near(stats_quartile(many, 100).error, before.error, 1e-12);
    }
    assert_in_range(missed, TRIES / 100, TRIES * 3 / 100);
}

/* ---- runs ---- */

static void slow_down(struct result *result, double factor)
{
    for (size_t i = 0; i < result->samples.n; i++)
        result->samples.ns[i] = (result->samples.ns[i] - 175) * factor + 175;
}

static struct result *find(struct run *run, const char *id)
{
    for (size_t i = 0; i < run->n_results; i++)
        if (!strcmp(run->results[i].id, id))
            return &run->results[i];
    fail_msg("no result %s", id);
    return NULL;
}

static void compare(struct run *head, struct run *base)
{
    struct error error = {.text = ""};
    run_summarise(head, GROUP_ALL);
    if (run_compare(head, "b.json", base, "a.json", 0.02, &error))
        fail_msg("%s", error.text);
    run_free(base);
}

#define FMA64 "gemm/maxplus-f32/avx512/fma@64x64x64"
#define ADD64 "gemm/maxplus-f32/avx512/add@64x64x64"
#define BLAS64 "openblas:gemm/plustimes-f32/lib/sgemm@64x64x64"

TEST(changes_are_found)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    slow_down(find(head, FMA64), 1.10);
    slow_down(find(head, ADD64), 0.90);
    slow_down(find(head, BLAS64), 1.30);
    /* Another version is other code, so it is no control. */
    string_set(&find(head, BLAS64)->module.version, "0.4");
    compare(head, base);
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_REGRESSED);
    assert_near(fma->change, 0.10, 1e-3);
    assert_near(fma->base_ns * 1.10, fma->head_ns, 1e-2 * fma->base_ns);
    assert_true(fma->change_ci.lo > 0.09 && fma->change_ci.hi < 0.11);
    /* Its roof did not change. */
    assert_near(fma->control_change, 0, 1e-12);
    assert_true(fma->floor < 0.005 && fma->delta == 0.02 && fma->significant);
    assert_int_equal(find(head, ADD64)->comparison->verdict, VERDICT_IMPROVED);
    /* Libraries are judged, but do not count. */
    assert_int_equal(find(head, BLAS64)->comparison->verdict, VERDICT_REGRESSED);
    assert_int_equal(head->gate->regressed, 1);
    assert_int_equal(head->gate->improved, 1);
    assert_null(head->gate->refused);
    assert_string_equal(head->gate->arms[0].path, "a.json");
    for (size_t i = 0; i < head->n_results; i++)
        assert_false(head->results[i].is_roof && head->results[i].comparison);
    run_free(head);
}

/* A trace found a loop there. */
static void place_loop(struct result *result, double offset, double bytes)
{
    code_proof_free(result->code.proof);
    result->code.proof = calloc(1, sizeof *result->code.proof);
    assert_non_null(result->code.proof);
    string_set(&result->code.proof->call.shape, "64x64x64");
    struct code_loop *const loop = LIST_ADD(&result->code.proof->call, loops, n_loops);
    assert_non_null(loop);
    loop->offset = offset;
    loop->bytes = bytes;
}

/* The place of a small loop explains its change; one that stayed there has no excuse. */
TEST(places_of_small_loops)
{
    static const struct {
        double base, head, bytes, factor;
        enum verdict verdict;
    } rows[] = {
        {0, 40, 23, 1.10, VERDICT_INCONCLUSIVE}, {40, 0, 23, 0.90, VERDICT_INCONCLUSIVE},
        {40, 40, 23, 1.10, VERDICT_REGRESSED},   {0, 40, 65, 1.10, VERDICT_REGRESSED},
        {0, 40, 0, 1.10, VERDICT_REGRESSED},     {0, 40, 23, 1, VERDICT_SAME},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const head = sample_run_alone(), *const base = sample_run_alone();
        slow_down(find(head, ADD64), rows[i].factor);
        place_loop(find(base, ADD64), rows[i].base, rows[i].bytes);
        place_loop(find(head, ADD64), rows[i].head, rows[i].bytes);
        compare(head, base);
        const struct comparison *const c = find(head, ADD64)->comparison;
        if (c->verdict != rows[i].verdict)
            fail_msg("row %zu is %s", i, verdict_name(c->verdict));
        if (i == 0)
            assert_string_equal(
                c->reason, "its loop of 23 bytes begins at 40 of 64, in run 1 at 0: the "
                           "place alone may change its time; simdbench ab tells");
        if (rows[i].bytes > 0)
            assert_near(c->placement->head_offset, rows[i].head, 0);
        run_free(head);
    }
}

TEST(equal_runs_are_the_same)
{
    struct run *const head = sample_run_alone();
    compare(head, sample_run_alone());
    assert_int_equal(head->gate->regressed + head->gate->improved +
                         head->gate->inconclusive + head->gate->only_one,
                     0);
    assert_true(head->gate->same >= 6);
    /* It failed both times. */
    const struct comparison *const wrong =
        find(head, "gemm/maxplus-f32/avx512/add@128x128x128")->comparison;
    assert_int_equal(wrong->verdict, VERDICT_UNUSABLE);
    assert_non_null(strstr(wrong->reason, "run 2: wrong: output (3, 5)"));
    assert_null(find(head, "gemm/maxplus-f32/neon/fma@128x128x128")->comparison);
    run_free(head);
}

/* A slow-down of the roof too is the machine's, not the code's. */
TEST(a_slower_machine_is_no_regression)
{
    struct run *const head = sample_run_alone();
    for (size_t i = 0; i < head->n_results; i++)
        slow_down(&head->results[i], 1.05);
    compare(head, sample_run_alone());
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_SAME);
    assert_near(fma->change, 0.05, 1e-3);
    assert_near(head->gate->drift, 0.05, 1e-3);
    assert_int_equal(head->gate->regressed, 0);
    run_free(head);
}

TEST(other_machines_are_refused)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    slow_down(find(head, FMA64), 1.5);
    string_set(&base->fingerprint, "ffff");
    string_set(&base->host.fact[0].text, "Old CPU");
    compare(head, base);
    assert_string_equal(head->gate->refused, "cpu is 'Old CPU' and 'Example CPU 9000'");
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_UNUSABLE);
    assert_near(fma->change, 0.5, 0.01);
    assert_int_equal(head->gate->regressed, 0);
    run_free(head);
}

static void set_count(struct result *result, double count)
{
    for (size_t i = 0; i < result->samples.counters[0].n; i++)
        result->samples.counters[0].samples[i] = count;
    assert_int_equal(counter_add_sample(&result->samples.counters[0], count), 0);
}

static void compare_of_other_programs(struct run *head, struct run *base)
{
    facts_text(&base->settings, "harness", "go");
    facts_text(&head->settings, "harness", "go");
    compare(head, base);
}

/* Nothing in their files tells what the machine changed by. */
TEST(other_programs_regress_by_a_factor)
{
    static const struct {
        double base, head;
        enum verdict verdict;
    } rows[] = {{1, 1.1, VERDICT_INCONCLUSIVE},
                {1, 1.9, VERDICT_INCONCLUSIVE},
                {1, 2.5, VERDICT_REGRESSED},
                {1 / 0.55, 1, VERDICT_INCONCLUSIVE},
                {1 / 0.3, 1, VERDICT_IMPROVED}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *const head = sample_run_alone(), *const base = sample_run_alone();
        slow_down(find(base, FMA64), rows[i].base);
        slow_down(find(head, FMA64), rows[i].head);
        run_summarise(base, GROUP_ALL);
        compare_of_other_programs(head, base);
        const struct comparison *const fma = find(head, FMA64)->comparison;
        if (fma->verdict != rows[i].verdict)
            fail_msg("row %zu is %s", i, verdict_name(fma->verdict));
        assert_near(fma->change, rows[i].head / rows[i].base - 1, 2e-3);
        assert_int_equal(head->gate->regressed, rows[i].verdict == VERDICT_REGRESSED);
        run_free(head);
    }
}

/* A benchmark that fails in both files is left out only if it fails for one reason. */
TEST(other_programs_fail_in_both)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    struct run *const runs[] = {base, head};
    for (size_t i = 0; i < 2; i++) {
        result_set_status(find(runs[i], ADD64), STATUS_FAILED, "no such device");
        result_set_status(find(runs[i], FMA64), STATUS_FAILED,
                          i ? "wrong sum" : "no such device");
    }
    compare_of_other_programs(head, base);
    assert_int_equal(find(head, ADD64)->status, STATUS_SKIPPED);
    assert_string_equal(find(head, ADD64)->reason, "both runs fail: no such device");
    assert_null(find(head, ADD64)->comparison);
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_UNUSABLE);
    assert_string_equal(fma->reason, "run 2: failed: wrong sum");
    assert_int_equal(find(head, FMA64)->status, STATUS_FAILED);
    run_free(head);
}

/* A count that does not vary decides on any machine; one that varies never. */
TEST(exact_counts_decide)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    string_set(&base->fingerprint, "ffff");
    set_count(find(base, FMA64), 100000);
    set_count(find(head, FMA64), 103000);
    set_count(find(base, ADD64), 100000);
    set_count(find(head, ADD64), 101000);
    slow_down(find(head, ADD64), 2);
    run_summarise(base, GROUP_ALL);
    compare(head, base);
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_REGRESSED);
    assert_string_equal(fma->reason,
                        "instructions: 1000 to 1030 a call (+3.00%), exact in both runs");
    assert_int_equal(find(head, ADD64)->comparison->verdict, VERDICT_UNUSABLE);
    assert_int_equal(head->gate->regressed, 1);
    run_free(head);
}

static struct result *count_more(struct run *head, struct run *base, const char *name)
{
    struct result *const fma = find(head, FMA64);
    set_count(find(base, FMA64), 100000);
    set_count(fma, 105000);
    string_set(&fma->samples.counters[0].name, name);
    string_set(&find(base, FMA64)->samples.counters[0].name, name);
    run_summarise(base, GROUP_ALL);
    compare(head, base);
    return fma;
}

/* Code that is faster may need more instructions, and more of one kind of them are no
 * sign of slower code. */
TEST(other_counts_are_told)
{
    struct run *head = sample_run_alone(), *base = sample_run_alone();
    slow_down(find(base, FMA64), 5);
    const struct result *fma = count_more(head, base, "instructions");
    assert_int_equal(fma->comparison->verdict, VERDICT_IMPROVED);
    run_free(head);
    head = sample_run_alone();
    fma = count_more(head, sample_run_alone(), "wide");
    assert_int_not_equal(fma->comparison->verdict, VERDICT_REGRESSED);
    assert_string_equal(fma->notes[fma->n_notes - 1],
                        "wide: 1000 to 1050 a call (+5.00%), exact in both runs");
    run_free(head);
}

/* A faster machine has no faster code: neither another one, nor one that drifted. */
TEST(faster_machines_excuse_no_count)
{
    for (int drifts = 0; drifts < 2; drifts++) {
        struct run *const head = sample_run_alone(), *const base = sample_run_alone();
        for (size_t i = 0; i < base->n_results; i++)
            slow_down(&base->results[i], 2);
        if (!drifts)
            string_set(&head->fingerprint, "ffff");
        const struct result *const fma = count_more(head, base, "instructions");
        assert_int_equal(!head->gate->refused, drifts);
        assert_true(fma->comparison->change_ci.hi < 0);
        assert_int_equal(fma->comparison->verdict, VERDICT_REGRESSED);
        run_free(head);
    }
}

/* Equal builds have no slower code, whatever their counts are. */
TEST(equal_builds_do_not_regress)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    string_set(&head->tool_build_id, "abc");
    string_set(&base->tool_build_id, "abc");
    const struct result *const fma = count_more(head, base, "instructions");
    assert_true(head->gate->equal);
    assert_int_not_equal(fma->comparison->verdict, VERDICT_REGRESSED);
    run_free(head);
}

TEST(new_and_gone)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    string_set(&find(head, ADD64)->id, "gemm/new");
    result_set_status(find(head, FMA64), STATUS_SKIPPED, "no memory");
    compare(head, base);
    assert_int_equal(find(head, "gemm/new")->comparison->verdict, VERDICT_NEW);
    assert_int_equal(find(head, ADD64)->comparison->verdict, VERDICT_GONE);
    assert_int_equal(find(head, ADD64)->status, STATUS_SKIPPED);
    assert_true(find(head, ADD64)->comparison->base_ns > 0);
    assert_true(find(head, "gemm/new")->comparison->head_ns > 0);
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_GONE);
    assert_string_equal(fma->reason, "run 2: skipped: no memory");
    assert_int_equal(head->gate->only_one, 3);
    /* Nothing that run 1 measured passes for what run 2 did. */
    char *const times = sample_text(head, FORMAT_GITHUB_ACTION, NULL);
    assert_non_null(strstr(times, "gemm/new"));
    assert_null(strstr(times, ADD64));
    free(times);
    /* A case that is gone stands with its op, and the whole can be written and read. */
    for (size_t i = 1; i < head->n_results; i++)
        assert_true(head->results[i - 1].group <= head->results[i].group);
    struct run *const again = read_back(head);
    assert_prints_the_same(head, again, FORMAT_TABLE);
    /* No time, no change: not even one of 0%. */
    assert_true(isnan(find(again, "gemm/new")->comparison->change));
    assert_true(isnan(find(again, ADD64)->comparison->change));
    assert_true(isnan(find(again, FMA64)->comparison->change));
    run_free(again);
    run_free(head);
}

TEST(comparisons_are_not_compared)
{
    struct run *const gate = sample_gate(), *const run = sample_run_alone();
    struct error error = {.text = ""};
    assert_int_equal(run_compare(run, "b.json", gate, "a.json", 0.02, &error), -EINVAL);
    assert_non_null(strstr(error.text, "a.json is a comparison already"));
    assert_int_equal(run_compare(gate, "b.json", run, "a.json", 0.02, &error), -EINVAL);
    assert_non_null(strstr(error.text, "b.json is a comparison already"));
    run_free(gate);
    run_free(run);
}

/* Medians without samples have no interval, so no verdict. */
TEST(medians_alone)
{
    struct run *const head = sample_run_alone(), *const base = sample_run_alone();
    find(base, FMA64)->samples.n = 0;
    compare(head, base);
    const struct comparison *const fma = find(head, FMA64)->comparison;
    assert_int_equal(fma->verdict, VERDICT_UNUSABLE);
    assert_string_equal(fma->reason, "too few samples for an interval");
    assert_near(fma->change, 0, 1e-12);
    run_free(head);
}
