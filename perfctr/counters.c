/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfctr_private.h"

/* Software events need no PMU: they are group 0, so that no hardware event can fail them,
 * and are counted in pass 0. Group 1 + p is what the PMU counts in pass p. */
enum { SOFTWARE_GROUP = 0, FIRST_GROUP = 1, HEADER_WORDS = 3 };

/* The kernel rotates counters every few milliseconds: scaling a region shorter than some
 * rotations would be guessing. */
static const uint64_t scalable_ns = 20000000;

struct slot {
    struct event event;
    int fd; /* -1: never counted, `absent` says why */
    size_t group;
    uint64_t id;
    char absent[256];
};

struct group {
    size_t leader, members;
};

/* One read of a group: nr, time enabled, time running, then a value and an id each. */
struct snapshot {
    bool taken;
    ssize_t got;
    int code;
    uint64_t *word;
};

struct counters {
    const struct perf_system *system;
    size_t n, groups, selected;
    struct slot *slot;
    struct group *group;
    uint64_t *words;
    struct snapshot begin[2], end[2]; /* of the software group, of the pass's group */
};

static int event_open(struct counters *counters, struct slot *slot, int leader)
{
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = slot->event.type,
        .config = slot->event.config,
        .config1 = slot->event.config1,
        .config2 = slot->event.config2,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                       PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader < 0,
        .pinned = leader < 0,
        .exclude_kernel = !event_in_kernel(&slot->event),
        .exclude_hv = 1,
    };
    const int fd = counters->system->open(&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (counters->system->ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)&slot->id) < 0) {
        const int code = -errno;
        counters->system->close(fd);
        return code;
    }
    slot->fd = fd;
    return 0;
}

static int leader_fd(const struct counters *counters, size_t g)
{
    return counters->slot[counters->group[g].leader].fd;
}

/* Puts event i into the first group from `g` on that takes it. A full group answers
 * EINVAL, but so does an event that cannot be counted at all: only a group of its own
 * tells them apart. */
static void event_place(struct counters *counters, size_t i, size_t g)
{
    struct slot *const slot = &counters->slot[i];
    const bool software = slot->event.type == PERF_TYPE_SOFTWARE;
    int code = -EINVAL;

    if (software)
        g = SOFTWARE_GROUP;
    for (; code == -EINVAL && g < (software ? 1 : counters->groups); g++) {
        struct group *const group = &counters->group[g];
        if (group->members == 0)
            break;
        code = event_open(counters, slot, leader_fd(counters, g));
        if (code == 0) {
            slot->group = g;
            group->members++;
        }
    }
    if (code == -EINVAL && (!software || counters->group[SOFTWARE_GROUP].members == 0)) {
        code = event_open(counters, slot, -1);
        if (code == 0) {
            slot->group = software ? SOFTWARE_GROUP : counters->groups++;
            counters->group[slot->group] = (struct group){.leader = i, .members = 1};
        }
    }
    if (code < 0)
        perf_reason(slot->absent, sizeof slot->absent, -code, &slot->event);
}

static void snapshot_take(struct counters *counters, size_t g, struct snapshot *snapshot)
{
    const size_t words = HEADER_WORDS + 2 * counters->group[g].members;
    snapshot->got =
        counters->system->read(leader_fd(counters, g), snapshot->word, words * 8);
    snapshot->code = snapshot->got < 0 ? errno : 0;
    snapshot->taken = true;
}

static void group_switch(const struct counters *counters, size_t g, unsigned long request)
{
    if (counters->group[g].members > 0)
        counters->system->ioctl(leader_fd(counters, g), request, PERF_IOC_FLAG_GROUP);
}

/* The kernel accepts a group that would fit the whole PMU, although others (the NMI
 * watchdog, another profiler) may hold a part of it: only running it shows that. */
static bool group_runs(struct counters *counters, size_t g)
{
    struct snapshot *const trial = &counters->begin[1];
    group_switch(counters, g, PERF_EVENT_IOC_ENABLE);
    snapshot_take(counters, g, trial);
    group_switch(counters, g, PERF_EVENT_IOC_DISABLE);
    return trial->got < 0 || (trial->got >= HEADER_WORDS * 8 && trial->word[2] > 0);
}

static void group_fit(struct counters *counters, size_t g)
{
    struct group *const group = &counters->group[g];
    while (group->members > 1 && !group_runs(counters, g)) {
        size_t i = counters->n;
        do {
            i--;
        } while (counters->slot[i].fd < 0 || counters->slot[i].group != g ||
                 i == group->leader);
        counters->system->close(counters->slot[i].fd);
        counters->slot[i].fd = -1;
        group->members--;
        event_place(counters, i, g + 1);
    }
}

int counters_open(struct counters **result, const struct event *events, size_t n,
                  const struct perf_system *system, struct error *error)
{
    *result = NULL;
    const size_t words = HEADER_WORDS + 2 * n;
    struct counters *const counters = calloc(1, sizeof *counters);
    if (!counters)
        goto fail;
    counters->system = system;
    counters->n = n;
    counters->groups = FIRST_GROUP;
    counters->slot = calloc(n + 1, sizeof *counters->slot);
    counters->group = calloc(n + 1, sizeof *counters->group);
    counters->words = calloc(4 * words, sizeof *counters->words);
    if (!counters->slot || !counters->group || !counters->words)
        goto fail;
    for (size_t k = 0; k < 2; k++) {
        counters->begin[k].word = counters->words + 2 * k * words;
        counters->end[k].word = counters->words + (2 * k + 1) * words;
    }
    for (size_t i = 0; i < n; i++) {
        counters->slot[i].event = events[i];
        counters->slot[i].fd = -1;
    }
    for (size_t i = 0; i < n; i++)
        event_place(counters, i, FIRST_GROUP);
    for (size_t g = FIRST_GROUP; g < counters->groups; g++)
        group_fit(counters, g);
    counters_select(counters, 0);
    *result = counters;
    return 0;
fail:
    if (counters)
        counters->n = 0;
    counters_close(counters);
    return error_set(error, -ENOMEM, "no memory for %zu counters", n);
}

