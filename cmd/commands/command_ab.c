/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench ab BASE HEAD [OP]`: open, measure, write. */
#include "ab/ab.h"
#include "commands/call.h"
#include "commands/commands.h"
#include "output/output.h"

#include <inttypes.h>
#include <math.h>

/* A longer wait is announced. */
#define PATIENCE_SECONDS 3

static void announce(const struct options *options, const struct ab *ab)
{
    const struct plan *plan = ab_plan(ab);
    const double seconds = ab_seconds(ab);
    if (options->quiet)
        return;
    complain_each("left out: ", &plan->left_out);
    if (seconds > PATIENCE_SECONDS && !options->dry_run)
        complain("this will take about %.0f s on a quiet machine, twice that if all "
                 "cases are inconclusive at first",
                 seconds);
}

static void cite_selftest(struct run *run)
{
    FREED_BY(free_memory) char *line = selftest_known(run->fingerprint);
    string_set(&run->gate->selftest, line);
}

static int measure(const struct options *options, const char *functions, struct ab *ab,
                   struct error *error)
{
    const struct ab_gate gate = {.seed = options->how.seed};
    FREED_BY(run_delete) struct run *run =
        run_describe(options, ab_catalog(ab), ab_plan(ab));
    struct live live;
    live_begin(&live, options, false);
    if (!options->quiet)
        live.forecast.seconds = fmax(ab_seconds(ab), PATIENCE_SECONDS);
    int status = ab_measure(ab, &gate, &live.watcher, run, error);
    live_end(&live, run);
    if (run->gate) {
        cite_selftest(run);
        string_set(&run->gate->functions, functions);
    }
    if (status == 0 || (status == -EINTR && run->gate)) {
        int written = outputs_write(options, true, run, error);
        status = written < 0 ? written : run_exit_status(run);
    }
    return status;
}

/* `functions`: the file that declares them; "": it does not stay. NULL: nothing is
 * declared. */
static int gate(struct options *options, const char *functions)
{
    const struct text_list *const words = &options->files;
    struct request what = options->request;
    const struct ab_request request = {.base = words->item[0],
                                       .head = words->item[1],
                                       .functions = options->functions,
                                       .what = &what,
                                       .how = &options->how,
                                       .processes = options->processes,
                                       .threshold = options->threshold,
                                       .strict = options->strict,
                                       .code = options->gate_code,
                                       .as_built = options->as_built,
                                       .placement = options->placement_fails};
    struct error error = {.text = ""};
    struct ab *ab = NULL;
    signals_catch();
    if (words->n > 2)
        what.op = (char *)(uintptr_t)request_op_name(words->item[2]);
    options->request.isa_strict = true; /* as ab_open() has it, for what the run says */
    int status = outputs_check(options, &error) ?: ab_open(&request, &ab, &error);
    if (status == 0)
        announce(options, ab);
    if (status == 0 && options->dry_run) {
        text_line(stdout, "seed %" PRIu64, options->how.seed);
        plan_print(ab_plan(ab), stdout);
    } else if (status == 0) {
        status = measure(options, functions, ab, &error);
    }
    ab_close(ab);
    return exit_status_of(status, &error);
}

/* BASE:FUNCTION HEAD 'PROTOTYPE': both are libraries that have the function. */
static int gate_called(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(called_forget) struct called called;
    const int status = called_builds(options, &called, &error);
    return status < 0 ? exit_status_of(status, &error)
                      : gate(options, called.folder[0] ? "" : called.file);
}

int command_ab(struct options *options)
{
    const struct text_list *const words = &options->files;
    if (harness_is_meant(options))
        return command_harness(options);
    if (words->n > 2 && !options->functions && is_prototype(words->item[2]))
        return gate_called(options);
    return gate(options, options->functions);
}
