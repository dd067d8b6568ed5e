/* SPDX-License-Identifier: Apache-2.0 */
/* Saved runs are read: joined and written again, asked for numbers (--query), or compared
 * host by host (--by=host). */
#include <math.h>

#include "commands/commands.h"
#include "output/output.h"

/* ---- --query ---- */

/* Over the fastest fair baseline; NAN: there is none. */
static double speedup(const struct run *run, const struct result *result)
{
    double least = NAN;

    FOR_EACH (const struct ratio, ratio, result->summary.ratios,
              result->summary.n_ratios) {
        const char *const label = ratio->baseline;
        const struct versus versus =
            baseline_ratio(run, result, label, id_label(label, result->op ?: ""));
        if (versus.ratio && versus.ranked)
            least = fmin(least, versus.ratio->speedup);
    }
    return least;
}

/* NAN: the case has no such number. */
static double value_of(const struct run *run, const struct result *result,
                       const char *name)
{
    const bool known = result_has_summary(result) && status_has_time(result->status);
    const struct {
        const char *name;
        double value;
    } values[] = {
        {"median_ns", result->summary.median_ns},
        {"gops", result->summary.gops > 0 ? result->summary.gops : NAN},
        {"gbps", result->summary.gbps > 0 ? result->summary.gbps : NAN},
        {"ghz", result->summary.ghz > 0 ? result->summary.ghz : NAN},
        {"share", result->summary.limit.id ? result->summary.limit.share : NAN},
    };
    for (size_t i = 0; i < ARRAY_LEN(values) && known; i++)
        if (!strcmp(values[i].name, name))
            return values[i].value;
    return known ? speedup(run, result) : NAN;
}

/* Prints a number a line for each case whose id matches --query; EXIT_NOTHING if none
 * does, or one of them has no such number. */
static int query_print(const struct options *options, const struct run *run)
{
    const char *const name = options->value ? options->value : "median_ns";
    size_t matches = 0, printed = 0;
    char text[NUMBER_SIZE];

    FOR_EACH (const struct result, result, run->results, run->n_results) {
        if (!text_glob(options->query, result->id ?: ""))
            continue;
        matches++;
        const double value = value_of(run, result, name);
        if (!isfinite(value)) {
            complain("%.200s: %s, no %s", result->id, status_name(result->status), name);
            continue;
        }
        text_exact(value, text);
        text_line(stdout, "%s", text);
        printed++;
    }
    if (!matches)
        complain("--query=%.200s: no case matches", options->query);
    return printed && printed == matches ? EXIT_OK : EXIT_NOTHING;
}

/* ---- --by=host ---- */

static int write_fleet(const void *context, enum format format, FILE *file,
                       struct error *error)
{
    const struct fleet *const fleet = context;
    struct json json = {.root = NULL};
    if (format == FORMAT_JSON || format == FORMAT_HTML) {
        fleet_json(fleet, &json);
        return page_or_json_write(&json, format, file, error);
    }
    const struct text_page page = page_of(file, format);
    if (format == FORMAT_CSV)
        fleet_write_csv(fleet, file);
    else
        fleet_write_text(fleet, &page);
    return 0;
}

/* A file that is no run costs itself alone; false: it was left out. */
static bool add_file(struct fleet *fleet, const char *path)
{
    const char *twin = NULL;
    struct error why = {.text = ""};
    FREED_BY(run_delete) struct run *run = NULL;

    if (run_load(&run, path, &why) < 0) {
        complain("left out: %s", why.text);
        return false;
    }
    if (fleet_add(fleet, run, basename(path), &twin) == -EEXIST)
        complain("%s: the same run as %s, counted once", path, twin);
    return true;
}

/* One file at a time, as there may be thousands. 1: some were left out. */
static int add_files(struct fleet *fleet, const struct text_list *files,
                     struct error *error)
{
    int left_out = 0;

    for (size_t i = 0; i < files->n; i++)
        left_out |= !add_file(fleet, files->item[i]);
    return fleet->runs
               ? left_out
               : invalid(
                     error,
                     "--by=host: none of the files is a run, as --json=FILE writes it");
}

/* --by=host: the exit status; it has complained. */
static int fleet_report(const struct options *options, struct error *error)
{
    FREED_BY(fleet_free) struct fleet fleet = {.n_hosts = 0};
    int left_out = 0;
    int rc =
        outputs_formats(options,
                        1 << FORMAT_TABLE | 1 << FORMAT_MARKDOWN | 1 << FORMAT_CSV |
                            1 << FORMAT_JSON | 1 << FORMAT_HTML,
                        "--by=host writes table, markdown, csv, json and html", error);

    if (rc == 0)
        rc = left_out = add_files(&fleet, &options->files, error);
    if (rc >= 0) {
        fleet_judge(&fleet);
        rc = document_write(options, write_fleet, &fleet, error);
    }
    return rc < 0 ? exit_status_of(rc, error) : left_out ? EXIT_REGRESSED : EXIT_OK;
}

/* ---- a run ---- */

/* The first file is the run; the others join it. */
static int load_all(const struct text_list *files, struct run **run, struct error *error)
{
    int rc = run_load(run, files->item[0], error);
    for (size_t i = 1; i < files->n && rc == 0; i++) {
        FREED_BY(run_delete) struct run *other = NULL;
        rc = run_load(&other, files->item[i], error);
        if (rc == 0)
            run_merge(*run, other, files->item[i]);
    }
    return rc;
}

/* Options that exclude each other. */
static int check_together(const struct options *options, struct error *error)
{
    if (options->value && !options->query)
        return invalid(error, "--value=%s needs --query=GLOB, the cases that it is of",
                       options->value);
    if (options->query && (options->by || options->format_given))
        return invalid(error, "--query prints bare numbers: no %s with it",
                       options->by ? "--by" : "--format");
    if (options->by && (options->history || options->label))
        return invalid(error, "--by=%s makes no run: no --history, no --label",
                       options->by);
    return 0;
}

int command_report(struct options *options)
{
    struct error error = {0};
    FREED_BY(run_delete) struct run *run = NULL;
    int exit_status = EXIT_OK;

    int rc = check_together(options, &error) ?: outputs_check(options, &error);
    if (rc == 0 && options->by)
        return fleet_report(options, &error);
    if (rc == 0)
        rc = load_all(&options->files, &run, &error);
    if (rc == 0 && options->label)
        facts_replace(&run->settings, "label", options->label);
    if (rc == 0 && options->query)
        exit_status = query_print(options, run);
    if (rc == 0)
        rc = outputs_write(options, !options->query, run, &error);
    if (rc != 0)
        complain("%s", error.text);
    return rc ? EXIT_USAGE : exit_status;
}
