/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "history_db.h"
#include "text/text.h"

enum { WAIT_MS = 5000 };

/* A file with another text is refused: a change needs another HISTORY_VERSION. */
const char history_schema[] =
    "CREATE TABLE hosts( id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE,"
    " cpu TEXT);"
    "CREATE TABLE runs( id INTEGER PRIMARY KEY,"
    " host INTEGER NOT NULL REFERENCES hosts(id), started_at TEXT NOT NULL, label TEXT,"
    " tool_version TEXT, tool_commit TEXT, tool_compiler TEXT, tool_flags TEXT,"
    " argv TEXT NOT NULL, seed TEXT, interrupted INTEGER NOT NULL, gate TEXT,"
    " threshold REAL, refused TEXT);"
    "CREATE TABLE cases( id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, op TEXT,"
    " type TEXT, isa TEXT, variant TEXT, shape TEXT, layout TEXT, module TEXT);"
    "CREATE TABLE results( id INTEGER PRIMARY KEY,"
    " run INTEGER NOT NULL REFERENCES runs(id),"
    " case_id INTEGER NOT NULL REFERENCES cases(id), group_number INTEGER NOT NULL,"
    " role TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, module_version TEXT,"
    " ops REAL, bytes REAL, median_ns REAL, ci_lo_ns REAL, ci_hi_ns REAL, ci_level REAL,"
    " min_ns REAL, mad_ns REAL, overhead_ns REAL, iterations INTEGER,"
    " samples_ns TEXT NOT NULL, gops REAL, gbps REAL, limit_name TEXT, limit_share REAL,"
    " ghz REAL);"
    "CREATE TABLE counts( result INTEGER NOT NULL REFERENCES results(id),"
    " name TEXT NOT NULL, value REAL, per_element REAL, absent TEXT,"
    " PRIMARY KEY(result, name)) WITHOUT ROWID;"
    "CREATE TABLE comparisons( result INTEGER PRIMARY KEY REFERENCES results(id),"
    " verdict TEXT NOT NULL, reason TEXT, processes INTEGER NOT NULL, base_ns REAL,"
    " head_ns REAL, change REAL, change_lo REAL, change_hi REAL, change_level REAL,"
    " noise_floor REAL, delta REAL, p REAL);"
    "CREATE INDEX runs_of_host ON runs(host, started_at);"
    "CREATE INDEX results_of_case ON results(case_id, run);"
    "CREATE INDEX results_of_run ON results(run);";

static int errno_of(int code)
{
    static const int table[][2] = {{SQLITE_NOMEM, ENOMEM},  {SQLITE_FULL, ENOSPC},
                                   {SQLITE_BUSY, EBUSY},    {SQLITE_READONLY, EACCES},
                                   {SQLITE_PERM, EACCES},   {SQLITE_NOTADB, EINVAL},
                                   {SQLITE_CORRUPT, EINVAL}};

    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (table[i][0] == code)
            return -table[i][1];
    return -EIO;
}

int database_error(const struct database *database, const char *doing, int code,
                   struct error *error)
{
    const int kind = code & 0xff;
    const int number = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN
                           ? sqlite3_system_errno(database->sqlite)
                           : 0;
    char name[256];

    text_plain(database->path, name, sizeof name);
    return error_set(error, number ? -number : errno_of(kind),
                     "cannot %s history '%s': %s%s%s", doing, name,
                     kind == SQLITE_BUSY        ? "another process keeps it locked"
                     : kind == SQLITE_INTERRUPT ? "a query does not end"
                                                : sqlite3_errstr(kind),
                     number ? ": " : "", number ? strerror(number) : "");
}

static int lose_patience(void *context)
{
    struct database *const database = context;

    return --database->patience < 0;
}

/* A file holds data: none of it runs. */
static int trust_nothing(struct database *database)
{
    static const int switches[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0}};
    int code = SQLITE_OK;

    for (size_t i = 0; i < ARRAY_LEN(switches) && code == SQLITE_OK; i++)
        code = sqlite3_db_config(database->sqlite, switches[i][0], switches[i][1], NULL);
    sqlite3_progress_handler(database->sqlite, HISTORY_STEPS, lose_patience, database);
    return code;
}

int database_open(struct database *database, const char *path, int flags,
                  struct error *error)
{
    struct stat status;
    char *file = NULL, name[256];

