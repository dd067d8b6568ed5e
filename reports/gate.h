/* SPDX-License-Identifier: Apache-2.0 */
/* Inside reports: the rules that comparisons of both kinds share. */
#ifndef SIMDBENCH_GATE_H
#define SIMDBENCH_GATE_H

#include "reports.h"

/* Each of two looks may err in this share of cases, both directions together: k = 4 of 16
 * processes err in 2.13%, 10 of 32 in 2.01%. */
#define GATE_ERROR 0.022

/* Both times are known, so there is a change. */
bool comparison_has_change(const struct comparison *comparison);
/* Holm's correction: sets holds[i] for the hypotheses that can be rejected together with
 * a probability of at most alpha that any of them is true. 0 or -ENOMEM. */
int gate_holm(const double *p, bool *holds, size_t n, double alpha);
/* The counts and the mean of a gate, from the verdicts of its cases. */
void gate_count(struct run *run);

#endif
