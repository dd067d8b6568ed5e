/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters_private.h"

int leader_fd(const struct counters *counters, size_t g)
{
    return counters->slot[counters->group[g].leader].fd;
}

size_t group_words(const struct group *group)
{
    return HEADER_WORDS + 2 * group->members;
}

bool snapshot_user(const struct counters *counters, size_t g, struct snapshot *snapshot)
{
    size_t found = 0;
    for (size_t i = 0; i < counters->n; i++) {
        const struct slot *const slot = &counters->slot[i];
        if (slot->fd < 0 || slot->group != g)
            continue;
        uint64_t *const word = snapshot->word + HEADER_WORDS + 2 * found++;
        if (!page_read(counters->system, slot->page, &word[0]))
            return false;
        word[1] = slot->id;
    }
    snapshot->word[0] = found;
    snapshot->got = (ssize_t)(group_words(&counters->group[g]) * sizeof(uint64_t));
    snapshot->taken = snapshot->user = true;
    return true;
}

void snapshot_read(const struct counters *counters, size_t g, struct snapshot *snapshot)
{
    snapshot->got = counters->system->read(leader_fd(counters, g), snapshot->word,
                                           group_words(&counters->group[g]) * 8);
    snapshot->code = snapshot->got < 0 ? errno : 0;
    snapshot->taken = true;
    snapshot->user = false;
}

static void snapshot_take(const struct counters *counters, size_t g,
                          struct snapshot *snapshot)
{
    if (!counters->group[g].user || !snapshot_user(counters, g, snapshot))
        snapshot_read(counters, g, snapshot);
}

const char *snapshot_find(const struct snapshot *snapshot, size_t members, uint64_t id,
                          uint64_t *value)
{
    if (!snapshot->taken)
        return "no region was measured";
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

void group_switch(const struct counters *counters, size_t g, unsigned long request)
{
    if (counters->group[g].members > 0)
        counters->system->ioctl(leader_fd(counters, g), request, PERF_IOC_FLAG_GROUP);
}

int counters_open(struct counters **result, const struct event *events, size_t n,
                  enum counters_mode mode, const struct perf_system *system,
                  struct error *error)
{
    *result = NULL;
    struct counters *const counters = calloc(1, sizeof *counters);
    if (!counters)
        return error_set(error, -ENOMEM, "no memory for %zu counters", n);
    counters->system = system;
    counters->root = system->root ? system->root : "";
    counters->mode = mode;
    counters->groups = FIRST_GROUP;
    if (groups_open(counters, events, n) < 0) {
        counters_close(counters);
        return error_set(error, -ENOMEM, "no memory for %zu counters", n);
    }
    counters_select(counters, 0);
    *result = counters;
    return 0;
}

void counters_close(struct counters *counters)
{
    if (!counters)
        return;
    for (size_t g = 0; g < counters->groups; g++)
        group_unmap(counters, g);
    /* A closed leader does not close its siblings, they would go on counting. */
    for (size_t i = counters->n; i-- > 0;)
        if (counters->slot[i].fd >= 0)
            counters->system->close(counters->slot[i].fd);
    free(counters->slot);
    free(counters->group);
    free(counters->trial_words);
    free(counters->words);
    free(counters);
}

size_t counters_passes(const struct counters *counters)
{
    const size_t hardware = counters->groups - FIRST_GROUP;
    return counters->mode == COUNTERS_PINNED && hardware > 0 ? hardware : 1;
}

const char *counters_note(const struct counters *counters)
{
    return counters->note;
}

void counters_select(struct counters *counters, size_t pass)
{
    counters->selected = pass;
    for (size_t g = 0; g < counters->groups; g++)
        group_switch(counters, g, PERF_EVENT_IOC_DISABLE);
    for (size_t g = 0; g < counters->groups; g++) {
        struct group *const group = &counters->group[g];
        group->begin.taken = group->end.taken = false;
        if (group->pass == pass)
            group_switch(counters, g, PERF_EVENT_IOC_ENABLE);
    }
}

static bool group_selected(const struct counters *counters, size_t g)
{
    return counters->group[g].members > 0 &&
           counters->group[g].pass == counters->selected;
}

void counters_begin(struct counters *counters)
{
    for (size_t g = 0; g < counters->groups; g++)
        if (group_selected(counters, g))
            snapshot_take(counters, g, &counters->group[g].begin);
}

void counters_end(struct counters *counters)
{
    for (size_t g = counters->groups; g-- > 0;)
        if (group_selected(counters, g))
            snapshot_take(counters, g, &counters->group[g].end);
}

static void count_difference(const struct counters *counters, const struct group *group,
                             uint64_t from, uint64_t to, struct count *count)
{
    const struct snapshot *const begin = &group->begin, *const end = &group->end;
    /* In user space it can be read only while it is on the PMU, and a pinned group that
     * has left it does not come back. */
    const bool times = !begin->user && !end->user;
    const int64_t enabled = times ? (int64_t)(end->word[1] - begin->word[1]) : 1;
    const int64_t running = times ? (int64_t)(end->word[2] - begin->word[2])
                            : begin->user && end->user ? 1
                                                       : 0;
    const bool turns = counters->mode == COUNTERS_MULTIPLEX;
    const bool too_short = times && running < enabled && enabled < COUNTERS_SCALABLE_NS &&
                           (turns || running > 0);

    if (to < from) {
        snprintf(count->absent, sizeof count->absent,
                 "not counted: the counter went backwards, from %llu to %llu",
                 (unsigned long long)from, (unsigned long long)to);
    } else if (too_short) {
        snprintf(count->fix, sizeof count->fix, "%s",
                 turns ? "measure longer batches" : "ask for fewer events");
        snprintf(count->absent, sizeof count->absent,
                 "not counted: it was on the PMU for %.0f%% of %.3f ms, too short to "
                 "scale; %s",
                 100.0 * (double)running / (double)enabled, (double)enabled / 1e6,
                 count->fix);
    } else if (running <= 0 || enabled <= 0) {
        perf_starved(counters->root, "it was on the PMU for none of the time", count);
    } else if (running >= enabled) {
        count->value = to - from;
        count->running_share = 1;
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
        *count = slot->absence;
        return true;
    }
    const struct group *const group = &counters->group[slot->group];
    if (!group_selected(counters, slot->group))
        return false;

    const struct snapshot *const begin = &group->begin, *const end = &group->end;
    count->in_kernel = slot->in_kernel;
    count->user_read = begin->user && end->user;
    /* The end of file is how a pinned group says that it could not be held. */
    if ((begin->taken && begin->got == 0) || (end->taken && end->got == 0)) {
        perf_starved(counters->root,
                     "the PMU could not hold the group beside other users", count);
        return true;
    }
    uint64_t from = 0, to = 0;
    const char *wrong = snapshot_find(begin, group->members, slot->id, &from);
    if (!wrong)
        wrong = snapshot_find(end, group->members, slot->id, &to);
    if (wrong) {
        count->code = begin->code ? begin->code : end->code;
        snprintf(count->absent, sizeof count->absent, "not counted: %s", wrong);
    } else {
        count_difference(counters, group, from, to, count);
    }
    return true;
}
