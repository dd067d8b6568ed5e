/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room studies: `simdbench study`. A study's arms become cases, which are measured in
 * common rounds; what its claims measure becomes points of their checks. All verdicts are
 * those of reports/study.
 */
#pragma once

#include "cli/cli.h"

/* Returns an exit status. */
int command_study(struct options *options);
/* Calls `each` for the studies that the program brings with it. */
void studies_each(void (*each)(const char *name, const char *title, void *context),
                  void *context);
