/* SPDX-License-Identifier: Apache-2.0 */

#include "commands/commands.h"
#include "output/output.h"

/* ---- several runs beside the first ---- */

enum { RUNS_MAX = 20 };

struct side_by_side {
    const struct run *runs[RUNS_MAX];
    const char *paths[RUNS_MAX];
    size_t n;
};

static int write_matrix(const void *context, enum format format, FILE *file,
                        struct error *error)
{
    const struct side_by_side *const all = context;
    struct json json = {.root = NULL};
    const struct text_page page = page_of(file, format);

    if (format == FORMAT_JSON || format == FORMAT_HTML) {
        matrix_json(all->runs, all->paths, all->n, &json);
        return page_or_json_write(&json, format, file, error);
    }
    matrix_write(all->runs, all->paths, all->n, &page);
    return 0;
}

static int load_side(struct side_by_side *all, const char *path, struct error *error)
{
    struct run *run = NULL;
    int rc = run_load(&run, path, error);

    if (rc == 0 && run->gate)
        rc = invalid(error,
                     "%.300s is a comparison already; simdbench report shows it, and "
                     "what is compared here are runs",
                     path);
    if (rc < 0) {
        run_free(run);
        return rc;
    }
    all->paths[all->n] = path;
    all->runs[all->n++] = run;
    return 0;
}

/* No gate: nothing fails. */
static int compare_several(const struct options *options)
{
    struct side_by_side all = {.n = 0};
    struct error error = {0};
    int rc = outputs_check(options, &error)
                 ?: outputs_formats(options,
                                    1 << FORMAT_TABLE | 1 << FORMAT_MARKDOWN |
                                        1 << FORMAT_JSON | 1 << FORMAT_HTML,
                                    "compare with more than two files writes table, "
                                    "markdown, json and html",
                                    &error);

    for (size_t i = 0; i < options->files.n && rc == 0; i++)
        rc = load_side(&all, options->files.item[i], &error);
    rc = rc ?: document_write(options, write_matrix, &all, &error);
    for (size_t i = 0; i < all.n; i++)
        run_free((struct run *)(uintptr_t)all.runs[i]);
    return exit_status_of(rc, &error);
}

int command_compare(struct options *options)
{
    if (options->files.n > 2)
        return compare_several(options);

    const char *const base_path = options->files.item[0];
    const char *const head_path = options->files.item[1];
    struct error error = {0};
    FREED_BY(run_delete) struct run *base = NULL;
    FREED_BY(run_delete) struct run *head = NULL;
    int exit_status = EXIT_USAGE;

    int rc = outputs_check(options, &error)
                 ?: run_load(&base, base_path, &error)
                 ?: run_load(&head, head_path, &error);
    if (rc == 0 && options->label)
        facts_replace(&head->settings, "label", options->label);
    rc = rc ?: run_compare(head, head_path, base, base_path, options->threshold, &error);
    if (rc == 0) {
        head->gate->strict = options->strict;
        head->gate->code = options->gate_code;
        run_judge_code(head);
        FREED_BY(free_memory) char *told = project_told(options);
        string_set(&head->gate->settings, told);
        exit_status = run_exit_status(head);
        rc = outputs_write(options, true, head, &error);
    }
    if (rc != 0) {
        complain("%s", error.text);
        exit_status = EXIT_USAGE;
    }
    return exit_status;
}
