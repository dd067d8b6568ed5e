/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that take turns, readings in user space, and reasons for what is missing, on a
 * scripted kernel. */
#include "fake_perf.h"

/* ---- taking turns ---- */

FAKE_TEST(test_turns)
{
    struct event events[7];
    struct count count;
    fake.capacity = 3;
    fake.share = 0.25;
    fake.read_ns = COUNTERS_SCALABLE_NS;
    struct counters *const counters = fake_open_mode(7, events, COUNTERS_MULTIPLEX);
    assert_int_equal(counters_passes(counters), 1);
    for (int k = 0; k < fake.files; k++)
        assert_int_equal(fake.file[k].attr.pinned, 0);
    fake_region(counters);
    for (size_t i = 0; i < 7; i++) {
        fake_counts(counters, i, 4000 * (i + 1));
        assert_true(counters_get(counters, i, &count));
        assert_true(count.running_share == 0.25);
    }
    fake.share = 1;
    fake_region(counters);
    fake_counts(counters, 6, 7000);
    fake_finish(counters);
}

FAKE_TEST(test_turns_too_short)
{
    struct event events[2];
    fake.read_ns = COUNTERS_SCALABLE_NS - 1;
    struct counters *const counters = fake_open_mode(2, events, COUNTERS_MULTIPLEX);
    fake_region(counters);
    fake_counts(counters, 1, 2000);
    fake.share = 0.5;
    fake_region(counters);
    fake_absent(counters, 1, "50% of 20.000 ms, too short to scale; measure longer");
    fake.share = 0;
    fake_region(counters);
    fake_absent(counters, 1, "0% of 20.000 ms, too short to scale");
    fake.read_ns = COUNTERS_SCALABLE_NS;
    fake_region(counters);
    fake_absent(counters, 1, "none of the time, as the NMI watchdog may");
    fake_finish(counters);
}

/* Others hold counters: that is found out before it is measured, as for pinned groups. */
FAKE_TEST(test_turns_beside_others)
{
    struct event events[4];
    fake.available = 3;
    fake.mappable = true;
    struct counters *const counters = fake_open_mode(4, events, COUNTERS_MULTIPLEX);
    fake_region(counters);
    for (size_t i = 0; i < 4; i++)
        fake_counts(counters, i, 1000 * (i + 1));
    assert_int_equal(fake.user_reads, 0);
    fake_finish(counters);
}

/* ---- in user space ---- */

static void expect_user(const struct counters *counters, bool user)
{
    struct count count;
    assert_true(counters_get(counters, 0, &count));
    assert_int_equal(count.user_read, user);
}

FAKE_TEST(test_user_reads)
{
    static const int widths[] = {32, 40, 48, 64};
    for (size_t k = 0; k < ARRAY_LEN(widths); k++) {
        struct event events[3];
        fake.files = 0;
        fake.mappable = true;
        fake.width = widths[k];
        struct counters *const counters = fake_open_raw(3, events);
        assert_int_equal(fake.mapped, 3);
        fake.read_errno = EIO; /* nobody calls it any more */
        for (int turn = 0; turn < 2; turn++) {
            fake_region(counters);
            for (size_t i = 0; i < 3; i++)
                fake_counts(counters, i, 1000 * (i + 1));
            expect_user(counters, true);
        }
        assert_null(counters_note(counters));
        fake.read_errno = 0;
        fake_finish(counters);
    }
}

FAKE_TEST(test_page_changes)
{
    struct event events[2];
    fake.mappable = true;
    struct counters *const counters = fake_open_raw(2, events);
    fake.locks = 5;
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    fake_counts(counters, 1, 2000);
    expect_user(counters, true);
    assert_int_equal(fake.locks, 0);
    fake_finish(counters);
}

/* A page that never rests is given up, also when the counters are opened. */
FAKE_TEST(test_page_never_rests)
{
    struct event events[1];
    fake.mappable = true;
    fake.locks = 1000000;
    struct counters *const counters = fake_open_raw(1, events);
    assert_in_range(fake.user_reads, 2, 10000);
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    expect_user(counters, false);
    fake_finish(counters);
}

FAKE_TEST(test_bad_width)
{
    static const int widths[] = {0, 65};
    for (size_t k = 0; k < ARRAY_LEN(widths); k++) {
        struct event events[1];
        fake.files = 0;
        fake.mappable = true;
        fake.width = widths[k];
        struct counters *const counters = fake_open_raw(1, events);
        assert_int_equal(fake.user_reads, 0);
        fake_region(counters);
        fake_counts(counters, 0, 1000);
        fake_finish(counters);
    }
}

FAKE_TEST(test_disagreement)
{
    struct event events[2];
    fake.mappable = true;
    fake.mismatch = 1000000;
    struct counters *const counters = fake_open_raw(2, events);
    assert_int_equal(fake.mapped, 0);
    assert_non_null(strstr(counters_note(counters), "differs"));
    fake_region(counters);
    fake_counts(counters, 1, 2000);
    expect_user(counters, false);
    fake_finish(counters);
}

/* Index 0 says that the event is not on the PMU: never, from the second reading of a
 * region on, and between two regions. */
