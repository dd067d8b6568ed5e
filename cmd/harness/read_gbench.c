/* SPDX-License-Identifier: Apache-2.0 */
#include "harness_private.h"

#include <math.h>
#include <string.h>

/* A program may print lines of its own before the document and behind it. */
static char *find_document(char *text)
{
    char *const begin = *text == '{' ? text : strstr(text, "\n{");
    char *last = NULL;
    for (char *end = begin; end && (end = strstr(end, "}\n")); end++)
        last = end;
    if (last)
        last[1] = '\0';
    return begin ? begin : text;
}

int read_gbench(char *text, const struct reading_form *form, struct readings *readings,
                struct error *error)
{
    struct run *run = NULL;
    text = find_document(text);
    const int status = run_read_json(&run, text, strlen(text), error);
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
    run_free(run);
    return status;
}
