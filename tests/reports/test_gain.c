/* SPDX-License-Identifier: Apache-2.0 */
/* From how much work on more threads are worth while, on made-up runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/judge.h"

enum { ROUNDS = 20 };

static struct result *add(struct run *run, size_t group, double ops, uint32_t threads,
                          const char *name, double ns)
{
    struct result *const result = run_add_result(run);
    char id[60], shape[20];
    assert_non_null(result);
    snprintf(shape, sizeof shape, "%.0f", ops);
    snprintf(id, sizeof id, "relu/f32/avx2/%s@%s", name, shape);
    result->id = threads > 1 ? gain_id(id, threads) : strdup(id);
    result->shape = strdup(shape);
    result->group = group;
    result->ops = ops;
    result->threads = result->threads_used = threads;
    result->status = STATUS_OK;
    result->iterations = 1;
    result->overhead_ns = 0;
    for (uint32_t i = 0; i < ROUNDS; i++)
        assert_int_equal(result_add_sample(result, i, ns * (1 + 0.04 * (i % 2))), 0);
    return result;
}

/* A kernel that two threads make `times` as fast. */
static void pair(struct run *run, size_t group, double ops, const char *name,
                 double times)
{
    add(run, group, ops, 1, name, 1000);
    add(run, group, ops, 2, name, 1000 / times);
}

/* Rounds whose ratios lie to both sides of 1, about this one. */
static void even(struct run *run, size_t group, double ops, const char *name,
                 double middle)
{
    add(run, group, ops, 1, name, 1000);
    struct result *const two = add(run, group, ops, 2, name, 1000 / middle);
    for (size_t i = 0; i < ROUNDS; i++)
        two->samples_ns[i] *= i % 4 < 2 ? 0.96 : 1.04;
}

static void expect(struct run *run, double work)
{
    const char *shape = NULL;
    const double least = gain_least_work(run, 2, &shape);
    if (isinf(work)) {
        assert_true(isinf(least));
    } else {
        assert_true(fabs(least - work) < 0.5);
        assert_true(fabs(strtod(shape, NULL) - work) < 0.5);
    }
    run_free(run);
}

static void test_least(void **state)
{
    struct run *run = run_new();
    (void)state;
    pair(run, 0, 100, "max", 0.5);
    pair(run, 1, 200, "max", 1.2);
    pair(run, 2, 400, "max", 1.9);
    expect(run, 200);
}

/* One kernel that is slower keeps its size and all below it on one thread. */
static void test_one_is_slower(void **state)
{
    struct run *run = run_new();
    (void)state;
    pair(run, 0, 100, "max", 1.9);
    pair(run, 1, 200, "max", 1.9);
    pair(run, 1, 200, "stream", 0.95);
    pair(run, 2, 400, "max", 1.9);
    expect(run, 400);
}

/* One that can neither gain nor lose does not. */
static void test_one_is_even(void **state)
{
    struct run *run = run_new();
    (void)state;
    pair(run, 0, 100, "max", 0.9);
    pair(run, 1, 200, "max", 1.9);
    even(run, 1, 200, "stream", 0.999);
    pair(run, 1, 200, "copy", 1);
    expect(run, 200);
}

static void test_no_gain_on_average(void **state)
{
    struct run *run = run_new();
    (void)state;
    even(run, 0, 100, "max", 0.99);
    pair(run, 1, 200, "max", 1.5);
    expect(run, 200);
    run = run_new();
    pair(run, 0, 100, "max", 1.5);
    even(run, 1, 200, "max", 0.99);
    expect(run, INFINITY);
}

/* If one of a pair was not measured, it neither sets a threshold nor raises it. */
static void test_noisy(void **state)
{
    struct run *run = run_new();
    (void)state;
    pair(run, 0, 100, "max", 1.5);
    pair(run, 1, 50, "max", 1.5);
    pair(run, 2, 200, "max", 0.5);
    for (size_t i = 2; i < run->n_results; i += 3)
        run->results[i].status = STATUS_NOISY;
    expect(run, 100);
}

/* Limits stand in the groups that they limit, and count for nothing. */
static void test_roofs(void **state)
{
    struct run *run = run_new();
    (void)state;
    pair(run, 0, 100, "max", 0.5);
    pair(run, 0, 1000, "copy", 0.5);
    pair(run, 1, 200, "max", 1.5);
    pair(run, 1, 1000, "copy", 0.5);
    for (size_t i = 0; i < run->n_results; i++)
        run->results[i].is_roof = strstr(run->results[i].id, "copy") != NULL;
    expect(run, 200);
}

/* The loop takes no longer for a kernel that is faster. */
static void test_loop_is_subtracted(void **state)
{
    struct run *run = run_new();
    (void)state;
    add(run, 0, 100, 1, "max", 11000);
    add(run, 0, 100, 2, "max", 6000);
    for (size_t i = 0; i < 2; i++) {
        struct result *const result = &run->results[i];
        result->iterations = 10;
        result->overhead_ns = 100;
        for (size_t k = 0; k < ROUNDS; k++)
            result->samples_ns[k] = i ? 6000 : 11000;
    }
    const struct gain gain = gain_between(&run->results[0], &run->results[1]);
    assert_true(fabs(gain.times - 2) < 1e-9);
    run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least),
        cmocka_unit_test(test_one_is_slower),
        cmocka_unit_test(test_one_is_even),
        cmocka_unit_test(test_no_gain_on_average),
        cmocka_unit_test(test_noisy),
        cmocka_unit_test(test_roofs),
        cmocka_unit_test(test_loop_is_subtracted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
