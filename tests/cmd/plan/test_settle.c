/* SPDX-License-Identifier: Apache-2.0 */
/* Events, CPUs and threads of a plan. */
#include "scripted_run.h"

TEST(test_events)
{
    char words[1024] = "mul --events=r1";
    assert_int_equal(plan_words("mul --events=page-faults,cycles,page-faults "
                                "--counters=core"),
                     0);
    assert_true(plan.n_events >= 3);
    assert_string_equal(plan.event[0].name, "page-faults");
    assert_string_equal(plan.event[1].name, "cycles");
    for (size_t i = 2; i < plan.n_events; i++)
        assert_string_not_equal(plan.event[i].name, "cycles");
    expect_error("mul --events=cyclse", -EINVAL, "--events: event cyclse: ");
    for (int i = 2; i <= EVENTS_MAX; i++)
        sprintf(words + strlen(words), ",r%x", i);
    assert_int_equal(plan_words(words), 0);
    assert_int_equal(plan.n_events, EVENTS_MAX);
    strcat(words, ",r999");
    expect_error(words, -E2BIG, "count in several runs");
}

/* The last CPU first, then one of each core. */
TEST(test_cpus)
{
    static const int order[] = {3, 1, 2, 0};
    static int given[] = {7, 5};
    char words[64];
    for (size_t n = 1; n <= 4; n++) {
        snprintf(words, sizeof words, "mul --sizes=8 --threads=%zu,1", n);
        assert_int_equal(plan_words(words), 0);
        assert_int_equal(plan.most_threads, n);
        assert_int_equal(plan.n_cpu, n);
        assert_memory_equal(plan.cpu, order, n * sizeof order[0]);
    }
    options.how.cpu = given;
    options.how.n_cpu = 2;
    assert_int_equal(plan_settle(&options.request, &options.how, &catalog, &plan, &error),
                     0);
    assert_int_equal(plan.n_cpu, 2);
    assert_memory_equal(plan.cpu, given, sizeof given);
    const struct text_list *const notes = &plan.groups[0].cases[0].notes;
    assert_string_equal(notes->item[0], "4 threads take turns on 2 CPUs");
    options.how.n_cpu = 1;
    assert_int_equal(plan_settle(&options.request, &options.how, &catalog, &plan, &error),
                     0);
    assert_string_equal(notes->item[1], "4 threads take turns on 1 CPU");
    options.how.n_cpu = CPUS_MAX + 1;
    assert_int_equal(plan_settle(&options.request, &options.how, &catalog, &plan, &error),
                     -EINVAL);
    options.how.cpu = NULL;
}

/* Workers, plan and decisions; the first that fails ends it. */
TEST(test_prepared)
{
    static const char *const words[] = {
        "mul --sizes=8 --threads=2 --baseline=none", "mul --sizes=8 --baseline=/none",
        "mul --sizes=x --baseline=none", "mul --events=cyclse --baseline=none"};
    static const int codes[] = {0, -ENOENT, -EINVAL, -EINVAL};
    static const char *const says[] = {"", "--baseline=/none: ", "--sizes: 'x' ",
                                       "cyclse"};
    script.description =
        "{\"ops\": [{\"name\": \"mul\", \"default_shapes\": \"8\"}], \"kernels\": "
        "[{\"op\": \"mul\", \"type\": \"f32\", \"isa\": \"scalar\", \"variant\": "
        "\"add\"}]}";
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        struct catalog started;
        plan_words(words[i]);
        plan_free(&plan);
        error.text[0] = '\0';
        assert_int_equal(
            plan_prepare(&options.request, &options.how, &started, &plan, &error),
            codes[i]);
        assert_non_null(strstr(error.text, says[i]));
        assert_int_equal(plan.n_cpu, i ? 0 : 2);
        catalog_free(&started);
    }
}

/* Own kernels have no more threads than are worth while. */
TEST(test_teams)
{
    static int cpu = 1;
    const struct threshold thresholds[] = {{2, 100}, {3, INFINITY}};
    struct host host;
    char path[4096];
    host_read(&host, "");
    for (int i = 0; i < 2; i++)
        assert_int_equal(thresholds_save(host.fingerprint, i ? "mul" : "roof", thresholds,
                                         2, path, sizeof path, &error),
                         0);
    /* 16 operations, 128, and 128 of a plug-in and a limit. */
    assert_int_equal(plan_words("mul --sizes=8,64 --threads=3"), 0);
    const struct plan_case *small = plan.groups[0].cases, *large = plan.groups[1].cases;
    assert_int_equal(small[0].team, 1);
    assert_int_equal(large[0].team, 2);
    assert_int_equal(large[1].team, 3);
    assert_int_equal(large[2].team, 3);
    assert_string_equal(
        small[0].notes.item[0],
        "1 of 3 threads: here more of them are faster from 100 operations "
        "a call on (simdbench threads mul); --threads-threshold=off runs "
        "all");
    assert_non_null(strstr(large[0].notes.item[0],
                           "2 of 3 threads: here more of them are faster at no size"));
    assert_int_equal(large[1].notes.n + large[2].notes.n, 0);
    assert_int_equal(plan_words("mul --sizes=64 --threads=2"), 0);
    assert_int_equal(plan.groups[0].cases[0].team, 2);
    assert_int_equal(plan.groups[0].cases[0].notes.n, 0);
    assert_int_equal(plan_words("mul --sizes=8 --threads=3 --threads-threshold=off"), 0);
    assert_int_equal(plan.groups[0].cases[0].team, 3);

    /* Without that variable below the home home; a home must be named from the root.
     */
    assert_int_equal(setenv("HOME", home, 1), 0);
    assert_int_equal(setenv("XDG_CONFIG_HOME", "relative", 1), 0);
    assert_int_equal(plan_words("mul --sizes=8 --threads=3"), 0);
    assert_int_equal(plan.groups[0].cases[0].team, 3);
    tree_put(home, "/.config/simdbench/threads.json", "[]");
    expect_error("mul --threads=2", -EINVAL, "/.config/simdbench/threads.json: ");
    assert_int_equal(setenv("XDG_CONFIG_HOME", home, 1), 0);

    static const char *const broken[] = {"", "{", "[]", "{\"schema_version\": 2}"};
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        tree_put(home, "/simdbench/threads.json", broken[i]);
        expect_error("mul --threads=2", -EINVAL, path);
        assert_non_null(strstr(error.text, "--threads-threshold=off"));
        assert_int_equal(plan_words("mul --threads=2 --threads-threshold=off"), 0);
        options.how.all_threads = false;
        options.how.cpu = &cpu;
        options.how.n_cpu = 1;
        assert_int_equal(
            plan_settle(&options.request, &options.how, &catalog, &plan, &error),
            -EINVAL);
        options.how.cpu = NULL;
        assert_int_equal(plan_words("mul"), 0);
    }
}

TESTS_BETWEEN(home_open, home_close)
