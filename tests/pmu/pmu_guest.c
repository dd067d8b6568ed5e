/* SPDX-License-Identifier: Apache-2.0 */
/* counters.c on a PMU that the kernel drives, in the guest of scripts/qemu-pmu, where
 * each instruction takes one cycle of one nanosecond. Prints "ok NAME" or "failed NAME:
 * why" for each check, and the raw counts as "count NAME VALUE...": every boot must print
 * the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <grp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu_guest.h"

enum { NOBODY = 65534 };

__attribute__((noinline)) void loop(uint64_t turns)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

void region(struct counters *counters, uint64_t turns)
{
    volatile uint64_t wanted = turns;
    counters_begin(counters);
    loop(wanted);
    counters_end(counters);
}

struct counters *open_names(const char *const *name, size_t n, enum counters_mode mode)
{
    struct event event[MANY] = {0};
    struct counters *counters = NULL;
    struct error error = {.text = ""};
    for (size_t k = 0; k < n; k++)
        if (event_encode(name[k], &event[k], &error) != 0)
            printf("%s\n", error.text);
    if (counters_open(&counters, event, n, mode, &perf_system_linux, &error) != 0)
        printf("%s\n", error.text);
    region(counters, 1); /* faults in what a region touches */
    return counters;
}

uint64_t value(const struct counters *counters, size_t i)
{
    struct count count;
    if (!counters_get(counters, i, &count) || count.absent[0] || count.running_share != 1)
        return 0;
    return count.value;
}

bool absent(const struct counters *counters, size_t i, const char *word)
{
    struct count count;
    if (!counters_get(counters, i, &count) || count.value != 0 || !count.absent[0])
        return false;
    if (!strstr(count.absent, word))
        printf("\"%s\" does not say \"%s\"\n", count.absent, word);
    return strstr(count.absent, word) != NULL;
}

bool exact_count(struct counters *counters, size_t i, uint64_t turns)
{
    region(counters, 1);
    const uint64_t empty = value(counters, i);
    region(counters, turns + 1);
    const uint64_t full = value(counters, i);
    if (empty > 0 && full - empty == 2 * turns)
        return true;
    printf("event %zu: %llu for no turn, %llu for %llu turns\n", i,
           (unsigned long long)empty, (unsigned long long)full,
           (unsigned long long)turns);
    return false;
}

const char *const basic[BASIC] = {"cycles", "instructions", "context-switches"};

static int pmu(void)
{
    struct host host = {.pmu = PMU_UNKNOWN};
    host_read_pmu(&host, "", &perf_system_linux);
    CHECK(pmu_listed("") == 1);
    CHECK(host.pmu == PMU_OK);
    return 0;
}

static int exact(void)
{
    static const uint64_t turns[] = {1000, LOOPS, 50 * LOOPS};
    struct counters *const counters = open_names(basic, 2, COUNTERS_PINNED);
    CHECK(counters_passes(counters) == 1);
    for (size_t k = 0; k < ARRAY_LEN(turns); k++) {
        for (size_t i = 0; i < 2; i++) {
            CHECK(exact_count(counters, i, turns[k]));
            printf("count %s %llu %llu\n", basic[i], (unsigned long long)turns[k],
                   (unsigned long long)value(counters, i));
        }
    }
    counters_close(counters);
    return 0;
}

static int group(void)
{
    static const char *const name[] = {"instructions", "r8", "cycles",
                                       "r11",          "r8", "page-faults"};
    enum { HARDWARE = ARRAY_LEN(name) - 1, PAGES = 64 };
    struct counters *const counters = open_names(name, ARRAY_LEN(name), COUNTERS_PINNED);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *const pages = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(counters_passes(counters) == 1 && pages != MAP_FAILED);
    CHECK(madvise(pages, PAGES * page, MADV_NOHUGEPAGE) == 0 || errno == EINVAL);
    for (size_t i = 0; i < HARDWARE; i++)
        CHECK(exact_count(counters, i, LOOPS));
    for (size_t i = 1; i < HARDWARE; i++)
        CHECK(value(counters, i) == value(counters, 0));
    counters_begin(counters);
    for (size_t k = 0; k < PAGES; k++)
        *(volatile char *)(pages + k * page) = 1;
    counters_end(counters);
    CHECK(value(counters, HARDWARE) == PAGES);
    munmap(pages, PAGES * page);
    counters_close(counters);
    return 0;
}

const char *const fourteen[FOURTEEN] = {"cycles", "r8", "r8", "r8", "r8", "r8", "r8",
                                        "r8",     "r8", "r8", "r8", "r8", "r8", "r8"};

static int passes(void)
{
    bool counted[FOURTEEN] = {false};
    struct counters *const counters = open_names(fourteen, FOURTEEN, COUNTERS_PINNED);
    CHECK(counters_passes(counters) >= 2);
    for (size_t pass = 0; pass < counters_passes(counters); pass++) {
        counters_select(counters, pass);
        region(counters, 1);
        for (size_t i = 0; i < FOURTEEN; i++) {
            struct count count;
            if (!counters_get(counters, i, &count))
                continue;
            CHECK(!counted[i] && exact_count(counters, i, LOOPS));
            counted[i] = true;
        }
    }
    for (size_t i = 0; i < FOURTEEN; i++)
        CHECK(counted[i]);
    counters_close(counters);
    return 0;
}

bool near_count(const struct counters *counters, size_t i, uint64_t turns)
{
    struct count count;
    if (!counters_get(counters, i, &count) || count.absent[0]) {
        printf("event %zu: %s\n", i, count.absent);
        return false;
    }
    const double off = (double)count.value / (2.0 * (double)turns) - 1;
    printf("event %zu: running %.3f, scaled to %+.4f%%\n", i, count.running_share,
           100 * off);
    return count.running_share > 0.1 && count.running_share < 0.9 && fabs(off) < 0.02;
}

