/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two builds against each other, now and here (docs/gate.md): base, head and a copy of
 * base take turns in fresh processes. Opened once, a comparison can be measured any
 * number of times.
 */
#pragma once

#include "measure/measure.h"

struct ab;

struct ab_request {
    const char *base,
        *head;             /* FILE[,option=value...] each: two modules or two programs */
    const char *functions; /* FILE.json: both are libraries that have them; or NULL */
    const struct request *what; /* its op NULL: all that they offer */
    const struct how *how;      /* but the seed */
    uint32_t processes;         /* of the first look; 0: 16 */
    double threshold;           /* of a change */
    bool strict, code;          /* as of struct gate */
    bool as_built;              /* the code stays where it is */
    bool placement;             /* as of struct gate */
};

/* One measurement of it. */
struct ab_gate {
    uint64_t seed;
    double extra_work; /* 0.02: head really makes 2% more calls than its time is divided
                          by, as if each took 2% longer; a gate should find that */
    double built_work; /* the same in batches of head as built alone, as if the linker
                          had put its code at a bad place */
    bool times_alone;  /* equal code proves nothing: a test of what the times say */
};

/* Finds, copies and probes the builds, and plans what both can do. The request and what
 * it points to are used until ab_close(). -EINVAL and the like name BASE or HEAD. */
int ab_open(const struct ab_request *request, struct ab **ab, struct error *error);
void ab_close(struct ab *ab); /* NULL is allowed */
const struct catalog *ab_catalog(const struct ab *ab);
const struct plan *ab_plan(const struct ab *ab);
/* A rough estimate of the time of ab_measure(). */
double ab_seconds(const struct ab *ab);
/* Fills a run, which run_describe() may have begun, judged and summarised: results,
 * their comparisons, and the gate. -EINTR leaves what there is, good to be saved. The
 * watcher may be NULL; the run that it gets is judged and summarised. */
int ab_measure(struct ab *ab, const struct ab_gate *gate, const struct watcher *watcher,
               struct run *run, struct error *error);
