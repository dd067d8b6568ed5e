/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "history_db.h"
#include "text/text.h"

enum { WAIT_MS = 5000 };

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
                     kind == SQLITE_BUSY ? "another process keeps it locked"
                                         : sqlite3_errstr(kind),
                     number ? ": " : "", number ? strerror(number) : "");
}

int database_open(struct database *database, const char *path, int flags,
                  struct error *error)
{
    struct stat status;
    char *file = NULL, name[256];

    *database = (struct database){.path = path};
    text_plain(path, name, sizeof name);
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, -EINVAL, "history '%s' is no regular file", name);
    if (!(flags & SQLITE_OPEN_CREATE) && stat(path, &status) < 0)
        return error_set(error, -errno, "cannot read history '%s': %s", name,
                         strerror(errno));
    /* SQLite takes ":memory:" for a database without a file. */
    if (asprintf(&file, "%s%s", path[0] == '/' ? "" : "./", path) < 0)
        return error_set(error, -ENOMEM, "out of memory");
    int code = sqlite3_open_v2(file, &database->sqlite, flags, NULL);
    free(file);
    if (code == SQLITE_OK)
        code = sqlite3_busy_timeout(database->sqlite, WAIT_MS);
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

int database_check(const struct database *database, bool *empty, struct error *error)
{
    int application = 0, version = 0, tables = 0;
    char name[256];
    const int code = ask_number(database, "PRAGMA application_id", &application)
                         ?: ask_number(database, "PRAGMA user_version", &version)
                         ?: ask_number(database, "SELECT count(*) FROM sqlite_master",
                                       &tables);

    if (code != SQLITE_OK)
        return database_error(database, "read", code, error);
    *empty = !application && !version && !tables;
    text_plain(database->path, name, sizeof name);
    if (!*empty && application != HISTORY_APPLICATION)
        return error_set(error, -EINVAL, "'%s' is a database of another program", name);
    if (!*empty && version != HISTORY_VERSION)
        return error_set(error, -EINVAL,
                         "history '%s' has version %d, but this simdbench knows %d only: "
                         "name another file",
                         name, version, HISTORY_VERSION);
    return 0;
}
