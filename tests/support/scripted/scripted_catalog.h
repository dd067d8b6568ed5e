/* SPDX-License-Identifier: Apache-2.0 */
/* Scripted workers offer these ops and kernels. */
#pragma once

#include "cli/cli.h"
#include "plan/plan.h"
#include "scripted_worker.h"

/* A kernel that is on offer. */
struct row {
    const char *op, *semiring, *type, *isa, *variant, *layout, *roof;
    uint32_t flags;
};
/* Adds a worker that runs, with its description; `ops` is JSON. Without a path it is for
 * own kernels. */
struct worker *script_worker(struct catalog *catalog, const char *name, const char *path,
                             const char *ops, const struct row *rows, size_t n);
/* Adds what a worker describes. */
void script_offer(struct catalog *catalog, struct worker *worker);
/* Ops mul (two semirings), fold (two layouts) and roof; and a catalog with kernels of
 * them, a library and a plug-in for mul. */
extern const char script_ops[];
void script_catalog(struct catalog *catalog);
/* The plan of a command line, words with a blank between them: 0 or an error. */
int script_plan(const char *words, const struct catalog *catalog, struct options *options,
                struct plan *plan, struct error *error);
