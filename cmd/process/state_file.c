/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/stat.h>

#include "process/process.h"

/* Makes the folders of a path, but none of those that end before byte `made`. */
static int make_folders(char *path, size_t made, struct error *error)
{
    int status = 0;
    for (char *at = path + made; (at = strchr(at, '/')) && status == 0; *at++ = '/') {
        *at = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST)
            status = error_set(error, -errno, "%.200s: %s", path, strerror(errno));
    }
    return status;
}

int state_path(enum state_kind kind, const char *name, bool make, char *path, size_t size,
               struct error *error)
{
    static const struct {
        const char *variable, *below_home;
    } places[] = {[STATE_CACHE] = {"XDG_CACHE_HOME", "/.cache"},
                  [STATE_CONFIG] = {"XDG_CONFIG_HOME", "/.config"},
                  [STATE_TRUST] = {"XDG_STATE_HOME", "/.local/state"}};
    const char *const given = getenv(places[kind].variable), *const home = getenv("HOME");
    const bool own = given && given[0] == '/';
    if (!own && (!home || home[0] != '/'))
        return error_set(error, -ENOENT, "neither %s nor HOME is set to a folder",
                         places[kind].variable);
    const int n = snprintf(path, size, "%s%s", own ? given : home,
                           own ? "" : places[kind].below_home);
    if ((size_t)n + strlen("/simdbench/") + strlen(name) >= size)
        return error_set(error, -ENAMETOOLONG, "the path of %s is too long", name);
    snprintf(path + n, size - (size_t)n, "/simdbench/%s", name);
    return make ? make_folders(path, own ? (size_t)n : strlen(home) + 1, error) : 0;
}
