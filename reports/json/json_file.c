/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "text/text.h"

/* A run of 100 000 cases with 100 samples each takes about half of it. */
#define FILE_SIZE_MAX ((size_t)1 << 29)

static int file_error(struct error *error, int code, const char *path)
{
    char name[256];

    text_plain(path, name, sizeof name);
    return error_set(error, code, "cannot read '%s': %s", name, strerror(-code));
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

static int write_json(const void *run, FILE *file, struct error *error)
{
    return run_write_json(run, file, error);
}

int run_save(const struct run *run, const char *path, struct error *error)
{
    return file_save(path, write_json, run, error);
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
        return file_error(error, -errno, path);
    code = read_all(fd, &bytes, &size);
    close(fd);
    if (code) {
        file_error(error, code, path);
    } else {
        code = run_read_json(run, bytes, size, error);
        if (code)
            file_prefix(error, code, path);
    }
    free(bytes);
    return code;
}
