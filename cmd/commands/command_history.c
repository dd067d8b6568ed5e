/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench history [CASE]`: what earlier runs said. */

#include "commands/commands.h"
#include "output/output.h"

/* Some of them, as in "one, two". */
static void join_containing(const struct text_list *list, const char *word, char *out,
                            size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = 0, shown = 0; i < list->n && shown < 3 && length < size; i++)
        if (strcasestr(list->item[i], word))
            length += (size_t)snprintf(out + length, size - length, "%s%s",
                                       shown++ ? ", " : "", list->item[i]);
}

/* -ENOENT with cases that are spelled alike, or else some that contain the word. */
static int unknown_case(const char *path, const char *word, struct error *error)
{
    FREED_BY(text_list_free) struct text_list known = {0};
    char near[300];
    int rc = history_cases(path, &known.item, &known.n, error);

    if (rc == 0) {
        text_list_near(&known, word, near, sizeof near);
        if (!near[0])
            join_containing(&known, word, near, sizeof near);
        rc = error_set(error, -ENOENT, "%.100s has no case '%.80s'%s%s%s", path, word,
                       near[0] ? "; did you mean " : "", near, near[0] ? "?" : "");
    }
    return rc;
}

static int write_as(const void *context, enum format format, FILE *file,
                    struct error *error)
{
    const struct history *const history = context;
    struct json json = {.root = NULL};
    const struct text_page page = page_of(file, format);
    if (format == FORMAT_TABLE || format == FORMAT_MARKDOWN)
        return history_write_text(history, &page, error);
    if (format == FORMAT_CSV)
        return history_write_csv(history, file, error);
    history_json(history, &json);
    return page_or_json_write(&json, format, file, error);
}

int command_history(struct options *options)
{
    const char *const named = getenv("SIMDBENCH_HISTORY");
    const char *const word = options->files.n ? options->files.item[0] : NULL;
    FREED_BY(history_free) struct history history = {.n = 0};
    struct error error = {0};

    if (!options->history && named && *named)
        options->history = must_have(strdup(named));
    const char *const path = options->history;
    int rc = path && *path ? outputs_check(options, &error)
                           : invalid(&error,
                                     "history needs a database, which runs fill by the "
                                     "same option: simdbench history --history=%.200s",
                                     word && strchr(word, '.') && !strstr(word, ".json")
                                         ? word
                                         : "bench.sqlite");
    if (rc == 0)
        rc = history_read(path, word ? word : "*", &history, &error);
    if (rc == 0 && !history.n)
        rc = word ? unknown_case(path, word, &error)
                  : error_set(&error, -ENOENT,
                              "%s has no runs; simdbench gemm --history=%s adds one",
                              path, path);
    if (rc == 0)
        rc = document_write(options, write_as, &history, &error);
    if (rc != 0)
        complain("%s", error.text);
    return rc ? EXIT_USAGE : EXIT_OK;
}
