/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench gemm ...` and `simdbench all`: plan, run, write. */
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* From here on it is worth knowing how long it takes. */
#define TELL_SECONDS 5

static void print_note(const char *group, const char *note)
{
    fprintf(stderr, "simdbench: counters: %s: %s\n", group, note);
}

int command_op(const struct options *options, int argc, char **argv)
{
    struct error error = {.text = ""};
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct run *run = NULL;
    signals_catch();

    struct event events[EVENTS_MAX];
    size_t n_events;
    int status = 0;
    struct error why = {.text = ""};
    if ((status = counted_events(options, events, &n_events, &why)) < 0)
        error_set(&error, status, "--events: %.480s", why.text);
    if (status == 0)
        status = outputs_check(options, &error);
    if (status == 0)
        status = catalog_make(options, &catalog, &error);
    if (status == 0)
        status = plan_make(options, &catalog, &plan, &error);
    if (status < 0)
        goto out;
    for (size_t i = 0; i < catalog.missing.n && !options->quiet; i++)
        complain("no baseline: %s", catalog.missing.item[i]);
    for (size_t i = 0; i < plan.left_out.n && !options->quiet; i++)
        complain("left out: %s", plan.left_out.item[i]);
    if (!options->quiet)
        counted_notes(options, print_note);
    const double seconds = plan_seconds(options, &plan);
    if (seconds > TELL_SECONDS && !options->quiet && !options->dry_run)
        fprintf(stderr, "simdbench: this will take about %.0f s\n", seconds);
    if (options->dry_run) {
        printf("seed %" PRIu64 "\n", options->seed);
        plan_print(&plan, stdout);
        goto out;
    }
    run = run_new();
    status = run ? run_describe(options, &catalog, argc, argv, run) : -ENOMEM;
    if (status == 0)
        status = run_plan(options, &catalog, &plan, run, &error);
    else
        error_set(&error, status, "out of memory");
    if (status >= 0) {
        int written = outputs_write(options, run, &error);
        status = written < 0 ? written : status;
    }
out:
    if (status == -EINTR)
        status = EXIT_INTERRUPTED;
    if (status < 0)
        complain("%s", error.text);
    run_free(run);
    plan_free(&plan);
    catalog_free(&catalog);
    return status < 0 ? EXIT_USAGE : status;
}
