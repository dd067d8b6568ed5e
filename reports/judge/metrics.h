/* SPDX-License-Identifier: Apache-2.0 */
/* Private to judge/: numbers derived from counters by formulas. */
#pragma once

#include "judge.h"

/* NaN if the formula is none, or if something that it needs is not known. */
double metric_value(const struct run *run, const struct result *result,
                    const char *formula);
/* Gives all metrics that can be computed their values. */
void metrics_derive(const struct run *run, struct result *result);