FAKE_TEST(test_off_pmu)
{
    struct event events[1];
    fake.mappable = true;
    fake.off_pmu = 1;
    struct counters *counters = fake_open_raw(1, events);
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    expect_user(counters, false);
    fake_finish(counters);

    fake.files = fake.off_pmu = 0;
    counters = fake_open_raw(1, events);
    fake.off_pmu = fake.user_reads + 1;
    fake_region(counters);
    fake_absent(counters, 0, "none of the time");
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    expect_user(counters, false);
    fake_finish(counters);
}

/* ---- reasons ---- */

static void explain(const char *word, int code, uint32_t type, uint64_t config)
{
    const struct event event = {.type = type, .config = config};
    struct count count;
    fake.files = 0;
    fake.refused_errno = code;
    fake.refused_config = config;
    struct counters *const counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_absent(counters, 0, word);
    assert_true(counters_get(counters, 0, &count));
    assert_int_equal(count.code, code);
    fake_finish(counters);
}

FAKE_TEST(test_reasons)
{
    explain("paranoid is 3; type: sudo sysctl kernel.perf_event_paranoid=2, or", EACCES,
            PERF_TYPE_RAW, 1);
    explain("inside the kernel and kernel.perf_event_paranoid is 3; type: sudo sysctl "
            "kernel.perf_event_paranoid=1",
            EACCES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
    explain("no perf_event_open", ENOSYS, PERF_TYPE_RAW, 1);
    fake_file("/proc/sys/kernel/perf_event_paranoid", "2");
    explain("although kernel.perf_event_paranoid is 2", EACCES, PERF_TYPE_RAW, 1);
    fake_file("/proc/self/status", "Name:\tx\nSeccomp:\t2\n");
    explain("seccomp filter forbids perf_event_open; start the container with --cap-add",
            EPERM, PERF_TYPE_RAW, 1);
    explain("seccomp=unconfined", ENOSYS, PERF_TYPE_RAW, 1);
}

/* Without a PMU, permissions are not what is missing, but for events that need none. */
FAKE_TEST(test_no_pmu)
{
    static const int codes[] = {ENOENT, EACCES, EPERM, ENOSYS};
    fake_no_pmu();
    for (size_t k = 0; k < ARRAY_LEN(codes); k++)
        explain("there is no hardware PMU", codes[k], PERF_TYPE_RAW, 1);
    explain("perf_event_paranoid", EACCES, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
    fake_remove("/sys");
    explain("devices is not there; mount sysfs", ENOENT, PERF_TYPE_RAW, 1);
}

FAKE_TEST(test_watchdog)
{
    struct event events[1];
    struct count count;
    struct counters *const counters = fake_open_raw(1, events);
    fake.available = 0;
    fake_region(counters);
    fake_absent(counters, 0,
                "beside other users, as the NMI watchdog may; type: sudo "
                "sysctl kernel.nmi_watchdog=0");
    assert_true(counters_get(counters, 0, &count));
    assert_string_equal(count.fix, "sudo sysctl kernel.nmi_watchdog=0");
    assert_int_equal(count.code, 0);
    fake_file("/proc/sys/kernel/nmi_watchdog", "0");
    fake_absent(counters, 0, "beside other users; end other profilers");
    fake_finish(counters);
}

/* Both threads of a core are in its licence counters: there is a value, and a warning. */
FAKE_TEST(test_shared)
{
    static const struct {
        const char *name, *string, *active;
        bool told;
    } cases[] = {{"core_power.lvl2_turbo_license", "skx::CORE_POWER:LVL2_TURBO_LICENSE:u",
                  "1", true},
                 {"license", "icx::CORE_POWER:LVL1_TURBO_LICENSE:u", "1", true},
                 {"core_power.lvl2_turbo_license", "skx::CORE_POWER:LVL2_TURBO_LICENSE:u",
                  "0", false},
                 {"instructions", "perf::instructions:u", "1", false}};
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        struct event event = {.type = PERF_TYPE_RAW, .config = 1};
        struct counters *counters;
        strcpy(event.name, cases[k].name);
        strcpy(event.string, cases[k].string);
        fake.files = 0;
        fake_file("/sys/devices/system/cpu/smt/active", cases[k].active);
        counters = fake_open_events(&event, 1, COUNTERS_PINNED);
        fake_region(counters);
        fake_counts(counters, 0, 1000);
        const char *const note = counters_note(counters);
        assert_int_equal(note != NULL, cases[k].told);
        if (note)
            assert_non_null(strstr(note, "type: echo off | sudo tee /sys/devices/system/"
                                         "cpu/smt/control"));
        fake_finish(counters);
        fake.files = 0;
        fake.refused_errno = ENOENT;
        fake.refused_config = 1;
        counters = fake_open_events(&event, 1, COUNTERS_PINNED);
        assert_null(counters_note(counters)); /* there is nothing to be shared */
        fake_finish(counters);
        fake.refused_errno = 0;
    }
}

/* PMUs beside the core's, like that of the time stamp counter. */
FAKE_TEST(test_no_exclude)
{
    const struct event event = {.type = 9, .config = 1};
    struct count count;
    fake.no_exclude = true;
    struct counters *const counters = fake_open_events(&event, 1, COUNTERS_PINNED);
    fake_region(counters);
    fake_counts(counters, 0, 1000);
    assert_true(counters_get(counters, 0, &count) && count.in_kernel);
    fake_finish(counters);
    explain("EINVAL", EINVAL, PERF_TYPE_RAW, 1);
}
