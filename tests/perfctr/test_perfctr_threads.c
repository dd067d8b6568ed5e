/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of all threads: what becomes of their sum on a scripted kernel, and page
 * faults and time of real ones on the kernel that is there. */
#include "fake_perf.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ONE = 1001, TWO = 1002 };

static void thread_begins(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)tid);
    fake_file(path, "worker");
}

static void thread_ends(pid_t tid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d", (int)tid);
    fake_remove(path);
}

static void expect(struct counters *counters, size_t i, uint64_t value, unsigned threads)
{
    struct count count;
    fake_counts(counters, i, value);
    assert_true(counters_get(counters, i, &count));
    assert_int_equal(count.threads, threads);
}

/* Counters of the caller and two others, with 1 to 3 as configs. */
static struct counters *open_three(struct event *events, enum counters_mode mode)
{
    thread_begins(gettid());
    thread_begins(ONE);
    thread_begins(TWO);
    struct counters *const counters = fake_open_mode(3, events, mode);
    assert_int_equal(counters_follow_threads(counters), 0);
    return counters;
}

FAKE_TEST(test_alone)
{
    struct event events[2];
    for (int listed = 0; listed <= 1; listed++) {
        fake.files = 0;
        if (listed)
            thread_begins(gettid());
        struct counters *const counters = fake_open_raw(2, events);
        assert_int_equal(counters_follow_threads(counters), 0);
        assert_int_equal(fake.open_files, 2);
        fake_region(counters);
        expect(counters, 1, 2000, 1);
        fake_finish(counters);
    }
}

FAKE_TEST(test_sum)
{
    struct event events[3];
    int pids[2] = {0};
    struct counters *const counters = open_three(events, COUNTERS_PINNED);
    assert_int_equal(fake.open_files, 9);
    for (int k = 3; k < 9; k++) {
        const struct file *const file = &fake.file[k];
        assert_int_equal(file->leader, FIRST_FD + k / 3 * 3);
        assert_int_equal(file->attr.pinned, k % 3 == 0);
        assert_int_equal(file->attr.exclude_kernel, 1);
        pids[file->pid == TWO]++;
        assert_true(file->pid == ONE || file->pid == TWO);
    }
    assert_true(pids[0] == 3 && pids[1] == 3);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(counters_follow_threads(counters), 0);
        fake_region(counters);
        for (size_t i = 0; i < 3; i++)
            expect(counters, i, 3000 * (i + 1), 3);
    }
    assert_int_equal(fake.files, 9); /* nothing was opened again */
    counters_leave_threads(counters);
    assert_int_equal(fake.open_files, 3);
    fake_region(counters);
    expect(counters, 2, 3000, 1);
    fake_finish(counters);
}

/* Threads come and go between regions. */
FAKE_TEST(test_changes)
{
    struct event events[3];
    struct counters *const counters = open_three(events, COUNTERS_PINNED);
    thread_ends(ONE);
    assert_int_equal(counters_follow_threads(counters), 0);
    assert_int_equal(fake.open_files, 6);
    fake_region(counters);
    expect(counters, 0, 2000, 2);
    /* The same number of threads, but another one. */
    thread_ends(TWO);
    thread_begins(ONE);
    assert_int_equal(counters_follow_threads(counters), 0);
    assert_int_equal(fake.open_files, 6);
    fake_region(counters);
    expect(counters, 0, 2000, 2);
    fake_finish(counters);
}

/* All threads have the groups of the caller, and change passes with it. */
FAKE_TEST(test_passes)
{
    struct event events[3];
    struct count count;
    fake.capacity = 2;
    struct counters *const counters = open_three(events, COUNTERS_PINNED);
    assert_int_equal(counters_passes(counters), 2);
    fake_region(counters);
    expect(counters, 0, 3000, 3);
    assert_false(counters_get(counters, 2, &count));
    counters_select(counters, 1);
    fake_region(counters);
    assert_false(counters_get(counters, 0, &count));
    expect(counters, 2, 9000, 3);
    counters_leave_threads(counters);
    assert_int_equal(counters_follow_threads(counters), 0);
    fake_region(counters);
    expect(counters, 2, 9000, 3);
    fake_finish(counters);
}

