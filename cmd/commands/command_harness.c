/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench ab --harness=NAME OLD NEW [FILTER]`: programs of other harnesses. */
#include "commands/commands.h"
#include "harness/harness.h"
#include "output/output.h"

#include <inttypes.h>
#include <math.h>

bool harness_is_meant(const struct options *options)
{
    if (options->harness || options->build || options->relink || options->cwd_old ||
        options->cwd_new)
        return true;
    return !options->functions &&
           harness_recognise(options->files.item[0], options->cwd_old);
}

/* Choices among kernels, none of which a harness has. */
static int check_choices(const struct options *options, struct error *error)
{
    const struct request *const what = &options->request;
    const struct {
        const char *flag;
        bool given;
    } flags[] = {
        {"isa", what->isas.n > 0},
        {"type", what->types.n > 0},
        {"semiring", what->semirings.n > 0},
        {"sizes", what->sizes.n > 0},
        {"shape", what->shapes.n > 0},
        {"shapes", what->shape_lists.n > 0},
        {"layout", what->layouts.n > 0},
        {"input", what->inputs.n > 0},
        {"variants", what->variants.n > 0},
        {"plugin", what->plugins.n > 0},
        {"pathologies", what->pathologies},
        {"cache=cold", what->settings.cold},
        {"pages=2m", what->settings.huge_pages},
        {"check=full", options->how.check_full},
        {"prove", options->how.prove},
        {"gate-code", options->gate_code},
        {"functions", options->functions != NULL},
        {"as-built", options->as_built},
        {"rounds", options->how.rounds > 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        if (flags[i].given)
            return invalid(error,
                           "--%s is for kernels of simdbench and of modules; the cases "
                           "of a harness are chosen by name: --filter=GLOB",
                           flags[i].flag);
    return what->n_threads > 1
               ? invalid(
                     error,
                     "--threads: one number for a harness, the CPUs that a process gets")
               : 0;
}

static void announce(const struct options *options, const struct harness *harness)
{
    const struct harness_plan *const plan = harness_plan(harness);
    char slice[NUMBER_SIZE], places[40] = "";
    if (options->quiet || options->dry_run)
        return;
    if (plan->equal)
        complain("base and head are the same program, by the bytes that they load");
    text_time(plan->slice_ns, slice);
    if (plan->places > 1)
        snprintf(places, sizeof places, " at %zu places", plan->places);
    complain("%s: %zu case%s, %u processes of base, head and control each%s, %s a "
             "process: %.3g s%s",
             plan->name, plan->n_cases, plan->n_cases == 1 ? "" : "s", plan->processes,
             places, slice, plan->seconds,
             plan->looks > 1 ? ", twice that if cases are undecided or disturbed" : "");
    if (isfinite(plan->detectable))
        complain("changes of about %.2g%% should be found in %.3g s, of %.2g%% in %.3g s "
                 "(--time)",
                 100 * plan->detectable, plan->seconds, 100 * plan->finer,
                 plan->finer_seconds);
}

static int measure(const struct options *options, struct harness *harness,
                   struct error *error)
{
    const struct harness_plan *const plan = harness_plan(harness);
    FREED_BY(run_delete) struct run *run = run_describe(options, NULL, &plan->settled);
    struct live live;
    live_begin(&live, options, false);
    int status = harness_measure(harness, options->how.seed, &live.watcher, run, error);
    live_end(&live, run);
    if (status == 0 || (status == -EINTR && run->gate)) {
        const int written = outputs_write(options, true, run, error);
        status = written < 0 ? written : run_exit_status(run);
    }
    return status;
}

int command_harness(struct options *options)
{
    const struct text_list *const words = &options->files;
    struct how how = options->how;
    struct error error = {.text = ""};
    struct harness *harness = NULL;
    if (words->n > 2)
        text_list_add(&options->request.filters, words->item[2]);
    how.unlocked = options->dry_run;
    how.quiet = options->quiet;
    const struct harness_request request = {
        .name = options->harness,
        .base = words->item[0],
        .head = words->item[1],
        .build = options->build,
        .run = options->run,
        .relink = options->relink,
        .cwd = {options->cwd_old, options->cwd_new},
        .pattern = options->pattern,
        .filters = &options->request.filters,
        .wall = options->wall,
        .slice_ns = options->slice_ns,
        .time_ns = options->time_ns,
        .processes = options->processes,
        .threads = options->request.threads[0],
        .threshold = options->threshold,
        .strict = options->strict,
        .placement = options->placement_fails,
        .how = &how,
    };
    signals_catch();
    int status = outputs_check(options, &error)
                     ?: check_choices(options, &error)
                     ?: harness_open(&request, &harness, &error);
    if (status == 0)
        announce(options, harness);
    if (status == 0 && options->dry_run) {
        text_line(stdout, "seed %" PRIu64, options->how.seed);
        harness_print(harness, stdout);
    } else if (status == 0) {
        status = measure(options, harness, &error);
    }
    harness_close(harness);
    return exit_status_of(status, &error);
}
