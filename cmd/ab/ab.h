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
    const char *functions; /* FILE.json declares functions of two libraries; or NULL */
    const struct request *what; /* op NULL: every op that both builds offer */
    const struct how *how;      /* the seed is that of struct ab_gate */
    uint32_t processes;         /* before the first verdict; 0: 16 */
    double threshold;           /* the smallest change that counts */
    bool strict, code;          /* as in struct gate */
    bool as_built;              /* no copies: the code stays where it is */
    bool placement;             /* as in struct gate */
};

/* One measurement of it. */
struct ab_gate {
    uint64_t seed;
    double extra_work; /* 0.02: head makes 2% more calls than its time is divided by, so
                          that each call seems to take 2% longer. A gate should find it */
    double built_work; /* the same, but only for batches of head as built, as if the
                          linker had put its code at a bad place */
    bool times_alone;  /* equal code proves nothing, so that the times decide */
};

/* Finds, copies and probes the builds, and plans the cases that both have. The request
 * and all that it points to stay in use until ab_close(). Errors name BASE or HEAD. */
int ab_open(const struct ab_request *request, struct ab **ab, struct error *error);
void ab_close(struct ab *ab); /* NULL is allowed */
const struct catalog *ab_catalog(const struct ab *ab);
const struct plan *ab_plan(const struct ab *ab);
/* A rough estimate of the time of ab_measure(). */
double ab_seconds(const struct ab *ab);
/* Adds results, their comparisons and the gate to a run that is empty or comes from
 * run_describe(), then judges and summarises it. After -EINTR the run has all that was
 * measured, and can be saved. The watcher may be NULL; it gets a run that is judged and
 * summarised. */
int ab_measure(struct ab *ab, const struct ab_gate *gate, const struct watcher *watcher,
               struct run *run, struct error *error);