/* Only a thread that worked can have been kept off the PMU. */
FAKE_TEST(test_asleep)
{
    struct event events[3];
    fake.asleep = TWO;
    struct counters *const counters = open_three(events, COUNTERS_PINNED);
    fake_region(counters);
    expect(counters, 2, 6000, 3);
    fake_finish(counters);
}

FAKE_TEST(test_refused)
{
    struct event events[3];
    struct count count;
    fake.refused_errno = EMFILE;
    fake.refused_pid = TWO;
    for (fake.refused_config = 1; fake.refused_config <= 3; fake.refused_config++) {
        fake.files = 0;
        struct counters *const counters = open_three(events, COUNTERS_PINNED);
        fake_region(counters);
        for (size_t i = 0; i < 3; i++) {
            /* A group without its leader cannot be counted. */
            if (i + 1 != fake.refused_config && fake.refused_config != 1) {
                expect(counters, i, 3000 * (i + 1), 3);
                continue;
            }
            fake_absent(counters, i, "thread 1002: too many open files; type: ulimit -n");
            assert_true(counters_get(counters, i, &count));
            assert_int_equal(count.code, EMFILE);
            assert_string_equal(count.fix, "ulimit -n 4096");
        }
        fake_finish(counters);
    }
}

/* Events that the caller cannot count are its own matter; a thread that ended is not
 * missed. */
FAKE_TEST(test_others)
{
    struct event events[3];
    fake.refused_errno = ENOENT;
    fake.refused_config = 2;
    struct counters *counters = open_three(events, COUNTERS_PINNED);
    assert_int_equal(fake.open_files, 6);
    fake_region(counters);
    fake_absent(counters, 1, "this CPU's PMU does not count the event");
    expect(counters, 2, 9000, 3);
    fake_finish(counters);

    fake.files = 0;
    fake.refused_errno = ESRCH;
    fake.refused_pid = ONE;
    counters = open_three(events, COUNTERS_PINNED);
    assert_int_equal(fake.open_files, 6);
    fake_region(counters);
    expect(counters, 1, 4000, 2);
    fake_finish(counters);
}

FAKE_TEST(test_share)
{
    struct event events[3];
    struct count count;
    fake.sharing = ONE;
    fake.read_ns = COUNTERS_SCALABLE_NS / 3 + 1; /* long enough together */
    struct counters *const counters = open_three(events, COUNTERS_MULTIPLEX);
    fake_region(counters);
    expect(counters, 1, 2000 + 2 * 2000 + 2000, 3);
    assert_true(counters_get(counters, 1, &count));
    assert_true(count.running_share > 0.499 && count.running_share <= 0.5);
    fake.read_ns = COUNTERS_SCALABLE_NS / 4;
    fake_region(counters);
    fake_absent(counters, 1, "thread 1001: not counted: it was on the PMU for 50%");
    fake_finish(counters);
}

/* Only the caller's counters can be read in user space. */
FAKE_TEST(test_user_reads)
{
    struct event events[3];
    struct count count;
    fake.mappable = true;
    struct counters *const counters = open_three(events, COUNTERS_PINNED);
    assert_int_equal(fake.mapped, 3);
    fake_region(counters);
    expect(counters, 2, 9000, 3);
    assert_true(counters_get(counters, 2, &count) && !count.user_read);
    counters_leave_threads(counters);
    fake_region(counters);
    expect(counters, 2, 3000, 1);
    assert_true(counters_get(counters, 2, &count) && count.user_read);
    fake_finish(counters);
}

/* ---- the kernel that is there ---- */

enum { HELPERS = 2, PAGES = 96 };

