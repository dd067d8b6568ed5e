/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds whose code is moved, on scripted workers. */
#include "process/process.h"
#include "scripted_builds.h"

#define FOUND(code, offset, share)                                                 \
    "{\"share\":" share ",\"whole\":true,\"code\":\"" code "\",\"offset\":" offset \
    ",\"loop_bytes\":23,\"executed\":\"base\\n10 14 \\n\"}"
#define LINE "function\\nadd\\tmix+0x40\\nret\\tmix+0x44\\n"

/* As built, and at all places but some, head is slower. */
static double built_slower, places_slower;
static uint64_t good_places; /* of head: bits */

static void placed_batch(const struct asked *asked, cJSON *reply)
{
    const bool head = arm_of(asked) == ARM_HEAD;
    const bool good = asked->copy && good_places >> (asked->copy - 1) & 1;
    const double more = !asked->copy ? built_slower : good ? 1 : places_slower;
    const double ns = message_number(reply, "ns", 0) * (head ? more : 1);
    script_say(reply, "ns", ns);
    script_say(reply, "cpu_ns", ns);
    batch(asked, reply);
}

static void open_moved(const char *more, bool own_processes)
{
    open_builds(more, same, same, own_processes);
    script.copies = FOUND(LINE, "8", "1");
    script.batch = placed_batch;
    built_slower = places_slower = 1;
    good_places = UINT64_MAX;
}

TEST(test_requests)
{
    open_moved("--variants=good", false);
    assert_int_equal(measure(0), 0);
    const struct comparison *const good = expect("good", VERDICT_SAME);
    if (!comparison_is_moved(good))
        fail_msg("%s", good->placement->unmoved);
    assert_int_equal(good->placement->equality, EQUALITY_SAME);
    assert_int_equal(good->n_trials, AB_PROCESSES * AB_MOVED_ROUNDS);
    /* Each process makes copies of all arms; the first one alone finds out of which
     * code, of base and head: control has the code of base. */
    assert_int_equal(script_count("copies", NULL, ANY_KERNEL), AB_PROCESSES * ARMS);
    size_t found = 0;
    uint64_t places = 0, lines = 0, line = 0, alike = 0;
    for (size_t i = 0; i < AB_PROCESSES * ARMS; i++) {
        const struct asked *const asked = script_asked("copies", NULL, ANY_KERNEL, i);
        found += !asked->known;
        assert_int_equal(asked->n, PLACES_MOST);
        /* Loops begin at the same places of a line: head's offset is 8, too. The line in
         * its page is drawn for each arm. */
        assert_int_equal(asked->shift % 64,
                         i < 2 ? asked->life - 1 : (asked->life - 1 + 56) % 64);
        assert_true(asked->shift < 4096);
        places |= UINT64_C(1) << asked->shift % 64;
        lines |= UINT64_C(1) << asked->shift / 64;
        alike += i % ARMS && asked->shift / 64 == line;
        line = asked->shift / 64;
    }
    assert_int_equal(found, 2);
    assert_int_equal(__builtin_popcountll(places), AB_PROCESSES);
    assert_true(__builtin_popcountll(lines) > AB_PROCESSES);
    assert_true(alike < AB_PROCESSES / 4);
    /* A choice of two turns, and rounds of five. */
    size_t batches[ARMS][PLACES_MOST + 1] = {{0}};
    for (size_t i = 0; i < script_count("batch", NULL, ANY_KERNEL); i++) {
        const struct asked *const asked = script_asked("batch", NULL, ANY_KERNEL, i);
        batches[arm_of(asked)][asked->copy]++;
    }
    for (int arm = 0; arm < ARMS; arm++)
        for (int copy = 1; copy <= PLACES_MOST; copy++)
            assert_true(batches[arm][copy] >= 2 * AB_PROCESSES);
    assert_int_equal(batches[ARM_HEAD][0], AB_PROCESSES * AB_MOVED_ROUNDS + 4 + LOOKED);
    assert_int_equal(batches[ARM_CONTROL][0], 4); /* of the calibration */
    /* The copy that was timed last is checked again. */
    size_t checked = 0;
    for (size_t i = 0; i < script_count("check", NULL, ANY_KERNEL); i++)
        checked += script_asked("check", NULL, ANY_KERNEL, i)->copy > 0;
    assert_int_equal(checked, AB_PROCESSES * ARMS);
}

TEST(test_verdicts)
{
    static const struct {
        double built, places;
        uint64_t good;
        enum verdict verdict;
        double change;
    } rows[] = {
        {2, 1, UINT64_MAX, VERDICT_PLACED, 0},
        {2, 2, 0x0010, VERDICT_PLACED, 0}, /* one good place is enough */
        {0.5, 1, UINT64_MAX, VERDICT_SAME, 0},
        {1, 2, 0, VERDICT_REGRESSED, 1},
        {0.5, 1.25, 0, VERDICT_REGRESSED, 0.25},
        {2, 0.5, 0, VERDICT_PLACED, -0.5},
        {0.5, 0.5, 0, VERDICT_IMPROVED, -0.5},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        open_moved("--variants=good --processes=8", i % 2);
        built_slower = rows[i].built;
        places_slower = rows[i].places;
        good_places = rows[i].good;
        assert_int_equal(measure(0), 0);
        const struct comparison *const good = expect("good", rows[i].verdict);
        assert_near(good->change, rows[i].change, 1e-9);
        assert_near(good->placement->change, rows[i].built - 1, 1e-9);
        const bool fails = rows[i].verdict == VERDICT_REGRESSED;
        assert_int_equal(run_exit_status(run), fails ? EXIT_REGRESSED : EXIT_OK);
        run->gate->placement = true;
        assert_int_equal(run_exit_status(run), fails || rows[i].verdict == VERDICT_PLACED
                                                   ? EXIT_REGRESSED
                                                   : EXIT_OK);
    }
}

