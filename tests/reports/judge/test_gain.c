/* SPDX-License-Identifier: Apache-2.0 */
/* From how much work on more threads are worth while, on made-up runs. */
#include "judge/judge.h"
#include "unit.h"

enum { ROUNDS = 20 };

static struct result *add(struct run *run, size_t group, double ops, uint32_t threads,
                          const char *name, double ns)
{
    struct result *const result = run_add_result(run);
    char id[60], shape[20], number[12];
    assert_non_null(result);
    snprintf(shape, sizeof shape, "%.0fx%zu", ops, group);
    snprintf(id, sizeof id, "relu/f32/avx2/%s@%s", name, shape);
    snprintf(number, sizeof number, "%u", threads);
    result->id = strdup(id);
    result->variant = strdup(name);
    if (threads > 1)
        result_add_setting(result, "threads", number);
    result->shape = strdup(shape);
    result->group = group;
    result->work.ops = ops;
    result->threads = result->threads_used = threads;
    result->status = STATUS_OK;
    result->samples.iterations = 1;
    result->samples.overhead_ns = 0;
    for (uint32_t i = 0; i < ROUNDS; i++)
        assert_int_equal(result_add_sample(result, i, ns * (1 + 0.04 * (i % 2))), 0);
    return result;
}

/* PAIR: two threads make it `times` as fast. EVEN: the ratios of its rounds lie to both
 * sides of 1, about this one. */
enum kind { PAIR, EVEN, NOISY_ONE, NOISY_TWO, ROOF };

struct made {
    size_t group;
    double ops, times;
    const char *name;
    enum kind kind;
};

static void make(struct run *run, const struct made *made)
{
    add(run, made->group, made->ops, 1, made->name, 1000);
    add(run, made->group, made->ops, 2, made->name, 1000 / made->times);
    struct result *const two = &run->results[run->n_results - 1], *const one = two - 1;
    for (size_t i = 0; i < ROUNDS && made->kind == EVEN; i++)
        two->samples.ns[i] *= i % 4 < 2 ? 0.96 : 1.04;
    if (made->kind == NOISY_ONE || made->kind == NOISY_TWO)
        (made->kind == NOISY_ONE ? one : two)->status = STATUS_NOISY;
    one->is_roof = two->is_roof = made->kind == ROOF;
}

TEST(test_least_work)
{
    static const struct {
        const char *what;
        double least;
        struct made made[5];
    } cases[] = {{"faster from 200 on",
                  200,
                  {{0, 100, 0.5, "max", PAIR},
                   {1, 200, 1.2, "max", PAIR},
                   {2, 400, 1.9, "max", PAIR}}},
                 {"at any size", 1, {{0, 1, 1.5, "max", PAIR}}},
                 {"a case without a pair hides no loss",
                  INFINITY,
                  {{0, 100, 1.5, "stream", NOISY_TWO}, {0, 100, 0.5, "max", PAIR}}},
                 {"one that is slower keeps its size and all below it on one thread",
                  400,
                  {{0, 100, 1.9, "max", PAIR},
                   {1, 200, 1.9, "max", PAIR},
                   {1, 200, 0.95, "stream", PAIR},
                   {2, 400, 1.9, "max", PAIR}}},
                 {"one that can neither gain nor lose does not",
                  200,
                  {{0, 100, 0.9, "max", PAIR},
                   {1, 200, 1.9, "max", PAIR},
                   {1, 200, 0.999, "stream", EVEN},
                   {1, 200, 1, "copy", PAIR}}},
                 {"a gain that may be none is not named, and hides no other",
                  200,
                  {{0, 100, 1.001, "max", EVEN},
                   {1, 200, 1.5, "max", PAIR},
                   {2, 400, 1.001, "max", EVEN}}},
                 {"no gain on average, below",
                  200,
                  {{0, 100, 0.99, "max", EVEN}, {1, 200, 1.5, "max", PAIR}}},
                 {"no gain on average, above",
                  INFINITY,
                  {{0, 100, 1.5, "max", PAIR}, {1, 200, 0.99, "max", EVEN}}},
                 {"what was not measured neither sets a threshold nor raises it",
                  100,
                  {{0, 100, 1.5, "stream", NOISY_TWO},
                   {0, 100, 1.5, "max", PAIR},
                   {1, 50, 1.5, "max", NOISY_ONE},
                   {2, 200, 0.5, "max", NOISY_TWO}}},
                 {"nothing was measured",
                  NAN,
                  {{0, 100, 1.5, "max", NOISY_TWO}, {1, 200, 1.5, "max", NOISY_ONE}}},
                 {"limits stand in the groups that they limit, and count for nothing",
                  200,
                  {{0, 100, 0.5, "max", PAIR},
                   {0, 1000, 0.5, "copy", ROOF},
                   {1, 200, 1.5, "max", PAIR},
                   {1, 1000, 0.5, "copy", ROOF}}}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const double least = cases[i].least;
        const char *shape = NULL;
        struct run *const run = run_new();
        for (const struct made *made = cases[i].made; made->name; made++)
            make(run, made);
        const double got = gain_least_work(run, 2, &shape);
        if (!isfinite(least)
                ? isnan(got) != isnan(least) || isfinite(got)
                : fabs(got - least) >= 0.5 || fabs(strtod(shape, NULL) - least) >= 0.5)
            fail_msg("%s: %g, not %g", cases[i].what, got, least);
        run_free(run);
    }
}

