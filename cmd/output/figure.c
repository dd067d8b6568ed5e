/* SPDX-License-Identifier: Apache-2.0 */
/* Figures: gnuplot reads a script from a file without a name, and writes to another. */
#include "output/output.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* gnuplot, with these two files as standard input and output; waits for it. */
static int draw(FILE *script, FILE *figure, struct error *error)
{
    char *const arguments[] = {(char[]){"gnuplot"}, (char[]){"-"}, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int state = 0;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return error_set(error, -ENOMEM, "out of memory for a figure");
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(figure), STDOUT_FILENO);
    const int code = posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code == ENOENT)
        return error_set(error, -ENOENT,
                         "a figure needs gnuplot, which is not installed (Debian: "
                         "gnuplot-nox)");
    if (code != 0)
        return error_set(error, -code, "gnuplot: %s", strerror(code));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0
               ? 0
               : error_set(error, -EIO, "gnuplot failed to draw the figure");
}

static int copy(FILE *from, FILE *to, struct error *error)
{
    char bytes[1 << 14];
    size_t n, all = 0;

    rewind(from);
    while ((n = fread(bytes, 1, sizeof bytes, from)) > 0) {
        all += n;
        if (fwrite(bytes, 1, n, to) != n)
            return error_set(error, -EIO, "cannot write the figure: %s", strerror(errno));
    }
    if (!all)
        return error_set(error, -EIO, "gnuplot drew nothing");
    return fflush(to) == 0
               ? 0
               : error_set(error, -errno, "cannot write the figure: %s", strerror(errno));
}

int figure_write(const struct run *run, FILE *file, struct error *error)
{
    FILE *const script = tmpfile(), *const figure = tmpfile();
    int status = script && figure
                     ? run_write(run, FORMAT_GNUPLOT, NULL, script, error)
                     : error_set(error, -errno, "no temporary file: %s", strerror(errno));

    if (status == 0) {
        rewind(script);
        status = draw(script, figure, error);
    }
    if (status == 0)
        status = copy(figure, file, error);
    if (script)
        fclose(script);
    if (figure)
        fclose(figure);
    return status;
}
