/* SPDX-License-Identifier: Apache-2.0 */
/* Whole outputs against files of tests/golden/: a program has the arguments GOLDEN_FOLDER
 * [--update], where --update writes the files anew. */
#pragma once

#include "unit.h"

static inline const char *golden_folder(void)
{
    if (!unit_argument(1))
        fail_msg("usage: %s GOLDEN_FOLDER [--update]", unit_argument(0));
    return unit_argument(1);
}

static inline char *golden_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    if (!file)
        fail_msg("no %s: run with --update", path);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

/* Frees `text`. */
static inline void check_golden(const char *name, char *text)
{
    char *path = NULL, *expected;
    assert_true(asprintf(&path, "%s/%s", golden_folder(), name) > 0);
    if (unit_argument(2) && !strcmp(unit_argument(2), "--update")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(text, file);
        assert_int_equal(fclose(file), 0);
    }
    expected = golden_read(path);
    assert_string_equal(text, expected);
    free(path);
    free(expected);
    free(text);
}
