/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are there as a whole or not at all. */
#include <fcntl.h>
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

int file_flush(FILE *file)
{
    return !fflush(file) && !ferror(file) ? 0 : errno ? -errno : -EIO;
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
    errno = 0;
    code = write(context, *file, why);
    if (!code && !(code = file_flush(*file)))
        return 0;
    if (!*why->text)
        failed(why, code);
    fclose(*file);
    *file = NULL;
    return code;
}

static int write_directly(const char *path, int stream, file_writer *write,
                          const void *context, struct error *why)
{
    int fd = stream >= 0 ? fcntl(stream, F_DUPFD_CLOEXEC, 3)
                         : open(path, O_WRONLY | O_CLOEXEC);
    FILE *file = NULL;
    int code = fd < 0 ? failed(why, -errno) : fill(fd, write, context, &file, why);

    if (!code && file && fclose(file))
        code = failed(why, -errno);
    return code;
}

/* Opens a file without a name, which leaves nothing behind however this process ends. If
 * it is to be `named`, or the file system has no such files, it gets a temporary name at
 * once. */
static int open_beside(const char *folder, bool named, char **name, struct error *why)
{
    int fd = named || access("/proc/self/fd", X_OK)
                 ? -1
                 : open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    struct stat made;
    mode_t mask;

    *name = NULL;
    if (fd >= 0 && !fstat(fd, &made)) {
        must(asprintf(name, "%s/.simdbench-%ju.tmp", folder, (uintmax_t)made.st_ino));
        return fd;
    }
    must(asprintf(name, "%s/.simdbench-XXXXXX", folder));
    fd = mkostemp(*name, O_CLOEXEC);
    mask = umask(0);
    umask(mask);
    if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
        return fd;
    const int code = failed(why, -errno);
    if (fd >= 0)
        close(fd);
    free(*name);
    *name = NULL;
    return code < 0 ? code : -EIO;
}

/* Gives `fd` a name if it has none, and the place of `path`. UNNAMED: a sandbox may
 * forbid linkat(), and a file with a name needs none. */
enum { UNNAMED = 1 };
static int take_place(int fd, const char *name, const char *path)
{
    char self[40];
    struct stat status;

    snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (fsync(fd) || fstat(fd, &status))
        return -errno;
    if (!status.st_nlink && linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW))
        return UNNAMED;
    return rename(name, path) ? -errno : 0;
}

/* The folder of a path, to be freed. */
static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return must_have(slash ? strndup(path, (size_t)(slash - path) + (slash == path))
                           : strdup("."));
}

static int replace(const char *path, const struct stat *old, bool named,
                   file_writer *write, const void *context, struct error *why)
{
    FREED_BY(free_memory) char *folder = folder_of(path);
    char *name = NULL;
    FILE *file = NULL;
    int fd = open_beside(folder, named, &name, why), code;

    if (fd < 0)
        return fd;
    /* Root writes into the files of others; they stay theirs. */
    if (old && !fchown(fd, old->st_uid, old->st_gid))
        fchmod(fd, old->st_mode & 07777);
    else if (old)
        fchmod(fd, old->st_mode & 0777);
    code = fill(fd, write, context, &file, why);
    if (!code && (code = take_place(fileno(file), name, path)) < 0)
        failed(why, code);
    if (code)
        unlink(name);
    if (file)
        fclose(file);
    free(name);
    return code == UNNAMED ? replace(path, old, true, write, context, why) : code;
}

/* The path that is replaced, to be freed, or NULL and errno. A link stays a link. A file
 * that may not be written is not replaced either, though its folder would allow it. */
static char *find_target(const char *path, bool exists)
{
    char *const target = exists ? realpath(path, NULL) : file_target(path);

    if (!target || !exists || !access(target, W_OK))
        return target;
    const int code = errno;
    free(target);
    errno = code;
    return NULL;
}

int file_try(const char *path, struct error *why)
{
    struct stat old;
    const bool exists = !stat(path, &old);
    FREED_BY(free_memory) char *name = NULL;

    if (exists && !file_is_replaced(path))
        return S_ISDIR(old.st_mode) ? failed(why, -EISDIR)
               : access(path, W_OK) ? failed(why, -errno)
                                    : 0;
    FREED_BY(free_memory) char *target = find_target(path, exists);
    FREED_BY(free_memory) char *folder = target ? folder_of(target) : NULL;
    const int fd = folder ? open_beside(folder, false, &name, why) : failed(why, -errno);
    struct stat made;

    if (fd >= 0 && name && !fstat(fd, &made) && made.st_nlink)
        unlink(name);
    if (fd >= 0)
        close(fd);
    else if (folder)
        error_set(why, fd, "cannot write to folder %.300s: %s", folder, strerror(-fd));
    return fd < 0 ? fd : 0;
}

int file_save(const char *path, file_writer *write, const void *context,
              struct error *error)
{
    struct stat old;
    struct error why = {.text = ""};
    const bool exists = !stat(path, &old);
    const int stream = exists ? standard_stream(&old) : -1;
    char *target = NULL, name[256];
    int code;

    if (exists && (stream >= 0 || !S_ISREG(old.st_mode)))
        code = write_directly(path, stream, write, context, &why);
    else if (!(target = find_target(path, exists)))
        code = failed(&why, -errno);
    else
        code = replace(target, exists ? &old : NULL, false, write, context, &why);
    free(target);
    if (code) {
        text_plain(path, name, sizeof name);
        error_set(error, code, "cannot write '%s': %.240s", name, why.text);
    }
    return code;
}
