/* SPDX-License-Identifier: Apache-2.0 */
/* Single cells and lines below the table. */
#include "sample_gate.h"
#include "sample_run.h"
#include "unit.h"

static void expect(const struct run *run, const char *wanted, bool there)
{
    char *text = sample_text(run, FORMAT_TABLE, NULL);
    if (!strstr(text, wanted) == there)
        fail_msg("%s '%s' in\n%s", there ? "no" : "there is", wanted, text);
    free(text);
}

/* A case that a memory stream limits is told in bytes, with all that is compared with it.
 */
TEST(rates)
{
    static const struct {
        const char *limit;
        double ops;
        const char *title, *cell;
    } rows[] = {{"roof/f32/avx2/copy@8000", 1000, " GB/s", " 80.00 "},
                {"roof/f32/avx2/fma@registers", 1000, " Gop/s", " 10.00 "},
                {NULL, 1000, " Gop/s", " 10.00 "},
                {NULL, 0, " GB/s", " 80.00 "}};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct run *run = run_new();
        for (int baseline = 0; baseline < 2; baseline++) {
            struct result *result = run_add_result(run);
            assert_non_null(result);
            string_set(&result->id, baseline ? "x:relu" : "relu");
            result_set_status(result, STATUS_OK, NULL);
            if (!baseline)
                string_set(&result->limit_id, rows[i].limit);
            result->is_baseline = baseline;
            result->summary.median_ns = 100;
            result->work.ops = rows[i].ops;
            result->summary.gops = baseline ? 5 : rows[i].ops / 100;
            result->summary.gbps = baseline ? 40 : 80;
        }
        expect(run, rows[i].title, true);
        expect(run, rows[i].cell, true);
        expect(run, strstr(rows[i].title, "GB") ? " 40.00 " : " 5.000 ", true);
        expect(run, "of limit", rows[i].limit != NULL);
        run_free(run);
    }
}

/* A file of functions is no code: that of `call` was removed when the run ended. */
TEST(loaded_code)
{
    struct run *const run = sample_gate();
    struct arm *const arm = &run->gate->arms[1];
    strings_add(&arm->objects, &arm->n_objects, "/tmp/mix.json ");
    strings_add(&arm->objects, &arm->n_objects, "/tmp/mix.so ab12");
    expect(run, "alone loads: /tmp/mix.so ab12", true);
    expect(run, "/tmp/mix.json", false);
    run_free(run);
}

/* A stream that is slower than the case is no limit, and the legend says why none is
 * there. */
TEST(no_limit)
{
    struct run *const run = run_new();
    for (int roof = 0; roof < 2; roof++) {
        struct result *const result = run_add_result(run);
        assert_non_null(result);
        string_set(&result->id, roof ? "roof/f32/avx2/streams@8" : "mix");
        result_set_status(result, STATUS_OK, NULL);
        result->is_roof = roof;
        result->summary.median_ns = 100;
    }
    struct result *const mix = &run->results[0];
    string_set(&mix->limit_id, "roof/f32/avx2/streams@8");
    expect(run, "no limit: ", false);
    mix->summary.limit.guessed = true;
    expect(run, "no limit: 1 case is faster than a stream of the same bytes", true);
    run->results[1].status = STATUS_NOISY;
    expect(run, "no limit: ", false);
    run_free(run);
}

/* On a terminal only what explains the numbers; a file has all. */
TEST(brief)
{
    const struct text_options options[] = {{.brief = false}, {.brief = true}};
    for (int i = 0; i < 2; i++) {
        struct run *const run = sample_run();
        char *const text = sample_text(run, FORMAT_TABLE, &options[i]);
        const char *const limit = strstr(text, "limit: ");
        assert_non_null(limit);
        assert_int_equal(strstr(limit + 1, "\nlimit: ") == NULL, i);
        assert_int_equal(strstr(text, ", seed ") == NULL, i);
        assert_int_equal(strstr(text, "geometric mean of ") == NULL, i);
        assert_int_equal(strstr(text, "all notes: --verbose") != NULL, i);
        free(text);
        run_free(run);
    }
}

/* Means leave unranked baselines out, and do not mix settings or layouts. */
TEST(means)
{
    struct run *run = sample_run_alone();
    struct result *big = NULL, *small = NULL;
    FOR_EACH (struct result, result, run->results, run->n_results) {
        if (!strcmp(result->id, "tanh/f32/avx512/table@1000"))
            small = result;
        if (!strcmp(result->id, "tanh/f32/avx512/table@4000"))
            big = result;
    }
    assert_true(small && big);
    expect(run, "mean of 2 sizes: tanh/f32/avx512/table 2.390x vs sleef\n", true);
    string_set(&big->layout, "other");
    expect(run, "tanh/f32/avx512/table 2", false);
    string_set(&small->layout, "other");
    expect(run, "tanh/f32/avx512/table (other) 2.390x vs sleef\n", true);
    string_set(&big->id, "tanh/f32/avx512/table@4000;input=zero");
    expect(run, "tanh/f32/avx512/table (other) 2", false);
    string_set(&small->id, "tanh/f32/avx512/table@1000;input=zero");
    expect(run, "tanh/f32/avx512/table;input=zero (other) 2.390x vs sleef\n", true);
    run_free(run);
}

