/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>

#include "counters_private.h"
#include "perfctr_private.h"
#include "proofs.h"

/* Reads an event that is on the PMU now from its page alone, as read() would tell it;
 * false if that cannot be had. */
static bool page_read(const struct perf_system *system,
                      const struct perf_event_mmap_page *page, uint64_t *value)
{
    /* The kernel rewrites the page when it moves the event, which is seldom. */
    enum { TRIES = 100 };
    const volatile struct perf_event_mmap_page *const now = page;
    for (int k = 0; k < TRIES; k++) {
        const uint32_t lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
        const uint32_t index = now->index;
        const unsigned width = now->pmc_width;
        if (!now->cap_user_rdpmc || index == 0 || width == 0 || width > 64)
            return false;
        const int64_t offset = now->offset;
        const uint64_t top = system->rdpmc(index - 1) << (64 - width);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (now->lock == lock) {
            *value = (uint64_t)offset + (uint64_t)((int64_t)top >> (64 - width));
            return true;
        }
    }
    return false;
}

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
    FOR_EACH (const struct slot, slot, counters->slot, counters->n) {
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
    for (size_t i = 0; i < n && !counters->note; i++)
        if (counters->slot[i].fd >= 0)
            counters->note = perf_shared(counters->root, &counters->slot[i].event);
    counters_select(counters, 0);
    *result = counters;
    return 0;
}

void thread_close(struct counters *thread)
{
    for (size_t g = 0; g < thread->groups; g++)
        group_unmap(thread, g);
    /* A closed leader does not close its siblings, they would go on counting. */
    for (size_t i = thread->n; i-- > 0;)
        if (thread->slot[i].fd >= 0)
            thread->system->close(thread->slot[i].fd);
    FREE_EACH(thread->slot, thread->group, thread->trial_words, thread->words, thread);
}

