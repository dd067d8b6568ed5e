/* SPDX-License-Identifier: Apache-2.0 */
/* Where a run goes, and how a program that may take long meets signals. */
#include "worker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void on_signal(int number)
{
    interrupted_by = number;
}

void signals_catch(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int check_writable(const char *flag, const char *path, struct error *error)
{
    char folder[4096];
    if (!path)
        return 0;
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (access(path, F_OK) == 0) {
        if (access(path, W_OK) < 0)
            return error_set(error, -errno, "%s=%s: %s", flag, path, strerror(errno));
        if (strncmp(path, "/dev/", 5) == 0)
            return 0;
    }
    if (slash)
        slash[slash == folder] = '\0';
    if (access(slash ? folder : ".", W_OK | X_OK) < 0)
        return error_set(error, -errno, "%s=%s: cannot write to folder %s: %s", flag,
                         path, slash ? folder : ".", strerror(errno));
    return 0;
}

int outputs_check(const struct options *options, struct error *error)
{
    int status = check_writable("--json", options->json, error);
    if (status == 0)
        status = check_writable("--markdown", options->markdown, error);
    if (status == 0)
        status = check_writable("--history", options->history, error);
    return status == 0 && options->history ? history_check(options->history, error)
                                           : status;
}

int outputs_write(const struct options *options, const struct run *run,
                  struct error *error)
{
    int status = 0;
    const struct text_options text = {.colour = terminal_colour(stdout),
                                      .width = terminal_width(stdout)};
    if (options->json)
        status = run_save(run, options->json, error);
    if (options->markdown && status == 0)
        status = report_save(run, FORMAT_MARKDOWN, options->markdown, error);
    if (options->format != FORMAT_TABLE && status == 0)
        status = run_write(run, options->format, &text, stdout, error);
    if (status == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        status = error_set(error, -EIO, "standard output: %s", strerror(errno));
    /* Last, and in any case: no output is lost because another one fails. */
    if (options->history) {
        const int appended =
            history_append(options->history, run, status == 0 ? error : NULL);
        status = status == 0 ? appended : status;
    }
    return status;
}
