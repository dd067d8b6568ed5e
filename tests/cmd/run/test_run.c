/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and workers that fail, and signals: what becomes of the case, of the others in
 * its group, and of the groups behind. */
#include "scripted_run.h"

/* add and fma of our own, mine of a plug-in, and two limits. */
#define GROUP "mul --isa=all --sizes=8 --rounds=10 --timeout=1s"
/* The fourth round: a batch of fma, after four of calibration. */
enum { FOURTH = 8, CASES = 5 };

/* All but fma are measured, whole, from the first round on. */
static void expect_others(void)
{
    assert_int_equal(run->n_results, CASES);
    FOR_EACH (const struct result, result, run->results, CASES) {
        if (strstr(result->id, "/fma@"))
            continue;
        assert_int_equal(result->status, STATUS_OK);
        assert_int_equal(result->samples.n, 10);
        assert_int_equal(result->samples.rounds[0], 0);
        assert_int_equal(result->samples.voided, 0);
        /* A limit from registers has shorter batches. */
        assert_near(result->samples.ns[0], result->is_roof ? 176000 : 550000, 0.5);
        assert_near(result->summary.median_ns, 1000, 1e-9);
    }
    assert_int_equal(run_find("/fma@")->samples.n, 0);
    assert_int_equal(run_find("/fma@")->samples.n_clock, 0);
}

static void slow_before_trouble(const struct asked *asked, cJSON *reply)
{
    const double ns = message_number(reply, "ns", 0);
    if (script.trouble[0].seen < script.trouble[0].first && ns > 0) {
        script_say(reply, "ns", 1.5 * ns);
        script_say(reply, "cpu_ns", 1.5 * ns);
    }
}

