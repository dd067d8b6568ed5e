/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>

#include "counters_private.h"

int event_try(struct counters *counters, struct slot *slot, int leader, bool in_kernel)
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
        .pinned = leader < 0 && counters->mode == COUNTERS_PINNED,
        .exclude_kernel = !in_kernel,
        .exclude_hv = !in_kernel || slot->event.type < PERF_TYPE_MAX,
    };
#ifdef __aarch64__
    /* Only who asks for it may read a counter in user space, and not all kernels know. */
    enum { USER_ACCESS = 2 };
    if (counters->tid == 0 && counters->mode == COUNTERS_PINNED &&
        attr.type != PERF_TYPE_SOFTWARE &&
        file_number(counters->root, "/proc/sys/kernel/perf_user_access") == 1)
        attr.config1 |= USER_ACCESS;
#endif
    const int fd =
        counters->system->open(&attr, counters->tid, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (counters->system->ioctl(fd, PERF_EVENT_IOC_ID, (unsigned long)&slot->id) < 0) {
        const int code = -errno;
        counters->system->close(fd);
        return code;
    }
    slot->fd = fd;
    slot->in_kernel = in_kernel;
    return 0;
}

/* PMUs beside the core's (msr) cannot leave the kernel out. */
static int event_open(struct counters *counters, struct slot *slot, int leader)
{
    const bool in_kernel = event_in_kernel(&slot->event);
    const int code = event_try(counters, slot, leader, in_kernel);
    if (code == -EINVAL && !in_kernel && slot->event.type >= PERF_TYPE_MAX)
        return event_try(counters, slot, leader, true);
    return code;
}

static unsigned event_takes(const struct event *event)
{
    return event->takes ? event->takes : 1;
}

/* Has the PMU no counter left for it that counts? */
static bool group_is_full(const struct counters *counters, size_t g,
                          const struct event *event)
{
    return counters->system->slots > 0 && event->type != PERF_TYPE_SOFTWARE &&
           counters->group[g].taken + event_takes(event) > counters->system->slots;
}

/* Puts event i into the first group from `g` on that takes it. A full group answers
 * EINVAL, but so does an event that cannot be counted at all: only a group of its own
 * tells them apart. */
static void event_place(struct counters *counters, size_t i, size_t g)
{
    struct slot *const slot = &counters->slot[i];
    const bool software = slot->event.type == PERF_TYPE_SOFTWARE;
    int code = -EINVAL;

    if (slot->event.withheld[0]) {
        snprintf(slot->absence.absent, sizeof slot->absence.absent, "%s",
                 slot->event.withheld);
        return;
    }
    if (software)
        g = SOFTWARE_GROUP;
    for (; code == -EINVAL && g < (software ? 1 : counters->groups); g++) {
        struct group *const group = &counters->group[g];
        if (group->members == 0)
            break;
        if (group_is_full(counters, g, &slot->event))
            continue;
        code = event_open(counters, slot, leader_fd(counters, g));
        if (code == 0) {
            slot->group = g;
            group->members++;
            group->taken += event_takes(&slot->event);
        }
    }
    if (code == -EINVAL && (!software || counters->group[SOFTWARE_GROUP].members == 0)) {
        code = event_open(counters, slot, -1);
        if (code == 0) {
            slot->group = software ? SOFTWARE_GROUP : counters->groups++;
            counters->group[slot->group] = (struct group){
                .leader = i, .members = 1, .taken = event_takes(&slot->event)};
        }
    }
    if (code < 0)
        perf_refused(counters->root, -code, &slot->event, &slot->absence);
}

/* The kernel accepts a group that would fit the whole PMU, although others (the NMI
 * watchdog, another profiler) may hold a part of it: only running it shows that. */
static bool group_runs(struct counters *counters, size_t g)
{
    struct snapshot *const trial = &counters->trial[0];
    group_switch(counters, g, PERF_EVENT_IOC_ENABLE);
    snapshot_read(counters, g, trial);
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
        group->taken -= event_takes(&counters->slot[i].event);
        event_place(counters, i, g + 1);
    }
}

