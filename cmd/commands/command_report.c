/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/commands.h"
#include "output/output.h"
#include "process/process.h"

/* The first file is the run; the others join it. */
static int load_all(const struct text_list *files, struct run **run, struct error *error)
{
    int rc = run_load(run, files->item[0], error);
    for (size_t i = 1; i < files->n && rc == 0; i++) {
        struct run *other = NULL;
        rc = run_load(&other, files->item[i], error);
        if (rc == 0)
            rc = run_merge(*run, other, files->item[i], error);
        run_free(other);
    }
    return rc;
}

int command_report(struct options *options)
{
    struct error error = {0};
    struct run *run = NULL;

    int rc = outputs_check(options, &error);
    if (rc == 0)
        rc = load_all(&options->files, &run, &error);
    if (rc == 0)
        rc = outputs_write(options, true, run, &error);
    if (rc != 0)
        complain("%s", error.text);
    run_free(run);
    return rc ? EXIT_USAGE : EXIT_OK;
}
