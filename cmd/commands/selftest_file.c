/* SPDX-License-Identifier: Apache-2.0 */
/* A file a host, in the user's cache: a home may be shared by several machines. */
#include "process/process.h"
#include "selftest_private.h"

#include <limits.h>
#include <stdlib.h>

#define SELFTEST_BYTES_MAX ((size_t)64 << 20)

static int find_path(const char *fingerprint, bool make, char *path, size_t size,
                     struct error *error)
{
    char name[128];
    snprintf(name, sizeof name, "selftest-%.64s.json", fingerprint);
    return state_path(STATE_CACHE, name, make, path, size, error);
}

int selftest_write(const void *selftest, enum format format, FILE *file,
                   struct error *error)
{
    if (format == FORMAT_JSON)
        return selftest_write_json(selftest, file, error);
    selftest_print(selftest, file);
    return 0;
}

static int save(const void *selftest, FILE *file, struct error *error)
{
    return selftest_write_json(selftest, file, error);
}

int selftest_keep(const struct selftest *selftest, struct error *error)
{
    char path[PATH_MAX];
    return find_path(selftest->fingerprint, true, path, sizeof path, error)
               ?: file_save(path, save, selftest, error);
}

/* Best effort: without a readable file, ab cites no error rate. */
char *selftest_known(const char *fingerprint)
{
    char path[4096], *bytes, *line = NULL;
    size_t size;
    if (fingerprint && find_path(fingerprint, false, path, sizeof path, NULL) == 0 &&
        file_load(path, SELFTEST_BYTES_MAX, &bytes, &size) == 0) {
        line = selftest_cite(bytes, size, fingerprint);
        free(bytes);
    }
    return line;
}
