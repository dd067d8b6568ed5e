/* SPDX-License-Identifier: Apache-2.0 */
/* History: runs in an SQLite database, and what it tells of a case over time. */
#pragma once

#include <stdio.h>

#include "model/model.h"

/* docs/history.md has the tables. history.c appends, history_read.c reads, history_text.c
 * writes what was read. In a build without SQLite (history_none.c) all but history_free()
 * return -ENOTSUP. */

/* Appends a run, all or nothing of it, to a database that is made if it is not there.
 * Several processes may do so at once. Results of merged runs stay behind. A fact "label"
 * of the settings is the label of the run. -EINVAL: the file is no history. */
int history_append(const char *path, const struct run *run, struct error *error);
/* 0 if `path` is or may become a history that can be appended to. Makes no file. */
int history_check(const char *path, struct error *error);

/* One case in one run. */
struct history_entry {
    char *id, *fingerprint, *cpu, *started_at, *commit, *label, *status, *reason;
    double median_ns; /* of head, if builds were compared; NaN: not measured */
    struct interval ci_ns;
    double change;   /* of the median since the entry before, unpaired; or NaN */
    char *verdict;   /* NULL: no builds were compared */
    double compared; /* the change between these builds; or NaN */
    struct interval compared_ci;
};

struct history {
    struct history_entry *entries; /* by case, then host, then time */
    size_t n;
};

/* Reads what is known of the cases whose id is or matches (as a glob) the pattern; free
 * it with history_free(). */
int history_read(const char *path, const char *pattern, struct history *history,
                 struct error *error);
void history_free(struct history *history);
/* Appends the ids of all cases. */
int history_cases(const char *path, char ***ids, size_t *n, struct error *error);
/* Tables, one for each case and host; or all as one CSV table. -EIO or -errno. */
int history_write_table(const struct history *history, FILE *file, struct error *error);
int history_write_csv(const struct history *history, FILE *file, struct error *error);
/* The document {"schema_version": 1, "cases": [...]}: an object for each case and host,
 * whose "runs" have members named like those of an entry. The caller looks at `failed`
 * and frees it. */
struct json;
void history_json(const struct history *history, struct json *json);
