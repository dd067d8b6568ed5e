/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench explain`: words that name libraries become modules, the others are cases. */
#include "commands/call.h"
#include "commands/commands.h"
#include "explain/explain.h"
#include "variant/variant.h"

/* A shared object: "mix.so", "libz.so.1". */
static bool is_shared_object(const char *word)
{
    const char *const end = strstr(basename(word), ".so");
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
    const bool builds = words->n >= 2 && is_shared_object(words->item[0]) &&
                        is_shared_object(words->item[1]);
    if (words->n == 1 && is_shared_object(words->item[0]))
        return invalid(error,
                       "%.200s: which function? As in simdbench explain %.200s:NAME "
                       "'PROTOTYPE'; simdbench call %.200s lists them",
                       words->item[0], words->item[0], words->item[0]);
    if (!builds && !options->functions)
        return 0;
    if (!builds || words->n != 3 || !case_name_is(words->item[2]) ||
        options->request.plugins.n)
        return invalid(error,
                       "two builds have one case: simdbench explain BASE.so HEAD.so "
                       "CASE%s; simdbench %s%.200s --dry-run prints their ids",
                       options->functions ? " --functions=FILE.json" : "",
                       options->functions ? "call " : "all --plugin=",
                       options->functions ?: words->item[0]);
    add_build(options, words->item[0]);
    add_build(options, words->item[1]);
    take_word(options, words->item[2]);
    return 0;
}

/* BASE:FUNCTION HEAD 'PROTOTYPE': two builds of one case. */
static int take_called_builds(struct options *options, struct called *called,
                              struct error *error)
{
    FREED_BY(text_list_free) struct text_list op = {.n = 0}, file = {.n = 0},
                                              why = {.n = 0};
    FREED_BY(case_list_free) struct case_list list = {.n = 0};
    if (options->request.plugins.n)
        return invalid(error, "BASE:FUNCTION HEAD 'PROTOTYPE' are two builds, and "
                              "--plugin adds no further one");
    int status = called_builds(options, called, error);
    text_list_add(&op, called->op);
    text_list_add(&file, called->file);
    struct request base = options->request;
    base.plugins = file;
    if (status == 0)
        status = case_list_make(&op, &base, &options->how, &list, &why, error);
    if (!options->quiet)
        complain_each("", &why);
    if (status == 0 && list.n == 1) {
        FREE_EACH(list.item[0].prefix);
        list.item[0].prefix = NULL;
        FREED_BY(free_memory) char *id = case_name_format(&list.item[0]);
        add_build(options, called->object);
        add_build(options, options->files.item[1]);
        take_word(options, id);
    } else if (status == 0) {
        status = invalid(error,
                         "two builds have one case, and these are %zu: name one function "
                         "and one of --sizes",
                         list.n);
    }
    return status;
}

int command_explain(struct options *options)
{
    const struct text_list *const words = &options->files;
    struct error error = {.text = ""};
    FREED_BY(called_forget) struct called called = {.object = ""};
    const bool called_now =
        words->n > 1 && !options->functions && is_prototype(words->item[words->n - 1]);
    int status = 0;
    if (words->n == 2 && called_now) {
        status = called_declare(options, words->item[0], words->item[1], &called, &error);
        if (status == 0) {
            text_list_add(&options->request.plugins, called.file);
            take_word(options, called.op);
        }
    } else if (words->n == 3 && called_now) {
        status = take_called_builds(options, &called, &error);
    } else {
        status = take_builds(options, &error);
    }
    return status < 0 ? exit_status_of(status, &error) : explain_run(options);
}
