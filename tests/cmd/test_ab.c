/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison that is opened once and measured several times. Changes are so large, and
 * the threshold so high, that no load of the machine matters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ab/ab.h"
#include "output/output.h"
#include "process/process.h"

static struct options options;
static struct ab *ab;

static struct run *measure(uint64_t seed, double extra_work)
{
    const struct ab_gate gate = {.seed = seed, .extra_work = extra_work};
    struct error error = {.text = ""};
    struct run *run = run_new();
    assert_non_null(run);
    if (ab_measure(ab, &gate, NULL, run, &error) < 0)
        fail_msg("%s", error.text);
    assert_int_equal(run->n_results, 1);
    assert_string_equal(run->results[0].id, "twice/f32/scalar/bad@200");
    return run;
}

static void test_equal_builds(void **state)
{
    (void)state;
    assert_int_equal(ab_plan(ab)->n_groups, 1);
    assert_true(ab_seconds(ab) > 0);
    struct run *run = measure(1, 0);
    assert_int_not_equal(run->results[0].comparison->verdict, VERDICT_REGRESSED);
    assert_int_not_equal(run_exit_status(run), EXIT_REGRESSED);
    assert_int_equal(run->gate->n_arms, 3);
    assert_string_equal(run->gate->kind, "paired");
    run_free(run);
}

/* Work that is really done is found. A machine too busy to tell may try again, and in the
 * end it need not. */
static void test_extra_work(void **state)
{
    (void)state;
    for (int tries = 0; tries < 3; tries++) {
        struct run *run = measure(2, 2);
        const struct comparison *comparison = run->results[0].comparison;
        const enum verdict verdict = comparison->verdict;
        if (verdict == VERDICT_REGRESSED) {
            assert_true(comparison->change > 1);
            assert_int_equal(run_exit_status(run), EXIT_REGRESSED);
        }
        run_free(run);
        if (verdict == VERDICT_REGRESSED)
            return;
        assert_int_equal(verdict, VERDICT_UNUSABLE);
    }
    skip();
}

/* The seed decides the inputs: the same bytes in all processes, or the checks would fail,
 * and in all runs with that seed. */
static void test_seed(void **state)
{
    (void)state;
    struct run *a = measure(3, 0), *b = measure(3, 0), *c = measure(4, 0);
    const char *hash = a->results[0].input_hash;
    assert_non_null(hash);
    assert_string_equal(hash, b->results[0].input_hash);
    assert_string_not_equal(hash, c->results[0].input_hash);
    run_free(a);
    run_free(b);
    run_free(c);
}

static int open_builds(void **state)
{
    char base[4096], head[4096];
    struct error error = {.text = ""};
    const char *modules = getenv("SIMDBENCH_MODULES");
    (void)state;
    snprintf(base, sizeof base, "%s/pace.so", modules);
    snprintf(head, sizeof head, "%s/pace_again.so", modules);
    const char *const argv[] = {"simdbench",
                                "ab",
                                base,
                                head,
                                "twice",
                                "--sizes=200",
                                "--filter=*/bad@*",
                                "--threshold=50%",
                                "--processes=8",
                                "--rounds=1",
                                "--quiet",
                                "--timeout=20s"};
    const struct ab_request request = {.base = base, .head = head, .op = "twice"};
    int status = args_parse(ARRAY_LEN(argv), (char **)(uintptr_t)argv, &options, &error);
    if (status == 0)
        status = ab_open(&options, &request, &ab, &error);
    if (status < 0)
        print_error("%s\n", error.text);
    return status;
}

static int close_builds(void **state)
{
    (void)state;
    ab_close(ab);
    options_free(&options);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_builds),
        cmocka_unit_test(test_extra_work),
        cmocka_unit_test(test_seed),
    };
    if (argc > 1 && !strcmp(argv[1], "worker"))
        return worker_main(argc, argv);
    return cmocka_run_group_tests(tests, open_builds, close_builds);
}
