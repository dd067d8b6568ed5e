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
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return error_set(error, -errno, "gnuplot: %s", strerror(errno));
    return WIFEXITED(state) && WEXITSTATUS(state) == 0
               ? 0
               : error_set(error, -EIO, "gnuplot failed to draw the figure");
}

/* The drawing of gnuplot, from its beginning. */
static int copy(FILE *from, FILE *to, struct error *error)
{
    char bytes[1 << 14];
    size_t n, all = 0;

    if (fseek(from, 0, SEEK_SET) < 0)
        return error_set(error, -EIO, "cannot read the figure");
    do {
        n = fread(bytes, 1, sizeof bytes, from);
        all += n;
    } while (fwrite(bytes, 1, n, to) == n && n == sizeof bytes);
    if (fflush(to) != 0 || ferror(to) || ferror(from))
        return error_set(error, -EIO, "cannot write the figure");
    return all ? 0 : error_set(error, -EIO, "gnuplot drew nothing");
}

static int write_figure(const struct run *run, FILE *script, FILE *figure, FILE *file,
                        struct error *error)
{
    int status = run_write(run, FORMAT_GNUPLOT, NULL, script, error);

    if (status == 0 && fseek(script, 0, SEEK_SET) < 0)
        status = error_set(error, -EIO, "cannot read the script of the figure");
    if (status == 0)
        status = draw(script, figure, error);
    return status ? status : copy(figure, file, error);
}

int figure_write(const struct run *run, FILE *file, struct error *error)
{
    FILE *const script = tmpfile();
    FILE *const figure = script ? tmpfile() : NULL;
    const int status = figure ? write_figure(run, script, figure, file, error)
                              : error_set(error, -EIO, "no temporary file: %m");

    if (script)
        fclose(script);
    if (figure)
        fclose(figure);
    return status;
}