static int multiplex(void)
{
    const uint64_t turns = 300 * LOOPS;
    struct counters *const counters = open_names(fourteen, FOURTEEN, COUNTERS_MULTIPLEX);
    CHECK(counters_passes(counters) == 1);
    region(counters, turns);
    for (size_t i = 0; i < FOURTEEN; i++)
        CHECK(near_count(counters, i, turns));
    counters_close(counters);
    return 0;
}

static void *thread_loop(void *turns)
{
    loop(*(const uint64_t *)turns);
    return NULL;
}

/* Only the thread that opened the counters is counted, whatever runs in between. */
static int beside_thread(struct counters *counters)
{
    static const uint64_t turns = 100 * LOOPS;
    struct counters *const switches =
        open_names((const char *const[]){"context-switches"}, 1, COUNTERS_PINNED);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, thread_loop, (void *)(uintptr_t)&turns) == 0);
    counters_begin(switches);
    CHECK(exact_count(counters, 1, 50 * LOOPS));
    counters_end(switches);
    CHECK(value(switches, 0) > 0);
    CHECK(pthread_join(thread, NULL) == 0);
    counters_close(switches);
    return 0;
}

static int threads(void)
{
    struct counters *const counters = open_names(basic, 2, COUNTERS_PINNED);
    CHECK(beside_thread(counters) == 0);
    counters_close(counters);
    return 0;
}

static int user_access(int allowed)
{
    struct count count;
    FILE *const file = fopen("/proc/sys/kernel/perf_user_access", "w");
    CHECK(file && fprintf(file, "%d\n", allowed) > 0 && fclose(file) == 0);
    struct counters *const counters = open_names(basic, 2, COUNTERS_PINNED);
    CHECK(!counters_note(counters));
    for (size_t i = 0; i < 2; i++) {
        CHECK(exact_count(counters, i, LOOPS) && exact_count(counters, i, 10 * LOOPS));
        CHECK(counters_get(counters, i, &count) && count.user_read == allowed);
    }
    CHECK(beside_thread(counters) == 0);
    counters_close(counters);
    return allowed ? all_threads() : 0;
}

static int user_read(void)
{
    return user_access(1) || user_access(0);
}

static int unknown(void)
{
    static const char *const name[] = {"instructions", "branches", "cache-misses",
                                       "cycles"};
    struct event event;
    struct error error = {.text = ""};
    CHECK(event_encode("no-such-event", &event, &error) == -EINVAL);
    CHECK(strstr(error.text, "no-such-event"));
    struct counters *const counters = open_names(name, ARRAY_LEN(name), COUNTERS_PINNED);
    CHECK(exact_count(counters, 0, LOOPS));
    CHECK(exact_count(counters, 3, LOOPS));
    CHECK(absent(counters, 1, "PMU does not count the event"));
    CHECK(absent(counters, 2, "PMU does not count the event"));
    counters_close(counters);
    return 0;
}

static int ordinary(int level)
{
    char says[64];
    snprintf(says, sizeof says, "kernel.perf_event_paranoid is %d; type: sudo", level);
    CHECK(setgroups(0, NULL) == 0);
    CHECK(setresgid(NOBODY, NOBODY, NOBODY) == 0);
    CHECK(setresuid(NOBODY, NOBODY, NOBODY) == 0);
    struct counters *const counters = open_names(basic, 3, COUNTERS_PINNED);
    if (level <= 2) {
        CHECK(exact_count(counters, 0, LOOPS));
        CHECK(exact_count(counters, 1, LOOPS));
    } else {
        CHECK(absent(counters, 0, says) && absent(counters, 1, says));
    }
    CHECK(level >= 2 ? absent(counters, 2, says)
                     : counters_get(counters, 2, &(struct count){0}));
    counters_close(counters);
    return 0;
}

static int in_child(int (*check)(void))
{
    int status = -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        exit(check());
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static int paranoid(int level)
{
    FILE *const file = fopen("/proc/sys/kernel/perf_event_paranoid", "w");
    CHECK(file && fprintf(file, "%d\n", level) > 0 && fclose(file) == 0);
    return ordinary(level);
}

static int paranoid_1(void)
{
    return paranoid(1);
}

static int paranoid_2(void)
{
    return paranoid(2);
}

static int paranoid_3(void)
{
    return paranoid(3);
}

/* Here the probe's answer is known. */
static int clock_probe(void)
{
    double add = 0, multiply = 0;
    for (int k = 0; k < 5; k++) {
        add = fmax(add, clock_ghz(200000));
        multiply = fmax(multiply, clock_ghz_imul(200000));
    }
    CHECK(add > 0.99 && add < 1.01);
    CHECK(multiply / add > 0.995 && multiply / add < 1.005);
    return 0;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*check)(void);
    } checks[] = {{"pmu", pmu},
                  {"exact", exact},
                  {"group", group},
                  {"passes", passes},
                  {"multiplex", multiplex},
                  {"user_read", user_read},
                  {"unknown", unknown},
                  {"strangers", strangers},
                  {"starved", starved},
                  {"scaled", scaled},
                  {"threads", threads},
                  {"all_threads", all_threads},
                  {"proofs", proofs},
                  {"proof_loops", proof_loops},
                  {"paranoid_1", paranoid_1},
                  {"paranoid_2", paranoid_2},
                  {"paranoid_3", paranoid_3},
                  {"clock_probe", clock_probe}};
    int failed = 0;
    for (size_t k = 0; k < ARRAY_LEN(checks); k++) {
        if (in_child(checks[k].check) == 0)
            printf("ok %s\n", checks[k].name);
        else
            failed++;
    }
    return failed ? 1 : 0;
}
