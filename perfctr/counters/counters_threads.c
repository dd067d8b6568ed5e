/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <limits.h>
#include <unistd.h>

#include "counters_private.h"

/* The caller's groups fit here as well: the PMU is the same. */
static struct counters *thread_new(const struct counters *own, pid_t tid)
{
    struct counters *const thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->system = own->system;
    thread->root = own->root;
    thread->mode = own->mode;
    thread->tid = tid;
    thread->slot = calloc(own->n + 1, sizeof *thread->slot);
    thread->group = calloc(own->n + 1, sizeof *thread->group);
    if (!thread->slot || !thread->group) {
        thread_close(thread);
        return NULL;
    }
    thread->n = own->n;
    thread->groups = own->groups;
    for (size_t i = 0; i < own->n; i++) {
        thread->slot[i].event = own->slot[i].event;
        thread->slot[i].group = own->slot[i].group;
        thread->slot[i].fd = -1;
    }
    for (size_t g = 0; g < own->groups; g++)
        thread->group[g].leader = own->group[g].leader;
    return thread;
}

/* -ESRCH if the thread has ended; what else is refused is the reason of an absence. */
static int slot_open(struct counters *thread, const struct slot *model, size_t i)
{
    struct slot *const slot = &thread->slot[i];
    struct group *const group = &thread->group[slot->group];
    const struct slot *const leader = &thread->slot[group->leader];
    if (leader != slot && leader->fd < 0) {
        slot->absence = leader->absence;
        return 0;
    }
    const int code =
        event_try(thread, slot, leader == slot ? -1 : leader->fd, model->in_kernel);
    if (code == -ESRCH)
        return code;
    if (code < 0)
        perf_refused(thread->root, -code, &slot->event, &slot->absence);
    group->members += code == 0;
    return 0;
}

static int thread_open(const struct counters *own, pid_t tid, struct counters **result)
{
    struct counters *const thread = thread_new(own, tid);
    int code = thread ? 0 : -ENOMEM;
    for (int siblings = 0; siblings <= 1; siblings++)
        for (size_t i = 0; i < own->n && code == 0; i++) {
            const struct slot *const model = &own->slot[i];
            if (model->fd >= 0 && (own->group[model->group].leader != i) == siblings)
                code = slot_open(thread, model, i);
        }
    if (code == 0)
        code = regions_allocate(thread);
    if (code < 0) {
        if (thread)
            thread_close(thread);
        return code;
    }
    thread_select(thread, own->selected);
    *result = thread;
    return 0;
}

/* Notes that the thread is there, and opens its counters if it is new. */
static int thread_seen(struct counters *counters, pid_t tid)
{
    struct counters **at = &counters->next;
    while (*at && (*at)->tid != tid)
        at = &(*at)->next;
    const int code = *at ? 0 : thread_open(counters, tid, at);
    if (code < 0)
        return code == -ESRCH ? 0 : code;
    (*at)->alive = true;
    return 0;
}

static void threads_sweep(struct counters *counters)
{
    for (struct counters **at = &counters->next; *at;) {
        struct counters *const thread = *at;
        if (thread->alive) {
            at = &thread->next;
        } else {
            *at = thread->next;
            thread_close(thread);
        }
    }
}

int counters_follow_threads(struct counters *counters)
{
    char path[PATH_MAX];
    int code = 0;
    snprintf(path, sizeof path, "%s/proc/self/task", counters->root);
    DIR *const directory = counters->n > 0 ? opendir(path) : NULL;
    if (!directory)
        return 0;
    for (struct counters *thread = counters->next; thread; thread = thread->next)
        thread->alive = false;
    for (const struct dirent *entry; code == 0 && (entry = readdir(directory));) {
        const pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid > 0 && tid != gettid())
            code = thread_seen(counters, tid);
    }
    closedir(directory);
    threads_sweep(counters);
    return code;
}

void counters_leave_threads(struct counters *counters)
{
    for (struct counters *thread = counters->next; thread; thread = thread->next)
        thread->alive = false;
    threads_sweep(counters);
}
