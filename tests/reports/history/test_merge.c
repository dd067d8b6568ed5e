/* SPDX-License-Identifier: Apache-2.0 */
/* Results of another run beside our own: who meets whom, and what it is called. */
#include "read_back.h"
#include "sample_run.h"
#include "unit.h"

static void merge(struct run *into, struct run *other, const char *path)
{
    run_merge(into, other, path);
    run_free(other);
}

static struct result *find(const struct run *run, const char *id)
{
    for (size_t i = 0; i < run->n_results; i++)
        if (!strcmp(run->results[i].id, id))
            return &run->results[i];
    fail_msg("there is no %s", id);
    return NULL;
}

static const struct ratio *find_ratio(const struct result *result, const char *baseline)
{
    for (size_t i = 0; i < result->summary.n_ratios; i++)
        if (!strcmp(result->summary.ratios[i].baseline, baseline))
            return &result->summary.ratios[i];
    return NULL;
}

/* "op/type/isa/variant@shape", taking `ns` in each of ten rounds. */
static struct result *add_case(struct run *run, size_t group, const char *id, double ns)
{
    struct result *result = run_add_result(run);
    char *text = strdup(id), *rest = text;
    char **const parts[] = {&result->op, &result->type, &result->isa, &result->variant};
    assert_non_null(text);
    result->group = group;
    result->samples.iterations = 10;
    result->work.ops = 1000;
    string_set(&result->id, id);
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        string_set(parts[i], strsep(&rest, "/@"));
    string_set(&result->shape, rest);
    result_set_status(result, STATUS_OK, NULL);
    for (uint32_t round = 0; round < 10; round++)
        assert_int_equal(result_add_sample(result, round, 10 * ns), 0);
    free(text);
    return result;
}

static struct run *one_case(const char *id, double ns)
{
    struct run *run = run_new();
    assert_non_null(run);
    add_case(run, 0, id, ns);
    return run;
}

TEST(groups_meet)
{
    struct run *run = sample_run_alone();
    size_t before = run->n_results, group = run->results[before - 1].group;
    const struct result *relu, *merged, *alone;
    const struct ratio *ratio;
    merge(run, sample_run_other(), "some/folder/b.json");
    assert_int_equal(run->n_results, before + 2); /* its roof is left out */
    for (size_t i = 1; i < run->n_results; i++)
        assert_true(run->results[i - 1].group <= run->results[i].group);
    relu = find(run, "relu/f32/avx512/max@100000;threads=2");
    merged = find(run, "b.json:relu/f32/avx512/max@100000;threads=2");
    assert_int_equal(merged->group, relu->group);
    assert_true(merged->is_baseline && !relu->is_baseline);
    assert_string_equal(merged->source, "b.json");
    assert_null(relu->source);
    ratio = find_ratio(relu, merged->id);
    assert_non_null(ratio);
    assert_true(ratio->unpaired && !ratio->ci.known);
    assert_float_equal(ratio->speedup,
                       merged->summary.median_ns / relu->summary.median_ns, 1e-12);
    /* The share of its own limit stays, though the roof is gone. */
    assert_true(merged->summary.limit.share > 0.5 && merged->summary.limit.share < 0.55);
    alone = find(run, "b.json:tanh/f32/avx512/table@9000");
    assert_true(alone == &run->results[run->n_results - 1]);
    assert_int_equal(alone->group, group + 1);
    assert_false(alone->is_baseline);
    assert_true(alone->summary.gops > 0 && alone->samples.n);
    assert_int_equal(run->n_sources, 1);
    assert_string_equal(run->sources[0].fingerprint, "ffee0000ffee0000");
    assert_string_equal(run->sources[0].cpu, "Other CPU 100");
    run_free(run);
}

/* Ratios within the run that is merged into are what they were. */
TEST(own_ratios_stay)
{
    struct run *run = sample_run(), *alone = sample_run_alone();
    FOR_EACH (const struct result, a, alone->results, alone->n_results) {
        const struct result *b = a->is_roof ? NULL : find(run, a->id);
        for (size_t r = 0; b && r < a->summary.n_ratios; r++) {
            const struct ratio *ratio = find_ratio(b, a->summary.ratios[r].baseline);
            assert_non_null(ratio);
            assert_true(ratio->speedup == a->summary.ratios[r].speedup &&
                        !ratio->unpaired);
            assert_true(ratio->ci.lo == a->summary.ratios[r].ci.lo);
        }
    }
    run_free(run);
    run_free(alone);
}

