/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a case run on its CPUs, and stop before another worker's turn. */
#include "service.h"

#include <dirent.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "team.h"

/* A library may let its threads spin for a while in case that there is more to do. */
enum { REST_TRIES = 250, REST_US = 100 };
enum { SYNC_BATCHES = 21, SYNC_CALLS = 1000 };

int service_place(const struct service *service, struct error *error)
{
    return team_start(service->operands.view.threads, service->cpu, service->n_cpu,
                      error);
}

void service_place_helpers(const struct service *service)
{
    struct error error;
    const size_t n = service->n_cpu;
    size_t next = 1;
    DIR *const directory = n > 1 ? opendir("/proc/self/task") : NULL;
    if (!directory)
        return;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const int tid = atoi(entry->d_name);
        cpu_set_t set;
        const int cpu = service->cpu[next % n];
        if (tid <= 0 || tid == gettid() || cpu >= CPU_SETSIZE)
            continue;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        sched_setaffinity(tid, sizeof set, &set);
        next++;
    }
    closedir(directory);
    cpus_pin(service->cpu, 1, &error);
}

/* CPU time of all threads but this one. */
static int64_t others_ns(void)
{
    struct timespec all, own;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    return (all.tv_sec - own.tv_sec) * 1000000000LL + all.tv_nsec - own.tv_nsec;
}

void service_rest(const struct service *service)
{
    team_rest();
    if (service->alive <= 1)
        return;
    for (int i = 0; i < REST_TRIES; i++) {
        const int64_t ran = others_ns(), began = clock_now();
        usleep(REST_US);
        if (others_ns() - ran < (clock_now() - began) / 20)
            return;
    }
}

static void nothing(void *context, uint32_t index, uint32_t count)
{
}

cJSON *service_team(struct service *service, const struct team_call *wanted)
{
    struct error error = {.text = ""};
    double sync[SYNC_BATCHES];
    const uint32_t threads = (uint32_t)wanted->threads;
    service_release_all(service);
    team_stop();
    const int64_t begin = clock_now();
    const int status = team_start(threads, service->cpu, service->n_cpu, &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    team_run(threads, nothing, NULL);
    const int64_t end = clock_now();
    for (int i = 0; i < SYNC_BATCHES; i++) {
        const int64_t from = clock_now();
        for (int call = 0; call < SYNC_CALLS; call++)
            team_run(threads, nothing, NULL);
        sync[i] = (double)(clock_now() - from) / SYNC_CALLS;
    }
    team_rest();
    return team_reply_ok(
        &(struct team_reply){.spawn_ns = (double)(end - begin),
                             .sync_ns = service_median(sync, SYNC_BATCHES)});
}
