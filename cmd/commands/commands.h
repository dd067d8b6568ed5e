/* SPDX-License-Identifier: Apache-2.0 */
/* Room commands: what main() starts for each word; all of them return an exit status.
 * Doctor and license are rooms of their own. */
#pragma once

#include "cli/cli.h"

/* `simdbench gemm ...` and `simdbench all`. */
int command_op(struct options *options);
/* Saved runs as text. */
int command_report(struct options *options);
/* Two builds, measured against each other. */
int command_ab(struct options *options);
/* Two runs from files, case by case. */
int command_compare(struct options *options);
int command_history(struct options *options);
int command_list(struct options *options);
/* Measures what several threads gain, and from how much work on. */
int command_threads(struct options *options);
/* How often gates on this machine say what is true. */
int command_selftest(struct options *options);

/* Lists the groups of counters of a CPU (NULL: this one) whose names match; returns how
 * many (info_groups.c). */
size_t groups_print(const char *uarch, const char *pattern);