void group_unmap(struct counters *counters, size_t g)
{
    FOR_EACH (struct slot, slot, counters->slot, counters->n) {
        if (slot->page && slot->group == g) {
            counters->system->unmap(slot->page);
            slot->page = NULL;
        }
    }
}

static bool group_map(struct counters *counters, size_t g)
{
    FOR_EACH (struct slot, slot, counters->slot, counters->n) {
        if (slot->fd < 0 || slot->group != g)
            continue;
        slot->page = counters->system->map(slot->fd);
        if (!slot->page)
            return false;
    }
    return true;
}

/* The value of read() must lie between two readings in user space. */
static bool group_agrees(const struct counters *counters, size_t g)
{
    const struct snapshot *const trial = counters->trial;
    const size_t members = counters->group[g].members;
    for (size_t k = 0; k < members; k++) {
        const uint64_t before = trial[0].word[HEADER_WORDS + 2 * k];
        const uint64_t after = trial[2].word[HEADER_WORDS + 2 * k];
        const uint64_t id = trial[0].word[HEADER_WORDS + 2 * k + 1];
        uint64_t between;
        if (snapshot_find(&trial[1], members, id, &between) || between < before ||
            between > after)
            return false;
    }
    return true;
}

static void group_try_user(struct counters *counters, size_t g)
{
    struct snapshot *const trial = counters->trial;
    bool user = group_map(counters, g), agrees = true;
    if (user) {
        group_switch(counters, g, PERF_EVENT_IOC_ENABLE);
        user = snapshot_user(counters, g, &trial[0]);
        snapshot_read(counters, g, &trial[1]);
        user = user && snapshot_user(counters, g, &trial[2]);
        group_switch(counters, g, PERF_EVENT_IOC_DISABLE);
        agrees = !user || group_agrees(counters, g);
    }
    counters->group[g].user = user && agrees;
    if (!agrees)
        counters->note = "counters are read by system calls: what the CPU tells in user "
                         "space differs from what the kernel tells";
    if (!counters->group[g].user)
        group_unmap(counters, g);
}

int regions_allocate(struct counters *counters)
{
    size_t words = 0;
    for (size_t g = 0; g < counters->groups; g++)
        words += 2 * group_words(&counters->group[g]);
    uint64_t *word = counters->words = calloc(words, sizeof *word);
    if (!word)
        return -ENOMEM;
    for (size_t g = 0; g < counters->groups; g++) {
        struct group *const group = &counters->group[g];
        group->begin.word = word;
        group->end.word = word + group_words(group);
        word += 2 * group_words(group);
        if (g >= FIRST_GROUP && counters->mode == COUNTERS_PINNED)
            group->pass = g - FIRST_GROUP;
    }
    return 0;
}

int groups_open(struct counters *counters, const struct event *events, size_t n)
{
    const size_t words = HEADER_WORDS + 2 * n;

    counters->slot = calloc(n + 1, sizeof *counters->slot);
    counters->group = calloc(n + 1, sizeof *counters->group);
    counters->trial_words = calloc(TRIALS * words, sizeof *counters->trial_words);
    if (!counters->slot || !counters->group || !counters->trial_words)
        return -ENOMEM;
    counters->n = n;
    for (size_t k = 0; k < TRIALS; k++)
        counters->trial[k].word = counters->trial_words + k * words;
    for (size_t i = 0; i < n; i++) {
        counters->slot[i].event = events[i];
        counters->slot[i].fd = -1;
    }
    for (size_t i = 0; i < n; i++)
        event_place(counters, i, FIRST_GROUP);
    for (size_t g = FIRST_GROUP; g < counters->groups; g++)
        group_fit(counters, g);
    /* Counters that take turns need their times, which only the kernel tells. */
    if (counters->system->map && counters->mode == COUNTERS_PINNED)
        for (size_t g = FIRST_GROUP; g < counters->groups; g++)
            group_try_user(counters, g);
    return regions_allocate(counters);
}
