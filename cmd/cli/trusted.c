/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that the user trusts. A copy of each is kept, after a line with its path: any
 * other byte of it, at that path or elsewhere, is not trusted. The name of the copy is a
 * hash of the path. If two paths ever share one, the last one is trusted.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "hash.h"

#define FOLDER "trusted"
enum { KEPT_SIZE_MAX = 4 << 20 };

int regular_load(const char *path, int beside, size_t most, char **bytes, size_t *size,
                 struct stat *facts)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | beside);
    *bytes = NULL;
    *size = 0;
    /* ENXIO: the path is a socket. */
    if (fd < 0)
        return errno == ENXIO ? -EBADF : -errno;
    const int status = fstat(fd, facts) < 0       ? -errno
                       : !S_ISREG(facts->st_mode) ? -EBADF
                                                  : file_load_from(fd, most, bytes, size);
    close(fd);
    return status;
}

static int place_of(const char *path, bool make, char *place, size_t room,
                    struct error *error)
{
    char name[64];
    snprintf(name, sizeof name, FOLDER "/%016" PRIx64,
             hash_bytes(HASH_FIRST, path, strlen(path)));
    return state_path(STATE_TRUST, name, make, place, room, error);
}

/* Loads a copy, of which the first line becomes a text of its own: the path. */
static char *load_kept(const char *place, char **content, size_t *size)
{
    struct stat facts;
    char *bytes;
    size_t all;
    if (regular_load(place, 0, KEPT_SIZE_MAX, &bytes, &all, &facts) != 0)
        return NULL;
    char *const end = memchr(bytes, '\n', all);
    if (!end) {
        free(bytes);
        return NULL;
    }
    *end = '\0';
    *content = end + 1;
    *size = all - (size_t)(end + 1 - bytes);
    return bytes;
}

enum trust trust_of(const char *path, const char *bytes, size_t size)
{
    char place[PATH_MAX], *content;
    size_t kept_size;
    if (place_of(path, false, place, sizeof place, NULL) != 0)
        return TRUST_NO;
    FREED_BY(free_memory) char *kept = load_kept(place, &content, &kept_size);
    return !kept || strcmp(kept, path) != 0                     ? TRUST_NO
           : kept_size == size && !memcmp(content, bytes, size) ? TRUST_KEPT
                                                                : TRUST_CHANGED;
}

struct copy {
    const char *path, *bytes;
    size_t size;
};

static int write_copy(const void *context, FILE *file, struct error *unused)
{
    const struct copy *const copy = context;
    fprintf(file, "%s\n", copy->path);
    fwrite(copy->bytes, 1, copy->size, file);
    return 0;
}

int trust_keep(const char *path, const char *bytes, size_t size, struct error *error)
{
    const struct copy copy = {path, bytes, size};
    char place[PATH_MAX];
    if (strchr(path, '\n'))
        return invalid(error, "%.300s: its path has a line feed", path);
    const int status = place_of(path, true, place, sizeof place, error);
    return status ?: file_save(place, write_copy, &copy, error);
}

int trust_revoke(const char *path, struct error *error)
{
    char place[PATH_MAX];
    const int status = place_of(path, false, place, sizeof place, error);
    if (status != 0)
        return status;
    return unlink(place) == 0 ? 0
           : errno == ENOENT
               ? error_set(error, -ENOENT, "%.300s is not trusted", path)
               : error_set(error, -errno, "%.300s: %s", place, strerror(errno));
}

static void tell_kept(const char *place,
                      void (*each)(const char *path, enum trust trust, void *context),
                      void *context)
{
    struct stat facts;
    char *content;
    size_t kept_size, size;
    FREED_BY(free_memory) char *bytes = NULL;
    FREED_BY(free_memory) char *path = load_kept(place, &content, &kept_size);
    if (!path)
        return;
    const int status = regular_load(path, 0, KEPT_SIZE_MAX, &bytes, &size, &facts);
    each(path, status ? TRUST_NO : trust_of(path, bytes, size), context);
}

void trust_each(void (*each)(const char *path, enum trust trust, void *context),
                void *context)
{
    char folder[PATH_MAX], place[PATH_MAX + NAME_MAX + 2];
    if (state_path(STATE_TRUST, FOLDER, false, folder, sizeof folder, NULL) != 0)
        return;
    DIR *const kept = opendir(folder);
    for (const struct dirent *entry; kept && (entry = readdir(kept));) {
        snprintf(place, sizeof place, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            tell_kept(place, each, context);
    }
    if (kept)
        closedir(kept);
}
