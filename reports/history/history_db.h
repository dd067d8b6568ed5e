/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by history.c (appends) and history_read.c: an SQLite database of runs. */
#pragma once

#include <sqlite3.h>

#include "history.h"

enum { HISTORY_APPLICATION = 0x73696d64 /* "simd" */, HISTORY_VERSION = 1 };

/* Makes the tables of an empty database. */
extern const char history_schema[];

struct database {
    sqlite3 *sqlite;
    const char *path;
    int patience; /* number of times that HISTORY_STEPS instructions may still run */
};
enum { HISTORY_STEPS = 1000000, HISTORY_PATIENCE = 5000 };

/* Opens with sqlite3_open_v2() flags; waits for others that write. Nothing that is stored
 * in the database runs: no trigger, no view. A query that does not end is ended.
 * `database` must not move afterwards. */
int database_open(struct database *database, const char *path, int flags,
                  struct error *error);
void database_close(struct database *database);
/* Sets the error to SQLite's and returns it as a negative errno. `doing`: "append to". */
int database_error(const struct database *database, const char *doing, int code,
                   struct error *error);
/* -EINVAL if it is the database of somebody else or of another version, or if a table or
 * index is not as history_schema makes it. `empty`: nothing is in it yet. */
int database_check(const struct database *database, bool *empty, struct error *error);
