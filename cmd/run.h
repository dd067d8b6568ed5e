/* SPDX-License-Identifier: Apache-2.0 */
/* What run.c (groups in order), group.c (memory, reference), group_case.c (prepare,
 * check), rounds.c (calibration, batches) and fairness.c share. */
#ifndef SIMDBENCH_RUN_H
#define SIMDBENCH_RUN_H

#include "worker.h"

/* Batches last at least this long; calibration aims a tenth higher. */
#define BATCH_NS 500000.0
/* Where counters take turns, long enough to scale what they counted. */
#define MULTIPLEX_BATCH_NS (1.1 * COUNTERS_SCALABLE_NS)
enum { ROUNDS_MIN = 10, ROUNDS_MAX = 60, GROUP_CASES_MAX = 512 };

/* The first counters of every result; those of --events and --counters follow. */
enum usage_counter {
    USAGE_PAGE_FAULTS,
    USAGE_CONTEXT_SWITCHES,
    USAGE_TASK_CLOCK, /* nanoseconds of CPU time */
    USAGE_COUNTERS
};

struct session {
    const struct options *options;
    struct catalog *catalog;
    const struct plan *plan;
    struct run *run;
    int cpu[CPUS_MAX];
    size_t n_cpu;
    cJSON *thresholds;               /* of this host (thresholds.h), or NULL */
    struct event events[EVENTS_MAX]; /* of --events and --counters */
    size_t n_events;
    size_t counter_of_event[EVENTS_MAX]; /* index into result->counters */
    int64_t started;                     /* clock_now() */
    size_t groups_done;
    double probe_ns; /* batch time that may still be spent on clock probes */
    double *widths;  /* what each probe got of the core, see clock_width() */
    size_t n_widths;
    bool progress;    /* standard error is a terminal */
    int64_t drawn;    /* when progress was shown last */
    bool save_failed; /* the user was told */
};

struct case_state {
    const struct plan_case *plan;
    const struct offer *offer;
    size_t result;   /* index into run->results */
    uint64_t number; /* in its worker */
    int team;        /* threads that share its work, 0: its library decides */
    uint64_t iterations;
    double call_ns;
    /* What each event counts per call of an empty kernel, and in a region without one. */
    double empty_call[EVENTS_MAX], empty_region[EVENTS_MAX];
    bool active; /* still takes part in this group */
};

/* Right answers for one semiring, in shared memory. */
struct answers {
    const char *semiring;
    uint64_t n, index, value, slack; /* offsets; index UINT64_MAX: all outputs in order */
};

struct group_state {
    struct session *session;
    const struct plan_group *plan;
    size_t number;
    struct case_state *cases;
    size_t n_cases;
    size_t used_cpus; /* of session->cpu: one for each thread */
    uint64_t seed;
    uint64_t memory_bytes;
    uint64_t block; /* least that is reserved for operands, before the answers */
    struct operands_map map;
    struct answers answers[8];
    size_t n_answers;
    bool refused; /* the op does not know the --input that was asked for */
};

static inline struct result *case_result(const struct group_state *group,
                                         const struct case_state *entry)
{
    return &group->session->run->results[entry->result];
}
/* Ends a case with a status and a reason; it takes no further part. */
void case_end(struct group_state *group, struct case_state *entry, enum status status,
              const char *reason);
/* Asks the case's worker. On failure the case ends as wrong, failed or skipped and the
 * result is: 0 if the others can go on, GROUP_RESTART if the group must start again in
 * fresh workers, -EINTR. `done` tells whether it was answered. */
enum { GROUP_RESTART = 1 };
int case_ask(struct group_state *group, struct case_state *entry, cJSON *request,
             int64_t timeout_ns, cJSON **reply, bool *done);

/* group.c: memory, operands, references, prepare and check; 0, GROUP_RESTART, or an
 * errno. */
int group_prepare(struct group_state *group, struct error *error);
/* Only as far as the op's owner says whether it knows the group's input. */
int group_try_input(struct group_state *group, struct error *error);
/* The steps of it. group_place() gives operands and answers their places in the memory
 * file and empties it; group_offsets() moves operands alone, within group->block. */
int group_place(struct group_state *group, struct error *error);
int group_offsets(struct group_state *group, uint64_t seed, struct error *error);
/* Starts the worker if it does not run, and tells it where to run and what to count. */
int group_ready_worker(struct group_state *group, struct worker *worker,
                       struct error *error);
int group_map_worker(struct group_state *group, struct worker *worker, bool huge,
                     struct error *error);
/* The op's owner maps the operands and writes the inputs, then the right answers. */
int group_write_inputs(struct group_state *group, struct worker *owner,
                       struct error *error);
int group_write_answers(struct group_state *group, struct worker *owner,
                        struct error *error);
/* The answers that a case is compared with, or NULL (group_case.c); into a request. */
const struct answers *group_answers(const struct group_state *group,
                                    const struct case_state *entry);
void group_add_answers(const struct group_state *group, const struct answers *answers,
                       cJSON *request);
/* group_case.c: prepares and checks one case; like case_ask. */
int group_prepare_case(struct group_state *group, struct case_state *entry);
/* What one batch said (rounds.c). */
struct batch {
    double ns, cpu_ns, process_ns;
    int threads; /* that did something */
    bool void_;  /* on evidence: preempted, migrated, or a major fault */
    cJSON *reply;
};
/* Reads the reply, which stays the caller's. */
struct batch batch_read(cJSON *reply);
/* Clock ticks stolen from the CPUs so far. */
int64_t group_steal(const struct group_state *group);
/* rounds.c: calibration and all rounds. */
int group_measure(struct group_state *group, struct error *error);
/* accuracy.c: in place of group_measure, cases that were checked are done. */
void group_accept(struct group_state *group);
/* Errors of every kernel in every input: one table for each type and shape. */
void accuracy_print(const struct plan *plan, const struct run *run,
                    const struct catalog *catalog, FILE *file);

/* fairness.c: a baseline that is no fair comparison gets result->unranked, and a note.
 * Each may be called again; the first reason stays until fairness_clear(). */
void fairness_clear(struct result *result);
/* `isa`: of what it chose for this case, NULL if it says nothing. */
void fairness_isa(struct result *result, const struct offer *offer, const char *isa);
/* `most`: the largest number of threads that any group of the run has. */
void fairness_alive(struct result *result, int alive, int most);
void fairness_used(struct result *result);
/* A group may start again; its notes do not repeat. NULL is no note. */
void note_once(struct result *result, const char *note);

/* run.c: the first steps of a run. `g`: number of the group, `c`: of its case, `first`:
 * of its first result. group->cases is the caller's to free. */
uint32_t options_most_threads(const struct options *options);
int session_choose_cpus(struct session *session, struct error *error);
int session_add_result(struct session *session, size_t g, size_t c);
int group_begin(struct session *session, size_t g, size_t first,
                struct group_state *group, struct error *error);
/* No case disappears: what never ran is skipped, and says why. */
void run_close_pending(struct run *run, size_t group, const char *reason);

void session_progress(const struct group_state *group, uint32_t round, uint32_t rounds);

#endif
