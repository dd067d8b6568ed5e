/* SPDX-License-Identifier: Apache-2.0 */
#include "team.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A pause leaves the core to its other thread, but in a virtual machine it may last
 * longer than a part: now and then, so. And others that want this CPU get it now and
 * then. */
enum { TURNS_OF_PAUSE = 64, TURNS_OF_YIELD = 1 << 14 };

/* The caller writes to one cache line and the helper to another: a turn costs two ways
 * between cores. */
struct helper {
    _Alignas(128) atomic_uint begun; /* parts that it was given; it sleeps on this */
    atomic_bool asleep;
    _Alignas(128) atomic_uint done; /* parts that it has finished */
    pthread_t thread;
    uint32_t index;
};

static struct {
    struct helper *helper[TEAM_MAX];
    uint32_t helpers;
    /* The work of one turn; only helpers that have a part in it look at it. */
    team_part *part;
    void *context;
    uint32_t count;
    bool crowded; /* more threads than CPUs: who waits gives up its CPU at once */
    _Alignas(128) atomic_bool hot;
} team;

static long futex(atomic_uint *word, int op, unsigned value)
{
    return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

static void pause_cpu(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Until the word is no longer `old`, or the team rests. */
static void spin(atomic_uint *word, unsigned old)
{
    for (unsigned i = 1; atomic_load_explicit(word, memory_order_acquire) == old &&
                         atomic_load_explicit(&team.hot, memory_order_relaxed);
         i++) {
        if (i % TURNS_OF_PAUSE == 0)
            pause_cpu();
        if (i % TURNS_OF_YIELD == 0)
            sched_yield();
    }
}

static void await_part(struct helper *helper, unsigned old)
{
    spin(&helper->begun, old);
    if (atomic_load_explicit(&helper->begun, memory_order_acquire) != old)
        return;
    atomic_store(&helper->asleep, true);
    while (atomic_load(&helper->begun) == old)
        futex(&helper->begun, FUTEX_WAIT_PRIVATE, old);
    atomic_store_explicit(&helper->asleep, false, memory_order_relaxed);
}

static void *help(void *context)
{
    struct helper *const helper = context;
    for (unsigned turn = 0;; turn++) {
        await_part(helper, turn);
        if (!team.part)
            return NULL;
        team.part(team.context, helper->index, team.count);
        atomic_store_explicit(&helper->done, turn + 1, memory_order_release);
        if (team.crowded)
            futex(&helper->done, FUTEX_WAKE_PRIVATE, 1);
    }
}

static void begin(struct helper *helper)
{
    atomic_fetch_add(&helper->begun, 1);
    if (atomic_load(&helper->asleep))
        futex(&helper->begun, FUTEX_WAKE_PRIVATE, 1);
}

static void await_helper(struct helper *helper)
{
    const unsigned turn = atomic_load_explicit(&helper->begun, memory_order_relaxed);
    unsigned done;
    while ((done = atomic_load_explicit(&helper->done, memory_order_acquire)) != turn) {
        if (team.crowded)
            futex(&helper->done, FUTEX_WAIT_PRIVATE, done);
        else
            spin(&helper->done, done);
    }
}

void team_run(uint32_t threads, team_part *part, void *context)
{
    const uint32_t helpers = threads < 2 ? 0 : threads - 1;
    team.part = part;
    team.context = context;
    team.count = helpers + 1;
    if (helpers && !team.crowded)
        atomic_store_explicit(&team.hot, true, memory_order_relaxed);
    for (uint32_t i = 0; i < helpers; i++)
        begin(team.helper[i]);
    part(context, 0, team.count);
    for (uint32_t i = 0; i < helpers; i++)
        await_helper(team.helper[i]);
}

void team_rest(void)
{
    atomic_store(&team.hot, false);
    for (uint32_t i = 0; i < team.helpers; i++)
        while (!atomic_load(&team.helper[i]->asleep))
            sched_yield();
}

void team_stop(void)
{
    team.part = NULL;
    for (uint32_t i = 0; i < team.helpers; i++) {
        begin(team.helper[i]);
        pthread_join(team.helper[i]->thread, NULL);
        free(team.helper[i]);
    }
    team.helpers = 0;
}

static int add_helper(struct error *error)
{
    struct helper *const helper = aligned_alloc(128, sizeof *helper);
    sigset_t all, before;
    if (!helper)
        return error_set(error, -ENOMEM, "out of memory for a thread");
    memset(helper, 0, sizeof *helper);
    helper->index = team.helpers + 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int code = pthread_create(&helper->thread, NULL, help, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code) {
        free(helper);
        return error_set(error, -code, "cannot start thread %u: %s", team.helpers + 2,
                         strerror(code));
    }
    team.helper[team.helpers++] = helper;
    return 0;
}

static int pin(pthread_t thread, int cpu, struct error *error)
{
    cpu_set_t set;
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return invalid(error, "there is no CPU %d", cpu);
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    const int code = pthread_setaffinity_np(thread, sizeof set, &set);
    return code ? error_set(error, -code, "cannot run on CPU %d: %s", cpu, strerror(code))
                : 0;
}

/* CPUs that the threads share, or with n = 0 all that they may use. */
static size_t cpus_there(size_t n)
{
    cpu_set_t set;
    if (n)
        return n;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

int team_start(uint32_t threads, const int *cpu, size_t n, struct error *error)
{
    int status = 0;
    if (threads < 1 || threads > TEAM_MAX)
        return invalid(error, "a team has 1 to %d threads, not %u", TEAM_MAX, threads);
    team_rest();
    team.crowded = threads > cpus_there(n);
    while (status == 0 && team.helpers + 1 < threads)
        status = add_helper(error);
    for (uint32_t i = 0; i < threads && n && status == 0; i++)
        status = pin(i ? team.helper[i - 1]->thread : pthread_self(), cpu[i % n], error);
    return status;
}
