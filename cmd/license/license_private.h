/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by license.c (the command, and what is left of the clock for the ops),
 * license_probe.c (the clock under each class of work) and license_counters.c (its
 * licences). */
#pragma once

#include "cli/cli.h"
#include "kernels.h"
#include "perfctr.h"

/* Cycles and licence events of the calling thread, counted in one group. */
struct license_counters {
    struct counters *perf;     /* NULL: there are none */
    size_t n;                  /* licence events */
    int level[LICENSE_LEVELS]; /* the licence that each of them counts, ascending */
    char top[64];              /* the event of the highest licence */
};

/* Opens the licence events that such a CPU has. Without any, `perf` is NULL and `why`
 * says so; -ENOMEM. */
int license_counters_open(const struct uarch *uarch, const struct perf_system *system,
                          struct license_counters *counters, char *why, size_t size,
                          struct error *error);
void license_counters_close(struct license_counters *counters);
/* Makes room for shares of `rounds` rounds, if there are counters. */
void license_levels_make(const struct license_counters *counters, size_t rounds,
                         struct license_class *class);
/* Makes shares of the counts of the last region: those of licences are shares of their
 * sum, as both threads of a core take part in them. */
void license_levels_read(const struct license_counters *counters,
                         struct license_class *class, size_t round);

/* Measures every class of the scope, whose name and CPUs are set, in `rounds` rounds.
 * `counters` (or NULL) are the licence events, counted on one core only; -ENOMEM, or what
 * pinning to the CPUs said. */
int license_probe(struct license_scope *scope, size_t rounds, uint64_t seed,
                  const struct license_counters *counters, struct error *error);
void license_scope_free(struct license_scope *scope);