void counters_close(struct counters *counters)
{
    if (!counters)
        return;
    /* A closed leader does not close its siblings, they would go on counting. */
    for (size_t i = counters->n; i-- > 0;)
        if (counters->slot[i].fd >= 0)
            counters->system->close(counters->slot[i].fd);
    free(counters->slot);
    free(counters->group);
    free(counters->words);
    free(counters);
}

size_t counters_passes(const struct counters *counters)
{
    return counters->groups > FIRST_GROUP ? counters->groups - FIRST_GROUP : 1;
}

void counters_select(struct counters *counters, size_t pass)
{
    counters->selected = pass;
    for (size_t g = 0; g < counters->groups; g++)
        group_switch(counters, g, PERF_EVENT_IOC_DISABLE);
    if (pass == 0)
        group_switch(counters, SOFTWARE_GROUP, PERF_EVENT_IOC_ENABLE);
    if (FIRST_GROUP + pass < counters->groups)
        group_switch(counters, FIRST_GROUP + pass, PERF_EVENT_IOC_ENABLE);
    for (size_t k = 0; k < 2; k++)
        counters->begin[k].taken = counters->end[k].taken = false;
}

void counters_begin(struct counters *counters)
{
    const size_t g = FIRST_GROUP + counters->selected;
    if (counters->selected == 0 && counters->group[SOFTWARE_GROUP].members > 0)
        snapshot_take(counters, SOFTWARE_GROUP, &counters->begin[0]);
    if (g < counters->groups)
        snapshot_take(counters, g, &counters->begin[1]);
}

void counters_end(struct counters *counters)
{
    const size_t g = FIRST_GROUP + counters->selected;
    if (g < counters->groups)
        snapshot_take(counters, g, &counters->end[1]);
    if (counters->selected == 0 && counters->group[SOFTWARE_GROUP].members > 0)
        snapshot_take(counters, SOFTWARE_GROUP, &counters->end[0]);
}

/* Returns what is wrong with one read, or NULL and the value of the event. */
static const char *snapshot_find(const struct snapshot *snapshot, size_t members,
                                 uint64_t id, uint64_t *value)
{
    if (!snapshot->taken)
        return "no region was measured";
    if (snapshot->got == 0)
        return "the PMU could not hold the group beside other users; ask for fewer "
               "events, "
               "or type: sudo sysctl kernel.nmi_watchdog=0";
    if (snapshot->got < 0)
        return strerror(snapshot->code);
    if ((size_t)snapshot->got != (HEADER_WORDS + 2 * members) * 8 ||
        snapshot->word[0] != members)
        return "the kernel returned a short read";
    for (size_t k = 0; k < members; k++) {
        if (snapshot->word[HEADER_WORDS + 2 * k + 1] == id) {
            *value = snapshot->word[HEADER_WORDS + 2 * k];
            return NULL;
        }
    }
    return "the kernel's answer leaves this event out";
}

static void count_difference(const struct snapshot *begin, const struct snapshot *end,
                             uint64_t from, uint64_t to, struct count *count)
{
    const int64_t enabled = (int64_t)(end->word[1] - begin->word[1]);
    const int64_t running = (int64_t)(end->word[2] - begin->word[2]);
    if (running <= 0 || enabled <= 0) {
        snprintf(count->absent, sizeof count->absent,
                 "not counted: it was on the PMU for none of the time; ask for fewer "
                 "events, or type: sudo sysctl kernel.nmi_watchdog=0");
    } else if (to < from) {
        snprintf(count->absent, sizeof count->absent,
                 "not counted: the counter went backwards, from %llu to %llu",
                 (unsigned long long)from, (unsigned long long)to);
    } else if (running >= enabled) {
        count->value = to - from;
        count->running_share = 1;
    } else if ((uint64_t)enabled < scalable_ns) {
        snprintf(count->absent, sizeof count->absent,
                 "not counted: it was on the PMU for %.0f%% of %.3f ms, too short to "
                 "scale; ask for fewer events",
                 100.0 * (double)running / (double)enabled, (double)enabled / 1e6);
    } else {
        count->running_share = (double)running / (double)enabled;
        count->value = (uint64_t)((double)(to - from) / count->running_share + 0.5);
    }
}

bool counters_get(const struct counters *counters, size_t i, struct count *count)
{
    const struct slot *const slot = &counters->slot[i];
    *count = (struct count){0};
    if (slot->fd < 0) {
        memcpy(count->absent, slot->absent, sizeof count->absent);
        return true;
    }
    const bool software = slot->group == SOFTWARE_GROUP;
    if (counters->selected != (software ? 0 : slot->group - FIRST_GROUP))
        return false;

    const struct snapshot *const begin = &counters->begin[!software];
    const struct snapshot *const end = &counters->end[!software];
    const size_t members = counters->group[slot->group].members;
    uint64_t from = 0, to = 0;
    const char *wrong = snapshot_find(begin, members, slot->id, &from);
    if (!wrong)
        wrong = snapshot_find(end, members, slot->id, &to);
    if (wrong)
        snprintf(count->absent, sizeof count->absent, "not counted: %s", wrong);
    else
        count_difference(begin, end, from, to, count);
    return true;
}
