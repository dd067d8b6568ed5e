/* SPDX-License-Identifier: Apache-2.0 */
/* Private to judge/: the rules that comparisons of both kinds share. A gate counts the
 * verdicts of its cases. */
#pragma once

#include "judge.h"

/* Each of two looks may err in this share of cases, both directions together: k = 4 of 16
 * processes err in 2.13%, 10 of 32 in 2.01%. */
#define GATE_ERROR 0.022
/* The size of a line of the instruction cache. */
#define LINE_BYTES 64

/* Nothing but the places of code and data differs (code_place.c). */
bool comparison_is_proven(const struct comparison *comparison);
/* Makes a case PLACED that is no slower at its best places, and slower as built; and one
 * of which nothing but places differs PLACED or SAME. */
void judge_as_built(struct comparison *comparison);
/* Takes down where the hottest loops of two stored runs lie; a change that their place
 * may explain is INCONCLUSIVE. */
void judge_stored_place(struct result *result);

/* Turns an interval of logarithms of ratios into one of changes: ln 1.02 is 0.02. */
struct interval interval_as_change(struct interval logs);
/* Holm's correction: sets holds[i] for the hypotheses that can be rejected together with
 * a probability of at most alpha that any of them is true. */
void gate_holm(const double *p, bool *holds, size_t n, double alpha);
/* Sets the verdicts of cases whose changes are derived, with Holm's correction over all
 * of them. */
void comparisons_decide(struct comparison **list, size_t n, double threshold);
/* Sets verdict and reason, and returns the verdict; without a format there is no reason.
 */
__attribute__((format(printf, 3, 4))) enum verdict
comparison_set(struct comparison *comparison, enum verdict verdict, const char *format,
               ...);
/* Sets what code that is the same in both runs changed by (drift.c). */
void drift_find(const struct run *base, const struct run *head, struct gate *gate);
/* The counts and the mean of a gate, from the verdicts of its cases. */
void gate_count(struct run *run);

/* A case of two stored runs. */
struct pair {
    const struct run *base_run, *head_run;
    struct result *base, *head;
};
/* The change of the machine as a whole, as a logarithm; 0: not known. */
double stored_machine(const struct gate *gate);
/* The time of a call of the faster half of a run's batches, their first quartile, as a
 * logarithm: other programs prolong calls and never shorten them (stored_times.c). */
struct quartile stored_time(const struct result *result);
/* Sets times, change and floor of the comparison of `head`. */
void stored_times(const struct pair *pair, const struct gate *gate);
/* True of files of other programs. A change of one's own code that may be the machine's
 * is INCONCLUSIVE (stored_doubt.c). */
bool stored_are_foreign(const struct pair *pair);
void stored_doubt(const struct gate *gate, const struct pair *pair);
