/* SPDX-License-Identifier: Apache-2.0 */
/* A history in a folder of its own for each FRESH_TEST, and what SQLite finds in
 * it. */
#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include "sample_run.h"
#include "unit.h"

#define FRESH_TEST(name) TEST_BETWEEN(name, new_path, remove_path)

static char folder[] = "/tmp/test_history.XXXXXX";
static char path[100]; /* of a history that is not there yet when a test begins */

static inline int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    return rmdir(folder); /* fails if a test left a file, or SQLite a journal */
}

TESTS_BETWEEN(make_folder, remove_folder)

static inline int new_path(void **state)
{
    snprintf(path, sizeof path, "%s/h.sqlite", folder);
    return 0;
}

static inline int remove_path(void **state)
{
    return unlink(path) == 0 || errno == ENOENT ? 0 : -1;
}

static inline void append(const struct run *run)
{
    struct error error = {.text = ""};
    if (history_append(path, run, &error) != 0)
        fail_msg("%s", error.text);
}

static inline struct history read_all(const char *pattern)
{
    struct error error = {.text = ""};
    struct history history;
    if (history_read(path, pattern, &history, &error) != 0)
        fail_msg("%s", error.text);
    return history;
}

/* The first cell of what a query gives, as text; free() it. */
static inline char *query(const char *sql)
{
    sqlite3 *database;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    const char *const text = (const char *)sqlite3_column_text(row, 0);
    char *const copy = strdup(text ? text : "NULL");
    sqlite3_finalize(row);
    sqlite3_close(database);
    assert_non_null(copy);
    return copy;
}

static inline void assert_query(const char *sql, const char *expected)
{
    char *const text = query(sql);
    assert_string_equal(text, expected);
    free(text);
}

static inline long count(const char *sql)
{
    char *const text = query(sql);
    const long n = strtol(text, NULL, 10);
    free(text);
    return n;
}

static inline void execute(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
}
