/* SPDX-License-Identifier: Apache-2.0 */
#include "private_copy.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PREFIX "simdbench-ab-"
enum { FOLDER_TRIES = 100 };

/* Locks a folder of this user, for as long as the descriptor is open. -EWOULDBLOCK: it
 * belongs to another process; -ENOENT: another process has removed it. */
static int lock_folder(const char *path)
{
    struct stat open_one, named;
    int status = 0;
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &open_one) < 0 ||
        lstat(path, &named) < 0)
        status = -errno;
    else if (open_one.st_ino != named.st_ino || open_one.st_dev != named.st_dev)
        status = -ENOENT;
    else if (open_one.st_uid != geteuid())
        status = -EPERM;
    if (status < 0)
        close(fd);
    return status < 0 ? status : fd;
}

/* The folder of a process that was killed has no lock any more. */
static void remove_left(const char *where)
{
    DIR *directory = opendir(where);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char path[2 * PATH_MAX];
        if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", where, entry->d_name);
        const int lock = lock_folder(path);
        if (lock >= 0)
            private_remove(path, lock);
    }
    if (directory)
        closedir(directory);
}

/* Another process may find the new folder before it has its lock. */
static int make_locked(char *folder, size_t size, const char *where, int *lock)
{
    for (int i = 0; i < FOLDER_TRIES; i++) {
        const int n = snprintf(folder, size, "%s/" PREFIX "XXXXXX", where);
        if (n < 0 || (size_t)n >= size)
            return -ENAMETOOLONG;
        if (!mkdtemp(folder))
            return -errno;
        *lock = lock_folder(folder);
        /* On a file system without locks, nobody removes the folder. */
        if (*lock != -EWOULDBLOCK && *lock != -ENOENT)
            return 0;
    }
    return -EBUSY;
}

int private_folder(char *folder, size_t size, int *lock, struct error *error)
{
    const char *where = getenv("TMPDIR");
    if (!where || !*where)
        where = "/tmp";
    remove_left(where);
    const int status = make_locked(folder, size, where, lock);
    if (status < 0) {
        folder[0] = '\0';
        return error_set(error, status, "cannot make a folder in %.200s (TMPDIR): %s",
                         where, strerror(-status));
    }
    struct statvfs facts;
    return statvfs(folder, &facts) == 0 && facts.f_flag & ST_NOEXEC
               ? error_set(error, -EACCES,
                           "%.200s (TMPDIR) is mounted noexec, and a copy of BASE has to "
                           "run from there: set TMPDIR to another folder",
                           where)
               : 0;
}

static int copy_file(const char *path, const char *copy)
{
    struct stat facts;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int status = fstat(from, &facts) < 0 ? -errno : 0;
    int to = status < 0 ? -1 : open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (status == 0 && to < 0)
        status = -errno;
    for (ssize_t n = 1; n != 0 && status == 0;) {
        n = sendfile(to, from, NULL, 1 << 30);
        status = n < 0 && errno != EINTR ? -errno : 0;
    }
    if (status == 0 && fchmod(to, facts.st_mode & 0777) < 0)
        status = -errno;
    if (to >= 0 && close(to) < 0 && status == 0)
        status = -errno;
    close(from);
    return status;
}

/* Everything in `from` but one is in `to`, too. */
static void link_others(const char *from, const char *except, const char *to)
{
    DIR *directory = opendir(from);
    const struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char target[2 * PATH_MAX], link[2 * PATH_MAX];
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, except))
            continue;
        snprintf(target, sizeof target, "%s/%s", from, name);
        snprintf(link, sizeof link, "%s/%s", to, name);
        /* The dynamic loader names what is missing in the end. */
        if (symlink(target, link) < 0)
            continue;
    }
    if (directory)
        closedir(directory);
}

/* Cuts the last part off a path and returns it. */
static const char *cut(char *path)
{
    char *slash = strrchr(path, '/');
    *slash = '\0';
    return slash + 1;
}

int private_copy(const char *folder, const char *name, const char *path, bool siblings,
                 char *copy, size_t size, struct error *error)
{
    char real[PATH_MAX], outer[PATH_MAX], inner[2 * PATH_MAX];
    const char *file = basename(path);
    int status = realpath(path, real) ? 0 : -errno;
    if (status < 0)
        return error_set(error, status, "cannot copy %s: %s", path, strerror(-status));
    const char *real_file = cut(real);
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", real);
    const char *home = parent[0] ? cut(parent) : "root";
    snprintf(outer, sizeof outer, "%s/%s", folder, name);
    snprintf(inner, sizeof inner, "%s/%s", outer, home);
    int n = snprintf(copy, size, "%s/%s", inner, file);
    if (n < 0 || (size_t)n >= size)
        status = -ENAMETOOLONG;
    else if (mkdir(outer, 0700) < 0 || mkdir(inner, 0700) < 0)
        status = -errno;
    else
        status = copy_file(path, copy);
    if (status == 0 && siblings) {
        link_others(real, real_file, inner);
        link_others(parent, home, outer);
    }
    return status < 0 ? error_set(error, status, "cannot copy %s to %s (TMPDIR): %s",
                                  path, folder, strerror(-status))
                      : 0;
}

static int remove_entry(const char *path, const struct stat *facts, int type,
                        struct FTW *walk)
{
    return remove(path) < 0 ? -errno : 0;
}

void private_remove(const char *folder, int lock)
{
    if (!folder[0])
        return;
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (lock >= 0)
        close(lock);
}
