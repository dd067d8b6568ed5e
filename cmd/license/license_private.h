/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by license.c, license_probe.c (the clock under each class of work) and
 * license_measure.c (what is left of it for the ops). */
#pragma once

#include "cli/cli.h"
#include "kernels.h"
#include "perfctr.h"
#include "reports.h"

/* Measures every class of the scope, whose name and CPUs are set, in `rounds` rounds.
 * `counters` (or NULL) are the licence events, counted on one core only; -ENOMEM, or what
 * pinning to the CPUs said. */
int license_probe(struct license_scope *scope, size_t rounds, uint64_t seed,
                  struct counters *counters, struct error *error);
void license_scope_free(struct license_scope *scope);

/* Runs each op with avx512 and the widest narrower instruction set that is here; waits
 * for a CPU so long. */
int license_measure_net(int64_t wait_ns, struct license *license, bool progress,
                        struct error *error);
