/* SPDX-License-Identifier: Apache-2.0 */
/* Room explain: why a kernel is as fast as it is. */
#pragma once

#include "cli/cli.h"

/* `simdbench explain CASE...|OP`; returns an exit status. */
int explain_run(struct options *options);
/* The same of one case on CPUs that are locked, without a word: the run has its result
 * alone, with the explanation if there is one. */
int explain_case(const struct options *options, const char *id, struct run **run,
                 struct error *error);
