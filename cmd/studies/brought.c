/* SPDX-License-Identifier: Apache-2.0 */
/* Studies that the program brings with it, and those of the user. */
#include "process/process.h"
#include "studies/studies_private.h"

#include <errno.h>
#include <string.h>

static bool is_file(const char *word)
{
    const char *const end = strrchr(word, '.');
    return strchr(word, '/') || (end && !strcmp(end, ".json"));
}

static int unknown(const char *word, struct error *error)
{
    struct text_list names = {.n = 0};
    char known[600], hint[120];
    for (const struct brought *brought = brought_studies; brought->name; brought++)
        text_list_add(&names, brought->name);
    text_list_add(&names, "all");
    text_list_hint(&names, word, hint, sizeof hint);
    text_list_join(&names, ", ", known, sizeof known);
    text_list_free(&names);
    return error_set(error, -EINVAL,
                     "no study '%.80s'%s (there are %s, and files that end in .json)",
                     word, hint, known);
}

/* NULL: the current folder. */
static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? must_have(strndup(path, (size_t)(slash - path))) : NULL;
}

int study_open(const char *word, struct study *study, char **folder, struct error *error)
{
    *folder = NULL;
    if (is_file(word)) {
        *folder = folder_of(word);
        return study_load(study, word, error);
    }
    for (const struct brought *brought = brought_studies; brought->name; brought++)
        if (!strcmp(brought->name, word))
            return study_read_json(study, brought->text, strlen(brought->text), error);
    return unknown(word, error);
}

void studies_each(void (*each)(const char *name, const char *title, void *context),
                  void *context)
{
    for (const struct brought *brought = brought_studies; brought->name; brought++) {
        struct study study = {.name = NULL};
        struct error error = {.text = ""};
        const int status =
            study_read_json(&study, brought->text, strlen(brought->text), &error);
        each(brought->name, status < 0 ? error.text : study.title, context);
        study_clear(&study);
    }
}
