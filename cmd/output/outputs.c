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
static int write_run(const struct run *run, enum format format,
                     const struct text_options *options, FILE *file, struct error *error)
{
    return format == FORMAT_SVG ? figure_write(run, file, error)
                                : run_write(run, format, options, file, error);
}

struct report {
    const struct run *run;
    enum format format;
};

static int write_report(const void *context, FILE *file, struct error *error)
{
    const struct report *const report = context;
    const struct text_options plain = {0};
    return write_run(report->run, report->format, &plain, file, error);
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

struct document {
    const void *what;
    document_writer *write;
    enum format format;
};

static int save_document(const void *context, FILE *file, struct error *error)
{
    const struct document *const document = context;
    return document->write(document->what, document->format, file, error);
}

int document_write(const struct options *options, document_writer *write,
                   const void *what, struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++) {
        const struct document document = {what, write, options->outputs[i].format};
        status = file_save(options->outputs[i].file, save_document, &document, error);
    }
    return status ?: write(what, options->format, stdout, error) ?: standard_flush(error);
}

int outputs_write(const struct options *options, bool table, const struct run *run,
                  struct error *error)
{
    const struct text_options text = text_of_stdout(options);
    int status = 0;
    /* Earlier output comes first where both go to the same place. */
    fflush(stdout);
    for (size_t i = 0; i < options->n_outputs && status == 0; i++)
        status = save(&options->outputs[i], run, error);
    if (status == 0 && (table || options->format != FORMAT_TABLE)) {
        status = write_run(run, options->format, &text, stdout, error);
        if (status < 0 && status != -ENOMEM && options->format != FORMAT_SVG)
            status = standard_failed(-status, error);
    }
    if (status == 0)
        status = standard_flush(error);
    /* Last, and in any case: no output is lost because another one fails. */
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
