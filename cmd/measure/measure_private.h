/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by run.c (groups in order), group.c (memory, reference), group_case.c (prepare,
 * check), rounds.c (calibration, batches), pacing.c (how many rounds), budget.c and
 * fairness.c. */
#pragma once

#include "measure/measure.h"

/* The first counters of every result; those of --events and --counters follow. */
enum usage_counter {
    USAGE_PAGE_FAULTS,
    USAGE_CONTEXT_SWITCHES,
    USAGE_TASK_CLOCK, /* nanoseconds of CPU time */
    USAGE_COUNTERS
};

/* group.c: memory, operands, references, prepare and check; 0, GROUP_RESTART, or an
 * errno. */
int group_prepare(struct group_state *group, struct error *error);
/* Only as far as the op's owner says whether it knows the group's input. */
int group_try_input(struct group_state *group, struct error *error);
/* The answers of a case's semiring, or NULL (group_case.c). */
const struct semiring_answers *group_find_answers(const struct group_state *group,
                                                  const struct case_state *entry);
extern const struct answer_places no_answers;
/* group_case.c: checks all cases that are left once more, on inputs that `seed` changes;
 * the same, or an errno with its error. */
int group_check_again(struct group_state *group, uint64_t seed, struct error *error);
/* copies.c: copies the code of the first case for those that run copies of it, once the
 * first is prepared. Like runner_ask(). */
int group_prepare_copies(struct group_state *group);
/* runner.c: a batch whose threads had to wait for their CPUs may show fewer of them than
 * work: it tells nothing. */
void runner_take_threads(struct result *result, const struct batch *batch);
/* rounds.c: calibrates the cases of a group; returns what runner_ask() does. */
int group_calibrate(struct group_state *group, struct error *error);
/* All rounds of groups that are calibrated; their cases take turns. The first one's
 * how and seed decide. */
int groups_measure(struct group_state *groups, size_t n, struct error *error);

/* run_arms.c: measures groups that take turns, from operands to the last round. When a
 * case breaks its worker, it begins again without that case. The first group has to be
 * set up; another one that cannot be, or for which time or memory is not enough, ends
 * with the reason. */
int run_groups(struct group_state *groups, size_t n, struct error *error);
/* run.c */
struct session session_begin(const struct how *how, struct catalog *catalog,
                             const struct plan *plan, const struct watcher *watcher,
                             struct run *run);
void note_core_share(const struct session *session);

/* pacing.c. Rounds end after `wanted` of them without a void batch, or once all medians
 * are precise, but not before each case has `alone` samples. `spare` batches may run
 * beside those of the wanted rounds, in place of others, for cases that are not hopeless.
 * The precision is looked at when the least number of samples reaches `look`, which then
 * doubles: more looks would end too often on intervals that are narrow by chance. */
struct pace {
    uint32_t wanted, alone, look;
    uint64_t cases, spare;
    int64_t began;       /* the run */
    const char *stopped; /* reason for their end */
};
struct turn {
    struct group_state *group;
    struct case_state *entry;
};
struct rounds {
    struct group_state *groups;
    size_t n_groups;
    struct session *lead; /* of the first group */
    struct turn *turns;
    size_t n;
    struct pace pace;
};
void pace_choose(struct rounds *all);
/* True after that many times as long as the plan has for all rounds together. */
bool pace_late(const struct rounds *rounds, double times);
bool pace_ends(struct rounds *rounds, uint32_t ran, uint32_t complete);
/* True if a batch that had company on its core may run again. It is then counted among
 * the spare batches. */
bool pace_again(struct rounds *rounds, const struct turn *turn, uint32_t round);
/* `ran`: the number of rounds; 0 after an interruption: cases without a sample stay
 * open. */
void pace_judge(struct rounds *rounds, uint32_t ran);

/* A limit from registers takes the same time in all calls of one thread. */
static inline bool is_steady(const struct group_state *group,
                             const struct case_state *entry)
{
    return case_is_limit(group, entry) && entry->offer->flags & SIMDBENCH_REGISTERS &&
           group->plan->settings.threads < 2;
}

/* prove.c: what all cases that are left execute; 0 or -EINTR. */
int group_prove(struct group_state *group, struct error *error);
/* A copy of the group gets operands of a shape with less work, the same in all runs. */
int prove_place(struct group_state *group, struct error *error);
/* Starts a worker that cases are traced in, if it does not run. */
int prove_ready(struct group_state *group, struct worker *worker, struct error *error);
/* Asks for a kernel with the group's shape. */
int prove_kernel(struct group_state *group, const struct case_state *entry,
                 struct worker *worker, struct prepared *prepared, struct error *error);
/* The reason why a worker's cases cannot be proved at all, or NULL. */
const char *prove_cannot(const struct group_state *group, const struct worker *worker);

/* builds.c: looks whether modules of the user were built without optimisation, once for
 * each of their kernels; 0 or -EINTR. */
int group_look_at_builds(struct group_state *group, struct error *error);
void builds_free(struct builds *builds);

/* prints.c: prints of the code of the user's cases; 0 or -EINTR. */
int group_take_prints(struct group_state *group);

/* budget.c: ends baselines that would take far longer than the kernels beside them. */
/* The time that the first call of a case may take. */
int64_t budget_first_call(const struct group_state *group,
                          const struct case_state *entry);
/* Ends a baseline as skipped if its rounds would take too long with such calls. */
bool budget_exceeded(struct group_state *group, struct case_state *entry, double call_ns);
/* proven.c: proofs of the run's events, for a request; and the proofs that a worker made,
 * which go into the run, the file of this host, and the counters of its cases. */
const struct proofs *proofs_known(struct session *session); /* NULL: no events */
void proofs_take(struct group_state *group, const struct worker *worker,
                 const cJSON *reply);
/* Counts of a case that cannot all be right are in doubt. */
void counters_contradict(const struct group_state *group, const struct case_state *entry);

/* fairness.c: a baseline that is no fair comparison gets result->unranked, and a note.
 * Each may be called again; the first reason stays until fairness_clear(). */
void fairness_clear(struct result *result);
/* A reference is no opponent. */
void fairness_implementation(struct result *result, const char *implementation);
/* `isa`: of what it chose for this case, NULL if it says nothing. */
void fairness_isa(struct result *result, const struct offer *offer, const char *isa);
/* `most`: the largest number of threads that any group of the run has. */
void fairness_alive(struct result *result, int alive, int most);
void fairness_used(struct result *result);
