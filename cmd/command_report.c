/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "cmd.h"

struct report {
    const struct run *run;
    enum format format;
};

static int write_report(const void *context, FILE *file, struct error *error)
{
    const struct report *const report = context;
    const struct text_options plain = {0};
    return run_write(report->run, report->format, &plain, file, error);
}

int report_save(const struct run *run, enum format format, const char *path,
                struct error *error)
{
    const struct report report = {run, format};
    return file_save(path, write_report, &report, error);
}

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

int command_report(const struct options *options)
{
    struct error error = {0};
    struct run *run = NULL;

    int rc = load_all(&options->files, &run, &error);
    if (rc == 0)
        rc = outputs_print(options, run, &error);
    if (rc != 0)
        complain("%s", error.text);
    run_free(run);
    return rc ? EXIT_USAGE : EXIT_OK;
}
