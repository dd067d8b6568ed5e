/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One warm team of threads, for simdbench's own kernels: no OpenMP, because a second
 * runtime in this process would take over the one that libraries bring.
 *
 * A helper that has done its part waits for the next one in a loop, so that calls which
 * follow each other cost little; team_rest() sends all of them to sleep, so that whoever
 * is measured next has the CPUs. Only one thread may use the team.
 */
#pragma once

#include <stddef.h>

#include "error.h"

enum { TEAM_MAX = 1024 };

/* Part `index` of `count`. */
typedef void team_part(void *context, uint32_t index, uint32_t count);

/* Makes the team at least that large and pins thread i to the i-th of the CPUs, beginning
 * again where there are too few; n = 0 pins nobody. Thread 0 is the caller. -EINVAL for
 * no thread or more than TEAM_MAX, or why there is no thread or no such CPU. */
int team_start(uint32_t threads, const int *cpu, size_t n, struct error *error);
/* Runs all parts, part 0 in the caller, and returns when all are done. At most as many as
 * team_start() made; one part is a plain call. */
void team_run(uint32_t threads, team_part *part, void *context);
/* Returns when all helpers are asleep. */
void team_rest(void);
/* Ends the helpers. */
void team_stop(void);
