/* SPDX-License-Identifier: Apache-2.0 */
/* A file a host, in the user's cache: a home may be shared by several machines. */
#include "selftest_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SELFTEST_BYTES_MAX ((size_t)64 << 20)

/* Makes no folder unless `make`. */
static int find_path(const char *fingerprint, bool make, char *path, size_t size,
                     struct error *error)
{
    const char *const cache = getenv("XDG_CACHE_HOME"), *const home = getenv("HOME");
    const bool own = cache && cache[0] == '/';
    if (!own && (!home || home[0] != '/'))
        return error_set(error, -ENOENT,
                         "neither XDG_CACHE_HOME nor HOME is set to a folder");
    const int folder =
        snprintf(path, size, "%s%s", own ? cache : home, own ? "" : "/.cache");
    const int whole =
        folder + snprintf(NULL, 0, "/simdbench/selftest-%s.json", fingerprint);
    if (whole >= (int)size)
        return error_set(error, -ENAMETOOLONG, "the path of the cache is too long");
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_set(error, -errno, "%.200s: %s", path, strerror(errno));
    snprintf(path + folder, size - (size_t)folder, "/simdbench");
    if (make && mkdir(path, 0700) != 0 && errno != EEXIST)
        return error_set(error, -errno, "%.200s: %s", path, strerror(errno));
    snprintf(path + folder, size - (size_t)folder, "/simdbench/selftest-%s.json",
             fingerprint);
    return 0;
}

static int write_json(const void *selftest, FILE *file, struct error *error)
{
    return selftest_write_json(selftest, file, error);
}

int selftest_save(const struct selftest *selftest, const char *path, struct error *error)
{
    return file_save(path, write_json, selftest, error);
}

int selftest_keep(const struct selftest *selftest, char *path, size_t size,
                  struct error *error)
{
    const int rc = find_path(selftest->fingerprint, true, path, size, error);
    return rc ? rc : selftest_save(selftest, path, error);
}

/* Whatever is wrong with the file, a comparison is none the worse for it. */
char *selftest_known(const char *fingerprint)
{
    char path[4096], *line = NULL;
    struct stat status;
    if (!fingerprint || find_path(fingerprint, false, path, sizeof path, NULL) != 0 ||
        stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
        (uintmax_t)status.st_size > SELFTEST_BYTES_MAX)
        return NULL;
    FILE *const file = fopen(path, "re");
    char *const bytes = malloc((size_t)status.st_size + 1);
    if (file && bytes)
        line = selftest_cite(bytes, fread(bytes, 1, (size_t)status.st_size, file),
                             fingerprint);
    free(bytes);
    if (file)
        fclose(file);
    return line;
}
