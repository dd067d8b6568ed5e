/* SPDX-License-Identifier: Apache-2.0 */
/* In place of history.c and history_read.c where SQLite is missing. */
#include "history.h"
#include "text/text.h"

static int no_sqlite(const char *path, struct error *error)
{
    char name[200];

    text_plain(path, name, sizeof name);
    return error_set(error, -ENOTSUP,
                     "history '%s': this simdbench was built without SQLite; install its "
                     "headers (Debian: libsqlite3-dev), then configure and build again",
                     name);
}

int history_append(const char *path, const struct run *run, struct error *error)
{
    return no_sqlite(path, error);
}

int history_check(const char *path, struct error *error)
{
    return no_sqlite(path, error);
}

int history_read(const char *path, const char *pattern, struct history *history,
                 struct error *error)
{
    *history = (struct history){.n = 0};
    return no_sqlite(path, error);
}

int history_cases(const char *path, char ***ids, size_t *n, struct error *error)
{
    return no_sqlite(path, error);
}
