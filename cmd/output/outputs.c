/* SPDX-License-Identifier: Apache-2.0 */
/* A run goes to files and to standard output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/output.h"
#include "process/process.h"

/* The folder of a file is asked, as the file is replaced; `resolved` is where links lead.
 */
static int check_folder(const char *flag, const char *path, const char *resolved,
                        struct error *error)
{
    const char *slash = strrchr(resolved, '/');
    char folder[4096] = ".";
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - resolved) + 1, resolved);
    if (access(folder, W_OK | X_OK) < 0)
        return error_set(error, -errno, "%s=%s: cannot write to folder %s: %s", flag,
                         path, folder, strerror(errno));
    return 0;
}

int check_writable(const char *flag, const char *path, struct error *error)
{
    struct stat status;
    if (!path)
        return 0;
    if (stat(path, &status) < 0)
        return check_folder(flag, path, path, error);
    const int code = S_ISDIR(status.st_mode)  ? EISDIR
                     : access(path, W_OK) < 0 ? errno
                                              : 0;
    if (code)
        return error_set(error, -code, "%s=%s: %s", flag, path, strerror(code));
    char *const resolved = file_is_replaced(path) ? realpath(path, NULL) : NULL;
    const int rc = resolved ? check_folder(flag, path, resolved, error) : 0;
    free(resolved);
    return rc;
}

int outputs_check(const struct options *options, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++) {
        const struct output *output = &options->outputs[i];
        /* "--json" and "--format=junit" begin what names the file. */
        char flag[64];
        const size_t length = strlen(output->argument) - strlen(output->file) - 1;
        snprintf(flag, sizeof flag, "%.*s", (int)length, output->argument);
        status = check_writable(flag, output->file, error);
    }
    if (status == 0)
        status = check_writable("--history", options->history, error);
    return status == 0 && options->history ? history_check(options->history, error)
                                           : status;
}

struct text_options text_of_stdout(void)
{
    return (struct text_options){.colour = terminal_colour(stdout),
                                 .width = terminal_width(stdout)};
}

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

static int save(const struct output *output, const struct run *run, struct error *error)
{
    return output->format == FORMAT_JSON
               ? run_save(run, output->file, error)
               : report_save(run, output->format, output->file, error);
}

int outputs_save(const struct options *options, const struct run *run,
                 struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++)
        if (options->outputs[i].format == FORMAT_JSON &&
            file_is_replaced(options->outputs[i].file))
            status = save(&options->outputs[i], run, error);
    return status;
}

int outputs_write(const struct options *options, bool table, const struct run *run,
                  struct error *error)
{
    const struct text_options text = text_of_stdout();
    int status = 0;
    /* Earlier output comes first where both go to the same place. */
    fflush(stdout);
    for (size_t i = 0; i < options->n_outputs && status == 0; i++)
        status = save(&options->outputs[i], run, error);
    if (status == 0 && (table || options->format != FORMAT_TABLE)) {
        status = run_write(run, options->format, &text, stdout, error);
        if (status < 0 && status != -ENOMEM)
            status = standard_failed(-status, error);
    }
    if (status == 0)
        status = standard_flush(error);
    /* Last, and in any case: no output is lost because another one fails. */
    if (options->history) {
        const int appended =
            history_append(options->history, run, status == 0 ? error : NULL);
        status = status == 0 ? appended : status;
    }
    return status;
}
