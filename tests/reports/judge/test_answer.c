/* SPDX-License-Identifier: Apache-2.0 */
/* The answer in words: the same text ends a table, begins Markdown, and stands in JSON.
 */
#include "sample_explained.h"
#include "sample_gate.h"
#include "sample_run.h"
#include "sample_study.h"
#include "unit.h"

static void check_everywhere(struct run *run, const char *begin)
{
    struct buffer end = {.text = NULL};
    struct answer answer = run_answer(run);
    assert_true(answer.n > 0);
    assert_int_equal(strncmp(answer.line[0], begin, strlen(begin)), 0);
    for (size_t i = 0; i < answer.n; i++)
        buffer_format(&end, "%s\n", answer.line[i]);

    char *const table = sample_text(run, FORMAT_TABLE, NULL);
    const size_t length = strlen(table);
    assert_true(length > end.length);
    assert_string_equal(table + length - end.length, buffer_text(&end));
    free(table);

    char *const markdown = sample_text(run, FORMAT_MARKDOWN, NULL);
    assert_int_equal(strncmp(markdown, "# simdbench\n\n**", 15), 0);
    free(markdown);

    char *const json = sample_text(run, FORMAT_JSON, NULL);
    assert_non_null(strstr(json, "\"answer\":"));
    assert_non_null(strstr(json, begin));
    free(json);
    buffer_free(&end);
    answer_free(&answer);
    run_free(run);
}

TEST(everywhere)
{
    check_everywhere(sample_run(), "gemm/maxplus-f32: avx512/fma ");
    check_everywhere(sample_gate(), "CODE IS WORSE: 1 of 8 cases: ");
    check_everywhere(sample_explained(), "openblas:gemm/plustimes-f32/lib/sgemm");
    check_everywhere(sample_study_run(), "Yes: spills cost time: 1.60x. ");
}

