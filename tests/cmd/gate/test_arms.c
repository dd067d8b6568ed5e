/* SPDX-License-Identifier: Apache-2.0 */
/* Arms with options and plans of their own take turns in common rounds. */
#include "scripted_run.h"

enum { ARMS_MAX = 3 };
static struct options arm_options[ARMS_MAX];
static struct catalog arm_catalog[ARMS_MAX];
static struct plan arm_plan[ARMS_MAX];
static struct run *arm_run[ARMS_MAX];
static struct run_arm arms[ARMS_MAX];

/* The first arm runs kernel 0, the others kernel 1 of their own workers. */
static void arms_begin(size_t n, double rounds_ns)
{
    static const char *const words[ARMS_MAX] = {
        "mul --isa=all --variants=add --sizes=8 --rounds=10 --seed=3",
        "mul --isa=all --variants=fma --sizes=16 --rounds=2 --seed=3",
        "mul --isa=all --variants=fma --sizes=8 --align=128 --seed=3"};
    run_begin();
    for (size_t i = 0; i < n; i++) {
        run_free(arm_run[i]);
        plan_free(&arm_plan[i]);
        options_free(&arm_options[i]);
        catalog_free(&arm_catalog[i]);
        script_catalog(&arm_catalog[i]);
        arm_run[i] = run_new();
        assert_int_equal(
            script_plan(words[i], &arm_catalog[i], &arm_options[i], &arm_plan[i], &error),
            0);
        arm_plan[i].rounds_ns = rounds_ns;
        arms[i] = (struct run_arm){.how = &arm_options[i].how,
                                   .catalog = &arm_catalog[i],
                                   .plan = &arm_plan[i],
                                   .run = arm_run[i],
                                   .number = 7};
    }
}

static const struct result *first_of(size_t arm)
{
    return &arm_run[arm]->results[0];
}

FRESH_TEST(test_common_rounds)
{
    arms_begin(3, 0);
    script.call_ns[0] = 1000;
    script.call_ns[1] = 3000;
    assert_int_equal(run_arms(arms, 3, NULL, &error), 0);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(first_of(i)->status, STATUS_OK);
        assert_int_equal(first_of(i)->group, 7);
        /* The first arm decides how many there are. */
        assert_int_equal(first_of(i)->samples.n, 10);
        assert_int_equal(first_of(i)->samples.rounds[9], 9);
    }
    const struct speedup speedup = result_speedup(first_of(0), first_of(1));
    assert_near(speedup.times, 3, 1e-9);
    assert_int_equal(speedup.rounds, 10);
    assert_non_null(strstr(first_of(2)->id, "@8;align=128"));
}

/* Both arms compute the same, also after a change of its inputs: before all
 * batches of a round, that of each arm by the same seed. */
FRESH_TEST(test_same_inputs)
{
    uint64_t seed = 0;
    size_t changes = 0;
    arms_begin(3, 0);
    assert_int_equal(run_arms(arms, 3, NULL, &error), 0);
    assert_string_equal(first_of(0)->work.input_hash, first_of(1)->work.input_hash);
    assert_string_equal(first_of(0)->work.input_hash, first_of(2)->work.input_hash);
    FOR_EACH (const struct asked, asked, script.log, script.n_log) {
        if (!strcmp(asked->verb, "batch"))
            assert_int_equal(changes % 3, 0);
        if (strcmp(asked->verb, "change") != 0)
            continue;
        if (changes++ % 3 == 0)
            seed = asked->seed;
        assert_int_equal(asked->seed, seed);
    }
    /* Two before a round, which may be the same one, and that after all of them. */
    assert_in_range(changes, 6, 9);
    assert_int_equal(changes % 3, 0);
}

/* A void batch of one arm voids the round, which runs again for all. */
FRESH_TEST(test_void)
{
    arms_begin(2, 0);
    script_trouble("batch", 6, 6, "migrated", 0)->kernel = 1;
    assert_int_equal(run_arms(arms, 2, NULL, &error), 0);
    assert_int_equal(first_of(1)->samples.voided, 1);
    assert_int_equal(first_of(1)->samples.n, 10);
    assert_int_equal(first_of(0)->samples.n, 11);
}