/* The first of the same work gives the shape; a partner may stand before. */
TEST(test_partners)
{
    const char *shape = NULL;
    struct run *const run = run_new();
    for (size_t g = 0; g < 2; g++) {
        add(run, g, 100, 2, "max", 500);
        add(run, g, 100, 1, "max", 1000);
    }
    assert_near(gain_least_work(run, 2, &shape), 100, 0);
    assert_string_equal(shape, "100x0");
    assert_ptr_equal(gain_partner(run, &run->results[1], 2), &run->results[0]);
    assert_ptr_equal(gain_partner(run, &run->results[3], 2), &run->results[2]);
    assert_null(gain_partner(run, &run->results[1], 4));
    run->results[0].samples.n = 0;
    assert_true(isnan(gain_between(&run->results[1], &run->results[0]).times));
    run_free(run);
}

/* A partner differs in its threads alone. */
TEST(test_no_partners)
{
    struct run *const run = run_new();
    add(run, 0, 100, 1, "max", 1000);
    struct result *const two = add(run, 0, 100, 2, "max", 9);
    const struct result *const first = run->results;
    assert_ptr_equal(gain_partner(run, first, 2), two);
    result_add_setting(two, "cache", "cold");
    assert_null(gain_partner(run, first, 2));
    result_add_setting(&run->results[0], "cache", "cold");
    assert_ptr_equal(gain_partner(run, first, 2), two);
    char **const parts[] = {&two->module.name, &two->op,    &two->type,
                            &two->isa,         &two->shape, &two->variant};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        char *const kept = *parts[i];
        *parts[i] = strdup("other");
        assert_null(gain_partner(run, first, 2));
        free(*parts[i]);
        *parts[i] = kept;
    }
    result_add_module_option(two, "core", "zen");
    assert_null(gain_partner(run, first, 2));
    run_free(run);
}

/* Twice as fast, and more work. */
TEST(test_work_of_threads)
{
    static const double ops[][3] = {
        {0, 0, 2}, {1, 3, 6}, {3, 1, 2.0 / 3}, {0, 3, 2}, {3, 0, 2}};
    for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
        struct run *const run = run_new();
        add(run, 0, ops[i][0], 1, "max", 1000);
        add(run, 0, ops[i][1], 2, "max", 500);
        const struct gain gain = gain_between(&run->results[0], &run->results[1]);
        assert_near(gain.times, ops[i][2], 1e-9);
        assert_near(gain.ci.lo, ops[i][2], 1e-9);
        assert_near(gain.ci.hi, ops[i][2], 1e-9);
        run_free(run);
    }
}

/* The loop takes no longer for a kernel that is faster. */
TEST(test_loop_is_subtracted)
{
    struct run *run = run_new();
    add(run, 0, 100, 1, "max", 11000);
    add(run, 0, 100, 2, "max", 6000);
    for (size_t i = 0; i < 2; i++) {
        struct result *const result = &run->results[i];
        result->samples.iterations = 10;
        result->samples.overhead_ns = 100;
        for (size_t k = 0; k < ROUNDS; k++)
            result->samples.ns[k] = i ? 6000 : 11000;
    }
    const struct gain gain = gain_between(&run->results[0], &run->results[1]);
    assert_true(fabs(gain.times - 2) < 1e-9);
    assert_true(fabs(gain.ci.lo - 2) < 1e-9);
    run_free(run);
}
