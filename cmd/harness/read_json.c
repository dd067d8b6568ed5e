/* SPDX-License-Identifier: Apache-2.0 */
#include "harness_private.h"

#include <math.h>

/* The end of the braces that begin here; NULL: they do not end. */
static const char *braces_end(const char *at)
{
    size_t depth = 0;
    bool quoted = false;
    for (; *at; at++) {
        if (quoted && *at == '\\' && at[1])
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && *at == '{')
            depth++;
        else if (!quoted && *at == '}' && !--depth)
            return at + 1;
    }
    return NULL;
}

/* The brace at or behind `at` that begins or ends a line; NULL: there is none. */
static const char *find_brace(const char *text, const char *at)
{
    while ((at = strchr(at, '{')) && at > text && at[-1] != '\n' && at[1] != '\n')
        at++;
    return at;
}

/* A program may print lines of its own before the document and behind it, a few of which
 * may begin as it does. Pytest prints a line without an end before it. */
static int read_document(const char *text, struct run **run, struct error *error)
{
    enum { TRIES = 64 };
    const char *begin = find_brace(text, text);
    for (int i = 0; i < TRIES && begin; i++, begin = find_brace(text, begin + 1)) {
        const char *const end = braces_end(begin);
        if (end && run_read_json(run, begin, (size_t)(end - begin), error) == 0)
            return 0;
    }
    return run_read_json(run, text, strlen(text), error);
}

int read_json(char *text, const struct reading_form *form, struct readings *readings,
              struct error *error)
{
    FREED_BY(run_delete) struct run *run = NULL;
    const int status = read_document(text, &run, error);
    for (size_t i = 0; status == 0 && i < run->n_results; i++) {
        const struct result *const result = &run->results[i];
        const bool good = result->status == STATUS_OK;
        const bool zero = !good && !strcmp(result->reason, FOREIGN_NO_TIME);
        readings_put(readings, result->id, strlen(result->id),
                     good || zero ? NULL : result->reason,
                     (struct reading){.ns = good   ? result->summary.median_ns
                                            : zero ? 0
                                                   : NAN,
                                      .told = !zero,
                                      .threads = (uint32_t)result->threads});
    }
    return status;
}
