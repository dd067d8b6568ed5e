/* SPDX-License-Identifier: Apache-2.0 */
/* Two builds that differ or fail, interruptions, and the seed. */
#include <sys/resource.h>

#include "process/process.h"
#include "scripted_builds.h"

TEST(test_only_one_has_it)
{
    open_builds("", older, newer, false);
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_SAME);
    assert_string_equal(expect("old", VERDICT_GONE)->reason, "only base has it");
    assert_string_equal(expect("new", VERDICT_NEW)->reason, "only head has it");
    assert_int_equal(run_find("old")->status, STATUS_SKIPPED);
    /* Head's own number of the kernel that both have. */
    assert_int_equal(prepared('b', 0), AB_PROCESSES);
    assert_int_equal(prepared('h', 1), AB_PROCESSES);
    assert_int_equal(prepared('b', 1) + prepared('h', 0), 0);
}

/* All that both have and this CPU can run is compared; two lines tell of the rest. */
TEST(test_all_is_compared)
{
    any_isa = true;
    open_builds("--processes=8", many, many, false);
    assert_int_equal(measure(0), 0);
    size_t kernels = 0;
    for (size_t i = 0; i < run->n_results; i++)
        kernels += run->results[i].comparison != NULL;
    assert_int_equal(kernels, 2);
    assert_int_equal(run->gate->same, 2);
    assert_string_equal(run->gate->lacking,
                        "2 of 4 kernels that both builds have, of avx2, avx512");
    assert_null(run->gate->left_out);
    open_builds("--processes=8 --type=f64", many, many, false);
    assert_int_equal(measure(0), 0);
    assert_int_equal(run->gate->same, 1);
    assert_string_equal(run->gate->left_out,
                        "1 of 4 kernels that both builds have, by OP, --type");
    open_builds("--processes=8 --isa=all --type=all --semiring=all", many, many, false);
    assert_int_equal(measure(0), 0);
    assert_int_equal(run->gate->same, 2);
    assert_null(run->gate->left_out);
    any_isa = false;
    /* A set that was named keeps its rows. */
    open_builds("--processes=8", many, many, false);
    script.isas = 1;
    assert_int_equal(measure(0), 0);
    assert_string_equal(run->gate->left_out,
                        "2 of 4 kernels that both builds have, by OP, --isa");
}

TEST(test_failing_builds)
{
    static const struct {
        const char *verb;
        char arm;
        int first, code; /* EDOM: it is wrong; 0: its clock stands still */
        enum status status;
        const char *name;
    } rows[] = {
        {"check", 'h', 1, ECONNRESET, STATUS_FAILED, "head"},
        {"check", 'b', 3, ETIMEDOUT, STATUS_FAILED, "base"},
        {"check", 'h', 2, EDOM, STATUS_WRONG, "head"},
        {"check", 'c', 3, EDOM, STATUS_WRONG, "control (a copy of base)"},
        {"prepare", 'h', 1, ENOTSUP, STATUS_SKIPPED, "head"},
        {"batch", 'h', 30, ECONNRESET, STATUS_FAILED, "head"},
        {"batch", 'h', 30, 0, STATUS_FAILED, NULL},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(rows); i++) {
        const int code = rows[i / 2].code, first = rows[i / 2].first;
        char reason[128] = "the clock did not advance during a batch";
        open_builds("--processes=8", same, same, i % 2);
        struct trouble *const trouble = script_trouble(rows[i / 2].verb, first, first,
                                                       code == EDOM ? "wrong" : "ns", 0);
        trouble->kernel = 1000 * (uint64_t)rows[i / 2].arm + 1;
        trouble->code = -code;
        assert_int_equal(measure(0), 0);
        const struct result *open = run_find("open");
        if (open->status != rows[i / 2].status)
            fail_msg("row %zu: %s", i, status_name(open->status));
        if (code)
            snprintf(reason, sizeof reason, "%s: %s in '%s'", rows[i / 2].name,
                     strerror(code), rows[i / 2].verb);
        assert_string_equal(open->reason, reason);
        assert_string_equal(open->comparison->reason, reason);
        assert_int_equal(open->comparison->verdict, VERDICT_UNUSABLE);
        assert_int_equal(open->samples.n, 0);
        assert_int_equal(expect("good", VERDICT_SAME)->processes, 8);
        assert_int_equal(run_exit_status(run),
                         open->status == STATUS_SKIPPED ? EXIT_OK : EXIT_WRONG);
    }
}