void counters_close(struct counters *counters)
{
    if (!counters)
        return;
    counters_leave_threads(counters);
    thread_close(counters);
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

void thread_select(struct counters *thread, size_t pass)
{
    thread->selected = pass;
    for (size_t g = 0; g < thread->groups; g++)
        group_switch(thread, g, PERF_EVENT_IOC_DISABLE);
    for (size_t g = 0; g < thread->groups; g++) {
        struct group *const group = &thread->group[g];
        group->begin.taken = group->end.taken = false;
        if (group->pass == pass)
            group_switch(thread, g, PERF_EVENT_IOC_ENABLE);
    }
}

void counters_select(struct counters *counters, size_t pass)
{
    for (struct counters *thread = counters; thread; thread = thread->next)
        thread_select(thread, pass);
}

static bool group_selected(const struct counters *counters, size_t g)
{
    return counters->group[g].members > 0 &&
           counters->group[g].pass == counters->selected;
}

/* The caller is read next to the work: its counts are the same beside other threads. */
void counters_begin(struct counters *counters)
{
    counters->begin_ns = clock_now();
    for (struct counters *thread = counters->next; thread; thread = thread->next)
        for (size_t g = 0; g < thread->groups; g++)
            if (group_selected(thread, g))
                snapshot_take(thread, g, &thread->group[g].begin);
    for (size_t g = 0; g < counters->groups; g++)
        if (group_selected(counters, g))
            snapshot_take(counters, g, &counters->group[g].begin);
}

void counters_end(struct counters *counters)
{
    for (struct counters *thread = counters; thread; thread = thread->next)
        for (size_t g = thread->groups; g-- > 0;)
            if (group_selected(thread, g))
                snapshot_take(thread, g, &thread->group[g].end);
    counters->end_ns = clock_now();
}

/* The time that a group could have been on the PMU, and was. */
struct span {
    int64_t enabled, running;
};

static struct span group_span(const struct group *group)
{
    const struct snapshot *const begin = &group->begin, *const end = &group->end;
    const ssize_t header = HEADER_WORDS * sizeof(uint64_t);
    /* In user space it can be read only while it is on the PMU, and a pinned group that
     * has left it does not come back. */
    if (begin->user || end->user)
        return (struct span){1, begin->user && end->user};
    if (!begin->taken || !end->taken || begin->got < header || end->got < header)
        return (struct span){0, 0};
    return (struct span){(int64_t)(end->word[1] - begin->word[1]),
                         (int64_t)(end->word[2] - begin->word[2])};
}

/* `all_ns` is the time of all threads together, which is what makes a region long. */
static void count_difference(const struct counters *thread, struct span span,
                             int64_t all_ns, uint64_t difference, struct count *count)
{
    const bool turns = thread->mode == COUNTERS_MULTIPLEX;
    const bool too_short = span.running < span.enabled && all_ns < COUNTERS_SCALABLE_NS &&
                           (turns || span.running > 0);

    if (too_short) {
        snprintf(count->fix, sizeof count->fix, "%s",
                 turns ? "measure longer batches" : "ask for fewer events");
        snprintf(count->absent, sizeof count->absent,
                 "not counted: it was on the PMU for %.0f%% of %.3f ms, too short to "
                 "scale; %s",
                 100.0 * (double)span.running / (double)span.enabled,
                 (double)span.enabled / 1e6, count->fix);
    } else if (thread->tid && span.enabled == 0) {
        count->running_share = 1; /* the thread slept */
    } else if (span.running <= 0 || span.enabled <= 0) {
        perf_starved(thread->root, "it was on the PMU for none of the time", count);
    } else if (span.running >= span.enabled) {
        count->value = difference;
        count->running_share = 1;
    } else {
        count->running_share = (double)span.running / (double)span.enabled;
        count->value = (uint64_t)((double)difference / count->running_share + 0.5);
    }
}

/* More than any core can do: 16 events a cycle at 6 GHz, or 128 if they may be operations
 * on the elements of vectors. The time is that of the readings, too. */
static bool is_too_much(const struct event *event, uint64_t difference, int64_t ns)
{
    const bool elements = event->type == PERF_TYPE_RAW &&
                          (event->kind == KIND_none || event->kind == KIND_flops);
    const double each_ns = 6.0 * (elements ? 128 : 16);
    return event_is_hardware(event) && (double)difference > each_ns * (double)(ns + 1000);
}

/* Counters of hypervisors and of some CPUs jump by 2^48, up or down. */
static void says_impossible(uint64_t from, uint64_t to, int64_t ns, struct count *count)
{
    const int64_t by = (int64_t)(to - from);
    const bool jump = llabs(by) > INT64_C(1) << 47 && llabs(by) < INT64_C(3) << 47;
    const char *const how = jump ? ": a jump of 2^48" : "";
    count->impossible = true;
    if (by < 0)
        snprintf(count->absent, sizeof count->absent,
                 "not counted: the counter went backwards, from %lld to %lld%s",
                 (long long)from, (long long)to, how);
    else
        snprintf(count->absent, sizeof count->absent,
                 "not counted: %lld in %lld ns is more than a core can do%s",
                 (long long)by, (long long)ns, how);
}

static void thread_count(const struct counters *thread, size_t i, int64_t all_ns,
                         int64_t ns, struct count *count)
{
    const struct slot *const slot = &thread->slot[i];
    *count = (struct count){0};
    if (slot->fd < 0) {
        *count = slot->absence;
        return;
    }
    const struct group *const group = &thread->group[slot->group];
    const struct snapshot *const begin = &group->begin, *const end = &group->end;
    count->in_kernel = slot->in_kernel;
    count->user_read = begin->user && end->user;
    /* The end of file is how a pinned group says that it could not be held. */
    if ((begin->taken && begin->got == 0) || (end->taken && end->got == 0)) {
        perf_starved(thread->root, "the PMU could not hold the group beside other users",
                     count);
        return;
    }
    uint64_t from = 0, to = 0;
    const char *wrong = snapshot_find(begin, group->members, slot->id, &from);
    if (!wrong)
        wrong = snapshot_find(end, group->members, slot->id, &to);
    if (wrong) {
        count->code = begin->code ? begin->code : end->code;
        snprintf(count->absent, sizeof count->absent, "not counted: %s", wrong);
    } else if ((int64_t)(to - from) < 0 || is_too_much(&slot->event, to - from, ns)) {
        says_impossible(from, to, ns, count);
    } else {
        count_difference(thread, group_span(group), all_ns, to - from, count);
    }
}

/* Once a thread has no value, the sum has none. */
static void count_add(struct count *sum, const struct counters *thread,
                      const struct count *one)
{
    if (sum->absent[0])
        return;
    if (one->absent[0]) {
        *sum = *one;
        sum->value = 0;
        snprintf(sum->absent, sizeof sum->absent, "thread %d: %.230s", (int)thread->tid,
                 one->absent);
        return;
    }
    sum->threads++;
    sum->value += one->value;
    sum->user_read = sum->user_read && one->user_read;
    if (one->running_share < sum->running_share)
        sum->running_share = one->running_share;
}

bool counters_get(const struct counters *counters, size_t i, struct count *count)
{
    const size_t g = counters->slot[i].group;
    const bool never = counters->slot[i].fd < 0;
    int64_t all_ns = 0;
    *count = (struct count){0};
    if (!never && !group_selected(counters, g))
        return false;
    for (const struct counters *thread = counters; thread; thread = thread->next)
        all_ns += group_span(&thread->group[g]).enabled;
    const int64_t ns = counters->end_ns - counters->begin_ns;
    thread_count(counters, i, all_ns, ns, count);
    count->threads = !count->absent[0];
    for (const struct counters *thread = counters->next; thread && !never;
         thread = thread->next) {
        struct count one;
        thread_count(thread, i, all_ns, ns, &one);
        count_add(count, thread, &one);
    }
    return true;
}
