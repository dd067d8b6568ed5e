/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench call LIB:FUNCTION 'PROTOTYPE'`: the declaration is a module like any other,
 * and the ordinary run measures it. */
#include "commands/call.h"
#include "commands/commands.h"
#include "library_files.h"
#include "process/process.h"
#include "worker/worker.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void run_this(struct options *options, const char *file, const char *op)
{
    text_list_add(&options->request.plugins, file);
    options->request.plugins_are_words = true;
    if (!options->request.baselines.n)
        text_list_add(&options->request.baselines, "none");
    free(options->request.op);
    options->request.op = op ? must_have(strdup(op)) : NULL;
}

static int call_file(struct options *options)
{
    char file[PATH_MAX];
    const char *const name = options->files.item[0];
    snprintf(file, sizeof file, "%s%s", strchr(name, '/') ? "" : "./", name);
    run_this(options, file, options->files.n > 1 ? options->files.item[1] : NULL);
    return command_op(options);
}

static int call_function(struct options *options, struct error *error)
{
    const char *const *const words = (const char *const *)options->files.item;
    struct called called;
    const int failed = called_declare(options, words[0], words[1], &called, error);
    int status = failed ? exit_status_of(failed, error) : 0;
    if (!failed) {
        run_this(options, called.file, called.op);
        status = command_op(options);
    }
    called_forget(&called);
    return status;
}

int command_call(struct options *options)
{
    struct error error = {.text = ""};
    char object[PATH_MAX];
    const char *places = NULL, *const what = options->files.item[0];
    if (module_is_declared(what))
        return call_file(options);
    const int status = place_split(what, object, sizeof object, &places, &error);
    if (status < 0)
        return exit_status_of(status, &error);
    if (options->files.n < 2)
        return call_list(object, places && *places ? places : NULL);
    return call_function(options, &error);
}