TEST(test_own_processes)
{
    open_builds("--processes=8", same, same, true);
    assert_int_equal(measure(0), 0);
    expect("good", VERDICT_SAME);
    static const char *const names[] = {"base", "head", "control"};
    for (int i = 0; i < ARMS; i++) {
        assert_int_equal(script_count("start", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("kill", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("load", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("map", names[i], ANY_KERNEL), 8);
        assert_int_equal(script_count("overhead", names[i], ANY_KERNEL), 1);
    }
}

TEST(test_build_that_does_not_load)
{
    open_builds("--processes=8", same, same, true);
    script_trouble("load", 3, 3, NULL, -ENOEXEC)->worker = "head";
    assert_int_equal(measure(0), 0);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(run->results[i].status, STATUS_FAILED);
        assert_string_equal(run->results[i].reason, "head: Exec format error in 'load'");
    }
    assert_int_equal(script_count("start", "head", ANY_KERNEL), 3);
    open_builds("--processes=8", same, same, true);
    script_trouble("map", 1, 9, NULL, -EOPNOTSUPP)->worker = "head";
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_SKIPPED);
    /* Nothing can start the owner of an op again, unless it is ours. */
    open_builds("--processes=8", same, same, false);
    struct worker **const workers = ab->catalog.workers, *const owner = workers[0];
    workers[0] = workers[1];
    workers[1] = owner;
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_OK);
    worker_kill(owner);
    assert_int_equal(measure(0), 0);
    assert_int_equal(run_find("good")->status, STATUS_FAILED);
}

TEST(test_operands_that_cannot_be_had)
{
    open_builds("--processes=8 --sizes=16", same, same, false);
    script_trouble("fill", 1, 1, NULL, -EIO);
    assert_int_equal(measure(0), 0);
    assert_string_equal(run_find("good")->reason,
                        "simdbench: Input/output error in 'fill'");
    assert_int_equal(run_find("open@8")->status, STATUS_FAILED);
    assert_int_equal(run_find("open@16")->status, STATUS_OK);
    open_builds("--processes=8", same, same, false);
    script_trouble("reference", 1, 1, NULL, -ENOMEM);
    assert_int_equal(measure(0), -ENOMEM);
    assert_string_equal(error.text, "simdbench: Cannot allocate memory in 'reference'");
}

/* Builds that cannot be had, and no place for operands. */
TEST(test_open_fails)
{
    const struct ab_request request = {.base = "/no/base",
                                       .head = "/no/head",
                                       .what = &options.request,
                                       .how = &options.how};
    struct rlimit limit, none;
    struct ab *other = NULL;
    open_builds("", same, same, false);
    assert_int_equal(ab_open(&request, &other, &error), -ENOENT);
    assert_non_null(strstr(error.text, "BASE=/no/base: "));
    script_trouble("describe", 1, 1, NULL, -EIO);
    assert_int_equal(ab_open(&request, &other, &error), -EIO);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = (struct rlimit){.rlim_max = limit.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    assert_int_equal(ab_open(&request, &other, &error), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_string_equal(error.text, "memfd_create: Too many open files");
    assert_null(other);
}

TEST(test_interruption)
{
    open_builds("--processes=8 --rounds=4", same, same, false);
    script_trouble("batch", 30 + LOOKED, 30 + LOOKED, NULL, -EINTR)->kernel =
        1000 * 'h' + 1;
    assert_int_equal(measure(0), -EINTR);
    assert_string_equal(error.text, "interrupted");
    assert_true(run->interrupted);
    /* Processes that came to their end count. */
    const uint32_t processes = run_find("good")->comparison->processes;
    assert_true(processes >= 5 && processes <= 6);
    assert_int_equal(run_find("good")->comparison->n_trials, 4 * processes);
    assert_int_equal(run_find("good")->status, STATUS_OK);
    open_builds("--processes=8", same, same, false);
    script_trouble("overhead", 1, 1, NULL, -EINTR);
    assert_int_equal(measure(0), -EINTR);
    assert_string_equal(run_find("good")->comparison->reason, "interrupted");
    open_builds("--processes=8", same, same, true);
    script_trouble("load", 2, 2, NULL, -EINTR);
    assert_int_equal(measure(0), -EINTR);
    assert_int_equal(run_find("good")->status, STATUS_SKIPPED);
}

/* The seed decides the inputs: the same in all processes and in all runs with it. */
TEST(test_seed)
{
    char hash[32];
    open_builds("--processes=8", same, same, false);
    assert_int_equal(measure(0), 0);
    snprintf(hash, sizeof hash, "%s", run_find("good")->work.input_hash);
    assert_int_equal(measure(0), 0);
    assert_string_equal(run_find("good")->work.input_hash, hash);
    const struct ab_gate other = {.seed = 8};
    run_free(run);
    run = run_new();
    assert_int_equal(ab_measure(ab, &other, NULL, run, &error), 0);
    assert_string_not_equal(run_find("good")->work.input_hash, hash);
}
