/* SPDX-License-Identifier: Apache-2.0 */
/* Software events and the sampler on the running kernel, as whoever runs the test and as
 * an ordinary user. */
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perfctr_private.h"
#include "unit.h"

enum { PAGES = 64, SLEEPS = 5, NOBODY = 65534 };

/* An exit status instead of an assertion: it also runs in children. */
#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __func__, __LINE__, #condition); \
            return 1;                                                       \
        }                                                                   \
    } while (0)

/* The shadow memory of a sanitizer would have page faults of its own. */
__attribute__((no_sanitize("address"))) static void touch(char *pages, size_t page)
{
    for (size_t k = 0; k < PAGES; k++)
        *(volatile char *)(pages + k * page) = 1;
}

/* The kernel counts no switch for a sleep that ends before the thread leaves its CPU, and
 * may take pages away and give them back. `usage` is what it counted before, at the begin
 * and at the end of the sample, and after it. */
static int measure(struct counters *counters, struct sample *sample,
                   struct rusage usage[static 4])
{
    struct sampler sampler = {.counters = counters};
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* The first time touches what the sampler itself needs, and a sanitizer may touch a
     * page of its own at any time. */
    for (int turn = 0; turn < 2 || (turn < 20 && sample->minor_faults != PAGES); turn++) {
        char *const pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(pages != MAP_FAILED);
        CHECK(madvise(pages, PAGES * page, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
        CHECK(getrusage(RUSAGE_THREAD, &usage[0]) == 0);
        sampler_begin(&sampler);
        CHECK(getrusage(RUSAGE_THREAD, &usage[1]) == 0);
        touch(pages, page);
        for (int k = 0; k < SLEEPS; k++)
            usleep(100);
        CHECK(getrusage(RUSAGE_THREAD, &usage[2]) == 0);
        sampler_end(&sampler, sample);
        CHECK(getrusage(RUSAGE_THREAD, &usage[3]) == 0);
        munmap(pages, PAGES * page);
    }
    return 0;
}

static bool may_count(void)
{
    return file_number("", "/proc/sys/kernel/perf_event_paranoid") <= 2 || geteuid() == 0;
}

/* True if a member of the sample is what the kernel counted. */
#define COUNTED(value, member)                       \
    ((value) >= usage[2].member - usage[1].member && \
     (value) <= usage[3].member - usage[0].member)

/* Counts page faults and context switches; the reason of an absent one must say what to
 * type, and the sampler has both in any case. */
static int count_software(void)
{
    static const char *const names[] = {"page-faults", "context-switches", "task-clock",
                                        "cycles"};
    struct event events[ARRAY_LEN(names)];
    struct count count[ARRAY_LEN(names)];
    struct counters *counters;
    struct sample sample;
    struct rusage usage[4];
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        CHECK(event_encode(names[k], &events[k], NULL) == 0);
    CHECK(counters_open(&counters, events, ARRAY_LEN(names), COUNTERS_PINNED,
                        &perf_system_linux, NULL) == 0);
    CHECK(measure(counters, &sample, usage) == 0);
    for (size_t k = 0; k < ARRAY_LEN(names); k++)
        CHECK(counters_get(counters, k, &count[k]));
    counters_close(counters);

    CHECK(sample.minor_faults >= PAGES && COUNTED(sample.minor_faults, ru_minflt));
    CHECK(COUNTED(sample.major_faults, ru_majflt));
    CHECK(COUNTED(sample.voluntary_switches, ru_nvcsw));
    CHECK(COUNTED(sample.involuntary_switches, ru_nivcsw));
    CHECK(sample.ns >= SLEEPS * 100000 && sample.cpu_ns > 0 && sample.process_ns > 0);
    CHECK(sample.cpu_ns < sample.ns && sample.cpu_begin >= 0 && sample.cpu_end >= 0);

    const int64_t switches = sample.voluntary_switches + sample.involuntary_switches;
    const bool absent = count[0].absent[0];
    CHECK(absent == !may_count() || strstr(count[0].absent, "seccomp"));
    if (absent) {
        CHECK(strstr(count[0].absent, "sysctl") || strstr(count[0].absent, "seccomp"));
        return 0;
    }
    CHECK(count[0].value >= PAGES && count[0].running_share == 1);
    CHECK((int64_t)count[0].value <= usage[3].ru_minflt - usage[0].ru_minflt +
                                         usage[3].ru_majflt - usage[0].ru_majflt);
    CHECK(count[2].absent[0] == '\0' && count[2].value > 0);
    /* The window of the counters encloses that of the sampler's clock. */
    CHECK(count[2].value < (uint64_t)sample.ns + 1000000000);
    if (count[1].absent[0])
        CHECK(geteuid() != 0 &&
              strstr(count[1].absent, "sudo sysctl kernel.perf_event_paranoid=1"));
    else
        CHECK(count[1].value >= (uint64_t)switches);
    CHECK(count[3].absent[0] ? strlen(count[3].absent) > 20 : count[3].value > 0);
    return 0;
}

static int as_nobody(int unused)
{
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setresgid(NOBODY, NOBODY, NOBODY) == 0);
    CHECK(setresuid(NOBODY, NOBODY, NOBODY) == 0);
    return count_software();
}

static int forbid(int code)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog program = {.len = ARRAY_LEN(filter), .filter = filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);

