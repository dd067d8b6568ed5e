/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing that a command writes may destroy what it reads or writes besides. */

#include "output/output.h"

static int try_output(const struct output *output, struct error *error)
{
    struct error why = {.text = ""};
    const int status = file_try(output->file, &why);
    return status < 0 ? error_set(error, status, "%s: %s", output->argument, why.text)
                      : 0;
}

static int check_writable(const char *flag, const char *path, struct error *error)
{
    struct error why = {.text = ""};
    const int status = path ? file_try(path, &why) : 0;
    return status < 0 ? error_set(error, status, "%s=%s: %s", flag, path, why.text) : 0;
}

/* Streams are written to in order, so two may be one file; an output that is a stream or
 * a device destroys nothing. */
enum use_kind { USE_READ, USE_WRITTEN, USE_STREAM };

/* A file that a command reads or writes. */
struct use {
    enum use_kind kind;
    const char *flag, *name; /* "--history=" and "h.sqlite", or "" and "run.json" */
    struct file_place place;
};

struct uses {
    struct use *use;
    size_t n;
};

static void add_use(struct uses *uses, enum use_kind kind, const char *flag,
                    const char *name, const char *path)
{
    struct use use = {.kind = kind, .flag = flag, .name = name};
    if (!file_place(path, &use.place))
        return;
    must_grow(uses->use, uses->n);
    uses->use[uses->n++] = use;
}

static void add_files(struct uses *uses, const char *flag, const struct text_list *files)
{
    for (size_t i = 0; i < files->n; i++)
        add_use(uses, USE_READ, flag, files->item[i], files->item[i]);
}

static void add_modules(struct uses *uses, const char *flag,
                        const struct text_list *modules)
{
    for (size_t i = 0; i < modules->n; i++) {
        FREED_BY(free_memory) char *words = must_have(strdup(modules->item[i]));
        struct module_spec spec;
        char path[4096];
        if (module_spec_parse(words, flag, &spec, NULL) == 0 &&
            module_find(spec.name, path, sizeof path, NULL) == 0)
            add_use(uses, USE_READ, flag, modules->item[i], path);
    }
}

/* All other commands append to the history that they name. */
static bool reads_history(const struct options *options)
{
    return !strcmp(options->command, "history");
}

/* SQLite keeps files of its own beside a database. */
static void add_history(struct uses *uses, enum use_kind kind, const char *path)
{
    static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
    FREED_BY(free_memory) char *target = file_target(path);
    for (size_t i = 0; target && i < ARRAY_LEN(ends); i++) {
        char beside[4200];
        snprintf(beside, sizeof beside, "%s%s", target, ends[i]);
        add_use(uses, kind, "--history=", path, beside);
    }
}

/* `report RUN.json --json=RUN.json` keeps all that the run says, and adds to it. */
static bool is_update(const struct options *options, const struct output *output)
{
    struct file_place from, to;
    return !strcmp(options->command, "report") && output->format == FORMAT_JSON &&
           file_place(options->files.item[0], &from) && file_place(output->file, &to) &&
           file_same(&from, &to);
}

static struct uses list_uses(const struct options *options)
{
    struct uses uses = {.n = 0};
    char thresholds[4096];
    bool updated = false;
    FOR_EACH (const struct output, output, options->outputs, options->n_outputs) {
        if (file_is_replaced(output->file))
            add_use(&uses, USE_WRITTEN, "", output->argument, output->file);
        updated |= is_update(options, output);
    }
    if (options->history)
        add_history(&uses, reads_history(options) ? USE_READ : USE_WRITTEN,
                    options->history);
    if (options->output && file_is_replaced(options->output))
        add_use(&uses, USE_WRITTEN, "--output=", options->output, options->output);
    add_use(&uses, USE_STREAM, "", "standard output", "/proc/self/fd/1");
    add_use(&uses, USE_STREAM, "", "standard error", "/proc/self/fd/2");
    struct text_list files = options->files;
    if (updated && files.n) {
        files.item++;
        files.n--;
    }
    add_files(&uses, "", &files);
    if (state_path(STATE_CONFIG, "threads.json", false, thresholds, sizeof thresholds,
                   NULL) == 0)
        add_use(&uses, USE_READ, "", "the file of `simdbench threads`", thresholds);
    add_files(&uses, "--shapes=", &options->request.shape_lists);
    add_modules(&uses, "--plugin=", &options->request.plugins);
    add_modules(&uses, "--baseline=", &options->request.baselines);
    return uses;
}

static bool clash(const struct use *a, const struct use *b)
{
    return (a->kind == USE_WRITTEN || a->kind != b->kind) &&
           file_same(&a->place, &b->place);
}

static int find_clash(const struct uses *uses, struct error *error)
{
    for (size_t i = 0; i < uses->n; i++) {
        for (size_t j = 0; j < i; j++) {
            const struct use *const a = &uses->use[j], *const b = &uses->use[i];
            if (clash(a, b))
                return invalid(error,
                               "%s%.200s and %s%.200s are one file, and what is written "
                               "to it would destroy the other",
                               a->flag, a->name, b->flag, b->name);
        }
    }
    return 0;
}

bool outputs_page(const struct options *options)
{
    bool page = options->format == FORMAT_HTML;
    for (size_t i = 0; i < options->n_outputs; i++)
        page |= options->outputs[i].format == FORMAT_HTML;
    return page;
}

int outputs_formats(const struct options *options, unsigned formats, const char *words,
                    struct error *error)
{
    enum format format = options->format;
    for (size_t i = 0; formats >> format & 1; i++) {
        if (i == options->n_outputs)
            return 0;
        format = options->outputs[i].format;
    }
    return invalid(error, "%s, not %s", words, format_name(format));
}

int outputs_check(const struct options *options, struct error *error)
{
    int status = outputs_page(options) ? html_check(error) : 0;
    for (size_t i = 0; i < options->n_outputs && status == 0; i++)
        status = try_output(&options->outputs[i], error);
    const bool appends = options->history && !reads_history(options);
    if (status == 0 && appends)
        status = check_writable("--history", options->history, error);
    if (status == 0)
        status = check_writable("--output", options->output, error);
    if (status < 0)
        return status;
    struct uses uses = list_uses(options);
    status = find_clash(&uses, error);
    free(uses.use);
    return status == 0 && appends ? history_check(options->history, error) : status;
}