/* The fastest fair row of a library, and only if there is none, an unfair one. */
TEST(unfair_rows_come_last)
{
    struct run *run = sample_run_alone();
    expect(run, "  2.363x [", true);
    for (size_t i = 0; i < run->n_results; i++)
        if (strstr(run->results[i].id, "/avx512/u35@1000"))
            string_set(&run->results[i].unranked, "no");
    expect(run, "  2.363x [", false);
    expect(run, "  3.001x [", true);
    for (size_t i = 0; i < run->n_results; i++)
        if (strstr(run->results[i].id, "/avx512/u10@1000"))
            string_set(&run->results[i].unranked, "no");
    expect(run, " 2.363x* [", true);
    expect(run, "* unranked, in no mean: no (sleef:tanh/f32/avx512/u10@1000 and 1 more)",
           true);
    run_free(run);
}

/* A legend is no table: many choices and scratch memories are only counted. */
TEST(choices_are_few)
{
    struct run *run = run_new();
    for (int i = 0; i < 40; i++) {
        struct result *result = run_add_result(run);
        char text[64];
        assert_non_null(result);
        snprintf(text, sizeof text, "conv/f32/avx2/k%d@n%d", i < 32 ? i % 8 : 0, i);
        string_set(&result->id, text);
        snprintf(text, sizeof text, "tile %d", i);
        string_set(&result->code.implementation, text);
        result_set_status(result, STATUS_OK, NULL);
        result->work.bytes = 1000;
        result->samples.workspace_bytes = i % 8 == 1 ? 1000 + i : 1000;
    }
    expect(run,
           "\nchoice: conv/f32/avx2/k1: tile 1 (1 case), tile 9 (1 case), "
           "tile 17 (1 case), 1 more\n",
           true);
    expect(run, "\nchoice: 2 more kernels in the JSON file\n", true);
    expect(run, "\nworkspace: conv/f32/avx2/k1 1001 B to 1025 B beyond the operands\n",
           true);
    expect(run, "workspace: conv/f32/avx2/k2", false);
    run_free(run);
}

/* Values in doubt are marked; a line for each doubt names the events. */
TEST(doubts)
{
    static const char *const texts[] = {"more branches than instructions (7 against 5)",
                                        "more branches than instructions (9 against 8)",
                                        "no loop is known for it"};
    struct run *run = run_new();

    for (int i = 0; i < 3; i++) {
        struct result *result = run_add_result(run);
        char text[32];
        assert_non_null(result);
        snprintf(text, sizeof text, "k%d@1", i);
        string_set(&result->id, text);
        result_set_status(result, STATUS_OK, NULL);
        struct counter *counter =
            result_add_counter(result, i < 2 ? "branches" : "mystery");
        assert_non_null(counter);
        counter->asked = true;
        counter->voided = i;
        assert_int_equal(counter_add_sample(counter, 1), 0);
        counter->value = 123;
        expect(run, " 123?", i > 0);
        string_set(&counter->doubt, texts[i]);
        expect(run, " 123?", true);
    }
    expect(run, "\nin doubt, marked ?: branches: more branches than instructions\n",
           true);
    expect(run, "\nin doubt, marked ?: mystery: no loop is known for it\n", true);
    expect(run, "\nvoid: 3 counts that no core can reach were thrown away\n", true);
    run_free(run);
}

/* A label is shown where the commit is. */
TEST(label)
{
    struct run *run = sample_run_small();

    string_set(&run->tool_commit, "25c13c4608f6");
    facts_text(&run->settings, "label", "v1");
    expect(run, ", commit 25c13c4608f6, label v1, ", true);
    run_free(run);
}

/* A run whose host does not tell how often: a file may lack any fact. */
TEST(shared_core)
{
    struct run *run = sample_run_small();

    run->results[0].samples.shared = true;
    expect(run, "\ncore shared: some batches ran beside another thread", true);
    facts_number(&run->host, "core_probes", 20);
    facts_number(&run->host, "core_shared_probes", 9);
    expect(run, "\ncore shared: 9 of 20 batches ran beside another thread", true);
    run_free(run);
}
