/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench explain`: words that name libraries become modules, the others are cases. */
#include "commands/call.h"
#include "commands/commands.h"
#include "explain/explain.h"
#include "process/process.h"
#include "variant/variant.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A shared object: "mix.so", "libz.so.1". */
static bool is_shared_object(const char *word)
{
    const char *const end = strstr(word, ".so");
    return end && (!end[3] || end[3] == '.');
}

static void take_word(struct options *options, const char *word)
{
    FREED_BY(free_memory) char *kept = must_have(strdup(word));
    text_list_free(&options->files);
    text_list_add(&options->files, kept);
}

/* One build: of a module, or of a library whose functions a file declares; the row has
 * the name of that library then. */
static void add_build(struct options *options, const char *build)
{
    char text[3 * PATH_MAX], path[PATH_MAX];
    const char *const file = options->functions;
    const char *const base = basename(build);
    if (file)
        snprintf(text, sizeof text, "%s%s,library=%s,as=%.*s",
                 strchr(file, '/') ? "" : "./", file, realpath(build, path) ?: build,
                 (int)strcspn(base, "."), base);
    text_list_add(&options->request.plugins, file ? text : build);
    options->request.plugins_are_words = true;
}

/* BASE.so HEAD.so CASE: one case of two builds, as with two --plugin. */
static int take_builds(struct options *options, struct error *error)
{
    const struct text_list *const words = &options->files;
    const char *const so = strstr(words->item[0], ".so");
    if (words->n == 1 && so && strchr(so, ':') && !strchr(words->item[0], '@'))
        return error_set(
            error, -EINVAL,
            "%.200s: its prototype is missing, as in simdbench explain "
            "./libmix.so:mix 'void (float y[n], const float x[n], size_t n)'",
            words->item[0]);
    const bool builds = words->n >= 2 && is_shared_object(words->item[0]) &&
                        is_shared_object(words->item[1]);
    if (words->n == 1 && is_shared_object(words->item[0]))
        return error_set(error, -EINVAL,
                         "%.200s: which function? As in simdbench explain "
                         "%.200s:NAME 'PROTOTYPE'; simdbench call lists them",
                         words->item[0], words->item[0]);
    if (!builds && !options->functions)
        return 0;
    if (!builds || words->n != 3 || !case_name_is(words->item[2]) ||
        options->request.plugins.n)
        return error_set(
            error, -EINVAL,
            "two builds have one case: simdbench explain BASE.so HEAD.so CASE%s; "
            "simdbench %s%.200s --dry-run prints their ids",
            options->functions ? " --functions=FILE.json" : "",
            options->functions ? "call " : "all --plugin=",
            options->functions ?: words->item[0]);
    add_build(options, words->item[0]);
    add_build(options, words->item[1]);
    take_word(options, words->item[2]);
    return 0;
}

/* The id of the only case that BASE has of an op, without the name of its module. */
static int only_case(struct options *options, const char *op, char **id,
                     struct error *error)
{
    FREED_BY(text_list_free) struct text_list words = {.n = 0}, why_instead = {.n = 0};
    struct case_list list;
    text_list_add(&words, op);
    int status = case_list_make(&words, &options->request, &options->how, &list,
                                &why_instead, error);
    if (status == 0 && list.n != 1)
        status = error_set(error, -EINVAL,
                           "two builds have one case, and these are %zu: name one function "
                           "and one of --sizes",
                           list.n);
    if (status == 0) {
        FREE_EACH(list.item[0].prefix);
        list.item[0].prefix = NULL;
        *id = case_name_format(&list.item[0]);
    }
    case_list_free(&list);
    return status;
}

/* BASE:FUNCTION HEAD 'PROTOTYPE': both are libraries that have the function. */
static int take_called_builds(struct options *options, struct called *called,
                              struct error *error)
{
    const struct text_list *const words = &options->files;
    FREED_BY(free_memory) char *head = NULL, *id = NULL;
    int status = called_declare(options, words->item[0], words->item[2], called, error)
                     ?: called_head(words->item[0], words->item[1], &head, error);
    if (status < 0)
        return status;
    options->functions = must_have(strdup(called->file));
    add_build(options, called->linked ?: called->object);
    status = only_case(options, called->op, &id, error);
    if (status == 0) {
        add_build(options, head);
        take_word(options, id);
    }
    return status;
}

static int take_called(struct options *options, struct called *called, struct error *error)
{
    const struct text_list *const words = &options->files;
    const int status =
        called_declare(options, words->item[0], words->item[1], called, error);
    if (status == 0) {
        text_list_add(&options->request.plugins, called->file);
        take_word(options, called->op);
    }
    return status;
}

int command_explain(struct options *options)
{
    const struct text_list *const words = &options->files;
    const size_t last = words->n - 1;
    const bool declared = last >= 1 && last <= 2 && is_prototype(words->item[last]);
    struct error error = {.text = ""};
    struct called called = {.object = ""};
    int status = !declared   ? take_builds(options, &error)
                 : last == 1 ? take_called(options, &called, &error)
                             : take_called_builds(options, &called, &error);
    status = status < 0 ? exit_status_of(status, &error) : explain_run(options);
    called_forget(&called);
    return status;
}
