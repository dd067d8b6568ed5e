/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include "perfctr_private.h"

static int64_t clock_read(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clock_now(void)
{
    return clock_read(CLOCK_MONOTONIC);
}

int64_t clock_cpu(void)
{
    return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static void usage_read(struct sample *sample)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    sample->minor_faults = usage.ru_minflt;
    sample->major_faults = usage.ru_majflt;
    sample->voluntary_switches = usage.ru_nvcsw;
    sample->involuntary_switches = usage.ru_nivcsw;
}

/* Keeps the compiler from moving work into a reading, or a reading into work. */
static inline void barrier(void)
{
    __asm__ volatile("" ::: "memory");
}

void sampler_begin(struct sampler *sampler)
{
    struct sample *const begin = &sampler->begin;
    if (sampler->counters)
        counters_begin(sampler->counters);
    usage_read(begin);
    begin->process_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    begin->cpu_ns = clock_cpu();
    begin->cpu_begin = sched_getcpu();
    barrier();
    begin->ns = clock_now();
    barrier();
}

/* The wall time of a pause, in which the CPU was another thread's, may be longer than all
 * CPU time. */
static int64_t difference(int64_t end, int64_t begin)
{
    return end > begin ? end - begin : 0;
}

void sampler_end(struct sampler *sampler, struct sample *sample)
{
    const struct sample *const begin = &sampler->begin;
    barrier();
    sample->ns = clock_now();
    barrier();
    sample->cpu_end = sched_getcpu();
    sample->cpu_ns = clock_cpu();
    sample->process_ns = clock_read(CLOCK_PROCESS_CPUTIME_ID);
    usage_read(sample);
    if (sampler->counters)
        counters_end(sampler->counters);

    sample->ns -= begin->ns;
    sample->cpu_ns = difference(sample->cpu_ns, begin->cpu_ns);
    sample->process_ns = difference(sample->process_ns, begin->process_ns);
    sample->minor_faults -= begin->minor_faults;
    sample->major_faults -= begin->major_faults;
    sample->voluntary_switches -= begin->voluntary_switches;
    sample->involuntary_switches -= begin->involuntary_switches;
    sample->cpu_begin = begin->cpu_begin;
}

void sampler_pause(struct sampler *sampler)
{
    barrier();
    sampler->paused = clock_now();
    barrier();
}

void sampler_resume(struct sampler *sampler)
{
    barrier();
    const int64_t ns = clock_now() - sampler->paused;
    sampler->begin.ns += ns;
    sampler->begin.cpu_ns += ns;
    sampler->begin.process_ns += ns;
    barrier();
}

void sample_add(struct sample *sum, const struct sample *more)
{
    if (sum->ns == 0 && sum->cpu_ns == 0) {
        *sum = *more;
        return;
    }
    sum->ns += more->ns;
    sum->cpu_ns += more->cpu_ns;
    sum->process_ns += more->process_ns;
    sum->minor_faults += more->minor_faults;
    sum->major_faults += more->major_faults;
    sum->voluntary_switches += more->voluntary_switches;
    sum->involuntary_switches += more->involuntary_switches;
    /* A migration once seen stays seen, also if a later call comes back. */
    if (sum->cpu_begin == sum->cpu_end)
        sum->cpu_end =
            more->cpu_begin != sum->cpu_begin ? more->cpu_begin : more->cpu_end;
}
