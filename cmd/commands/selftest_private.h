/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by selftest_gates.c, selftest_text.c (the table) and selftest_file.c (its
 * file). */
#pragma once

#include "reports.h"

/* A line that sums up the last selftest of this host; NULL: there is none. To be freed.
 */
char *selftest_known(const char *fingerprint);
void selftest_print(const struct selftest *selftest, FILE *file);
/* Keeps it where ab looks. */
int selftest_keep(const struct selftest *selftest, struct error *error);
int selftest_write(const void *selftest, enum format format, FILE *file,
                   struct error *error);
