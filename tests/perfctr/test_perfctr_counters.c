/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of events and their counts, on a scripted kernel. */
#include "fake_perf.h"

FAKE_TEST(test_none)
{
    struct counters *const counters = fake_open_events(NULL, 0, COUNTERS_PINNED);
    assert_int_equal(counters_passes(counters), 1);
    fake_region(counters);
    fake_finish(counters);
    counters_close(NULL);
}

FAKE_TEST(test_group)
{
    struct event events[3];
    struct count count;
    struct counters *const counters = fake_open_raw(3, events);
    assert_int_equal(counters_passes(counters), 1);
    fake_absent(counters, 0, "no region");
    for (int turn = 0; turn < 3; turn++) {
        fake_region(counters);
        for (size_t i = 0; i < 3; i++)
            fake_counts(counters, i, 1000 * (i + 1));
    }
    assert_true(counters_get(counters, 0, &count));
    assert_true(count.running_share == 1);
    for (int k = 0; k < 3; k++) {
        const struct perf_event_attr *const attr = &fake.file[k].attr;
        assert_int_equal(attr->pinned, k == 0);
        assert_int_equal(attr->disabled, k == 0);
        assert_int_equal(attr->exclude_kernel, 1);
        assert_int_equal(attr->exclude_hv, 1);
        assert_int_equal(fake.file[k].leader, FIRST_FD);
    }
    fake_finish(counters);
}

FAKE_TEST(test_order_of_ids)
{
    struct event events[3];
    fake.reversed = true;
    struct counters *const counters = fake_open_raw(3, events);
    fake_region(counters);
    for (size_t i = 0; i < 3; i++)
        fake_counts(counters, i, 1000 * (i + 1));
    fake_finish(counters);
}

FAKE_TEST(test_passes)
{
    struct event events[7];
    struct count count;
    fake.capacity = 3;
    for (int user = 0; user < 2; user++) {
        fake.files = 0;
        fake.mappable = user;
        struct counters *const counters = fake_open_raw(7, events);
        assert_int_equal(counters_passes(counters), 3);
        for (size_t pass = 0; pass < 3; pass++) {
            counters_select(counters, pass);
            fake_region(counters);
            for (size_t i = 0; i < 7; i++) {
                if (i / 3 == pass)
                    fake_counts(counters, i, 1000 * (i + 1));
                else
                    assert_false(counters_get(counters, i, &count));
            }
        }
        counters_select(counters, 0);
        fake_absent(counters, 0, "no region");
        fake_finish(counters);
    }
}

FAKE_TEST(test_taken_by_others)
{
    struct event events[4];
    fake.available = 3;
    struct counters *const counters = fake_open_raw(4, events);
    assert_int_equal(counters_passes(counters), 2);
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    fake_counts(counters, 2, 3000);
    counters_select(counters, 1);
    fake_region(counters);
    fake_counts(counters, 3, 4000);
    fake.available = 0;
    fake_region(counters);
    fake_absent(counters, 3, "nmi_watchdog");
    fake_finish(counters);
}

FAKE_TEST(test_refused)
{
    static const struct {
        int code;
        const char *word, *fix;
    } cases[] = {
        {ENOENT, "PMU does not count", "simdbench list events"},
        {EACCES, "perf_event_paranoid is 3", "sudo sysctl kernel.perf_event_paranoid=2"},
        {EPERM, "refuses (EPERM)", "CAP_PERFMON"},
        {ENOSYS, "perf_event_open", "use one"},
        {EINVAL, "EINVAL", "simdbench list events"},
        {EOPNOTSUPP, "feature", "choose"},
        {EMFILE, "open files", "ulimit -n"},
        {EBUSY, "another process", "end"},
        {E2BIG, "too old", "update"},
        {ENOMEM, "memory", ""}};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        for (uint64_t refused = 1; refused <= 3; refused++) {
            struct event events[3];
            struct count count;
            fake.files = 0;
            fake.refused_errno = cases[k].code;
            fake.refused_config = refused;
            struct counters *const counters = fake_open_raw(3, events);
            assert_int_equal(counters_passes(counters), 1);
            fake_region(counters);
            for (size_t i = 0; i < 3; i++) {
                if (i + 1 != refused) {
                    fake_counts(counters, i, 1000 * (i + 1));
                    continue;
                }
                fake_absent(counters, i, cases[k].word);
                fake_absent(counters, i, cases[k].fix);
                assert_true(counters_get(counters, i, &count));
                assert_int_equal(count.code, cases[k].code);
                assert_non_null(strstr(count.fix, cases[k].fix));
                assert_int_equal(!count.fix[0], !cases[k].fix[0]);
            }
            fake_finish(counters);
        }
    }
}

FAKE_TEST(test_all_refused)
{
    struct event events[1];
    fake.refused_errno = EACCES;
    fake.refused_config = 1;
    struct counters *const counters = fake_open_raw(1, events);
    assert_int_equal(counters_passes(counters), 1);
    fake_region(counters);
    fake_absent(counters, 0, "CAP_PERFMON");
    fake_finish(counters);
}

FAKE_TEST(test_software_apart)
{
    const struct event events[] = {
        {.type = PERF_TYPE_RAW, .config = 1},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
        {.type = PERF_TYPE_RAW, .config = 5},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES}};
    struct count count;
    fake.capacity = 1;
    fake.available = 0;
    struct counters *const counters = fake_open_events(events, 4, COUNTERS_PINNED);
    assert_int_equal(counters_passes(counters), 2);
    fake_region(counters);
    fake_absent(counters, 0, "not counted");
    fake_counts(counters, 1, 2000);
    assert_false(counters_get(counters, 2, &count));
    fake_counts(counters, 3, 3000);
    counters_select(counters, 1);
    fake_region(counters);
    assert_false(counters_get(counters, 1, &count));
    fake_absent(counters, 2, "not counted");
    for (int k = 0; k < fake.files; k++) {
        const struct perf_event_attr *const attr = &fake.file[k].attr;
        const bool kernel = attr->type == PERF_TYPE_SOFTWARE &&
                            attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
        assert_int_equal(attr->exclude_kernel, !kernel);
    }
    fake_finish(counters);
}

FAKE_TEST(test_not_running)
{
    struct event events[2];
    struct counters *const counters = fake_open_raw(2, events);
    fake.share = 0;
    fake_region(counters);
    fake_absent(counters, 0, "none of the time");
    fake_absent(counters, 1, "none of the time");
    fake_finish(counters);
}

FAKE_TEST(test_partly_running)
{
    struct event events[1];
    struct count count;
    struct counters *const counters = fake_open_raw(1, events);
    fake.share = 0.5;
    fake_region(counters);
    fake_absent(counters, 0, "50% of 1.000 ms");
    fake.read_ns = 40000000;
    fake_region(counters);
    fake_counts(counters, 0, 2000);
    assert_true(counters_get(counters, 0, &count));
    assert_true(count.running_share == 0.5);
    fake_finish(counters);
}

FAKE_TEST(test_bad_reads)
{
    struct event events[2];
    struct counters *const counters = fake_open_raw(2, events);
    fake.cut = 8;
    fake_region(counters);
    fake_absent(counters, 1, "short read");
    fake.cut = 0;
    fake.read_errno = ENOSPC;
    fake_region(counters);
    fake_absent(counters, 1, strerror(ENOSPC));
    fake.read_errno = 0;
    fake_region(counters);
    fake_counts(counters, 1, 2000);
    fake.backwards = true;
    fake_region(counters);
    fake_absent(counters, 1, "backwards");
    fake_finish(counters);
}
