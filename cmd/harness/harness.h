/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room harness: two builds of somebody else's benchmark program against each other
 * (docs/harness.md). Base, head and a copy of base take turns in fresh processes, each of
 * which runs one case for a short while; the numbers are those that the harness prints.
 * The statistics are those of room ab. Opened once, a comparison can be measured any
 * number of times.
 */
#pragma once

#include "measure/measure.h"

struct harness;

struct harness_request {
    const char *name; /* of the harness; NULL: the one whose mark base's file has */
    const char *base, *head; /* commands; with `build`, commits of the repository here */
    const char *build;       /* command that builds a commit; NULL: none */
    const char *run;         /* command in its folder that is the benchmark program */
    const char *relink;  /* command that links a program with {pad} bytes; NULL: none */
    const char *cwd[2];  /* folders in which base and head run; NULL: this one */
    const char *pattern; /* of harness regex */
    const struct text_list *filters; /* globs, of which a case matches one; none: all */
    bool wall;                       /* harness command: wall time, not CPU time */
    int64_t slice_ns;                /* time for one case in a process; 0: 20 ms */
    int64_t time_ns;                 /* for all of it; 0: what 16 processes take */
    uint32_t processes;              /* of the first look; 0: 16, or what time allows */
    uint32_t threads;                /* CPUs that a process gets */
    double threshold;                /* of a change */
    bool strict, placement;          /* as of struct gate */
    const struct how *how;           /* CPUs, waiting, timeout */
};

/* The name of the harness whose mark a program's file has; NULL: none has, or the file is
 * simdbench itself. `command` may have arguments. */
const char *harness_recognise(const char *command, const char *cwd);
void harness_names(struct text_list *names);

/* Builds the commits, copies base, asks both for their cases, takes CPUs, and runs each
 * case once or twice to see how long it takes. The request and what it points to are used
 * until harness_close(). -EINVAL and the like name BASE or HEAD; -ENOENT: no case is
 * left; -ETIME: the time is not enough. */
int harness_open(const struct harness_request *request, struct harness **harness,
                 struct error *error);
void harness_close(struct harness *harness); /* NULL is allowed */

/* The plan of a measurement. */
struct harness_plan {
    const char *name;   /* of the harness */
    size_t n_cases;     /* cases of both builds */
    uint32_t processes; /* of each build, for each case, in the first look */
    size_t places;      /* at which each build is measured */
    int looks;          /* at most */
    bool equal;         /* both programs load the same bytes and get the same arguments */
    double seconds, slice_ns;    /* of the first look; of one process */
    double detectable;           /* roughly, after the first look; NaN: not known */
    double finer, finer_seconds; /* with four times the processes */
    struct plan settled;         /* its CPUs and their lock, for run_describe() */
};
const struct harness_plan *harness_plan(const struct harness *harness);
/* Prints the cases, for --dry-run. */
void harness_print(const struct harness *harness, FILE *file);
/* As ab_measure(). */
int harness_measure(struct harness *harness, uint64_t seed, const struct watcher *watcher,
                    struct run *run, struct error *error);
