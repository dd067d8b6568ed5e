/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of counters.c against a scripted kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "perfctr_private.h"

enum { FIRST_FD = 100, FDS = 64 };

/* A PMU with `capacity` counters, of which strangers hold all but `available`. Event
 * `config` advances by 1000 * config for each read of its group. */
static struct fake {
    struct file {
        struct perf_event_attr attr;
        int leader;
        bool open, enabled;
        uint64_t value, running, time;
    } file[FDS];
    int files, open_files;
    int capacity, available;
    uint64_t refused_config;
    int refused_errno;
    double share;     /* of the time that counters run */
    uint64_t read_ns; /* time that passes from read to read */
    int cut;          /* bytes that each read is short of */
    bool backwards, reversed;
    int read_errno, switches;
} fake;

static struct file *file_of(int fd)
{
    assert_in_range(fd, FIRST_FD, FIRST_FD + fake.files - 1);
    assert_true(fake.file[fd - FIRST_FD].open);
    return &fake.file[fd - FIRST_FD];
}

static int group_files(int leader, int *fd)
{
    int n = 0;
    for (int k = 0; k < fake.files; k++)
        if (fake.file[k].open && fake.file[k].leader == leader)
            fd[n++] = FIRST_FD + k;
    return n;
}

static int fake_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
                     unsigned long flags)
{
    int fds[FDS];
    assert_int_equal(pid, 0);
    assert_int_equal(cpu, -1);
    assert_int_equal(flags, PERF_FLAG_FD_CLOEXEC);
    if (fake.refused_errno && attr->config == fake.refused_config) {
        errno = fake.refused_errno;
        return -1;
    }
    if (group_fd >= 0 && attr->type != PERF_TYPE_SOFTWARE &&
        group_files(group_fd, fds) >= fake.capacity) {
        errno = EINVAL;
        return -1;
    }
    assert_true(fake.files < FDS);
    const int fd = FIRST_FD + fake.files++;
    fake.file[fd - FIRST_FD] = (struct file){.attr = *attr,
                                             .leader = group_fd < 0 ? fd : group_fd,
                                             .open = true,
                                             .enabled = !attr->disabled};
    fake.open_files++;
    return fd;
}

static uint64_t id_of(int fd)
{
    return (uint64_t)(9000 - 7 * fd);
}

static ssize_t fake_read(int fd, void *buffer, size_t size)
{
    uint64_t *const word = buffer;
    struct file *const leader = file_of(fd);
    int fds[FDS];
    const int n = group_files(fd, fds);
    assert_true(size >= (size_t)(3 + 2 * n) * 8);
    if (fake.read_errno) {
        errno = fake.read_errno;
        return -1;
    }
    if (leader->enabled && n > fake.available && leader->attr.type != PERF_TYPE_SOFTWARE)
        return 0;
    if (leader->enabled) {
        leader->time += fake.read_ns;
        leader->running += (uint64_t)(fake.share * (double)fake.read_ns);
    }
    word[0] = (uint64_t)n;
    word[1] = leader->time;
    word[2] = leader->running;
    for (int k = 0; k < n; k++) {
        struct file *const file = file_of(fds[k]);
        const uint64_t step = 1000 * file->attr.config;
        if (leader->enabled)
            file->value = fake.backwards ? file->value - step : file->value + step;
        const int at = fake.reversed ? n - 1 - k : k;
        word[3 + 2 * at] = file->value;
        word[4 + 2 * at] = id_of(fds[k]);
    }
    return (ssize_t)(3 + 2 * n) * 8 - fake.cut;
}

