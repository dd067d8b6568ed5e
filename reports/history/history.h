/* SPDX-License-Identifier: Apache-2.0 */
/* History: runs in an SQLite database, and what it tells of a case over time. */
#pragma once

#include "model/model.h"

/* docs/history.md has the tables. history.c appends, history_read.c reads, history_text.c
 * writes what was read. In a build without SQLite (history_none.c) all but history_free()
 * return -ENOTSUP. */

/* In place of the fingerprint of runs that were read from files which tell no machine. */
#define HISTORY_NO_HOST "a machine that is not told"
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

/* A time after which a case takes longer, or less long, on a host than before. */
struct history_change {
    size_t at;            /* index of the first entry after it */
    size_t before, after; /* measured runs, up to the next such change on each side */
    double change; /* of the time: Hodges-Lehmann of the logarithms; 0.02 is slower */
    struct interval ci; /* by the Mann-Whitney test, were the runs independent */
};

struct history {
    struct history_entry *entries; /* by case, then host, then time */
    size_t n;
    struct history_change *changes; /* ascending, derived by history_find_changes() */
    size_t n_changes;
    /* Runs that compare builds and found more cases slower than faster, and the other way
     * round; derived by history_directions(). */
    struct directions gates;
};

/* Smaller changes are not looked for: equal code at other addresses differs by as much.
 */
#define HISTORY_LEAST_CHANGE 0.01
/* Index behind the entries of the same case and host as the one at `first`. */
size_t history_group_end(const struct history *history, size_t first);
/* Are there runs enough in [first, end), all of one case and host, to see a change? */
bool history_seen(const struct history *history, size_t first, size_t end);
/* Finds the changes in the last HISTORY_RUNS runs of each case and host that are ok, by
 * stats_change_points(): less than one case in a thousand without any seems to have one.
 * history_read() calls it. */
enum { HISTORY_RUNS = 300 };
void history_find_changes(struct history *history);

/* Reads what is known of the cases whose id is or matches (as a glob) the pattern; free
 * it with history_free(). */
int history_read(const char *path, const char *pattern, struct history *history,
                 struct error *error);
void history_free(struct history *history);
/* Appends the ids of all cases. */
int history_cases(const char *path, char ***ids, size_t *n, struct error *error);
/* The answer in words: how many cases take longer or less long than before, and the
 * largest of these changes (history_answer.c). */
struct answer history_answer(const struct history *history);
/* Tables, one for each case and host, with the changes below; or all as one CSV table.
 * -EIO or -errno. */
int history_write_text(const struct history *history, const struct text_page *page,
                       struct error *error);
int history_write_csv(const struct history *history, FILE *file, struct error *error);
struct json;
/* Makes the document of all entries and changes; the caller frees it. */
void history_json(const struct history *history, struct json *json);
