/* SPDX-License-Identifier: Apache-2.0 */
/* Files below a folder that stands for / of another machine. */
#pragma once

#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "unit.h"

/* Writes root + path and makes the folders that it lies in. */
static inline void tree_put_bytes(const char *root, const char *path, const char *bytes,
                                  size_t size)
{
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0755);
        *slash = '/';
    }
    FILE *const file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_put(const char *root, const char *path, const char *text)
{
    tree_put_bytes(root, path, text, strlen(text));
}

static inline int tree_remove_entry(const char *path, const struct stat *status, int type,
                                    struct FTW *walk)
{
    return remove(path);
}

/* A folder with all that is in it; 0 if it is gone. */
static inline int tree_remove(const char *path)
{
    return nftw(path, tree_remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}