    struct event event;
    struct counters *counters;
    struct count count;
    struct host host = {.pmu = PMU_OK};
    CHECK(event_encode("task-clock", &event, NULL) == 0);
    CHECK(counters_open(&counters, &event, 1, COUNTERS_PINNED, &perf_system_linux,
                        NULL) == 0);
    counters_begin(counters);
    counters_end(counters);
    CHECK(counters_get(counters, 0, &count));
    CHECK(strstr(count.absent, "--cap-add PERFMON") && count.code == code);
    CHECK(strstr(count.fix, "--cap-add PERFMON"));
    counters_close(counters);
    host_read_pmu(&host, "", &perf_system_linux);
    CHECK(host.pmu == (pmu_listed("") == 0 ? PMU_NO_HARDWARE : PMU_FORBIDDEN));
    return 0;
}

static int in_child(int (*body)(int), int argument)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0)
        _exit(body(argument));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

TEST(test_software)
{
    assert_int_equal(count_software(), 0);
}

TEST(test_ordinary_user)
{
    if (geteuid() != 0)
        skip(); /* then test_software was that */
    assert_int_equal(in_child(as_nobody, 0), 0);
}

TEST(test_seccomp)
{
    assert_int_equal(in_child(forbid, EPERM), 0);
    assert_int_equal(in_child(forbid, ENOSYS), 0);
}

/* The time stamp counter is a PMU beside the core's: its events join no software events,
 * and cannot leave the kernel out. */
TEST(test_tsc)
{
    const int64_t type = file_number("", "/sys/bus/event_source/devices/msr/type");
    struct event events[3] = {{.type = (uint32_t)type, .config = 0}};
    struct count tsc, clock, faults;
    struct counters *counters;
    if (type < 0)
        skip();
    assert_int_equal(event_encode("task-clock", &events[1], NULL), 0);
    assert_int_equal(event_encode("page-faults", &events[2], NULL), 0);
    for (int mode = COUNTERS_PINNED; mode <= COUNTERS_MULTIPLEX; mode++) {
        assert_int_equal(counters_open(&counters, events, 3, (enum counters_mode)mode,
                                       &perf_system_linux, NULL),
                         0);
        assert_int_equal(counters_passes(counters), 1);
        const int64_t before = clock_now();
        counters_begin(counters);
        while (clock_now() - before < 2000000)
            continue;
        counters_end(counters);
        const int64_t ns = clock_now() - before;
        assert_true(counters_get(counters, 0, &tsc) &&
                    counters_get(counters, 1, &clock) &&
                    counters_get(counters, 2, &faults));
        counters_close(counters);
        if (tsc.absent[0]) {
            assert_true(tsc.code == EACCES || tsc.code == EPERM || tsc.code == ENOSYS);
            skip();
        }
        assert_true(tsc.in_kernel && !tsc.user_read && tsc.running_share == 1);
        assert_true(tsc.value > 0 && (double)tsc.value < 10 * (double)ns);
        assert_true(clock.running_share == 1 && clock.value > 0);
        /* Two clocks run a little apart. */
        assert_true(clock.value <= (uint64_t)(ns + ns / 100));
        assert_true(!faults.absent[0] && faults.running_share == 1);
    }
}

TEST(test_sum)
{
    const struct sample stays = {.ns = 5, .cpu_ns = 4, .cpu_begin = 1, .cpu_end = 1};
    const struct sample moves = {
        .ns = 7, .cpu_ns = 6, .minor_faults = 2, .cpu_begin = 1, .cpu_end = 0};
    const struct sample returns = {.ns = 1, .cpu_ns = 1, .cpu_begin = 0, .cpu_end = 1};
    struct sample sum = {0};
    sample_add(&sum, &stays);
    sample_add(&sum, &stays);
    assert_int_equal(sum.ns, 10);
    assert_int_equal(sum.cpu_ns, 8);
    assert_int_equal(sum.cpu_begin, sum.cpu_end);
    sample_add(&sum, &moves);
    sample_add(&sum, &returns);
    assert_int_equal(sum.minor_faults, 2);
    assert_int_not_equal(sum.cpu_begin, sum.cpu_end);
}
