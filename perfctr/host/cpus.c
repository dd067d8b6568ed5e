/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perfctr_private.h"

/* Larger than any kernel's mask, which it would otherwise refuse to copy. */
enum { SETS = 8 };

size_t cpus_allowed(int *cpu, size_t max)
{
    cpu_set_t set[SETS];
    size_t n = 0;
    if (sched_getaffinity(0, sizeof set, set) < 0)
        return 0;
    for (int k = 0; k < CPUS_MAX && n < max; k++)
        if (CPU_ISSET_S((size_t)k, sizeof set, set))
            cpu[n++] = k;
    return n;
}

static bool number_parse(const char **text, int *number)
{
    int value = 0;
    const char *c = *text;
    if (!isdigit((unsigned char)*c))
        return false;
    for (; isdigit((unsigned char)*c); c++)
        value = value < CPUS_MAX ? value * 10 + (*c - '0') : CPUS_MAX;
    *number = value < CPUS_MAX ? value : CPUS_MAX;
    *text = c;
    return true;
}

static bool contains(const int *cpu, size_t n, int wanted)
{
    for (size_t k = 0; k < n; k++)
        if (cpu[k] == wanted)
            return true;
    return false;
}

int cpus_parse(const char *text, int *cpu, size_t max, size_t *n, struct error *error)
{
    int allowed[CPUS_MAX];
    const size_t allowed_n = cpus_allowed(allowed, CPUS_MAX);
    const char *c = text;
    *n = 0;
    do {
        int first, last;
        c += *n > 0 && *c == ',';
        if (!number_parse(&c, &first))
            goto syntax;
        last = first;
        if (*c == '-') {
            c++;
            if (!number_parse(&c, &last) || last < first)
                goto syntax;
        }
        if (*c && *c != ',')
            goto syntax;
        for (int k = first; k <= last; k++) {
            if (!contains(allowed, allowed_n, k))
                return error_set(error, -ENODEV,
                                 "CPU list %.80s: this process may not use CPU %d%s",
                                 text, k, k == CPUS_MAX ? " or above" : "");
            if (contains(cpu, *n, k))
                return invalid(error, "CPU list %.80s: CPU %d is named twice", text, k);
            if (*n == max)
                return invalid(error, "CPU list %.80s: more than %zu CPUs", text, max);
            cpu[(*n)++] = k;
        }
    } while (*c == ',');
    return 0;
syntax:
    *n = 0;
    return invalid(error, "CPU list %.80s: expected numbers and ranges as 0,2-5",
                   *text ? text : "(empty)");
}

int cpus_pin(const int *cpu, size_t n, struct error *error)
{
    cpu_set_t set[SETS];
    CPU_ZERO_S(sizeof set, set);
    for (size_t k = 0; k < n; k++)
        CPU_SET_S((size_t)cpu[k], sizeof set, set);
    if (sched_setaffinity(0, sizeof set, set) < 0) {
        const int code = errno;
        return error_set(error, -code, "cannot run on CPU %d%s: %s", n ? cpu[0] : -1,
                         n > 1 ? " and others" : "", strerror(code));
    }
    return 0;
}

/* A limit of the time for which a thread may run so without a rest kills it. */
bool priority_raise(void)
{
    const struct sched_param least = {.sched_priority = 1};
    cpu_set_t set[SETS];
    struct rlimit rest;
    return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_OTHER &&
           getpriority(PRIO_PROCESS, 0) <= 0 &&
           sched_getaffinity(getppid(), sizeof set, set) >= 0 &&
           CPU_COUNT_S(sizeof set, set) > 1 && getrlimit(RLIMIT_RTTIME, &rest) == 0 &&
           rest.rlim_cur == RLIM_INFINITY &&
           sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

void priority_drop(void)
{
    /* Only root may take the flag back. */
    const struct sched_param none = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
}

size_t cpus_siblings_at(const char *root, int cpu, int *sibling, size_t max)
{
    char path[96], text[256] = "";
    size_t n = 0;
    snprintf(path, sizeof path,
             "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    file_read(root, path, text, sizeof text);
    /* "0,64" or "0-1" */
    for (const char *c = text; isdigit((unsigned char)*c);) {
        int first, last;
        if (!number_parse(&c, &first))
            break;
        last = first;
        if (*c == '-') {
            c++;
            number_parse(&c, &last);
        }
        for (int k = first; k <= last && k < CPUS_MAX && n < max; k++)
            sibling[n++] = k;
        c += *c == ',';
    }
    if (!contains(sibling, n, cpu)) {
        sibling[0] = cpu;
        n = 1;
    }
    return n;
}

size_t cpus_siblings(int cpu, int *sibling, size_t max)
{
    return cpus_siblings_at("", cpu, sibling, max);
}

size_t cpus_cores_at(const char *root, int *cpu, size_t n)
{
    size_t cores = 0;
    for (size_t k = 0; k < n; k++) {
        int sibling[CPUS_MAX];
        bool shared = false;
        const size_t siblings = cpus_siblings_at(root, cpu[k], sibling, CPUS_MAX);
        for (size_t i = 0; i < siblings; i++)
            shared = shared || contains(cpu, cores, sibling[i]);
        if (!shared)
            cpu[cores++] = cpu[k];
    }
    return cores;
}

size_t cpus_cores(int *cpu, size_t n)
{
    return cpus_cores_at("", cpu, n);
}

struct steal {
    int cpu;
    int64_t ticks;
};

static bool steal_line(char *text, void *context)
{
    struct steal *const steal = context;
    long long ticks;
    int cpu;
    if (strncmp(text, "cpu", 3) != 0)
        return false;
    if (sscanf(text, "cpu%d %*d %*d %*d %*d %*d %*d %*d %lld", &cpu, &ticks) != 2 ||
        cpu != steal->cpu || text[3] == ' ')
        return true;
    steal->ticks = ticks;
    return false;
}

int64_t cpus_steal_at(const char *root, int cpu)
{
    struct steal steal = {.cpu = cpu, .ticks = -1};
    file_lines(root, "/proc/stat", steal_line, &steal);
    return steal.ticks;
}

int64_t cpus_steal(int cpu)
{
    return clock_script() ? -1 : cpus_steal_at("", cpu);
}