FRESH_TEST(test_a_case_fails)
{
    static const struct {
        const char *verb;
        int first, code; /* EDOM: it is wrong; 0: its clock stands still */
        enum status status;
        bool fresh, again; /* is there another worker, do the others begin again? */
    } rows[] = {
        {"batch", FOURTH, ECONNRESET, STATUS_FAILED, true, true},
        {"batch", FOURTH, ETIMEDOUT, STATUS_FAILED, true, true},
        {"batch", FOURTH, ENOTSUP, STATUS_SKIPPED, false, true},
        {"batch", FOURTH, EIO, STATUS_FAILED, false, true},
        {"batch", FOURTH, 0, STATUS_FAILED, false, true},
        {"batch", 2, ECONNRESET, STATUS_FAILED, true, false},
        {"check", 1, EDOM, STATUS_WRONG, true, false},
        {"check", 2, EDOM, STATUS_WRONG, true, true},
        {"check", 1, EIO, STATUS_FAILED, false, false},
        {"check", 1, ETIMEDOUT, STATUS_FAILED, true, false},
        {"prepare", 1, ENOTSUP, STATUS_SKIPPED, false, false},
        {"prepare", 1, ECONNRESET, STATUS_FAILED, true, false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const bool wrong = rows[i].code == EDOM;
        char reason[128] = "the clock did not advance during a batch";
        run_begin();
        struct trouble *const trouble = script_trouble(
            rows[i].verb, rows[i].first, rows[i].first, wrong ? "wrong" : "ns", 0);
        trouble->worker = "simdbench";
        trouble->kernel = 1;
        trouble->code = -rows[i].code;
        script.batch = slow_before_trouble;
        assert_int_equal(run_words(GROUP), 0);
        const struct result *result = run_find("/fma@");
        if (result->status != rows[i].status)
            fail_msg("row %zu: %s", i, status_name(result->status));
        if (rows[i].code)
            snprintf(reason, sizeof reason, "simdbench: %s in '%s'",
                     strerror(rows[i].code), rows[i].verb);
        assert_string_equal(result->reason, reason);
        expect_others();
        /* The catalog's worker was started before the log of this run began. Another one
         * looks how the plug-in was built, at inputs of its own, and one takes prints. */
        assert_int_equal(script_count("start", NULL, ANY_KERNEL), rows[i].fresh + 2);
        assert_int_equal(script_count("start", "simdbench", ANY_KERNEL), rows[i].fresh);
        /* The samples that the others had are measured anew. */
        assert_int_equal(script_count("batch", "mine", 0) > 14, rows[i].again);
        assert_int_equal(script_count("fill", NULL, ANY_KERNEL),
                         2 + (rows[i].fresh || rows[i].again));
    }
}

/* A library that takes too long is left out, and the others begin again without it. */
FRESH_TEST(test_slow_baseline)
{
    static const struct {
        const char *timeout;
        double limit_s;
    } rows[] = {{"60s", 5}, {"1s", 1}, {"10min", 50}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char words[128], reason[64];
        run_begin();
        script_trouble("check", 1, 1, NULL, -ETIMEDOUT)->worker = "lib";
        snprintf(words, sizeof words,
                 "mul --variants=mine --sizes=8 --rounds=1 --baseline=lib --timeout=%s",
                 rows[i].timeout);
        snprintf(reason, sizeof reason, "its first call took more than %.3g s: left out",
                 rows[i].limit_s);
        assert_int_equal(run_words(words), 0);
        const struct result *const slow = run_find("lib:mul/max");
        assert_int_equal(slow->status, STATUS_SKIPPED);
        assert_memory_equal(slow->reason, reason, strlen(reason));
        assert_int_equal(run_find("mine:")->status, STATUS_OK);
        assert_near((double)script_asked("check", "lib", 0, 0)->timeout_ns,
                    rows[i].limit_s * 1e9, 1);
        assert_int_equal(script_asked("check", "mine", 0, 0)->timeout_ns,
                         options.how.timeout_ns);
    }
    /* In any other request it has failed. */
    run_begin();
    script_trouble("prepare", 1, 1, NULL, -ETIMEDOUT)->worker = "lib";
    assert_int_equal(run_words("mul --variants=mine --sizes=8 --rounds=1 --baseline=lib"),
                     0);
    assert_int_equal(run_find("lib:mul/max")->status, STATUS_FAILED);
}

/* Twelve rounds of two calls may take 20 s, ten times as long as a kernel's, or a third
 * of
 * --timeout. */
FRESH_TEST(test_slow_calls_of_a_baseline)
{
    static const struct {
        double call_s, own_s;
        const char *timeout;
        bool skipped;
    } rows[] = {{0.83, 0, "60s", false},   {0.84, 0, "60s", true},
                {1.99, 0.2, "60s", false}, {2.01, 0.2, "60s", true},
                {8.33, 0, "10min", false}, {8.34, 0, "10min", true}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char words[128];
        run_begin();
        script_trouble("batch", 1, 99, "ns", rows[i].call_s * 1e9)->worker = "lib";
        if (rows[i].own_s > 0)
            script_trouble("batch", 1, 99, "ns", rows[i].own_s * 1e9)->worker = "mine";
        snprintf(words, sizeof words,
                 "mul --variants=mine --sizes=8 --rounds=1 --baseline=lib --timeout=%s",
                 rows[i].timeout);
        assert_int_equal(run_words(words), 0);
        const struct result *const slow = run_find("lib:mul/max");
        if ((slow->status == STATUS_SKIPPED) != rows[i].skipped)
            fail_msg("row %zu: %s", i, status_name(slow->status));
        assert_int_equal(script_count("batch", "lib", 0) > 1, !rows[i].skipped);
        assert_true(run_find("mine:")->samples.n > 0 ||
                    run_find("mine:")->samples.voided > 0);
        if (i == 1)
            assert_string_equal(slow->reason,
                                "a call takes 0.84 s, 24 of them more than the 20 s that "
                                "a baseline has: left out (a longer --timeout gives it "
                                "more)");
    }
}

/* One after the other they fail, until none is left. */
FRESH_TEST(test_all_fail)
{
    for (uint64_t k = 0; k < 2; k++)
        script_trouble("check", 1, 9, NULL, -ECONNRESET)->kernel = k;
    assert_int_equal(run_words(GROUP), 0);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(run->results[i].status, STATUS_FAILED);
    assert_int_equal(script_count("start", "simdbench", ANY_KERNEL), 2);
    assert_int_equal(script_count("start", "mine", ANY_KERNEL), 0);
}

FRESH_TEST(test_limits_alone_do_not_run)
{
    script.isas = 1;
    assert_int_equal(run_words("mul --isa=all --semiring=max --filter=*fma* --sizes=8"),
                     0);
    assert_int_equal(run->results[0].status, STATUS_SKIPPED);
    assert_int_equal(script_count("fill", NULL, ANY_KERNEL), 0);
    assert_int_equal(run_words("mul --isa=all --variants=fma,mine --sizes=8 --rounds=1"),
                     0);
    assert_int_equal(run->results[0].status, STATUS_SKIPPED);
    assert_int_equal(run_find("/mine@")->status, STATUS_OK);
}

/* Cases of this group are not blamed for a worker that an earlier group broke. */
FRESH_TEST(test_worker_that_cannot_go_on)
{
    script_trouble("map", 2, 2, NULL, -ENOMEM)->worker = "simdbench";
    assert_int_equal(run_words("mul --isa=all --sizes=8,16 --rounds=1"), 0);
    assert_int_equal(script_count("start", "simdbench", ANY_KERNEL), 1);
    for (size_t i = 0; i < run->n_results; i++)
        assert_int_equal(run->results[i].status, STATUS_OK);
    /* One that cannot begin afresh either ends its cases, and no others. */
    run_begin();
    script_trouble("setup", 1, 2, NULL, -ENOMEM)->worker = "mine";
    assert_int_equal(run_words("mul --isa=scalar --sizes=8,16 --rounds=1"), 0);
    assert_int_equal(run_find("/mine@8")->status, STATUS_FAILED);
    assert_string_equal(run_find("/mine@8")->reason,
                        "mine: Cannot allocate memory in 'setup'");
    assert_int_equal(run_find("/add@8")->status, STATUS_OK);
    assert_int_equal(run_find("/mine@16")->status, STATUS_OK);
}

FRESH_TEST(test_operands_that_cannot_be_had)
{
    script_trouble("reference", 1, 1, NULL, -EIO);
    assert_int_equal(run_words("mul --isa=scalar --sizes=8,16 --rounds=1"), 0);
    assert_int_equal(run_find("/add@8")->status, STATUS_FAILED);
    assert_string_equal(run_find("/add@8")->reason,
                        "simdbench: Input/output error in 'reference'");
    assert_int_equal(run_find("/add@16")->status, STATUS_OK);
    /* Without memory the run ends. */
    run_begin();
    script_trouble("reference", 1, 1, NULL, -ENOMEM);
    assert_int_equal(run_words("mul --isa=scalar --sizes=8,16 --rounds=1"), -ENOMEM);
    assert_int_equal(script_count("fill", NULL, ANY_KERNEL), 1);
    /* An op without answers is not checked, but measured. */
    run_begin();
    script_trouble("reference", 1, 1, NULL, -ENOTSUP);
    assert_int_equal(run_words("mul --isa=scalar --sizes=8 --rounds=1"), 0);
    assert_int_equal(run_find("/add@8")->status, STATUS_OK);
}

/* An unknown input ends the run before anything is measured. */
FRESH_TEST(test_unknown_input)
{
    script_trouble("fill", 1, 1, NULL, -EINVAL);
    assert_int_equal(run_words("mul --sizes=8 --input=plain,hard"), -EINVAL);
    assert_string_equal(error.text, "simdbench: Invalid argument in 'fill'");
    assert_int_equal(script_count("fill", NULL, ANY_KERNEL), 1);
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 0);
    /* Each that has a name is tried once, if there are several; and one look at the build
     * of the plug-in has inputs of its own. */
    assert_int_equal(run_words("mul --sizes=4,8 --input=hard,plain,odd --rounds=1"), 0);
    assert_int_equal(script_count("fill", NULL, ANY_KERNEL), 2 + 6 + 1);
    assert_int_equal(run_words("mul --sizes=8 --input=hard --rounds=1"), 0);
    assert_int_equal(script_count("fill", NULL, ANY_KERNEL), 1 + 1);
    /* Other faults of it are the group's own matter. */
    run_begin();
    script_trouble("fill", 1, 1, NULL, -EIO);
    assert_int_equal(run_words("mul --sizes=8 --input=plain,hard --rounds=1"), 0);
    assert_int_equal(run->results[0].status, STATUS_OK);
    script_trouble("fill", 1, 1, NULL, -EINTR);
    assert_int_equal(run_words("mul --sizes=8 --input=odd,hard --rounds=1"), -EINTR);
    assert_false(run->interrupted);
}

