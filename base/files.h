/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of Linux, as below /proc and /sys. `root` stands in front of the path: "",
 * or a folder of made-up ones.
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the start of root + path into text, without the trailing newline. Returns its
 * length, 0 if nothing can be read, or a negative errno if it cannot be opened (then text
 * is empty). */
static inline ssize_t file_read(const char *root, const char *path, char *text,
                                size_t size)
{
    char full[2 * PATH_MAX];
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

/* The number at the start of the file, or -1 if there is none. */
static inline int64_t file_number(const char *root, const char *path)
{
    char text[32], *end;
    if (file_read(root, path, text, sizeof text) <= 0)
        return -1;
    const int64_t number = strtoll(text, &end, 10);
    return end == text ? -1 : number;
}

/* Calls `line` for each line of root + path until it returns false. Returns 1 if it did,
 * 0 if not, or a negative errno. */
static inline int file_lines(const char *root, const char *path,
                             bool (*line)(char *text, void *context), void *context)
{
    char full[2 * PATH_MAX], *text = NULL;
    size_t size = 0;
    bool more = true;
    snprintf(full, sizeof full, "%s%s", root, path);
    FILE *const file = fopen(full, "re");
    if (!file)
        return -errno;
    while (more && getline(&text, &size, file) >= 0) {
        text[strcspn(text, "\n")] = '\0';
        more = line(text, context);
    }
    free(text);
    fclose(file);
    return !more;
}

struct file_line {
    const char *name;
    int number;
};
static inline bool file_line_told(char *text, void *context)
{
    struct file_line *const told = context;
    const size_t n = strlen(told->name);
    return strncmp(text, told->name, n) || sscanf(text + n, ": %d", &told->number) != 1;
}
/* N of the line "NAME: N" of a file, or -1 if there is none. */
static inline int file_told(const char *root, const char *path, const char *name)
{
    struct file_line told = {name, -1};
    file_lines(root, path, file_line_told, &told);
    return told.number;
}

/* Nanoseconds for which a task was ready to run and had no CPU: the second number of its
 * schedstat. 0 if the system does not count them. */
static inline int64_t file_waited(const char *root, const char *path)
{
    char text[128];
    const char *second;
    file_read(root, path, text, sizeof text);
    second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) : 0;
}

/* The number of entries of a folder whose names do not begin with a dot. */
static inline size_t folder_count(const char *path)
{
    DIR *const folder = opendir(path);
    size_t n = 0;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
        n += entry->d_name[0] != '.';
    if (folder)
        closedir(folder);
    return n;
}
