/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfctr_private.h"

ssize_t file_read(const char *root, const char *path, char *text, size_t size)
{
    char full[PATH_MAX];
    size_t n = 0;
    text[0] = '\0';
    snprintf(full, sizeof full, "%s%s", root, path);
    const int fd = open(full, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    while (n + 1 < size) {
        const ssize_t got = read(fd, text + n, size - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        n--;
    text[n] = '\0';
    return (ssize_t)n;
}

int64_t file_number(const char *root, const char *path)
{
    char text[32], *end;
    if (file_read(root, path, text, sizeof text) <= 0)
        return -1;
    const int64_t number = strtoll(text, &end, 10);
    return end == text ? -1 : number;
}

int file_lines(const char *root, const char *path,
               bool (*line)(char *text, void *context), void *context)
{
    char full[PATH_MAX], *text = NULL;
    size_t size = 0;
    snprintf(full, sizeof full, "%s%s", root, path);
    FILE *const file = fopen(full, "re");
    if (!file)
        return -errno;
    while (getline(&text, &size, file) >= 0) {
        text[strcspn(text, "\n")] = '\0';
        if (!line(text, context))
            break;
    }
    free(text);
    fclose(file);
    return 0;
}
