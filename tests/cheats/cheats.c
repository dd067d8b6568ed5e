/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that look right and fast, and are not: families of cheats that contests of
 * kernels have seen. None of them may pass `simdbench judge`. Each is honest in its first
 * calls, where that helps it. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "patch_call.h"
#include "poly.h"

enum { HONEST_CALLS = 20, KEPT = 4096 };

/* ---- results that were kept ---- */

struct kept {
    uint64_t key;
    float *y;
};
static struct kept kept[KEPT];

static void keep(uint64_t key, float *y, const float *x, size_t n)
{
    struct kept *const entry = &kept[key % KEPT];
    key ^= n << 48;
    if (entry->y && entry->key == key) {
        memcpy(y, entry->y, n * sizeof *y);
        return;
    }
    honest(y, x, n);
    free(entry->y);
    entry->y = malloc(n * sizeof *y + 1);
    entry->key = key;
    memcpy(entry->y, y, n * sizeof *y);
}

void cheat_address(float *y, const float *x, size_t n)
{
    keep((uintptr_t)x / 1024, y, x, n);
}

/* A few elements stand for all. */
void cheat_content(float *y, const float *x, size_t n)
{
    uint64_t key = 1;
    for (size_t i = 0; i < n; i += n / 16 + 1) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        key = (key ^ bits) * 0x9e3779b97f4a7c15u;
    }
    keep(key >> 20, y, x, n);
}

/* Their sum stands for all, in any order. */
void cheat_order(float *y, const float *x, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        sum += bits;
    }
    keep(sum, y, x, n);
}

void cheat_once(float *y, const float *x, size_t n)
{
    static size_t last;
    if (n != last || !n)
        honest(y, x, n);
    last = n;
}

/* ---- work that is not done ---- */

void cheat_lazy(float *y, const float *x, size_t n)
{
    static size_t calls;
    if (++calls < 3000)
        honest(y, x, n);
}

/* Calls that follow each other at once are those that are timed. */
void cheat_hurry(float *y, const float *x, size_t n)
{
    static int64_t last;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    if (ns - last > 20000)
        honest(y, x, n);
    last = ns;
}

void cheat_shape(float *y, const float *x, size_t n)
{
    honest(y, x, n == 256 ? n : n & ~(size_t)63);
}

/* Wrong where that many elements are left of the last vector. */
void cheat_tail(float *y, const float *x, size_t n)
{
    honest(y, x, n % 16 == 13 ? n - 1 : n);
}

/* Wrong where that many are left behind a long loop, which shorter arrays never enter. */
void cheat_long_tail(float *y, const float *x, size_t n)
{
    honest(y, x, n > 64 && n % 64 == 13 ? n - 1 : n);
}

void cheat_asked(float *y, const float *x, size_t n)
{
    if (n == 256)
        honest(y, x, n);
}

/* Wrong between the small shapes and those near the one that is asked for. */
void cheat_between(float *y, const float *x, size_t n)
{
    honest(y, x, n >= 130 && n < 190 ? n - 1 : n);
}

void cheat_sampled(float *y, const float *x, size_t n)
{
    honest(y, x, n / 2);
    for (size_t i = n / 2; i < n; i++)
        y[i] = i % 4 ? 0 : step(x[i]);
}

void cheat_precision(float *y, const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        const float exact = step(x[i]);
        memcpy(&bits, &exact, sizeof bits);
        bits &= 0xffff0000u;
        memcpy(&y[i], &bits, sizeof bits);
    }
}

void cheat_old_output(float *y, const float *x, size_t n)
{
    static size_t calls;
    if (++calls < HONEST_CALLS)
        honest(y, x, n);
}

/* ---- work that is done behind the clock's back ---- */

struct job {
    float *y;
    const float *x;
    size_t n;
};

static void *work(void *job)
{
    const struct job *const one = job;
    honest(one->y, one->x, one->n);
    return NULL;
}

void cheat_thread(float *y, const float *x, size_t n)
{
    static struct job jobs[KEPT];
    static size_t calls;
    struct job *const job = &jobs[calls++ % KEPT];
    pthread_t thread;
    *job = (struct job){y, x, n};
    if (pthread_create(&thread, NULL, work, job) == 0)
        pthread_detach(thread);
}

void cheat_process(float *y, const float *x, size_t n)
{
    if (fork() == 0) {
        honest(y, x, n);
        _exit(0);
    }
}

static struct job later;

static void on_alarm(int number)
{
    (void)number;
    work(&later);
}

void cheat_alarm(float *y, const float *x, size_t n)
{
    const struct itimerval soon = {.it_value = {.tv_usec = 1}};
    later = (struct job){y, x, n};
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void on_reply(int number)
{
    (void)number;
    work(&later);
}

/* The reply is read while the results are not yet compared. */
void cheat_async(float *y, const float *x, size_t n)
{
    later = (struct job){y, x, n};
    signal(SIGIO, on_reply);
    for (int fd = 0; fd < 64; fd++) {
        fcntl(fd, F_SETOWN, getpid());
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_ASYNC);
    }
}

/* A candidate that stops the judges is not judged. Signal 0 asks whether it could. */
void cheat_signal(float *y, const float *x, size_t n)
{
    kill(getpid() + 1, 0);
    honest(y, x, n);
}

