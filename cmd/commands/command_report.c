/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "commands/commands.h"
#include "output/output.h"
#include "process/process.h"

/* The first file is the run; the others join it. */
static int load_all(const struct text_list *files, struct run **run, struct error *error)
{
    int rc = run_load(run, files->item[0], error);
    for (size_t i = 1; i < files->n && rc == 0; i++) {
        FREED_BY(run_delete) struct run *other = NULL;
        rc = run_load(&other, files->item[i], error)
                 ?: run_merge(*run, other, files->item[i], error);
    }
    return rc;
}

/* Options that exclude each other. */
static int check_together(const struct options *options, struct error *error)
{
    if (options->value && !options->query)
        return error_set(error, -EINVAL,
                         "--value=%s needs --query=GLOB, the cases that it is of",
                         options->value);
    if (options->query && (options->by || options->format_given))
        return error_set(error, -EINVAL, "--query prints bare numbers: no %s with it",
                         options->by ? "--by" : "--format");
    if (options->by && (options->history || options->label))
        return error_set(error, -EINVAL, "--by=%s makes no run: no --history, no --label",
                         options->by);
    return 0;
}

int command_report(struct options *options)
{
    struct error error = {0};
    FREED_BY(run_delete) struct run *run = NULL;
    int exit_status = EXIT_OK;

    int rc = check_together(options, &error) ?: outputs_check(options, &error);
    if (rc == 0 && options->by)
        return fleet_report(options, &error);
    if (rc == 0)
        rc = load_all(&options->files, &run, &error);
    if (rc == 0 && options->query)
        exit_status = query_print(options, run);
    if (rc == 0)
        rc = outputs_write(options, !options->query, run, &error);
    if (rc != 0)
        complain("%s", error.text);
    return rc ? EXIT_USAGE : exit_status;
}
