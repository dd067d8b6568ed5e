/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <unistd.h>

#include "text.h"

static int read_all(int fd, size_t most, char **bytes, size_t *size)
{
    for (size_t room = 0;;) {
        /* One byte more ends the text. */
        if (*size + 1 >= room) {
            if (*size > most)
                return -EFBIG;
            room = room ? 2 * room : 65536;
            *bytes = must_have(realloc(*bytes, room));
        }
        const ssize_t got = read(fd, *bytes + *size, room - *size - 1);
        if (got < 0 && errno != EINTR)
            return -errno;
        if (got > 0)
            *size += (size_t)got;
        (*bytes)[*size] = '\0';
        if (got == 0)
            return *size > most ? -EFBIG : 0;
    }
}

int file_load_from(int fd, size_t most, char **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    const int status = read_all(fd, most, bytes, size);
    if (status < 0) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

int file_load(const char *path, size_t most, char **bytes, size_t *size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    *bytes = NULL;
    *size = 0;
    if (fd < 0)
        return -errno;
    const int status = file_load_from(fd, most, bytes, size);
    close(fd);
    return status;
}
