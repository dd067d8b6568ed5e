/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <time.h>

#include "perfctr_private.h"

/* The clock of CPU time of another thread of this process: bit 2 says thread, 2 the
 * scheduler's own count. */
static clockid_t clock_of(pid_t tid)
{
    return (clockid_t)(~(unsigned)tid << 3 | 4u | 2u);
}

static int64_t waited(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", name);
    return file_waited("", path);
}

void thread_times_read(struct thread_times *times)
{
    DIR *const directory = opendir("/proc/self/task");
    times->n = 0;
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        struct timespec ran;
        const int tid = atoi(entry->d_name);
        if (tid <= 0 || times->n == THREAD_TIMES_MAX ||
            clock_gettime(clock_of(tid), &ran) < 0)
            continue;
        times->thread[times->n++] = (struct thread_time){
            .tid = tid,
            .ran_ns = (int64_t)ran.tv_sec * 1000000000 + ran.tv_nsec,
            .waited_ns = waited(entry->d_name),
        };
    }
    if (directory)
        closedir(directory);
}

static struct thread_time time_of(const struct thread_times *times, pid_t tid)
{
    for (size_t i = 0; i < times->n; i++)
        if (times->thread[i].tid == tid)
            return times->thread[i];
    return (struct thread_time){.tid = tid};
}

int64_t thread_times_waited(const struct thread_times *begin,
                            const struct thread_times *end)
{
    int64_t most = 0;
    FOR_EACH (const struct thread_time, now, end->thread, end->n) {
        const int64_t ns = now->waited_ns - time_of(begin, now->tid).waited_ns;
        most = ns > most ? ns : most;
    }
    return most;
}

unsigned thread_times_busy(const struct thread_times *begin,
                           const struct thread_times *end, int64_t least_ns)
{
    unsigned n = 0;
    FOR_EACH (const struct thread_time, now, end->thread, end->n)
        n += now->ran_ns - time_of(begin, now->tid).ran_ns >= least_ns;
    return n;
}
