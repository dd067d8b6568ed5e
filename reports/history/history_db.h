/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by history.c (appends) and history_read.c: an SQLite database of runs. */
#pragma once

#include <sqlite3.h>

#include "history.h"

enum { HISTORY_APPLICATION = 0x73696d64 /* "simd" */, HISTORY_VERSION = 1 };

struct database {
    sqlite3 *sqlite;
    const char *path;
};

/* Opens with sqlite3_open_v2() flags; waits for others that write. */
int database_open(struct database *database, const char *path, int flags,
                  struct error *error);
void database_close(struct database *database);
/* Sets the error to SQLite's and returns it as a negative errno. `doing`: "append to". */
int database_error(const struct database *database, const char *doing, int code,
                   struct error *error);
/* -EINVAL if it is the database of somebody else, or of another version. `empty`: nothing
 * is in it yet. */
int database_check(const struct database *database, bool *empty, struct error *error);
