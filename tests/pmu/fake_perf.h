/* SPDX-License-Identifier: Apache-2.0 */
/* A scripted kernel for tests of counters: what it does is what `fake` says. */
#pragma once

#include <linux/perf_event.h>

#include "proofs.h"
#include "unit.h"

enum { FIRST_FD = 100, FDS = 64 };

/* Counts of a PMU's event in a turn of a loop. */
typedef double fake_answer(uint64_t config, enum proof_loop loop);

/* A PMU with `capacity` counters, of which strangers hold all but `available`. Event
 * `config` advances by 1000 * config for each read of its group. */
struct fake {
    struct file {
        struct perf_event_attr attr;
        pid_t pid;
        int leader;
        bool open, enabled;
        uint64_t value, running, time;
        bool mapped;
        struct perf_event_mmap_page page;
    } file[FDS];
    int files, open_files;
    int capacity, available;
    uint64_t refused_config;
    int refused_errno;
    pid_t refused_pid; /* only for this thread; 0: for all */
    pid_t asleep;      /* this thread does not run, 0: all do */
    pid_t sharing;     /* this one shares the PMU with strangers for half of its time */
    bool no_exclude;   /* the PMU cannot leave the kernel out */
    double share;      /* of the time that counters run */
    uint64_t read_ns;  /* time that passes from read to read */
    int cut;           /* bytes that each read is short of */
    bool backwards, reversed;
    int read_errno, switches;
    /* In user space: */
    bool mappable;
    int width;         /* bits of a counter */
    int locks;         /* how often the page changes while it is read */
    uint64_t mismatch; /* more than read() tells */
    int off_pmu;       /* readings, from this one on: index 0; 0: never */
    int user_reads, mapped;
    /* With loops (fake_loop), in place of the steps from read to read: */
    fake_answer *answer;
    int dead_slot;  /* this counter of the PMU stays at 0, from 1; 0: none does */
    int jump_every; /* so many reads, each event is off by `jump` once; 0: never */
    int64_t jump;
    int reads;
};
extern struct fake fake;
extern const struct perf_system fake_system;

/* Runs a loop as far as the counters see it. */
proof_loop_fn fake_loop;

int fake_setup(void **state);
int fake_teardown(void **state);
#define FAKE_TEST(name) TEST_BETWEEN(name, fake_setup, fake_teardown)
/* Writes a file below the root that the fake kernel shows. */
void fake_file(const char *path, const char *text);
void fake_no_pmu(void);
void fake_remove(const char *path);
struct counters *fake_open_events(const struct event *events, size_t n,
                                  enum counters_mode mode);
/* Raw events with the configs 1 to n. */
struct counters *fake_open_raw(size_t n, struct event *events);
struct counters *fake_open_mode(size_t n, struct event *events, enum counters_mode mode);
/* One region, in which nothing is switched. */
void fake_region(struct counters *counters);
void fake_counts(const struct counters *counters, size_t i, uint64_t value);
void fake_absent(const struct counters *counters, size_t i, const char *word);
void fake_finish(struct counters *counters);