/* A fault of one arm costs no other arm. */
FRESH_TEST(test_an_arm_fails)
{
    static const struct {
        const char *verb;
        int first, code;
        enum status status;
    } rows[] = {
        {"check", 1, -EIO, STATUS_FAILED},
        {"prepare", 1, -ENOTSUP, STATUS_SKIPPED},
        {"batch", 1, -ECONNRESET, STATUS_FAILED},
        {"batch", 7, -ECONNRESET, STATUS_FAILED},
        {"batch", 7, -EIO, STATUS_FAILED},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        arms_begin(2, 0);
        struct trouble *const trouble = script_trouble(rows[i].verb, rows[i].first,
                                                       rows[i].first, NULL, rows[i].code);
        trouble->kernel = 1;
        assert_int_equal(run_arms(arms, 2, NULL, &error), 0);
        assert_int_equal(first_of(1)->status, rows[i].status);
        assert_int_equal(first_of(0)->status, STATUS_OK);
        assert_int_equal(first_of(0)->samples.rounds[0], 0);
        assert_in_range(first_of(0)->samples.n, 10, 11);
    }
}

/* Without the first arm there is nothing to compare with. */
FRESH_TEST(test_the_first_arm_fails)
{
    arms_begin(2, 0);
    script_trouble("check", 1, 1, NULL, -EIO)->kernel = 0;
    assert_int_equal(run_arms(arms, 2, NULL, &error), 0);
    assert_int_equal(first_of(0)->status, STATUS_FAILED);
    assert_int_equal(first_of(1)->status, STATUS_SKIPPED);
    assert_string_equal(first_of(1)->reason, "its rounds did not begin");
}

/* Unless another one may lead: then the first one fails alone. */
FRESH_TEST(test_another_leads)
{
    static const struct {
        const char *verb;
        int first, code;
    } rows[] = {{"check", 1, -EIO},
                {"prepare", 1, -ENOTSUP},
                {"batch", 1, -ECONNRESET},
                {"batch", 7, -EIO}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        arms_begin(3, 0);
        for (size_t k = 0; k < 3; k++)
            arms[k].may_lead = true;
        arm_options[1].how.rounds = 8;
        script_trouble(rows[i].verb, rows[i].first, rows[i].first, NULL, rows[i].code)
            ->kernel = 0;
        assert_int_equal(run_arms(arms, 3, NULL, &error), 0);
        assert_int_not_equal(first_of(0)->status, STATUS_OK);
        assert_int_not_equal(first_of(0)->status, STATUS_PENDING);
        assert_int_equal(first_of(1)->status, STATUS_OK);
        assert_int_equal(first_of(2)->status, STATUS_OK);
        assert_int_equal(first_of(1)->samples.n, 8);
    }
}

static void pass_time(const struct asked *asked, cJSON *reply)
{
    script.now += (int64_t)message_number(reply, "ns", 0);
}

/* Calls so long that there is time for few rounds, or not for all arms. */
FRESH_TEST(test_no_time)
{
    arms_begin(3, 8e9);
    arm_options[0].how.rounds = 0;
    script.batch = pass_time;
    script.call_ns[0] = script.call_ns[1] = 2e7;
    assert_int_equal(run_arms(arms, 3, NULL, &error), 0);
    for (size_t i = 0; i < 3; i++)
        assert_in_range(first_of(i)->samples.n, 6, 12);
    arms_begin(3, 8e9);
    arm_options[0].how.rounds = 0;
    script.batch = pass_time;
    script.call_ns[0] = script.call_ns[1] = 4e8;
    assert_int_equal(run_arms(arms, 3, NULL, &error), 0);
    assert_in_range(first_of(0)->samples.n, 6, 12);
    assert_int_equal(first_of(1)->status, STATUS_SKIPPED);
    assert_string_equal(first_of(1)->reason, NO_TIME_LEFT);
    assert_in_range(script.now, 0, (int64_t)12e9);
}

FRESH_TEST(test_interruption)
{
    arms_begin(2, 0);
    script_trouble("batch", 20, 20, NULL, -EINTR);
    assert_int_equal(run_arms(arms, 2, NULL, &error), -EINTR);
    assert_true(arm_run[0]->interrupted);
    interrupted_by = 0;
}

static int arms_close(void **state)
{
    for (size_t i = 0; i < ARMS_MAX; i++) {
        run_free(arm_run[i]);
        plan_free(&arm_plan[i]);
        options_free(&arm_options[i]);
        catalog_free(&arm_catalog[i]);
    }
    return run_close(state);
}

static int arms_open(void **state)
{
    for (size_t i = 0; i < ARMS_MAX; i++)
        arm_catalog[i].memory_fd = -1;
    return run_open(state);
}

TESTS_BETWEEN(arms_open, arms_close)
