/* SPDX-License-Identifier: Apache-2.0 */
/* Shared inside reports: numbers derived from counters by formulas. */
#ifndef SIMDBENCH_METRICS_H
#define SIMDBENCH_METRICS_H

#include "text.h"

/* NaN if the formula is none, or if something that it needs is not known. */
double metric_value(const struct run *run, const struct result *result,
                    const char *formula);
/* Gives all metrics that can be computed their values. */
void metrics_derive(const struct run *run, struct result *result);
/* Adds "IPC 3.120, stall share 12.30%": those that were asked for and have a value.
 * Returns false if there are none. */
bool metrics_text(const struct result *result, struct buffer *buffer);

#endif