FRESH_TEST(test_huge_pages)
{
    script_trouble("map", 2, 2, "huge_bytes", 4096)->worker = "simdbench";
    assert_int_equal(run_words("mul --isa=scalar --sizes=8 --pages=2m --rounds=1"), 0);
    assert_int_equal(run_find("/add@8")->status, STATUS_OK);
    assert_int_equal(run_find("/mine@8")->status, STATUS_SKIPPED);
    assert_non_null(
        strstr(run_find("/mine@8")->reason, "--pages=2m: smaps shows -1 of 0 bytes"));
}

/* ---- signals ---- */

FRESH_TEST(test_interruption)
{
    script_trouble("batch", FOURTH, FOURTH, NULL, -EINTR)->worker = "mine";
    assert_int_equal(run_words("mul --isa=scalar --sizes=8,16 --rounds=10"), -EINTR);
    assert_true(run->interrupted);
    /* Three or four rounds were complete; what they gave is summarised. */
    FOR_EACH (const struct result, result, run->results, run->n_results) {
        const bool first = result->group == 0;
        assert_int_equal(result->status, first ? STATUS_OK : STATUS_SKIPPED);
        assert_true(first ? result->samples.n >= 3 && result->samples.n <= 4
                          : result->samples.n == 0);
        if (first)
            assert_near(result->summary.median_ns, 1000, 1e-9);
        else
            assert_string_equal(result->reason, "interrupted");
    }
}

