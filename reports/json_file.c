/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports.h"

/* A run of 100 000 cases with 100 samples each takes about half of it. */
#define FILE_SIZE_MAX ((size_t)1 << 29)

static int file_error(struct error *error, int code, const char *verb, const char *path)
{
    char name[256];

    text_plain(path, name, sizeof name);
    return error_set(error, code, "cannot %s '%s': %s", verb, name, strerror(-code));
}

/* Like file_error, but keeps what `error` already says. */
static int file_prefix(struct error *error, int code, const char *path)
{
    char name[200], text[sizeof error->text];

    if (!error)
        return code;
    text_plain(path, name, sizeof name);
    snprintf(text, sizeof text, "%s", error->text);
    return error_set(error, code, "%s: %.300s", name, text);
}

static int write_and_close(const struct run *run, int fd, bool sync, const char *path,
                           struct error *error)
{
    FILE *file = fdopen(fd, "w");
    int code;

    if (!file) {
        code = file_error(error, -errno, "write", path);
        close(fd);
        return code;
    }
    code = run_write_json(run, file, error);
    if (code)
        file_prefix(error, code, path);
    else if (sync && fsync(fd))
        code = file_error(error, -errno, "write", path);
    if (fclose(file) && !code)
        code = file_error(error, -errno, "write", path);
    return code;
}

static int save_beside(const struct run *run, const char *path, mode_t mode,
                       struct error *error)
{
    char *temporary = NULL;
    int fd = -1, code;

    /* Not mkstemp: its files are private, and the umask should decide. */
    for (int i = 0; fd < 0 && i < 100; i++) {
        free(temporary);
        if (asprintf(&temporary, "%s.%ld-%d.tmp", path, (long)getpid(), i) < 0)
            return error_set(error, -ENOMEM, "out of memory");
        fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0) {
        code = file_error(error, -errno, "write", path);
        goto out;
    }
    code = write_and_close(run, fd, true, path, error);
    if (!code && rename(temporary, path))
        code = file_error(error, -errno, "write", path);
    if (code)
        unlink(temporary);
out:
    free(temporary);
    return code;
}

int run_save(const struct run *run, const char *path, struct error *error)
{
    struct stat stat_buffer;
    bool exists = !stat(path, &stat_buffer);
    char *target = NULL;
    int code;

    if (exists && !S_ISREG(stat_buffer.st_mode)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        return fd < 0 ? file_error(error, -errno, "write", path)
                      : write_and_close(run, fd, false, path, error);
    }
    if (!exists)
        return save_beside(run, path, 0666, error);
    /* A link stays a link: its file is replaced. A file that may not be written is not
     * replaced either, though its folder would allow it. */
    target = realpath(path, NULL);
    if (!target || access(target, W_OK))
        code = file_error(error, -errno, "write", path);
    else
        code = save_beside(run, target, stat_buffer.st_mode & 0777, error);
    free(target);
    return code;
}

static int read_all(int fd, char **bytes, size_t *size)
{
    size_t room = 0;

    for (;;) {
        ssize_t got;
        if (*size == room) {
            char *bigger;
            room = room ? 2 * room : 65536;
            if (room > FILE_SIZE_MAX)
                return -EFBIG;
            bigger = realloc(*bytes, room);
            if (!bigger)
                return -ENOMEM;
            *bytes = bigger;
        }
        got = read(fd, *bytes + *size, room - *size);
        if (got == 0)
            return 0;
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0)
            *size += (size_t)got;
    }
}

int run_load(struct run **run, const char *path, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), code;
    char *bytes = NULL;
    size_t size = 0;

    *run = NULL;
    if (fd < 0)
        return file_error(error, -errno, "read", path);
    code = read_all(fd, &bytes, &size);
    close(fd);
    if (code) {
        file_error(error, code, "read", path);
    } else {
        code = run_read_json(run, bytes, size, error);
        if (code)
            file_prefix(error, code, path);
    }
    free(bytes);
    return code;
}
