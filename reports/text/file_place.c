/* SPDX-License-Identifier: Apache-2.0 */
/* The place that a path leads to, also if nothing is there yet. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

enum { LINKS_MAX = 40 }; /* as Linux */

/* Replaces the name in `target` by what its link says; 0 if it is no link. */
static int follow(char target[PATH_MAX])
{
    char link[PATH_MAX];
    const ssize_t length = readlink(target, link, sizeof link - 1);

    if (length < 0)
        return errno == EINVAL || errno == ENOENT ? 0 : -errno;
    link[length] = '\0';
    const char *const slash = link[0] == '/' ? NULL : strrchr(target, '/');
    const size_t kept = slash ? (size_t)(slash - target) + 1 : 0;
    if (kept + (size_t)length >= PATH_MAX)
        return -ENAMETOOLONG;
    memcpy(target + kept, link, (size_t)length + 1);
    return 1;
}

char *file_target(const char *path)
{
    char target[PATH_MAX];
    const size_t size = strlen(path) + 1;
    int code = size <= sizeof target ? 1 : -ENAMETOOLONG;

    memcpy(target, path, size <= sizeof target ? size : 0);
    for (int links = 0; code > 0; links++)
        code = links > LINKS_MAX ? -ELOOP : follow(target);
    errno = -code;
    return code ? NULL : copy_text(target);
}

bool file_place(const char *path, struct file_place *place)
{
    struct stat status;

    *place = (struct file_place){.inode = 0};
    if (!stat(path, &status)) {
        place->device = status.st_dev;
        place->inode = status.st_ino;
        return S_ISREG(status.st_mode);
    }
    FREED_BY(free_memory) char *target = file_target(path);
    if (!target)
        return false;
    char *const slash = strrchr(target, '/');
    snprintf(place->name, sizeof place->name, "%s", slash ? slash + 1 : target);
    if (slash)
        slash[1] = '\0';
    const bool found = !stat(slash ? target : ".", &status);
    place->device = status.st_dev;
    place->inode = status.st_ino;
    return found;
}

bool file_same(const struct file_place *a, const struct file_place *b)
{
    return a->device == b->device && a->inode == b->inode && !strcmp(a->name, b->name);
}
