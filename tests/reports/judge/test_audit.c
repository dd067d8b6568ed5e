/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up times of a dispatcher and its kernels. */
#include "judge/judge.h"
#include "unit.h"

enum { ROUNDS = 24, CALLS = 1000, KERNELS = 3 };

struct row {
    const char *shape;
    double ns[KERNELS]; /* sse2, avx2, lib; 0: no time */
};

static void add_case(struct run *run, size_t group, const char *shape, size_t k,
                     double ns)
{
    static const char *const isa[] = {"sse2", "avx2", "lib"}, *const variant[] = {
                                                                  "mix_sse2", "mix_avx2",
                                                                  "mix"};
    char id[100];
    struct result *const result = run_add_result(run);
    snprintf(id, sizeof id, "mix:mix/f32/%s/%s@%s", isa[k], variant[k], shape);
    assert_non_null(result);
    result->group = group;
    string_set(&result->id, id);
    string_set(&result->op, "mix");
    string_set(&result->type, "f32");
    string_set(&result->isa, isa[k]);
    string_set(&result->variant, variant[k]);
    string_set(&result->shape, shape);
    result->samples.iterations = CALLS;
    result_set_status(result, ns > 0 ? STATUS_OK : STATUS_SHORT, "too short");
    for (uint32_t i = 0; i < ROUNDS && ns > 0; i++)
        assert_int_equal(
            result_add_sample(result, i, CALLS * ns * (1 + 0.002 * ((i * 7 + k) % 5))),
            0);
}

static struct run *make(const struct row *rows, size_t n, const char *dispatcher)
{
    struct run *const run = run_new();
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < KERNELS; k++)
            add_case(run, i, rows[i].shape, k, rows[i].ns[k]);
    facts_text(&run->settings, "dispatcher", dispatcher);
    run_summarise(run, GROUP_ALL);
    return run;
}

static const struct row rows[] = {
    {"16", {5, 5.1, 5.1}}, {"64", {20, 14, 20.2}}, {"65", {20, 13, 21}},
    {"256", {80, 40, 42}}, {"257", {80, 40, 40}},  {"300", {90, 0, 90}},
};

TEST(test_ranges)
{
    struct audit audit;
    struct run *const run = make(rows, ARRAY_LEN(rows), "");
    assert_true(run_is_audit(run));
    run_audit(run, &audit);
    /* At 300 a kernel has no time, so nobody knows whether the choice is good. */
    assert_int_equal(audit.n, 3);
    assert_int_equal(audit.worse, 1);
    assert_false(audit.range[0].worse);
    const struct audit_range *const worse = &audit.range[1];
    assert_true(worse->worse);
    assert_int_equal(worse->sizes, 2);
    assert_string_equal(worse->better->variant, "mix_avx2");
    assert_string_equal(worse->like->variant, "mix_sse2");
    assert_string_equal(worse->better->shape, "64");
    assert_string_equal(worse->last->shape, "65");
    assert_true(fabs(worse->least - 20.2 / 14) < 0.02);
    assert_true(fabs(worse->most - 21.0 / 13) < 0.02);
    assert_false(audit.range[2].worse);
    assert_int_equal(audit.range[2].sizes, 2);
    audit_free(&audit);

    struct answer answer = run_answer(run);
    assert_string_equal(answer.line[0],
                        "mix:mix/f32, from 64 to 65 (2 sizes): lib/mix chooses badly: "
                        "avx2/mix_avx2 is 1.45 to 1.62 times faster; lib/mix is about as "
                        "fast as sse2/mix_sse2");
    assert_string_equal(answer.line[2],
                        "mix:mix/f32, from 256 to 257 (2 sizes): lib/mix chooses well, "
                        "and its own code costs up to 5%");
    answer_free(&answer);
    run_free(run);
}

/* Names such as mix_by8 say nothing of an instruction set. */
TEST(test_its_name)
{
    struct audit audit;
    struct run *const run = make(rows, ARRAY_LEN(rows), "");
    for (size_t i = 0; i < run->n_results; i++)
        string_set(&run->results[i].isa, "lib");
    run_audit(run, &audit);
    assert_int_equal(audit.worse, 1);
    assert_string_equal(audit.range[1].dispatcher->variant, "mix");
    assert_string_equal(audit.range[1].like->variant, "mix_sse2");
    audit_free(&audit);
    run_free(run);
}

/* A jump to the right kernel costs a part of a short call; of two kernels that are as
 * fast either is right. */
TEST(test_own_code)
{
    static const struct row own[] = {
        {"3", {1.2, 4, 4.1}},    {"4", {3.8, 3.8, 5.9}},  {"7", {7, 6.2, 7.1}},
        {"100", {80, 80.5, 86}}, {"128", {78, 78.2, 90}}, /* like none */
        {"200", {50, 60, 100}},  {"256", {78, 160, 100}},
    };
    struct audit audit;
    struct run *const run = make(own, ARRAY_LEN(own), "");
    run_audit(run, &audit);
    assert_int_equal(audit.worse, 1);
    assert_int_equal(audit.n, 2);
    assert_string_equal(audit.range[0].last->shape, "3");
    assert_true(audit.range[0].worse);
    assert_int_equal(audit.range[1].sizes, 1);
    assert_string_equal(audit.range[1].last->shape, "100");
    audit_free(&audit);
    run_free(run);
}

