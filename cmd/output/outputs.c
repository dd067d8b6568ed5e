/* SPDX-License-Identifier: Apache-2.0 */
/* A run goes to files and to standard output. */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/output.h"

extern char **environ;
/* A copy of it in this program would hide libc's from modules. */
#pragma weak environ

#define FIGURE_MAX ((size_t)1 << 28)

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

static int write_figure(const struct run *run, FILE *script, FILE *figure, FILE *file,
                        struct error *error)
{
    FREED_BY(free_memory) char *drawn = NULL;
    size_t size = 0;
    int status = run_write(run, FORMAT_GNUPLOT, NULL, script, error);

    if (status == 0 && fseek(script, 0, SEEK_SET) < 0)
        status = error_set(error, -EIO, "cannot read the script of the figure");
    status = status ?: draw(script, figure, error);
    if (status == 0 && (fseek(figure, 0, SEEK_SET) < 0 ||
                        file_load_from(fileno(figure), FIGURE_MAX, &drawn, &size) < 0))
        status = error_set(error, -EIO, "cannot read the figure");
    if (status == 0 && !size)
        status = error_set(error, -EIO, "gnuplot drew nothing");
    if (status == 0)
        fwrite(drawn, 1, size, file);
    return status;
}

static int figure_write(const struct run *run, FILE *file, struct error *error)
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

/* A file keeps all notes. */
struct text_options text_of_stdout(const struct options *options)
{
    return (struct text_options){.colour = terminal_colour(stdout),
                                 .width = terminal_width(stdout),
                                 .brief = !options->verbose && isatty(STDOUT_FILENO)};
}

struct text_page page_of(FILE *file, enum format format)
{
    return (struct text_page){file, format == FORMAT_MARKDOWN, terminal_width(file)};
}

/* As it is, or as gnuplot draws it. */
static int print_run(const struct run *run, enum format format,
                     const struct text_options *options, FILE *file, struct error *error)
{
    return format == FORMAT_SVG ? figure_write(run, file, error)
                                : run_write(run, format, options, file, error);
}

static int write_run(const void *run, enum format format, FILE *file, struct error *error)
{
    const struct text_options plain = {0};
    return print_run(run, format, &plain, file, error);
}

struct document {
    const void *what;
    document_writer *write;
    enum format format;
};

static int write_document(const void *context, FILE *file, struct error *error)
{
    const struct document *const document = context;
    return document->write(document->what, document->format, file, error);
}

static int save(const void *what, document_writer *write, enum format format,
                const char *path, struct error *error)
{
    const struct document document = {what, write, format};
    return file_save(path, write_document, &document, error);
}

int report_save(const struct run *run, enum format format, const char *path,
                struct error *error)
{
    return save(run, write_run, format, path, error);
}

int outputs_save(const struct options *options, const struct run *run,
                 struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++)
        if (options->outputs[i].format == FORMAT_JSON &&
            file_is_replaced(options->outputs[i].file))
            status = report_save(run, FORMAT_JSON, options->outputs[i].file, error);
    return status;
}

int document_save(const struct options *options, document_writer *write, const void *what,
                  struct error *error)
{
    int status = 0;
    /* Earlier output comes first where both go to the same place. */
    fflush(stdout);
    FOR_EACH (const struct output, output, options->outputs, options->n_outputs) {
        const int saved =
            save(what, write, output->format, output->file, status ? NULL : error);
        status = status ?: saved;
    }
    return status;
}

int document_write(const struct options *options, document_writer *write,
                   const void *what, struct error *error)
{
    const int saved = document_save(options, write, what, error);
    struct error *const rest = saved ? NULL : error;
    const int printed =
        write(what, options->format, stdout, rest) ?: standard_flush(rest);
    return saved ?: printed;
}

int outputs_write(const struct options *options, bool table, const struct run *run,
                  struct error *error)
{
    const struct text_options text = text_of_stdout(options);
    const int saved = document_save(options, write_run, run, error);
    struct error *const rest = saved ? NULL : error;
    int printed = 0;
    if (table || options->format != FORMAT_TABLE) {
        printed = print_run(run, options->format, &text, stdout, rest);
        if (printed < 0 && options->format != FORMAT_SVG)
            printed = standard_failed(-printed, rest);
    }
    printed = printed ?: standard_flush(rest);
    int status = saved ?: printed;
    if (options->history) {
        const int appended =
            history_append(options->history, run, status == 0 ? error : NULL);
        status = status == 0 ? appended : status;
        if (status == 0 && !(run->fingerprint && *run->fingerprint) && !options->quiet)
            complain("%s: stored as of " HISTORY_NO_HOST
                     ": what the run was read from does not tell it, so changes are not "
                     "looked for",
                     options->history);
    }
    return status;
}
