/* SPDX-License-Identifier: Apache-2.0 */
/* Studies that the program brings with it, and those of the user. */
#include "studies/studies_private.h"

#include <limits.h>

static bool is_file(const char *word)
{
    const char *const end = strrchr(word, '.');
    return strchr(word, '/') || (end && !strcmp(end, ".json"));
}

static int unknown(const char *word, struct error *error)
{
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    char known[600], hint[120];
    for (const struct brought *brought = brought_studies; brought->name; brought++)
        text_list_add(&names, brought->name);
    text_list_add(&names, "all");
    text_list_hint(&names, word, hint, sizeof hint);
    text_list_join(&names, ", ", known, sizeof known);
    return invalid(error,
                   "no study '%.80s'%s (there are %s, and files that end in .json)", word,
                   hint, known);
}

/* NULL: the current folder. */
static char *folder_of(const char *path)
{
    const char *const slash = strrchr(path, '/');
    return slash ? must_have(strndup(path, (size_t)(slash - path))) : NULL;
}

static int open_file(const char *word, struct study *study, enum trust *trust,
                     struct error *error)
{
    char *const path = realpath(word, NULL), *bytes = NULL;
    size_t size;
    const int status = study_load(study, word, &bytes, &size, error);
    *trust = status == 0 && path ? trust_of(path, bytes, size) : TRUST_NO;
    FREE_EACH(bytes, path);
    return status;
}

int study_open(const char *word, struct study *study, char **folder, enum trust *trust,
               struct error *error)
{
    *folder = NULL;
    *trust = TRUST_NAMED;
    if (is_file(word)) {
        *folder = folder_of(word);
        return open_file(word, study, trust, error);
    }
    for (const struct brought *brought = brought_studies; brought->name; brought++)
        if (!strcmp(brought->name, word))
            return study_read_json(study, brought->text, strlen(brought->text), error);
    return unknown(word, error);
}

/* True unless a module is named by a path that leads out of the folder. What is not there
 * cannot run. */
static bool is_inside(const char *module, const char *folder)
{
    struct set_settings settings = {.folder = folder};
    FREED_BY(free_memory) char *name = study_module(module, &settings);
    char path[PATH_MAX];
    name[strcspn(name, ",")] = '\0';
    const size_t length = strlen(name);
    const bool is_path =
        strchr(name, '/') || (length > 3 && !strcmp(name + length - 3, ".so"));
    FREED_BY(free_memory) char *top = realpath(folder && *folder ? folder
                                               : folder          ? "/"
                                                                 : ".",
                                               NULL);
    FREED_BY(free_memory) char *real =
        is_path && module_find(name, path, sizeof path, NULL) == 0 ? realpath(path, NULL)
                                                                   : NULL;
    const size_t n = top && strcmp(top, "/") ? strlen(top) : 0;
    return !real || (top && !strncmp(real, top, n) && real[n] == '/');
}

int study_modules_inside(const struct study *study, const char *folder, const char *word,
                         struct error *error)
{
    FOR_EACH (const struct study_arm, arm, study->arms, study->n_arms) {
        if (arm->module && !is_inside(arm->module, folder))
            return error_set(error, -EPERM,
                             "%.200s: arm %.60s runs %.200s, which is not in the folder "
                             "of the study: `simdbench trust` of that study lets it",
                             word, arm->name, arm->module);
    }
    return 0;
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
