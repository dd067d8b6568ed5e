/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run goes. */
#include "worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const int status = check_writable("--json", options->json, error);
    return status < 0 ? status : check_writable("--markdown", options->markdown, error);
}

int outputs_write(const struct options *options, const struct run *run,
                  struct error *error)
{
    const struct text_options text = {.colour = terminal_colour(stdout),
                                      .width = terminal_width(stdout)};
    /* What was printed comes first where both go to the same place. */
    fflush(stdout);
    int status = 0;
    if (options->json)
        status = run_save(run, options->json, error);
    if (options->markdown && status == 0)
        status = report_save(run, FORMAT_MARKDOWN, options->markdown, error);
    if (options->format != FORMAT_TABLE && status == 0)
        status = run_write(run, options->format, &text, stdout, error);
    return status == 0 ? standard_flush(error) : status;
}