/* Without a cause, the largest bound stands; of two cases, the bound that changed. */
TEST(bounds)
{
    struct run *const run = run_new();
    assert_non_null(run_add_result(run));
    assert_non_null(run_add_result(run));
    struct result *const result = run->results;
    struct explanation *const why = result_explanation(&result[0]);
    string_set(&result[0].id, "a");
    string_set(&result[1].id, "b");
    why->cycles = 1.01;
    why->residual_share = 0.01;
    struct explained_bound *const bound = explanation_add_bound(why, "chain_cycles");
    string_set(&bound->text, "the longest dependency");
    bound->cycles = 1;
    assert_true(says(run, "a: its bounds explain its time"));
    assert_false(says(run, "largest bound"));
    why->residual_share = 0.06;
    assert_true(says(run, "a: its bounds explain 94% of its time"));
    why->residual_share = 0.2;
    string_set(&why->not_traced, "it was built without a decoder");
    assert_true(
        says(run, "a: nobody saw what it executes: it was built without a decoder"));
    string_set(&why->not_traced, NULL);
    assert_true(says(run, "a: nothing here explains 20% of its time"));
    why->residual_share = 0.01;
    bound->limits = true;
    assert_true(says(run, "the largest bound: the longest dependency, 1 of 1.01 cycles"));

    struct explained_finding *const finding = explanation_add_finding(why, "cache-sets");
    string_set(&finding->text, "sets are full");
    finding->share = 0.75;
    assert_true(says(run, "a: 4 times slower than it could be: sets are full"));
    finding->share = 0.992;
    assert_true(says(run, "a: 125 times slower than it could be: sets are full"));
    finding->share = 0.75;
    string_set(&finding->experiment, "small_shape");
    assert_true(says(run, "a: up to 4 times slower than it could be: sets are full"));
    string_set(&finding->experiment, "edit_divide");
    assert_true(says(run, "a: up to 4 times slower than it could be: sets are full"));
    string_set(&finding->experiment, "edit_vex");
    assert_true(says(run, "a: 4 times slower than it could be: sets are full"));
    string_set(&finding->experiment, "tame_input");
    assert_true(says(run, "a: about 4 times slower than it could be: sets are full"));
    /* Places that are near are a nearer cache; a part of a name is none. */
    string_set(&finding->experiment, "near_input");
    assert_true(says(run, "a: up to 4 times slower than it could be: sets are full"));
    string_set(&finding->experiment, "edit");
    assert_true(says(run, "a: 4 times slower than it could be: sets are full"));
    string_set(&finding->experiment, "edit_gather");
    finding->share = 0.25;
    assert_true(says(run, "a: up to 25% of its time could be saved: sets are full"));
    string_set(&finding->experiment, "edit_whole");
    assert_true(says(run, "a: up to 25% of its time could be saved: sets are full"));

    string_set(&result[0].reason, "6 of 6 batches were disturbed");
    assert_true(says(run, "a: its time is not known: 6 of 6 batches were disturbed"));
    result[0].summary.median_ns = 1;
    assert_true(says(run, "sets are full"));

    run->account = account_new("a", "b");
    account_add(&run->account->factors, "time", NULL, 3, 1);
    account_add(&run->account->factors, "cycles", NULL, 3, 1);
    account_add(&run->account->bounds, "chain_cycles", NULL, 1.5, 1);
    account_add(&run->account->bounds, "at the best place", NULL, 3, 1);
    assert_true(says(run, "a takes 3 times as long as b; most of it: cycles x3"));
    assert_false(says(run, "of the difference"));
    run->account->bounds.row[0].a = 2.8;
    assert_true(says(run, "by the longest dependency: 2.8 against 1 cycles an operation, "
                          "90% of the difference"));
    /* Far from the time, it bounds neither. */
    struct account_row *const chain = run->account->bounds.row;
    chain->a = 1.7;
    chain->b = 0.1;
    assert_false(says(run, "of the difference"));
    /* A bound that changes more, and is less of the time, is not what the slower waits
     * for. */
    chain->a = 2.8;
    chain->b = 1;
    account_add(&run->account->bounds, "dispatch_cycles", NULL, 2.7, 0.2);
    assert_true(says(run, "by the longest dependency: 2.8 against 1"));
    run->account->bounds.row[2].a = 2.9;
    assert_true(
        says(run, "by dispatch_cycles: 2.9 against 0.2 cycles an operation, 100% of "));
    /* A cause is told by what its finding says. */
    string_set(&run->account->bounds.row[2].name, "cache-sets");
    assert_true(says(run, "cycles x3, as sets are full: 2.9 against 0.2 cycles an "));
    /* An experiment's gain counts, also if it is less of the time. */
    run->account->bounds.row[2].a = 1.7;
    run->account->bounds.row[0].a = 1.2;
    assert_true(says(run, "cycles x3, as sets are full: 1.7 against 0.2 cycles an "));
    finding->share = NAN;
    assert_false(says(run, "of the difference"));
    run->account->bounds.row[0].a = 2.8;
    run->account->bounds.row[2].a = 0.2;
    /* As built the difference is that of the place, too. */
    account_add(&run->account->bounds, "placement", NULL, 3, 0);
    assert_true(says(run, "by placement: 3 against 0 cycles an operation, 60% of the "
                          "difference"));
    account_add(&run->account->factors, "instructions", NULL, 9, 1);
    assert_false(says(run, "placement"));
    account_add(&run->account->factors, "1 / clock", NULL, 6, 1);
    assert_true(says(run, "most of it: instructions x9 and 1 / clock x6"));
    /* A factor that may be none is not named, nor one that is not known. */
    struct account_row *const factor = run->account->factors.row;
    factor[3].ci = (struct interval){.known = true, .lo = 0.9, .hi = 40, .level = 0.95};
    assert_false(says(run, "1 / clock"));
    factor[3].ci.known = false;
    factor[2].ratio = 0.1;
    factor[3].ratio = 0;
    assert_true(says(run, "most of it: instructions x0.1"));
    assert_false(says(run, "1 / clock"));
    /* The addresses of data are named if they are most of the difference. */
    account_add(&run->account->conditions, "layout", NULL, 0.7, 1);
    assert_true(says(run, "most of it: instructions x0.1"));
    run->account->conditions.row[0].a = 0.25;
    assert_true(says(run,
                     "a takes 3 times as long as b, but 0.75 times with stack and data "
                     "elsewhere"));
    factor->ratio = 1.01;
    factor->ci = (struct interval){.known = true, .lo = 1.005, .hi = 1.02, .level = 0.95};
    assert_true(says(run, "a and b are level"));
    factor->ratio = 1.03;
    assert_true(says(run, "a takes 1.03 times as long"));
    run_free(run);
}

TEST(other_programs)
{
    struct run *const run = run_new();
    struct result *const result = run_add_result(run);
    assert_non_null(result);
    string_set(&result->id, "BM_copy/8");
    result->status = STATUS_OK;
    result->summary.median_ns = 12.5;
    assert_true(says(run, "BM_copy/8 takes 12.5"));
    assert_false(says(run, "unchecked"));
    run_free(run);
}

/* Rows that others disturbed are told; so is the command that asks why. */
TEST(honest)
{
    struct run *const run = sample_run_alone();
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].samples.shared = false;
    assert_false(says(run, "neighbour"));
    run->results[0].samples.shared = true;
    assert_true(says(run, "with a neighbour on the core: 1 of "));
    /* A share of a limit is told of cases that had the core alone. */
    assert_true(says(run, "% of the limit measured here"));
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].samples.shared = true;
    assert_false(says(run, "of the limit"));
    run_free(run);

    struct run *const alone = sample_run_alone();
    for (size_t i = 0; i < alone->n_results; i++)
        if (alone->results[i].status == STATUS_OK)
            alone->results[i].status = STATUS_UNCHECKED;
    assert_true(says(alone, "; unchecked: nothing says whether"));
    assert_true(says(alone, "without a number: 4 of 12 cases: 1 skipped, 1 wrong, "));
    for (size_t i = 0; i < alone->n_results; i++)
        if (alone->results[i].status == STATUS_UNCHECKED)
            alone->results[i].status = STATUS_SUSPECT;
    assert_true(says(alone, "suspect: 8 of 12 cases are faster than "));
    assert_true(says(alone, "without a number: 4 of 12 cases: 1 skipped, 1 wrong, "));
    run_free(alone);

    struct run *const gate = sample_gate();
    assert_true(says(gate, "Why: simdbench explain old/kernels.so new/kernels.so '"));
    string_set(&gate->gate->functions, "mix.json");
    assert_true(says(gate, " --functions=mix.json"));
    string_set(&gate->gate->functions, "");
    assert_true(says(gate, "Why: add --save=mix.json to this command"));
    string_set(&gate->gate->functions, NULL);
    for (size_t i = 0; i < gate->gate->n_arms; i++)
        string_set(&gate->gate->arms[i].path, "my.solver/x.so");
    assert_true(says(gate, "Why: simdbench explain my.solver/x.so my.solver/x.so '"));
    for (size_t i = 0; i < gate->gate->n_arms; i++)
        string_set(&gate->gate->arms[i].path, "my $(x).so");
    assert_false(says(gate, "Why: "));
    run_free(gate);
}

