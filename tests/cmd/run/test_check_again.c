/* SPDX-License-Identifier: Apache-2.0 */
/* Checks after the first one: when they come, and what becomes of a case that fails. */
#include "scripted_case.h"

/* The number of batches before the n-th check. */
static size_t batches_before_check(size_t n)
{
    const struct asked *check = script_asked("check", NULL, ANY_KERNEL, n);
    size_t batches = 0;
    assert_non_null(check);
    for (const struct asked *asked = script.log; asked < check; asked++)
        batches += !strcmp(asked->verb, "batch");
    return batches;
}

FRESH_TEST(test_checks_between_rounds)
{
    static const char *const seeds[] = {"--rounds=40 --seed=1", "--rounds=40 --seed=2"};
    size_t at[2][2];
    for (size_t s = 0; s < 2; s++) {
        one(seeds[s]);
        assert_int_equal(script_count("check", NULL, ANY_KERNEL), 4);
        assert_int_equal(batches_before_check(0), 0);
        assert_int_equal(batches_before_check(3), 4 + 40);
        for (size_t i = 0; i < 2; i++) {
            at[s][i] = batches_before_check(1 + i);
            assert_in_range(at[s][i], 4 + 1, 4 + 39);
        }
        /* Each finds other inputs, and the answers that belong to them. */
        assert_int_equal(script_count("change", NULL, ANY_KERNEL), 3);
        assert_int_equal(script_count("reference", NULL, ANY_KERNEL), 1 + 3);
    }
    assert_memory_not_equal(at[0], at[1], sizeof at[0]);
}

/* The one after the last round counts as well, and leaves no times. */
FRESH_TEST(test_wrong_in_the_end)
{
    script_trouble("check", 2, 2, "wrong", 0)->code = -EDOM;
    const struct result *result = one("--rounds=1");
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 4 + 1);
    assert_int_equal(result->status, STATUS_WRONG);
    assert_int_equal(result->samples.n, 0);
    assert_string_equal(result->reason, "mine: Numerical argument out of domain in "
                                        "'check'");
}

/* Without other inputs there is nothing to go by. */
FRESH_TEST(test_owner_cannot_change)
{
    script_trouble("change", 2, 9, NULL, -ENOMEM);
    assert_int_equal(one("--rounds=1")->status, STATUS_OK);
    assert_int_equal(run_words(ONE "--rounds=1"), -ENOMEM);
    script.trouble[0].code = -EIO;
    assert_int_equal(one("--rounds=1")->status, STATUS_FAILED);
    assert_string_equal(run->results[0].reason,
                        "simdbench: Input/output error in 'change'");
}

/* Each check tells what the calls before it left behind. */
FRESH_TEST(test_left_behind)
{
    script_trouble("check", 2, 2, "threads_alive", 7);
    const struct result *result = one("--rounds=1");
    assert_int_equal(result->n_notes, 1);
    assert_non_null(strstr(result->notes[0], "7 threads alive"));
}

TESTS_BETWEEN(run_open, run_close)
