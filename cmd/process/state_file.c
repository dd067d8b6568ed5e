/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "process/process.h"

static int make_folder(const char *path, struct error *error)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST
               ? 0
               : error_set(error, -errno, "%.200s: %s", path, strerror(errno));
}

int state_path(enum state_kind kind, const char *name, bool make, char *path, size_t size,
               struct error *error)
{
    static const struct {
        const char *variable, *below_home;
    } places[] = {[STATE_CACHE] = {"XDG_CACHE_HOME", "/.cache"},
                  [STATE_CONFIG] = {"XDG_CONFIG_HOME", "/.config"}};
    const char *const given = getenv(places[kind].variable), *const home = getenv("HOME");
    const bool own = given && given[0] == '/';
    if (!own && (!home || home[0] != '/'))
        return error_set(error, -ENOENT, "neither %s nor HOME is set to a folder",
                         places[kind].variable);
    const int n = snprintf(path, size, "%s%s", own ? given : home,
                           own ? "" : places[kind].below_home);
    if ((size_t)n + strlen("/simdbench/") + strlen(name) >= size)
        return error_set(error, -ENAMETOOLONG, "the path of %s is too long", name);
    int status = make ? make_folder(path, error) : 0;
    snprintf(path + n, size - (size_t)n, "/simdbench");
    if (make && status == 0)
        status = make_folder(path, error);
    snprintf(path + n, size - (size_t)n, "/simdbench/%s", name);
    return status;
}
