/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench report --by=host`: one file at a time, as there may be thousands. */
#include <errno.h>
#include <string.h>

#include "commands/commands.h"
#include "process/process.h"

static int write_page(const struct fleet *fleet, FILE *file, struct error *error)
{
    struct json json = {.root = NULL};

    fleet_json(fleet, &json);
    return html_write_json(&json, file, error);
}

static int write_as(const struct fleet *fleet, enum format format, FILE *file,
                    struct error *error)
{
    const int rc = format == FORMAT_JSON       ? fleet_write_json(fleet, file, error)
                   : format == FORMAT_HTML     ? write_page(fleet, file, error)
                   : format == FORMAT_CSV      ? fleet_write_csv(fleet, file)
                   : format == FORMAT_MARKDOWN ? fleet_write_markdown(fleet, file)
                                               : fleet_write_table(fleet, file);
    return rc == -ENOMEM ? error_set(error, rc, "out of memory") : rc;
}

struct saved {
    const struct fleet *fleet;
    enum format format;
};

static int write_file(const void *context, FILE *file, struct error *error)
{
    const struct saved *const saved = context;
    return write_as(saved->fleet, saved->format, file, error);
}

static int check_format(enum format format, struct error *error)
{
    if (format == FORMAT_HTML)
        return html_check(error);
    return format == FORMAT_TABLE || format == FORMAT_MARKDOWN || format == FORMAT_CSV ||
                   format == FORMAT_JSON
               ? 0
               : error_set(error, -EINVAL,
                           "--by=host writes table, markdown, csv, json and html, not %s",
                           format_name(format));
}

/* A file that is no run costs itself alone. 1: it was left out; -ENOMEM. */
static int add_file(struct fleet *fleet, const char *path, struct error *error)
{
    const char *const slash = strrchr(path, '/'), *twin = NULL;
    struct error why = {.text = ""};
    struct run *run = NULL;
    int rc = run_load(&run, path, &why);

    if (rc < 0 && rc != -ENOMEM) {
        complain("left out: %s", why.text);
        return 1;
    }
    if (rc == 0)
        rc = fleet_add(fleet, run, slash ? slash + 1 : path, &twin);
    run_free(run);
    if (rc == -EEXIST) {
        complain("%s: the same run as %s, counted once", path, twin);
        return 0;
    }
    return rc == 0 ? 0 : error_set(error, rc, "out of memory");
}

static int add_files(struct fleet *fleet, const struct text_list *files,
                     struct error *error)
{
    int left_out = 0;

    for (size_t i = 0; i < files->n; i++) {
        const int rc = add_file(fleet, files->item[i], error);
        if (rc < 0)
            return rc;
        left_out |= rc;
    }
    return fleet->runs
               ? left_out
               : error_set(
                     error, -EINVAL,
                     "--by=host: none of the files is a run, as --json=FILE writes it");
}

int fleet_report(const struct options *options, struct error *error)
{
    struct fleet fleet = {.n_hosts = 0};
    int left_out = 0;
    int rc = check_format(options->format, error);

    for (size_t i = 0; i < options->n_outputs && rc == 0; i++)
        rc = check_format(options->outputs[i].format, error);
    if (rc == 0)
        rc = left_out = add_files(&fleet, &options->files, error);
    rc = rc > 0 ? 0 : rc;
    if (rc == 0 && fleet_judge(&fleet) != 0)
        rc = error_set(error, -ENOMEM, "out of memory");
    for (size_t i = 0; i < options->n_outputs && rc == 0; i++) {
        const struct saved saved = {&fleet, options->outputs[i].format};
        rc = file_save(options->outputs[i].file, write_file, &saved, error);
    }
    if (rc == 0)
        rc = write_as(&fleet, options->format, stdout, error);
    if (rc == 0)
        rc = standard_flush(error);
    fleet_free(&fleet);
    return rc < 0 ? exit_status_of(rc, error) : left_out ? EXIT_REGRESSED : EXIT_OK;
}