TEST(what_is_the_same_work)
{
    static const struct {
        const char *id, *layout, *other_layout, *threads;
        bool meets;
    } rows[] = {
        {"gemm/plustimes-f32/lib/sgemm@64", NULL, NULL, NULL, true}, /* any semiring */
        {"gemm/maxplus-f64/avx2/fma@64", NULL, NULL, NULL, false},
        {"gemm/maxplus-f32/avx2/fma@65", NULL, NULL, NULL, false},
        {"conv/maxplus-f32/avx2/fma@64", NULL, NULL, NULL, false},
        {"gemm/maxplus-f32/avx2/fma@64", "nchw", "nchw", NULL, true},
        {"gemm/maxplus-f32/avx2/fma@64", "nchw", "nchw8c", NULL, false},
        {"gemm/maxplus-f32/avx2/fma@64", "nchw", NULL, NULL, true}, /* an older file */
        {"gemm/maxplus-f32/avx2/fma@64", NULL, NULL, "2", false}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = one_case("gemm/maxplus-f32/avx2/fma@64", 100);
        struct run *other = one_case(rows[i].id, 200);
        string_set(&run->results[0].layout, rows[i].layout);
        string_set(&other->results[0].layout, rows[i].other_layout);
        if (rows[i].threads)
            result_add_setting(&other->results[0], "threads", rows[i].threads);
        merge(run, other, "b");
        assert_int_equal(run->results[1].group, rows[i].meets ? 0 : 1);
        assert_int_equal(run->results[1].is_baseline, rows[i].meets);
        assert_int_equal(run->results[0].summary.n_ratios, rows[i].meets);
        if (rows[i].meets)
            assert_float_equal(run->results[0].summary.ratios[0].speedup, 2, 1e-9);
        run_free(run);
    }
}

/* A file that is merged twice, and one that is itself merged, keep their ids apart. */
TEST(names_are_unique)
{
    struct run *run = one_case("tanh/f32/avx2/a@9", 100), *middle;
    merge(run, one_case("tanh/f32/avx2/a@9", 200), "x/b.json");
    merge(run, one_case("tanh/f32/avx2/a@9", 300), "y/b.json");
    middle = one_case("tanh/f32/avx2/a@9", 400);
    add_case(middle, 0, "tanh/f32/avx2/b@9", 500);
    middle->results[1].is_baseline = true;
    merge(middle, one_case("tanh/f32/avx2/a@9", 600), "c.json");
    merge(run, middle, "m.json");
    assert_int_equal(run->n_results, 6);
    assert_float_equal(find(run, "b.json:tanh/f32/avx2/a@9")->summary.median_ns, 200,
                       1e-9);
    assert_float_equal(find(run, "b.json-2:tanh/f32/avx2/a@9")->summary.median_ns, 300,
                       1e-9);
    assert_float_equal(find(run, "m.json:c.json:tanh/f32/avx2/a@9")->summary.median_ns,
                       600, 1e-9);
    assert_int_equal(run->n_sources, 4);
    assert_string_equal(run->sources[3].name, "m.json:c.json");
    assert_string_equal(find(run, "m.json:c.json:tanh/f32/avx2/a@9")->source,
                        "m.json:c.json");
    /* Two rows of one file were measured in turns: they are paired. */
    const struct result *paired = find(run, "m.json:tanh/f32/avx2/a@9");
    assert_false(find_ratio(paired, "m.json:tanh/f32/avx2/b@9")->unpaired);
    assert_true(find_ratio(paired, "b.json:tanh/f32/avx2/a@9")->unpaired);
    assert_true(find_ratio(paired, "m.json:c.json:tanh/f32/avx2/a@9")->unpaired);
    run_free(run);
}

/* Rows of the same instruction set, or else whatever the file has. */
TEST(other_instruction_sets)
{
    struct run *run = one_case("tanh/f32/avx512/a@9", 100), *other;
    add_case(run, 0, "tanh/f32/sse2/a@9", 400);
    other = one_case("tanh/f32/avx512/b@9", 100);
    add_case(other, 0, "tanh/f32/avx2/b@9", 200);
    merge(run, other, "b");
    assert_int_equal(run->results[0].summary.n_ratios, 1);
    assert_string_equal(run->results[0].summary.ratios[0].baseline,
                        "b:tanh/f32/avx512/b@9");
    assert_int_equal(run->results[1].summary.n_ratios, 2);
    run_free(run);
}

/* Made elsewhere: a summary, but no samples. */
TEST(summary_without_samples)
{
    struct run *run = one_case("tanh/f32/avx2/a@9", 100), *again;
    struct run *other = one_case("tanh/f32/avx2/b@9", 100);
    result_clear_samples(&other->results[0]);
    other->results[0].summary.median_ns = 150;
    other->results[0].summary.gops = 6.5;
    merge(run, other, "b");
    assert_int_equal(run->results[0].summary.n_ratios, 1);
    assert_float_equal(run->results[0].summary.ratios[0].speedup, 1.5, 1e-9);
    assert_true(run->results[1].summary.median_ns == 150 &&
                run->results[1].summary.gops == 6.5);
    again = read_back(run);
    assert_true(again->results[1].summary.median_ns == 150);
    assert_true(again->results[0].summary.ratios[0].unpaired);
    run_free(again);
    run_free(run);
}

TEST(nothing_to_merge)
{
    struct run *run = run_new(), *empty = run_new();
    merge(run, empty, "empty");
    assert_int_equal(run->n_results, 0);
    merge(run, sample_run_other(), "b");
    assert_int_equal(run->n_results, 2);
    assert_true(run->results[0].group == 0 && run->results[1].group == 1);
    assert_false(run->results[0].is_baseline);
    run_free(run);
}