static int fake_ioctl(int fd, unsigned long request, unsigned long argument)
{
    struct file *const file = file_of(fd);
    if (request == PERF_EVENT_IOC_ID) {
        *(uint64_t *)argument = id_of(fd);
        return 0;
    }
    assert_int_equal(argument, PERF_IOC_FLAG_GROUP);
    assert_true(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
    file->enabled = request == PERF_EVENT_IOC_ENABLE;
    fake.switches++;
    return 0;
}

static int fake_close(int fd)
{
    file_of(fd)->open = false;
    fake.open_files--;
    return 0;
}

static const struct perf_system fake_system = {fake_open, fake_read, fake_ioctl,
                                               fake_close};

static int setup(void **state)
{
    (void)state;
    fake = (struct fake){.capacity = 6, .available = 6, .share = 1, .read_ns = 1000000};
    return 0;
}

/* Raw events with the configs 1 to n. */
static struct counters *open_raw(size_t n, struct event *events)
{
    struct counters *counters = NULL;
    for (size_t k = 0; k < n; k++)
        events[k] = (struct event){.type = PERF_TYPE_RAW, .config = k + 1};
    assert_int_equal(counters_open(&counters, events, n, &fake_system, NULL), 0);
    assert_non_null(counters);
    return counters;
}

static void region(struct counters *counters)
{
    const int switches = fake.switches;
    counters_begin(counters);
    counters_end(counters);
    assert_int_equal(fake.switches, switches);
}

static void counts(const struct counters *counters, size_t i, uint64_t value)
{
    struct count count;
    assert_true(counters_get(counters, i, &count));
    assert_string_equal(count.absent, "");
    assert_int_equal(count.value, value);
}

static void absent(const struct counters *counters, size_t i, const char *word)
{
    struct count count;
    assert_true(counters_get(counters, i, &count));
    if (!strstr(count.absent, word))
        fail_msg("\"%s\" does not say \"%s\"", count.absent, word);
    assert_int_equal(count.value, 0);
}

static void finish(struct counters *counters)
{
    counters_close(counters);
    assert_int_equal(fake.open_files, 0);
}

static void test_none(void **state)
{
    struct counters *counters = NULL;
    (void)state;
    assert_int_equal(counters_open(&counters, NULL, 0, &fake_system, NULL), 0);
    assert_int_equal(counters_passes(counters), 1);
    region(counters);
    finish(counters);
    counters_close(NULL);
}

static void test_group(void **state)
{
    struct event events[3];
    struct count count;
    (void)state;
    struct counters *const counters = open_raw(3, events);
    assert_int_equal(counters_passes(counters), 1);
    absent(counters, 0, "no region");
    for (int turn = 0; turn < 3; turn++) {
        region(counters);
        for (size_t i = 0; i < 3; i++)
            counts(counters, i, 1000 * (i + 1));
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
    finish(counters);
}

static void test_order_of_ids(void **state)
{
    struct event events[3];
    (void)state;
    fake.reversed = true;
    struct counters *const counters = open_raw(3, events);
    region(counters);
    for (size_t i = 0; i < 3; i++)
        counts(counters, i, 1000 * (i + 1));
    finish(counters);
}

static void test_passes(void **state)
{
    struct event events[7];
    struct count count;
    (void)state;
    fake.capacity = 3;
    struct counters *const counters = open_raw(7, events);
    assert_int_equal(counters_passes(counters), 3);
    for (size_t pass = 0; pass < 3; pass++) {
        counters_select(counters, pass);
        region(counters);
        for (size_t i = 0; i < 7; i++) {
            if (i / 3 == pass)
                counts(counters, i, 1000 * (i + 1));
            else
                assert_false(counters_get(counters, i, &count));
        }
    }
    counters_select(counters, 0);
    absent(counters, 0, "no region");
    finish(counters);
}

static void test_taken_by_others(void **state)
{
    struct event events[4];
    (void)state;
    fake.available = 3;
    struct counters *const counters = open_raw(4, events);
    assert_int_equal(counters_passes(counters), 2);
    region(counters);
    counts(counters, 0, 1000);
    counts(counters, 2, 3000);
    counters_select(counters, 1);
    region(counters);
    counts(counters, 3, 4000);
    fake.available = 0;
    region(counters);
    absent(counters, 3, "nmi_watchdog");
    finish(counters);
}

static void test_refused(void **state)
{
    static const struct {
        int code;
        const char *word;
    } cases[] = {
        {ENOENT, "PMU"},        {EACCES, "perf_event_paranoid"},
        {EPERM, "CAP_PERFMON"}, {ENOSYS, "perf_event_open"},
        {EINVAL, "EINVAL"},     {EOPNOTSUPP, "feature"},
        {EMFILE, "ulimit -n"},  {EBUSY, "another process"},
        {E2BIG, "too old"},     {ENOMEM, "memory"},
    };
    (void)state;
    for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
        for (uint64_t refused = 1; refused <= 3; refused++) {
            struct event events[3];
            setup(NULL);
            fake.refused_errno = cases[k].code;
            fake.refused_config = refused;
            struct counters *const counters = open_raw(3, events);
            assert_int_equal(counters_passes(counters), 1);
            region(counters);
            for (size_t i = 0; i < 3; i++) {
                if (i + 1 == refused)
                    absent(counters, i, cases[k].word);
                else
                    counts(counters, i, 1000 * (i + 1));
            }
            finish(counters);
        }
    }
}

static void test_all_refused(void **state)
{
    struct event events[1];
    (void)state;
    fake.refused_errno = EACCES;
    fake.refused_config = 1;
    struct counters *const counters = open_raw(1, events);
    assert_int_equal(counters_passes(counters), 1);
    region(counters);
    absent(counters, 0, "CAP_PERFMON");
    finish(counters);
}

static void test_software_apart(void **state)
{
    const struct event events[] = {
        {.type = PERF_TYPE_RAW, .config = 1},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
        {.type = PERF_TYPE_RAW, .config = 5},
        {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
    };
    struct counters *counters;
    struct count count;
    (void)state;
    fake.capacity = 1;
    fake.available = 0;
    assert_int_equal(counters_open(&counters, events, 4, &fake_system, NULL), 0);
    assert_int_equal(counters_passes(counters), 2);
    region(counters);
    absent(counters, 0, "not counted");
    counts(counters, 1, 2000);
    assert_false(counters_get(counters, 2, &count));
    counts(counters, 3, 3000);
    counters_select(counters, 1);
    region(counters);
    assert_false(counters_get(counters, 1, &count));
    absent(counters, 2, "not counted");
    for (int k = 0; k < fake.files; k++) {
        const struct perf_event_attr *const attr = &fake.file[k].attr;
        const bool kernel = attr->type == PERF_TYPE_SOFTWARE &&
                            attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES;
        assert_int_equal(attr->exclude_kernel, !kernel);
    }
    finish(counters);
}

static void test_not_running(void **state)
{
    struct event events[2];
    (void)state;
    struct counters *const counters = open_raw(2, events);
    fake.share = 0;
    region(counters);
    absent(counters, 0, "none of the time");
    absent(counters, 1, "none of the time");
    finish(counters);
}

static void test_partly_running(void **state)
{
    struct event events[1];
    struct count count;
    (void)state;
    struct counters *const counters = open_raw(1, events);
    fake.share = 0.5;
    region(counters);
    absent(counters, 0, "50% of 1.000 ms");
    fake.read_ns = 40000000;
    region(counters);
    counts(counters, 0, 2000);
    assert_true(counters_get(counters, 0, &count));
    assert_true(count.running_share == 0.5);
    finish(counters);
}

static void test_bad_reads(void **state)
{
    struct event events[2];
    (void)state;
    struct counters *const counters = open_raw(2, events);
    fake.cut = 8;
    region(counters);
    absent(counters, 1, "short read");
    fake.cut = 0;
    fake.read_errno = ENOSPC;
    region(counters);
    absent(counters, 1, strerror(ENOSPC));
    fake.read_errno = 0;
    region(counters);
    counts(counters, 1, 2000);
    fake.backwards = true;
    region(counters);
    absent(counters, 1, "backwards");
    finish(counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_none, setup),
        cmocka_unit_test_setup(test_group, setup),
        cmocka_unit_test_setup(test_order_of_ids, setup),
        cmocka_unit_test_setup(test_passes, setup),
        cmocka_unit_test_setup(test_taken_by_others, setup),
        cmocka_unit_test_setup(test_refused, setup),
        cmocka_unit_test_setup(test_all_refused, setup),
        cmocka_unit_test_setup(test_software_apart, setup),
        cmocka_unit_test_setup(test_not_running, setup),
        cmocka_unit_test_setup(test_partly_running, setup),
        cmocka_unit_test_setup(test_bad_reads, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