/* Without one that chooses, the fastest kernels of each size are told. */
TEST(test_crossover)
{
    struct audit audit;
    static const struct row close[] = {{"16", {20, 20.1, 30}},   {"17", {20.1, 20, 30}},
                                       {"64", {20, 14, 20.2}},   {"65", {20, 13, 21}},
                                       {"98", {60, 60.2, 60.4}}, {"99", {60, 60.4, 60.2}},
                                       {"100", {60, 62.4, 70}},  {"128", {60, 61.8, 70}}};
    struct run *const run = make(close, ARRAY_LEN(close), "nobody");
    /* The interval of the last size reaches from below 3% to above: it is left out. */
    struct samples *const noisy = &run->results[run->n_results - 2].samples;
    for (size_t i = 0; i < noisy->n; i++)
        noisy->ns[i] *= i % 2 ? 0.98 : 1.02;
    run_summarise(run, GROUP_ALL);
    run_audit(run, &audit);
    assert_int_equal(audit.worse, 0);
    assert_int_equal(audit.n, 4);
    assert_null(audit.range[0].dispatcher);
    assert_string_equal(audit.range[0].last->shape, "17");
    assert_null(audit.range[1].like);
    assert_string_equal(audit.range[1].last->shape, "65");
    audit_free(&audit);

    struct answer answer = run_answer(run);
    assert_string_equal(answer.line[0],
                        "mix:mix/f32, from 16 to 17 (2 sizes): sse2/mix_sse2 and "
                        "avx2/mix_avx2 are the fastest: they are level");
    assert_string_equal(answer.line[1], "mix:mix/f32, from 64 to 65 (2 sizes): "
                                        "avx2/mix_avx2 is the fastest");
    assert_string_equal(answer.line[2],
                        "mix:mix/f32, from 98 to 99 (2 sizes): sse2/mix_sse2 and "
                        "avx2/mix_avx2 and lib/mix are the fastest: they are level");
    assert_string_equal(answer.line[3],
                        "mix:mix/f32 at 100: sse2/mix_sse2 is the fastest");
    assert_string_equal(answer.line[4],
                        "--dispatcher: no kernel is called nobody; there is mix_sse2, "
                        "mix_avx2, mix");
    answer_free(&answer);
    run_free(run);
}

/* Longer times would not tell which kernel it is. */
TEST(test_missing_kernel)
{
    static const struct row row = {"64", {20, 14, 30}};
    struct run *const run = make(&row, 1, "");
    struct answer answer = run_answer(run);
    assert_string_equal(answer.line[0],
                        "at 1 size the dispatcher is about as fast as none of these "
                        "kernels: the one that it chooses may be missing here");
    answer_free(&answer);
    run_free(run);
}

/* A neighbour on the core, and too few rounds for an interval, accuse nobody. */
TEST(test_doubt)
{
    struct audit audit;
    struct run *const run = make(&rows[1], 1, "");
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].samples.shared = true;
    run_audit(run, &audit);
    assert_int_equal(audit.n, 0);
    audit_free(&audit);
    struct answer answer = run_answer(run);
    assert_true(answer.n > 0);
    assert_non_null(strstr(answer.line[0], "undecided: at no size do the times"));
    answer_free(&answer);
    for (size_t i = 0; i < run->n_results; i++) {
        run->results[i].samples.shared = false;
        run->results[i].samples.n = 3;
    }
    run_audit(run, &audit);
    assert_int_equal(audit.n, 0);
    audit_free(&audit);
    run_free(run);
}

/* Beside a neighbour a kernel is the fastest if all others take more than twice as long,
 * and the dispatcher calls it if it is as fast. */
TEST(test_beside_a_neighbour)
{
    static const struct row all[] = {
        {"64", {100, 14, 14.2}}, {"65", {20, 14, 14.2}}, {"66", {20, 14, 20.2}},
        {"67", {100, 14, 101}},  {"68", {100, 14, 60}},  {"69", {100, 14, 50}},
    };
    struct audit audit;
    struct run *const run = make(all, ARRAY_LEN(all), "");
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].samples.shared = true;
    run_audit(run, &audit);
    assert_int_equal(audit.n, 2);
    assert_int_equal(audit.worse, 1);
    assert_int_equal(audit.strangers, 1);
    assert_string_equal(audit.range[0].last->shape, "64");
    assert_false(audit.range[0].worse);
    assert_string_equal(audit.range[1].last->shape, "67");
    assert_string_equal(audit.range[1].like->variant, "mix_sse2");
    audit_free(&audit);
    run_free(run);
}

/* A kernel whose times nobody trusts is not as fast as the best: it acquits nobody. */
TEST(test_doubt_about_the_other_kernel)
{
    struct audit audit;
    struct run *const run = make(&rows[1], 1, "");
    struct samples *const sse2 = &run->results[0].samples;
    sse2->shared = true;
    run_audit(run, &audit);
    assert_int_equal(audit.n, 0);
    audit_free(&audit);
    sse2->shared = false;
    for (size_t i = 0; i < sse2->n; i++)
        sse2->ns[i] *= i % 3 == 0 ? 0.6 : i % 3 == 1 ? 1 : 1.5;
    run_summarise(run, GROUP_ALL);
    run_audit(run, &audit);
    assert_int_equal(audit.n, 0);
    audit_free(&audit);
    run_free(run);
}
