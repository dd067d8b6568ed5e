/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are there as a whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

static int failed(struct error *why, int code)
{
    return error_set(why, code, "%s", strerror(-code));
}

/* The descriptor of /dev/stdout or /dev/stderr if the file is one of them, or -1. A
 * second descriptor would overwrite what was printed before, and a new file would replace
 * it. */
static int standard_stream(const struct stat *status)
{
    struct stat stream;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
        if (!fstat(fd, &stream) && stream.st_dev == status->st_dev &&
            stream.st_ino == status->st_ino)
            return fd;
    return -1;
}

bool file_is_replaced(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 ||
           (S_ISREG(status.st_mode) && standard_stream(&status) < 0);
}

/* `fd` is closed in any case. `file` is left open if nothing failed. */
static int fill(int fd, file_writer *write, const void *context, FILE **file,
                struct error *why)
{
    int code;

    *file = fdopen(fd, "w");
    if (!*file) {
        code = failed(why, -errno);
        close(fd);
        return code;
    }
    code = write(context, *file, why);
    if (!code && fflush(*file))
        code = failed(why, -errno);
    if (!code)
        return 0;
    fclose(*file);
    *file = NULL;
    return code;
}

static int write_directly(const char *path, int stream, file_writer *write,
                          const void *context, struct error *why)
{
    struct stat link;
    /* The target of a dangling link is created; a device must exist already. */
    int create = !lstat(path, &link) && S_ISLNK(link.st_mode) ? O_CREAT : 0;
    int fd = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 3)
                         : open(path, O_WRONLY | O_CLOEXEC | create, 0666);
    FILE *file = NULL;
    int code = fd < 0 ? failed(why, -errno) : fill(fd, write, context, &file, why);

    if (!code && file && fclose(file))
        code = failed(why, -errno);
    return code;
}

/* Opens a file without a name, which leaves nothing behind however this process ends. A
 * file system without such files gets a temporary name at once. */
static int open_beside(const char *folder, char **name, struct error *why)
{
    int fd = access("/proc/self/fd", X_OK)
                 ? -1
                 : open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    struct stat made;
    mode_t mask;

    *name = NULL;
    if (fd >= 0 && !fstat(fd, &made)) {
        if (asprintf(name, "%s/.simdbench-%ju.tmp", folder, (uintmax_t)made.st_ino) >= 0)
            return fd;
    } else if (asprintf(name, "%s/.simdbench-XXXXXX", folder) >= 0) {
        fd = mkostemp(*name, O_CLOEXEC);
        mask = umask(0);
        umask(mask);
        if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
            return fd;
        failed(why, -errno);
    } else {
        errno = ENOMEM;
    }
    if (fd >= 0)
        close(fd);
    free(*name);
    *name = NULL;
    return failed(why, -errno);
}

/* Gives `fd` a name if it has none, and the place of `path`. */
static int take_place(int fd, const char *name, const char *path)
{
    char self[40];
    struct stat status;

    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fsync(fd) || fstat(fd, &status) ||
        (!status.st_nlink && linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW)) ||
        rename(name, path)) {
        int code = -errno;
        unlink(name);
        return code;
    }
    return 0;
}

static int replace(const char *path, const struct stat *old, file_writer *write,
                   const void *context, struct error *why)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + (slash == path))
                         : strdup("."),
         *name = NULL;
    FILE *file = NULL;
    int fd = folder ? open_beside(folder, &name, why) : failed(why, -ENOMEM), code;

    free(folder);
    if (fd < 0 || !name)
        return fd;
    /* Root writes into the files of others; they stay theirs. */
    if (old && !fchown(fd, old->st_uid, old->st_gid))
        fchmod(fd, old->st_mode & 07777);
    else if (old)
        fchmod(fd, old->st_mode & 0777);
    code = fill(fd, write, context, &file, why);
    if (code)
        unlink(name);
    else if ((code = take_place(fileno(file), name, path)))
        failed(why, code);
    if (file)
        fclose(file);
    free(name);
    return code;
}

int file_save(const char *path, file_writer *write, const void *context,
              struct error *error)
{
    struct stat old, link;
    struct error why = {.text = ""};
    const bool exists = !stat(path, &old);
    const int stream = exists ? standard_stream(&old) : -1;
    char *target = NULL, name[256];
    int code;

    if (stream >= 0 || (exists ? !S_ISREG(old.st_mode) : !lstat(path, &link)))
        code = write_directly(path, stream, write, context, &why);
    else if (!exists)
        code = replace(path, NULL, write, context, &why);
    /* A link stays a link: its file is replaced. A file that may not be written is not
     * replaced either, though its folder would allow it. */
    else if (!(target = realpath(path, NULL)) || access(target, W_OK))
        code = failed(&why, -errno);
    else
        code = replace(target, &old, write, context, &why);
    free(target);
    if (code) {
        text_plain(path, name, sizeof name);
        error_set(error, code, "cannot write '%s': %.240s", name, why.text);
    }
    return code;
}
