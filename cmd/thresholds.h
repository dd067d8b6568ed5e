/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From how much work on several threads are faster: measured by `simdbench threads OP`,
 * kept host by host in $XDG_CONFIG_HOME/simdbench/threads.json, used by every run.
 *
 *   {"schema_version": 1, "hosts": {FINGERPRINT: {OP: [{"threads": 2, "ops": 1000}]}}}
 *
 * `ops` is the operations of a call; null: not at any size that was measured.
 */
#ifndef SIMDBENCH_THRESHOLDS_H
#define SIMDBENCH_THRESHOLDS_H

#include <cjson/cJSON.h>

#include "cmd.h"

struct threshold {
    uint32_t threads;
    double ops; /* INFINITY: at no size */
};

/* What was measured on this host; *host is NULL if nothing was. -EINVAL for a file that
 * cannot be understood. */
int thresholds_read(const char *fingerprint, cJSON **host, struct error *error);
/* How many of `threads` a call of that work should have, and into `ops`, if these are
 * fewer, from how much work on the next larger team is worth while. */
uint32_t thresholds_threads(const cJSON *host, const char *op, double work,
                            uint32_t threads, double *ops);
/* Replaces those of one op. `path` becomes the name of the file. */
int thresholds_save(const char *fingerprint, const char *op,
                    const struct threshold *thresholds, size_t n, char *path,
                    size_t path_size, struct error *error);

#endif
