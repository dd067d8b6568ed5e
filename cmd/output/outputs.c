/* SPDX-License-Identifier: Apache-2.0 */
/* A run goes to files and to standard output. */
#include <errno.h>
#include <unistd.h>

#include "output/output.h"
#include "process/process.h"

/* A file keeps all notes. */
struct text_options text_of_stdout(const struct options *options)
{
    return (struct text_options){.colour = terminal_colour(stdout),
                                 .width = terminal_width(stdout),
                                 .brief = !options->verbose && isatty(STDOUT_FILENO)};
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

static int document_save(const void *what, document_writer *write, enum format format,
                         const char *path, struct error *error)
{
    const struct document document = {what, write, format};
    return file_save(path, write_document, &document, error);
}

int report_save(const struct run *run, enum format format, const char *path,
                struct error *error)
{
    return document_save(run, write_run, format, path, error);
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

/* No output is lost because another one fails: the first error counts. */
static int save_all(const struct options *options, document_writer *write,
                    const void *what, struct error *error)
{
    int status = 0;
    /* Earlier output comes first where both go to the same place. */
    fflush(stdout);
    FOR_EACH (const struct output, output, options->outputs, options->n_outputs) {
        const int saved = document_save(what, write, output->format, output->file,
                                        status ? NULL : error);
        status = status ?: saved;
    }
    return status;
}

int document_write(const struct options *options, document_writer *write,
                   const void *what, struct error *error)
{
    const int saved = save_all(options, write, what, error);
    struct error *const rest = saved ? NULL : error;
    const int printed =
        write(what, options->format, stdout, rest) ?: standard_flush(rest);
    return saved ?: printed;
}

int outputs_write(const struct options *options, bool table, const struct run *run,
                  struct error *error)
{
    const struct text_options text = text_of_stdout(options);
    const int saved = save_all(options, write_run, run, error);
    struct error *const rest = saved ? NULL : error;
    int printed = 0;
    if (table || options->format != FORMAT_TABLE) {
        printed = print_run(run, options->format, &text, stdout, rest);
        if (printed < 0 && printed != -ENOMEM && options->format != FORMAT_SVG)
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
