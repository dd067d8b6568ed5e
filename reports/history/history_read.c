/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "history.h"
#include "history_db.h"
#include "text/text.h"

static int by_run(const void *left, const void *right)
{
    const struct history_entry *const *a = left, *const *b = right;
    const int order = strcmp((*a)->started_at, (*b)->started_at);

    return order ? order : strcmp((*a)->fingerprint, (*b)->fingerprint);
}

/* 1: it seems slower; -1: faster; 0: neither. */
static int direction(const struct history_entry *entry)
{
    return !entry->verdict                        ? 0
           : !strcmp(entry->verdict, "REGRESSED") ? 1
           : !strcmp(entry->verdict, "IMPROVED")  ? -1
                                                  : 0;
}

/* A run counts once, however many of its cases changed: they share its machine. */
static void history_directions(struct history *history)
{
    const size_t n = history->n;
    FREED_BY(free_memory) const struct history_entry **list =
        must_have(malloc((n + 1) * sizeof *list));
    size_t slower = 0, faster = 0;

    for (size_t i = 0; i < n; i++)
        list[i] = &history->entries[i];
    qsort(list, n, sizeof *list, by_run);
    for (size_t first = 0, end; first < n; first = end) {
        int sum = 0;
        for (end = first; end < n && by_run(&list[first], &list[end]) == 0; end++)
            sum += direction(list[end]);
        slower += sum > 0;
        faster += sum < 0;
    }
    history->gates = stats_directions(slower, faster);
}

/* A pattern finds roofs only if it begins with "roof". A case that several groups of a
 * run have is read once. */
static const char entries_sql[] =
    "SELECT name, fingerprint, ifnull(cpu, ''), started_at, ifnull(tool_commit, ''),"
    " ifnull(label, ''), status, ifnull(results.reason, ''), verdict,"
    " ifnull(iif(processes > 0, head_ns, NULL), median_ns),"
    " iif(ifnull(processes, 0) > 0 AND head_ns IS NOT NULL, NULL, ci_lo_ns), ci_hi_ns, "
    "ci_level, change, change_lo,"
    " change_hi, change_level"
    " FROM cases JOIN results ON results.case_id = cases.id"
    " JOIN runs ON runs.id = results.run JOIN hosts ON hosts.id = runs.host"
    " LEFT JOIN comparisons ON comparisons.result = results.id"
    " WHERE (name = ?1 OR name GLOB ?1) AND (role <> 'roof' OR ?1 GLOB 'roof*')"
    " AND results.id = (SELECT min(other.id) FROM results AS other"
    "  WHERE other.case_id = results.case_id AND other.run = results.run)"
    " ORDER BY name, fingerprint, started_at, runs.id, results.id";

/* Reads the columns of a row in order, as the writer fills them. */
struct reader {
    sqlite3_stmt *row;
    int column;
};

/* A file that was tampered with has NULL in any column. */
static char *text(struct reader *reader, const char *otherwise)
{
    return copy_text((const char *)sqlite3_column_text(reader->row, reader->column++)
                         ?: otherwise);
}

/* NaN for what is no number from `least` up. */
static double number(struct reader *reader, double least)
{
    const int at = reader->column++, type = sqlite3_column_type(reader->row, at);
    const double value = type == SQLITE_FLOAT || type == SQLITE_INTEGER
                             ? sqlite3_column_double(reader->row, at)
                             : NAN;
    return isfinite(value) && value >= least ? value : NAN;
}

static struct interval interval(struct reader *reader, double least)
{
    struct interval interval = {.lo = number(reader, least)};
    interval.hi = number(reader, least);
    interval.level = number(reader, 0);
    interval.known = isfinite(interval.lo) && isfinite(interval.hi);
    return interval;
}

static void add_entry(sqlite3_stmt *row, void *context)
{
    struct history *const history = context;
    struct reader reader = {.row = row};

    struct history_entry *const entry = LIST_ADD(history, entries, n);
    entry->change = NAN;
    char **const texts[] = {
        &entry->id,         &entry->fingerprint, &entry->cpu,
        &entry->started_at, &entry->commit,      &entry->label,
        &entry->status,     &entry->reason,      &entry->verdict,
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        *texts[i] = text(&reader, texts[i] == &entry->verdict ? NULL : "");
    entry->median_ns = number(&reader, 0);
    entry->ci_ns = interval(&reader, 0);
    entry->compared = number(&reader, -1);
    entry->compared_ci = interval(&reader, -1);
}

/* Rows of one case and host stand together; those without a time are passed over. */
static void derive_changes(struct history *history)
{
    const struct history_entry *before = NULL;

    FOR_EACH (struct history_entry, entry, history->entries, history->n) {
        if (before && (strcmp(before->id, entry->id) != 0 ||
                       strcmp(before->fingerprint, entry->fingerprint) != 0))
            before = NULL;
        if (!(entry->median_ns > 0))
            continue;
        if (before)
            entry->change = entry->median_ns / before->median_ns - 1;
        before = entry;
    }
}

/* Opens a database that can be read from, and prepares a query. */
static int ask(struct database *database, const char *path, const char *sql,
               sqlite3_stmt **query, struct error *error)
{
    bool empty = false;
    int status = database_open(database, path, SQLITE_OPEN_READONLY, error);

    *query = NULL;
    if (status == 0)
        status = database_check(database, &empty, error);
    if (status == 0 && !empty) {
        const int code = sqlite3_prepare_v2(database->sqlite, sql, -1, query, NULL);
        if (code != SQLITE_OK)
            status = database_error(database, "read", code, error);
    }
    return status;
}

/* Calls `add` for each row that a query gives; ?1 stands for `pattern`. */
static int read_rows(const char *path, const char *sql, const char *pattern,
                     void (*add)(sqlite3_stmt *row, void *context), void *context,
                     struct error *error)
{
    FREED_BY(database_close) struct database database = {.sqlite = NULL};
    sqlite3_stmt *query;
    int code = SQLITE_DONE;
    int status = ask(&database, path, sql, &query, error);

    if (query)
        code =
            pattern ? sqlite3_bind_text(query, 1, pattern, -1, SQLITE_STATIC) : SQLITE_OK;
    while (status == 0 && (code == SQLITE_OK || code == SQLITE_ROW)) {
        code = sqlite3_step(query);
        if (code == SQLITE_ROW)
            add(query, context);
    }
    if (status == 0 && code != SQLITE_DONE)
        status = database_error(&database, "read", code, error);
    sqlite3_finalize(query);
    return status;
}

int history_read(const char *path, const char *pattern, struct history *history,
                 struct error *error)
{
    *history = (struct history){.n = 0};
    int status = read_rows(path, entries_sql, pattern, add_entry, history, error);

    if (status < 0) {
        history_free(history);
        return status;
    }
    derive_changes(history);
    history_find_changes(history);
    history_directions(history);
    return 0;
}

struct names {
    char ***list;
    size_t *n;
};

static void add_name(sqlite3_stmt *row, void *context)
{
    const struct names *const names = context;

    strings_add(names->list, names->n, (const char *)sqlite3_column_text(row, 0) ?: "");
}

int history_cases(const char *path, char ***ids, size_t *n, struct error *error)
{
    struct names names = {ids, n};

    return read_rows(path, "SELECT name FROM cases ORDER BY name", NULL, add_name, &names,
                     error);
}
