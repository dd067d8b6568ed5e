/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIMDBENCH_INFO_GROUPS_H
#define SIMDBENCH_INFO_GROUPS_H

#include <stddef.h>

/* Lists the groups of counters of a CPU (NULL: this one) whose names match; returns how
 * many. */
size_t groups_print(const char *uarch, const char *pattern);

#endif