    *database = (struct database){.path = path, .patience = HISTORY_PATIENCE};
    text_plain(path, name, sizeof name);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return invalid(error, "history '%s' is no regular file", name);
    if (!(flags & SQLITE_OPEN_CREATE) && stat(path, &status) < 0)
        return error_set(error, -errno, "cannot read history '%s': %s", name,
                         strerror(errno));
    /* SQLite takes ":memory:" for a database without a file. */
    must(asprintf(&file, "%s%s", path[0] == '/' ? "" : "./", path));
    int code = sqlite3_open_v2(file, &database->sqlite, flags, NULL);
    free(file);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database->sqlite, WAIT_MS);
    if (code == SQLITE_OK)
        code = trust_nothing(database);
    if (code == SQLITE_OK)
        return 0;
    code = database_error(database, "open", code, error);
    database_close(database);
    return code;
}

void database_close(struct database *database)
{
    sqlite3_close(database->sqlite);
    database->sqlite = NULL;
}

static int ask_number(const struct database *database, const char *sql, int *number)
{
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL);

    if (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        *number = sqlite3_column_int(statement, 0);
        code = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return code;
}

/* ---- its tables, beside those that history_schema makes ---- */

/* SQLite has a row of each of ours; other tables, views and triggers are not ours. */
static const char tables_sql[] =
    "SELECT name, type, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'index')"
    " AND tbl_name IN ('hosts', 'runs', 'cases', 'results', 'counts', 'comparisons')"
    " ORDER BY name";

static const char *cell(sqlite3_stmt *row, int column)
{
    return row ? (const char *)sqlite3_column_text(row, column) : NULL;
}

static bool same_row(sqlite3_stmt *a, sqlite3_stmt *b)
{
    for (int column = 0; column < sqlite3_column_count(a); column++)
        if (!text_same(cell(a, column), cell(b, column)))
            return false;
    return true;
}

/* The rows of both in step. `found` is the name of the first that differs, or "". */
static int compare_tables(sqlite3_stmt *ours, sqlite3_stmt *theirs, char *found,
                          size_t size)
{
    for (;;) {
        const int mine = sqlite3_step(ours), other = sqlite3_step(theirs);
        const int code = mine == SQLITE_ROW || mine == SQLITE_DONE ? other : mine;
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return code;
        if (mine == SQLITE_DONE && other == SQLITE_DONE)
            return SQLITE_OK;
        if (mine == other && same_row(ours, theirs))
            continue;
        const char *const a = mine == SQLITE_ROW ? cell(ours, 0) : NULL;
        const char *const b = other == SQLITE_ROW ? cell(theirs, 0) : NULL;
        text_plain(!b || (a && strcmp(a, b) < 0) ? a : b, found, size);
        return SQLITE_OK;
    }
}

static int find_strange_table(const struct database *database, char *found, size_t size)
{
    sqlite3 *model = NULL;
    sqlite3_stmt *ours = NULL, *theirs = NULL;
    int code = sqlite3_open_v2(":memory:", &model,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_exec(model, history_schema, NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(model, tables_sql, -1, &ours, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(database->sqlite, tables_sql, -1, &theirs, NULL);
    if (code == SQLITE_OK)
        code = compare_tables(ours, theirs, found, size);
    sqlite3_finalize(ours);
    sqlite3_finalize(theirs);
    sqlite3_close(model);
    return code;
}

int database_check(const struct database *database, bool *empty, struct error *error)
{
    int application = 0, version = 0, tables = 0;
    char name[256], strange[100] = "";
    int code = ask_number(database, "PRAGMA application_id", &application)
                   ?: ask_number(database, "PRAGMA user_version", &version)
                   ?: ask_number(database, "SELECT count(*) FROM sqlite_master", &tables);

    if (code != SQLITE_OK)
        return database_error(database, "read", code, error);
    *empty = !application && !version && !tables;
    text_plain(database->path, name, sizeof name);
    if (!*empty && application != HISTORY_APPLICATION)
        return invalid(error, "'%s' is a database of another program", name);
    if (!*empty && version != HISTORY_VERSION)
        return invalid(error,
                       "history '%s' has version %d, but this simdbench knows %d only: "
                       "name another file",
                       name, version, HISTORY_VERSION);
    code = *empty ? SQLITE_OK : find_strange_table(database, strange, sizeof strange);
    if (code != SQLITE_OK)
        return database_error(database, "read", code, error);
    return strange[0] ? invalid(error,
                                "history '%s': table or index '%s' is missing, or not as "
                                "simdbench makes it: name another file",
                                name, strange)
                      : 0;
}
