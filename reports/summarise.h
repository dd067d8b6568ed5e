/* SPDX-License-Identifier: Apache-2.0 */
/* Shared inside reports: what a result has to tell. */
#ifndef SIMDBENCH_SUMMARISE_H
#define SIMDBENCH_SUMMARISE_H

#include "reports.h"

/* True if the result was measured well enough to have a median, here or elsewhere. */
bool result_has_summary(const struct result *result);
/* Index behind the last result of the group that begins at `first`. */
size_t run_group_end(const struct run *run, size_t first);
/* Time of a call in a sample, without what the loop costs. */
double result_per_call(const struct result *result, size_t sample);

#endif