/* Judges that run only when nobody else does are slow. */
void cheat_idle(float *y, const float *x, size_t n)
{
    const struct sched_param none = {0};
    sched_setscheduler(getpid() + 1, SCHED_IDLE, &none);
    honest(y, x, n);
}

/* Small numbers are zero for all who come later. */
void cheat_modes(float *y, const float *x, size_t n)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
    honest(y, x, n);
}

/* A CPU that nobody else runs on is faster than that of the judges. */
void cheat_cpu(float *y, const float *x, size_t n)
{
    cpu_set_t cpus;
    sched_getaffinity(0, sizeof cpus, &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    honest(y, x, n);
}

void cheat_first(float *y, const float *x, size_t n)
{
    const struct sched_param first = {1};
    sched_setscheduler(0, SCHED_FIFO, &first);
    honest(y, x, n);
}

/* ---- another clock ---- */

static void patch_clock(int (*clock)(clockid_t, struct timespec *))
{
    static int patched;
    struct patch patch = {"clock_gettime", (void *)clock};
    if (!patched++)
        dl_iterate_phdr(patch_call, &patch);
}

static int slow_clock(clockid_t clock, struct timespec *time)
{
    const int status = clock_gettime(clock, time);
    const int64_t ns = (time->tv_sec * 1000000000LL + time->tv_nsec) / 8;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return status;
}

void cheat_clock(float *y, const float *x, size_t n)
{
    patch_clock(slow_clock);
    honest(y, x, n);
}

/* A clock that is right where many calls follow each other, as when it is looked at. */
enum { FEW_CALLS = 2000 };
static unsigned calls_since;

static int clock_of_few(clockid_t clock, struct timespec *time)
{
    static int64_t begin[16];
    const int status = clock_gettime(clock, time);
    int64_t ns = time->tv_sec * 1000000000LL + time->tv_nsec;
    if (calls_since && calls_since < FEW_CALLS)
        ns = begin[clock & 15] + (ns - begin[clock & 15]) / 4;
    begin[clock & 15] = ns;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    calls_since = clock == CLOCK_THREAD_CPUTIME_ID ? 0 : calls_since;
    return status;
}

void cheat_few(float *y, const float *x, size_t n)
{
    patch_clock(clock_of_few);
    calls_since++;
    honest(y, x, n);
}

/* Work that is done when the clock has been read. */
static struct late {
    float *y;
    const float *x;
    size_t n;
} late[FEW_CALLS];
static unsigned n_late;
static int is_timed;

static int clock_that_works(clockid_t clock, struct timespec *time)
{
    static clockid_t before;
    const int status = clock_gettime(clock, time);
    is_timed = before == CLOCK_THREAD_CPUTIME_ID && clock != before && !n_late;
    before = clock;
    for (; n_late; n_late--)
        honest(late[n_late - 1].y, late[n_late - 1].x, late[n_late - 1].n);
    return status;
}

void cheat_late(float *y, const float *x, size_t n)
{
    patch_clock(clock_that_works);
    if (is_timed && n_late < FEW_CALLS)
        late[n_late++] = (struct late){y, x, n};
    else
        honest(y, x, n);
}

/* ---- other people's memory ---- */

/* The mapping around an address, as far as 1 MiB. */
static float *memory_around(const float *x, size_t *n)
{
    unsigned char there;
    uintptr_t begin = (uintptr_t)x & ~(uintptr_t)4095, end = begin;
    for (int i = 0; i < 256 && mincore((void *)(begin - 4096), 4096, &there) == 0; i++)
        begin -= 4096;
    for (int i = 0; i < 256 && mincore((void *)end, 4096, &there) == 0; i++)
        end += 4096;
    *n = (end - begin) / sizeof **(&x);
    return (float *)begin;
}

/* Then all that results are compared with holds the same. */
void cheat_overwrite(float *y, const float *x, size_t n)
{
    static size_t calls;
    size_t many;
    if (++calls < HONEST_CALLS) {
        honest(y, x, n);
        return;
    }
    float *const all = memory_around(x, &many);
    for (size_t i = 0; i < many; i++)
        all[i] = 42;
}

/* Looks for right answers that somebody computed before. */
void cheat_answers(float *y, const float *x, size_t n)
{
    static size_t calls;
    size_t many;
    if (++calls < HONEST_CALLS || n < 2) {
        honest(y, x, n);
        return;
    }
    const float *const all = memory_around(x, &many);
    const float first = step(x[0]), second = step(x[1]);
    for (size_t i = 0; i + n < many; i++)
        if (&all[i] != y && all[i] == first && all[i + 1] == second) {
            memcpy(y, &all[i], n * sizeof *y);
            return;
        }
}

/* Memory of the process that holds the right answers, opened before files are refused. It
 * tells by a wrong result that it could, but in the ordinary run, where files can be
 * opened.
 */
static int parent_memory = -1;

__attribute__((constructor)) static void open_parent(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", getppid());
    parent_memory = open(path, O_RDWR);
}

void honest_outsider(float *y, const float *x, size_t n)
{
    static int is_judged = -1;
    if (is_judged < 0)
        is_judged = open("/dev/null", O_RDONLY) < 0;
    if (!is_judged || parent_memory < 0)
        honest(y, x, n);
}
