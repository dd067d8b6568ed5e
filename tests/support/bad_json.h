/* SPDX-License-Identifier: Apache-2.0 */
/* Documents with one thing changed, and what the reader must say of it. */
#pragma once

#include "reports.h"
#include "unit.h"

/* The error begins with `message`, or has it behind "byte N, line N: ". */
struct bad_edit {
    const char *after, *find, *replace, *message;
};

/* Replaces the first `find` behind the first `after`; free() it. */
static inline char *edit(const char *text, const char *after, const char *find,
                         const char *replace)
{
    const char *const from = strstr(text, after);
    const char *const at = from ? strstr(from, find) : NULL;
    char *made;
    if (!at) {
        fail_msg("the sample has no '%s' behind '%s'", find, after);
        return NULL;
    }
    assert_true(asprintf(&made, "%.*s%s%s", (int)(at - text), text, replace,
                         at + strlen(find)) >= 0);
    return made;
}

static inline bool error_says(const struct error *error, const char *message)
{
    const size_t length = strlen(message);
    const char *const rest =
        strncmp(error->text, "byte ", 5) ? NULL : strstr(error->text, ": ");
    return !strncmp(error->text, message, length) ||
           (rest && !strncmp(rest + 2, message, length));
}

/* Each edit alone makes a good document one that is refused. */
static inline void check_edits(const char *good, const struct bad_edit *edits, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *const bad = edit(good, edits[i].after, edits[i].find, edits[i].replace);
        struct error error = {.text = ""};
        struct run untouched, *read = &untouched;
        const int code = run_read_json(&read, bad, strlen(bad), &error);
        if (code != -EINVAL || !error_says(&error, edits[i].message))
            fail_msg("'%s' gives %d '%s', not '%s'", edits[i].replace, code, error.text,
                     edits[i].message);
        assert_null(read);
        free(bad);
    }
}
