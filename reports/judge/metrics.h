/* SPDX-License-Identifier: Apache-2.0 */
/* Private to judge/: numbers derived from counters by formulas. */
#pragma once

#include "judge.h"

/* Gives all metrics that can be computed their values. */
void metrics_derive(const struct run *run, struct result *result);