struct helper {
    pthread_t thread;
    int order[2], done[2]; /* pipes */
    char *pages;
};

__attribute__((no_sanitize("address"))) static void touch(char *pages, size_t page)
{
    for (size_t k = 0; k < PAGES; k++)
        *(volatile char *)(pages + k * page) = 1;
}

static void *help(void *context)
{
    struct helper *const helper = context;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char byte;
    while (read(helper->order[0], &byte, 1) == 1) {
        touch(helper->pages, page);
        if (write(helper->done[1], &byte, 1) != 1)
            break;
    }
    return NULL;
}

static void helper_start(struct helper *helper)
{
    assert_int_equal(pipe(helper->order), 0);
    assert_int_equal(pipe(helper->done), 0);
    assert_int_equal(pthread_create(&helper->thread, NULL, help, helper), 0);
}

static void helper_stop(struct helper *helper)
{
    close(helper->order[1]);
    assert_int_equal(pthread_join(helper->thread, NULL), 0);
    close(helper->order[0]);
    close(helper->done[0]);
    close(helper->done[1]);
}

/* Fresh pages each time: every one of them is a fault. */
static void helpers_work(struct counters *counters, struct helper *helpers, size_t bytes)
{
    char byte = 0;
    for (size_t k = 0; k < HELPERS; k++) {
        helpers[k].pages =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(helpers[k].pages != MAP_FAILED);
        madvise(helpers[k].pages, bytes, MADV_NOHUGEPAGE);
    }
    counters_begin(counters);
    for (size_t k = 0; k < HELPERS; k++)
        assert_int_equal(write(helpers[k].order[1], &byte, 1), 1);
    for (size_t k = 0; k < HELPERS; k++)
        assert_int_equal(read(helpers[k].done[0], &byte, 1), 1);
    counters_end(counters);
    for (size_t k = 0; k < HELPERS; k++)
        munmap(helpers[k].pages, bytes);
}

FAKE_TEST(test_kernel)
{
    static const char *const names[] = {"page-faults", "task-clock"};
    const size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    struct helper helpers[HELPERS];
    struct counters *counters;
    struct event events[2];
    struct count faults, alone, time;
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(event_encode(names[i], &events[i], NULL), 0);
    assert_int_equal(
        counters_open(&counters, events, 2, COUNTERS_PINNED, &perf_system_linux, NULL),
        0);
    for (size_t k = 0; k < HELPERS; k++)
        helper_start(&helpers[k]);
    helpers_work(counters, helpers, bytes); /* faults in what it needs itself */
    assert_true(counters_get(counters, 0, &alone));
    const bool known = !alone.absent[0];
    /* A sanitizer may touch pages of its own: a region without them is wanted. */
    for (int turn = 0; turn < 20 && known; turn++) {
        helpers_work(counters, helpers, bytes);
        assert_true(counters_get(counters, 0, &alone) && alone.threads == 1);
        assert_int_equal(counters_follow_threads(counters), 0);
        helpers_work(counters, helpers, bytes);
        assert_true(counters_get(counters, 0, &faults) && !faults.absent[0]);
        assert_true(counters_get(counters, 1, &time) && !time.absent[0]);
        assert_true(faults.threads == HELPERS + 1 && faults.running_share == 1);
        assert_true(time.value > 0);
        if (alone.value == 0 && faults.value == HELPERS * PAGES)
            break;
        counters_leave_threads(counters);
    }
    if (known) {
        assert_int_equal(alone.value, 0);
        assert_int_equal(faults.value, HELPERS * PAGES);
    }
    for (size_t k = 0; k < HELPERS; k++)
        helper_stop(&helpers[k]);
    if (known) {
        assert_int_equal(counters_follow_threads(counters), 0);
        counters_begin(counters);
        counters_end(counters);
        assert_true(counters_get(counters, 0, &faults) && faults.threads == 1);
    }
    counters_close(counters);
    if (!known)
        skip();
}
