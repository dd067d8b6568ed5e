/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by counters.c (regions and their counts), counters_open.c (the group of each
 * event) and counters_threads.c (the same for other threads). */
#pragma once

#include "perfctr_private.h"

/* Software events need no PMU: they are group 0, so that no hardware event can fail them,
 * and are counted in pass 0. The groups from 1 on are what the PMU counts. */
enum { SOFTWARE_GROUP = 0, FIRST_GROUP = 1, HEADER_WORDS = 3, TRIALS = 3 };

struct slot {
    struct event event;
    int fd; /* -1: never counted, `absence` says why */
    size_t group;
    uint64_t id;
    bool in_kernel;
    void *page; /* for reading without system calls, or NULL */
    struct count absence;
};

/* One read of a group: nr, time enabled, time running, then a value and an id each. The
 * times are missing if it was read in user space. */
struct snapshot {
    bool taken, user;
    ssize_t got;
    int code;
    uint64_t *word;
};

struct group {
    size_t leader, members, pass;
    unsigned taken; /* counters of the PMU */
    bool user;      /* can be read in user space */
    struct snapshot begin, end;
};

/* The counters of one thread: of the caller, and in a list behind them of each other
 * thread that is counted too, in the same groups. */
struct counters {
    const struct perf_system *system;
    const char *root;
    enum counters_mode mode;
    const char *note;
    pid_t tid; /* 0: of the caller */
    bool alive;
    struct counters *next;
    int64_t begin_ns, end_ns; /* around the readings of the last region */
    size_t n, groups, selected;
    struct slot *slot;
    struct group *group;
    struct snapshot trial[TRIALS];
    uint64_t *trial_words, *words;
};

/* counters_open.c: opens all events, in groups; -ENOMEM. */
int groups_open(struct counters *counters, const struct event *events, size_t n);
/* Opens one event in the group of `leader` (-1: as a leader) for the thread of
 * `counters`; a negative errno. */
int event_try(struct counters *counters, struct slot *slot, int leader, bool in_kernel);
/* Memory for regions, once it is known what is in which group; -ENOMEM. */
int regions_allocate(struct counters *counters);
void group_unmap(struct counters *counters, size_t g);

/* counters.c: of one thread. */
void thread_select(struct counters *thread, size_t pass);
void thread_close(struct counters *thread);
void group_switch(const struct counters *counters, size_t g, unsigned long request);
size_t group_words(const struct group *group);
int leader_fd(const struct counters *counters, size_t g);
void snapshot_read(const struct counters *counters, size_t g, struct snapshot *snapshot);
/* Reads all events of a group in user space, as if by read(). */
bool snapshot_user(const struct counters *counters, size_t g, struct snapshot *snapshot);
/* Returns what is wrong with one read, or NULL and the value of the event. */
const char *snapshot_find(const struct snapshot *snapshot, size_t members, uint64_t id,
                          uint64_t *value);
