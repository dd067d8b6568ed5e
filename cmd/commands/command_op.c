/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench gemm ...` and `simdbench all`: plan, run, write. */
#include "commands/commands.h"
#include "output/output.h"

#include <inttypes.h>

/* From here on it is worth knowing how long it takes. */
#define TELL_SECONDS 5

static void print_note(const char *group, const char *note)
{
    complain("counters: %s: %s", group, note);
}

/* Help for an op of a plug-in; another word may name such an op. */
static int print_help(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    text_list_free(&options->request.baselines);
    text_list_add(&options->request.baselines, "none");
    const int status = catalog_make(&options->request, &options->how, &catalog, &error);
    if (status == 0) {
        const char *const name = options->command;
        const struct worker *const owner = catalog_op_owner(&catalog, name);
        const struct simdbench_op op = {
            .name = name,
            .summary = catalog_op_text(&catalog, name, "summary"),
            .shape_help = catalog_op_text(&catalog, name, "shape_help"),
            .default_shapes = catalog_op_text(&catalog, name, "default_shapes"),
            .inputs = catalog_op_text(&catalog, name, "inputs"),
            .layouts = catalog_op_text(&catalog, name, "layouts"),
        };
        help_op(stdout, &op, owner ? owner->info.path : NULL);
    }
    return exit_status_of(status, &error);
}

int command_op(struct options *options)
{
    if (options->help)
        return print_help(options);
    struct error error = {.text = ""};
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    FREED_BY(plan_free) struct plan plan = {.n_groups = 0};
    signals_catch();

    options->request.streams = outputs_page(options) && !options->how.accuracy;
    int status =
        outputs_check(options, &error)
            ?: plan_prepare(&options->request, &options->how, &catalog, &plan, &error);
    if (status < 0)
        return exit_status_of(status, &error);
    if (!options->quiet) {
        complain_each("no baseline: ", &catalog.missing);
        complain_each("left out: ", &plan.left_out);
        complain_each("", &plan.why_instead);
        counted_notes(&options->how, print_note);
    }
    const double seconds = plan_seconds(&options->how, &plan);
    if (seconds > TELL_SECONDS && !options->quiet && !options->dry_run)
        complain("this will take about %.0f s on a quiet machine", seconds);
    if (options->dry_run) {
        text_line(stdout, "seed %" PRIu64, options->how.seed);
        plan_print(&plan, stdout);
        return exit_status_of(status, &error);
    }
    FREED_BY(run_delete) struct run *run = run_describe(options, &catalog, &plan);
    struct live live;
    live_begin(&live, options, !options->how.accuracy);
    status = run_plan(&options->how, &catalog, &plan, &live.watcher, run, &error);
    live_end(&live, run);
    if (status == 0 || run->interrupted) {
        if (options->how.accuracy && options->format == FORMAT_TABLE)
            accuracy_print(&plan, run, &catalog, stdout);
        status = outputs_write(options, false, run, &error);
        status = status < 0 ? status : run_exit_status(run);
    }
    return exit_status_of(status, &error);
}