/* Runs of two machines and wrong cases come before undecided cases. */
TEST(stored_runs)
{
    struct run *const run = run_new();
    struct gate *const gate = run_gate(run);
    string_set(&gate->kind, "stored");
    for (int i = 0; i < 3; i++) {
        struct result *const result = run_add_result(run);
        string_set(&result->id, i ? "b" : "a");
        result->is_baseline = i == 2;
        result->status = i ? STATUS_WRONG : STATUS_OK;
        result_comparison(result)->verdict = VERDICT_UNUSABLE;
    }
    gate->unusable = 2;
    string_set(&run->results[1].reason, "head: crashes");
    assert_true(says(run, "FAILED: 1 of 2 cases wrong or failed: b (head: crashes)"));
    gate->regressed = 1;
    assert_true(says(run, ", 1 wrong or failed: b (head: crashes)"));
    gate->regressed = 0;
    /* A case that run 2 alone has may be wrong, too; a library is not judged. */
    run->results[1].comparison->verdict = VERDICT_NEW;
    assert_true(says(run, "FAILED: 1 of 2 cases wrong or failed: b"));
    run->results[1].status = STATUS_OK;
    assert_true(says(run, "UNDECIDED: none of 2 cases regressed"));
    run->interrupted = true;
    assert_true(says(run, "; run 2 was interrupted"));
    string_set(&gate->refused, "cpu is 'A' and 'B'");
    assert_true(says(run, "NOT JUDGED: the runs are not known to be of one machine: cpu "
                          "is 'A' and 'B'"));
    assert_false(says(run, "UNDECIDED"));
    run_free(run);
}

/* Another decided claim stands in for an opening claim without an outcome. */
TEST(opening_of_a_study)
{
    struct run *const run = sample_study_run();
    struct study_claim *const claims = run->studies[0].claims;
    string_set(&claims[1].confirms, "Branches cost time.");
    claims[0].check.verdict = STUDY_UNDECIDED;
    struct answer answer = run_answer(run);
    assert_int_equal(answer.n, 3);
    assert_string_equal(answer.line[0], "Branches cost time: 1.70x.");
    assert_int_equal(strncmp(answer.line[1], "burnt-conv: 11 claims", 21), 0);
    assert_int_equal(strncmp(answer.line[2], "Not decided here: claim 5a", 26), 0);
    answer_free(&answer);
    claims[1].by_construction = true;
    assert_false(says(run, "Branches cost time"));
    run_free(run);
}

/* A case of a plug-in is found by the plug-in. */
TEST(command_with_a_plugin)
{
    struct run *const run = sample_run_alone();
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].summary.limit.share = 0.5;
    assert_true(says(run, ". Why: simdbench explain '"));
    assert_false(says(run, "--plugin"));
    for (size_t i = 0; i < run->n_results; i++)
        string_set(&run->results[i].module.name, "mine");
    assert_false(says(run, "Why: "));
    strings_add(&run->plugins, &run->n_plugins, "/a/mine.so 0123abcd");
    assert_true(says(run, "' --plugin='/a/mine.so'"));
    string_set(&run->plugins[0], "/a/mine.json ");
    assert_false(says(run, "Why: "));
    string_set(&run->plugins[0], "/a/$(mine).so 01");
    assert_false(says(run, "Why: "));
    string_set(&run->plugins[0], "/a/mine.so ");
    strings_add(&run->plugins, &run->n_plugins, "/a/other.so ");
    assert_false(says(run, "Why: "));
    run_free(run);
}

/* A limit that was too low says nothing of the others. */
TEST(limits_that_are_too_low)
{
    struct run *const run = sample_run_alone();
    for (size_t i = 0; i < run->n_results; i++) {
        run->results[i].summary.limit.share = i % 2 ? 1.5 : 0.9;
        run->results[i].summary.limit.too_low = i % 2;
    }
    assert_true(says(run, "; 90% of the limit measured here"));
    assert_false(says(run, "150"));
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].summary.limit.too_low = true;
    assert_true(says(run, "; faster than its limit, which was measured too low"));
    run_free(run);
}