/* A case without any sample is not ok. */
FRESH_TEST(test_interruption_of_the_first_round)
{
    static const int moments[] = {1, 4, 5};
    for (size_t k = 0; k < ARRAY_LEN(moments); k++) {
        run_begin();
        script_trouble("batch", moments[k], moments[k], NULL, -EINTR)->worker = "mine";
        assert_int_equal(run_words("mul --isa=scalar --sizes=8 --rounds=10"), -EINTR);
        for (size_t i = 0; i < run->n_results; i++)
            assert_int_equal(run->results[i].status,
                             run->results[i].samples.n ? STATUS_OK : STATUS_SKIPPED);
        assert_true(run->results[0].samples.n <= (moments[k] > 4));
    }
}

/* ---- who watches ---- */

static uint32_t told[2], groups_done;

static void tell(void *context, const struct progress *progress)
{
    assert_ptr_equal(context, told);
    assert_int_equal(progress->n_groups, 2);
    assert_int_equal(progress->wanted, 3);
    assert_string_equal(progress->step, "round");
    assert_int_equal(progress->done, told[progress->group]++);
}

static void finish(void *context, struct run *grown, size_t group)
{
    assert_ptr_equal(context, told);
    assert_int_equal(group, groups_done++);
    for (size_t i = 0; i < grown->n_results; i++) {
        const bool done = grown->results[i].group <= group;
        assert_int_equal(grown->results[i].status, done ? STATUS_OK : STATUS_PENDING);
        assert_int_equal(grown->results[i].summary.median_ns > 0, done);
    }
}

FRESH_TEST(test_watcher)
{
    const struct watcher watcher = {
        .context = told, .progress = tell, .group_done = finish};
    assert_int_equal(run_words("mul --isa=scalar --sizes=8,16 --rounds=3"), 0);
    run_free(run);
    run = run_new();
    assert_int_equal(run_plan(&options.how, &catalog, &plan, &watcher, run, &error), 0);
    assert_int_equal(groups_done, 2);
    assert_int_equal(told[0], 3);
    assert_int_equal(told[1], 3);
}

/* A group has no more cases than fit. */
FRESH_TEST(test_many_cases)
{
    static char names[GROUP_CASES_MAX + 1][8];
    static struct row rows[GROUP_CASES_MAX + 1];
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        snprintf(names[i], sizeof names[i], "v%zu", i);
        rows[i] = (struct row){"mul", "max", "f32", "scalar", names[i], NULL, NULL, 0};
    }
    for (size_t more = 0; more < 2; more++) {
        run_begin();
        script_offer(&catalog, script_worker(&catalog, "many", "many.so", "[]", rows,
                                             GROUP_CASES_MAX + more));
        assert_int_equal(run_words("mul --variants=v* --sizes=1..32 --rounds=1"), 0);
        assert_int_equal(run->n_results, 6 * (GROUP_CASES_MAX + more));
        for (size_t i = 0; i < run->n_results; i++) {
            assert_int_equal(run->results[i].status, more ? STATUS_FAILED : STATUS_OK);
            if (more)
                assert_string_equal(run->results[i].reason,
                                    "more than 512 cases in one group");
        }
    }
}

FRESH_TEST(test_accuracy)
{
    script_trouble("check", 1, 2, "max_ulp", 1.5)->worker = "simdbench";
    assert_int_equal(run_words("mul --isa=scalar --accuracy"), 0);
    assert_int_equal(run->n_results, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(run->results[i].status, STATUS_OK);
        assert_int_equal(run->results[i].samples.n, 0);
    }
    assert_true(run->results[0].accuracy.known);
    assert_near(run->results[0].accuracy.max_ulp, 1.5, 0);
    assert_int_equal(script_count("batch", NULL, ANY_KERNEL), 0);
}

TESTS_BETWEEN(run_open, run_close)
