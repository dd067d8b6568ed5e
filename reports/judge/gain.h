/* SPDX-License-Identifier: Apache-2.0 */
/* The gain of a case by more threads, from a run that has it with one and with more. */
#pragma once

#include "model/model.h"

struct gain {
    double times; /* as fast as one thread; NaN: no round has both */
    struct interval ci;
};

bool gain_measured(const struct result *result);
/* Paired by round; what many threads do more counts as well. */
struct gain gain_between(const struct result *one, const struct result *many);
/* The case with that many threads, or NULL. */
const struct result *gain_partner(const struct run *run, const struct result *one,
                                  uint32_t threads);
/* The least work (operations of a call), and a shape that has it, from which on no group
 * has a kernel whose interval lies below 1, and the geometric mean of its kernels lies
 * above; groups that were not measured do not count. INFINITY: there is none; NaN:
 * nothing was measured. */
double gain_least_work(const struct run *run, uint32_t threads, const char **shape);
