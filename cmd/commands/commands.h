/* SPDX-License-Identifier: Apache-2.0 */
/* Room commands: what main() starts for each word; all of them return an exit status.
 * Doctor and license are rooms of their own. */
#pragma once

#include "cli/cli.h"

/* `simdbench gemm ...` and `simdbench all`. */
int command_op(struct options *options);
/* A function of any library, from its prototype. */
int command_call(struct options *options);
/* All functions of an op beside the one that chooses among them. */
int command_audit(struct options *options);
/* Saved runs as text. */
int command_report(struct options *options);
/* Two builds, measured against each other. */
int command_ab(struct options *options);
/* The reasons for the speed of a kernel. */
int command_explain(struct options *options);
/* Programs of another harness against each other: whether the words of ab mean that, and
 * the command then. */
bool harness_is_meant(const struct options *options);
int command_harness(struct options *options);
/* Two runs from files, case by case. */
int command_compare(struct options *options);
int command_history(struct options *options);
int command_list(struct options *options);
/* Measures what several threads gain, and from how much work on. */
int command_threads(struct options *options);
/* The share of gates on this machine that say the truth. */
int command_selftest(struct options *options);
/* The line that `ab` cites of the last one on that host, the caller's; NULL: nothing. */
char *selftest_known(const char *fingerprint);

/* Writes a plug-in to begin with. */
int command_new_plugin(struct options *options);

/* Names the files that may run code and write files. */
int command_trust(struct options *options);

/* Completion for shells, and pages of the manual. */
int command_completion(struct options *options);
int command_man(struct options *options);

/* --output: standard output is kept until the end, and the file is replaced then. 1; 0
 * if there is nothing to do: redirect_end() is for 1 alone; or a negative errno
 * (redirect.c). */
int redirect_begin(const struct options *options, struct error *error);
int redirect_end(const char *path, struct error *error);
bool redirect_is_empty(void);

/* Lists what the project file and the environment say; returns how many match
 * (info_settings.c). */
size_t settings_print(const struct options *options, const char *pattern);
/* The subjects of `simdbench list`. */
void list_topics(struct text_list *names);
/* Lists the groups of counters of a CPU (NULL: this one) whose names match; returns how
 * many (info_groups.c). */
size_t groups_print(const char *uarch, const char *pattern);