static double in_one_process(const struct asked *asked)
{
    return asked->life == 5 ? 1.3 : 1;
}

/* One process in 16 that finds no good place decides nothing. */
TEST(test_an_outlier)
{
    open_moved("--variants=good", false);
    head_times = in_one_process;
    assert_int_equal(measure(0), 0);
    assert_near(expect("good", VERDICT_SAME)->change, 0, 1e-9);
    /* Nor does one in which base does not: all others say how much slower head is. */
    head_times = NULL;
    open_moved("--variants=good", false);
    places_slower = 1.2;
    good_places = 0;
    head_times = in_one_process;
    assert_int_equal(measure(0), 0);
    assert_near(expect("good", VERDICT_REGRESSED)->change, 0.2, 1e-9);
}

static void refuse(const char *copies, const char *says)
{
    open_moved("--variants=good --processes=8", false);
    script.copies = copies;
    built_slower = 2;
    assert_int_equal(measure(0), 0);
    const struct comparison *const good = expect("good", VERDICT_REGRESSED);
    assert_near(good->change, 1, 1e-9);
    if (!strstr(good->placement->unmoved, says))
        fail_msg("%s", good->placement->unmoved);
    assert_int_equal(good->n_trials, 8 * AB_ROUNDS);
}

TEST(test_judged_as_built)
{
    refuse(NULL, "base: Operation not supported");
    refuse(FOUND(LINE, "8", "0.5"), "base: a part of what executes is not in the copies; "
                                    "its loop is small");
    refuse("{\"share\":1,\"whole\":true}", "base: generated code");
    /* A call of ten milliseconds. */
    open_moved("--variants=good --processes=8", false);
    for (size_t k = 0; k < ARRAY_LEN(script.call_ns); k++)
        script.call_ns[k] = 1e7;
    assert_int_equal(measure(0), 0);
    assert_string_equal(
        expect("good", VERDICT_SAME)->placement->unmoved,
        "a call is too long to be moved; a change may be of the place of its code alone");
    /* On demand. */
    open_moved("--variants=good --processes=8 --as-built", false);
    ab->request.as_built = options.as_built;
    built_slower = 2;
    assert_int_equal(measure(0), 0);
    assert_null(expect("good", VERDICT_REGRESSED)->placement);
    assert_int_equal(script_count("copies", NULL, ANY_KERNEL), 0);
}

/* Work that head does where it was built alone is a bad place. */
TEST(test_planted_place)
{
    const struct ab_gate gate = {.seed = 7, .built_work = 0.5};
    open_moved("--variants=good --processes=8", false);
    run_free(run);
    run = run_new();
    assert_int_equal(ab_measure(ab, &gate, NULL, run, &error), 0);
    const struct comparison *const good = expect("good", VERDICT_PLACED);
    assert_near(good->change, 0, 1e-9);
    assert_near(good->placement->change, 0.5, 0.01);
}

/* A trace that is late by chance is tried again in the next processes. */
TEST(test_late_traces)
{
    for (int late = 3; late <= 4; late++) {
        open_moved("--variants=good --processes=8", false);
        script_trouble("copies", 1, late, NULL, -ETIMEDOUT);
        built_slower = 2;
        assert_int_equal(measure(0), 0);
        const bool moved = late == 3;
        const struct comparison *const good =
            expect("good", moved ? VERDICT_PLACED : VERDICT_REGRESSED);
        assert_int_equal(comparison_is_moved(good), moved);
        assert_int_equal(good->processes, 8);
    }
}

/* A process without copies, where others had them, is thrown away. */
TEST(test_lost_copies)
{
    open_moved("--variants=good --processes=8", false);
    script_trouble("copies", 3 * ARMS + 1, 3 * ARMS + 1, NULL, -ENOMEM);
    assert_int_equal(measure(0), 0);
    const struct comparison *good = expect("good", VERDICT_SAME);
    assert_int_equal(good->processes, 8);
    assert_int_equal(good->n_trials, 8 * AB_MOVED_ROUNDS);
    assert_int_equal(script_count("start", "base", ANY_KERNEL), 9);
    /* A worker that dies of it is judged as built, if it is the first. */
    open_moved("--variants=good --processes=8", false);
    script_trouble("copies", 3, 3, "n", 3);
    assert_int_equal(measure(0), 0);
    assert_non_null(
        strstr(expect("good", VERDICT_SAME)->placement->unmoved, "fewer copies"));
    open_moved("--variants=good --processes=8", false);
    script_trouble("copies", 2, 2, NULL, -ECONNRESET);
    assert_int_equal(measure(0), 0);
    good = expect("good", VERDICT_SAME);
    assert_non_null(good->placement->unmoved);
    assert_int_equal(good->n_trials, 8 * AB_ROUNDS);
    open_moved("--variants=good --processes=8", false);
    script_trouble("copies", ARMS + 1, ARMS + 1, NULL, -ECONNRESET);
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_UNUSABLE);
    assert_int_equal(run_find("good")->status, STATUS_FAILED);
}
