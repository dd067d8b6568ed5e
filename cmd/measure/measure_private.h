/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by run.c (groups in order), group.c (memory, reference), group_case.c (prepare,
 * check), rounds.c (calibration, batches), budget.c and fairness.c. */
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
/* group_case.c: checks all cases that are left once more, on other inputs; the same, or
 * an errno with its error. */
int group_check_again(struct group_state *group, struct error *error);
/* rounds.c: calibration and all rounds. */
int group_measure(struct group_state *group, struct error *error);

/* prove.c: what all cases that are left execute; 0 or -EINTR. */
int group_prove(struct group_state *group, struct error *error);

/* budget.c: baselines that would take far longer than what they are compared with. */
/* How long the first call of a case may take. */
int64_t budget_first_call(const struct group_state *group,
                          const struct case_state *entry);
/* Ends a baseline as skipped if its rounds would take too long with such calls. */
bool budget_exceeded(struct group_state *group, struct case_state *entry, double call_ns);
/* proven.c: what is known of the run's events goes into a request, and what a worker has
 * proven into the run, the file of this host, and the counters of the worker's cases. */
void proofs_ask(struct session *session, cJSON *setup);
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
