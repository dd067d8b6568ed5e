/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench threads OP`: what several threads gain at each size, what a team costs, and
 * from how much work on it is worth while. */
#include "commands/commands.h"
#include "op_row.h"
#include "output/output.h"
#include "team.h"

#include <inttypes.h>
#include <math.h>

/* ---- plan: each case with each number of threads, in one group ---- */

static char *with_threads(const char *id, uint32_t threads)
{
    return id ? must_have(case_id_threads(id, threads)) : NULL;
}

static void add_copy(struct plan_group *group, size_t number, uint32_t threads)
{
    must_grow(group->cases, group->n_cases);
    const struct plan_case *const one = &group->cases[number];
    group->cases[group->n_cases++] =
        (struct plan_case){.offer = one->offer,
                           .threads = threads,
                           .id = with_threads(one->id, threads),
                           .shape = must_have(strdup(one->shape)),
                           .skip = copy_text(one->skip),
                           .limit_id = with_threads(one->limit_id, threads),
                           .limit_guessed = one->limit_guessed};
}

static void add_counts(struct plan *plan, const uint32_t *threads, size_t n)
{
    FOR_EACH (struct plan_group, group, plan->groups, plan->n_groups) {
        const size_t cases = group->n_cases;
        for (size_t c = 0; c < cases; c++)
            group->cases[c].threads = 1;
        for (size_t i = 0; i < n; i++) {
            if (threads[i] > group->settings.threads)
                group->settings.threads = threads[i];
            for (size_t c = 0; c < cases && threads[i] > 1; c++)
                add_copy(group, c, threads[i]);
        }
    }
}

/* ---- what a team costs ---- */

static int ask_cost(const struct options *options, struct catalog *catalog,
                    const struct plan *plan, uint32_t threads, struct team_reply *cost,
                    struct error *error)
{
    struct worker *const own = catalog->workers[0];
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status =
        worker_alive(own) ? 0 : worker_start(own, options->how.in_process, error);
    if (status < 0)
        return status;
    struct setup_call setup = {.n_cpu = plan->n_cpu};
    memcpy(setup.cpu, plan->cpu, plan->n_cpu * sizeof *setup.cpu);
    status = worker_tell(own, setup_call(&setup), options->how.timeout_ns, error);
    if (status < 0)
        return status;
    const struct team_call team = {.threads = (int)threads};
    status = worker_ask(own, team_call(&team), options->how.timeout_ns, &reply, error);
    team_reply_read(reply, cost);
    return status;
}

/* ---- text ---- */

static void print_result(const struct run *run, const struct result *one,
                         const uint32_t *threads, size_t n)
{
    char time[NUMBER_SIZE];
    if (!gain_measured(one)) {
        text_line(stdout, "  %s  %s: %s", one->id, status_name(one->status),
                  one->reason ? one->reason : "");
        return;
    }
    FREED_BY(buffer_free) struct buffer row = {.text = NULL};
    text_time(one->summary.median_ns, time);
    buffer_format(&row, "  %-50s  1: %s", one->id, time);
    for (size_t i = 0; i < n; i++) {
        const struct result *const many =
            threads[i] > 1 ? gain_partner(run, one, threads[i]) : NULL;
        if (!many)
            continue;
        const struct gain gain = gain_between(one, many);
        text_time(many->summary.median_ns, time);
        if (!gain_measured(many) || !gain.ci.known)
            buffer_format(&row, "  %u: %s", threads[i],
                          gain_measured(many) ? "too few rounds"
                                              : status_name(many->status));
        else
            buffer_format(&row, "  %u: %s %.2fx [%.2f, %.2f] %.0f%%", threads[i], time,
                          gain.times, gain.ci.lo, gain.ci.hi,
                          100 * gain.times / (many->threads_used ?: many->threads));
    }
    text_line(stdout, "%s", buffer_text(&row));
}

static void print_run(const struct options *options, const struct run *run,
                      const struct team_reply *cost)
{
    char first[NUMBER_SIZE], empty[NUMBER_SIZE];
    for (size_t i = 0; i < options->request.n_threads; i++) {
        if (options->request.threads[i] < 2)
            continue;
        text_time(cost[i].spawn_ns, first);
        text_time(cost[i].sync_ns, empty);
        text_line(stdout,
                  "%u threads: %s for the first call of a cold team, %s for an empty one "
                  "of a warm team",
                  options->request.threads[i], first, empty);
    }
    text_line(stdout, "time a call by threads, times as fast as one thread, its share of "
                      "the threads that ran");
    for (int roofs = 0; roofs < 2; roofs++) {
        if (roofs)
            text_line(stdout, "limits:");
        for (size_t i = 0; i < run->n_results; i++) {
            const struct result *const one = &run->results[i];
            bool seen = one->threads > 1 || one->is_roof != (roofs > 0);
            for (size_t k = 0; k < i && !seen; k++)
                seen = !strcmp(run->results[k].id, one->id);
            if (!seen)
                print_result(run, one, options->request.threads,
                             options->request.n_threads);
        }
    }
}

static int save(const struct options *options, const struct run *run, struct error *error)
{
    struct threshold thresholds[THREADS_MAX];
    char path[4096];
    size_t n = 0;
    for (size_t i = 0; i < options->request.n_threads; i++) {
        const char *shape = "";
        const uint32_t threads = options->request.threads[i];
        if (threads < 2)
            continue;
        const double ops = gain_least_work(run, threads, &shape);
        if (!isnan(ops))
            thresholds[n++] = (struct threshold){.threads = threads, .ops = ops};
    }
    const int status = n == 0 ? 0
                              : thresholds_save(run->fingerprint, options->request.op,
                                                thresholds, n, path, sizeof path, error);
    if (status < 0 || options->format != FORMAT_TABLE)
        return status;
    if (n)
        text_line(stdout, "saved to %s", path);
    const struct text_options text = text_of_stdout(options);
    answer_write(run, &text, stdout);
    return 0;
}

/* ---- the command ---- */

/* The word after `threads` is the op; no library takes part. */
static int settle(struct options *options, struct error *error)
{
    struct request *const request = &options->request;
    request->op = must_have(strdup(request_op_name(options->files.item[0])));
    text_list_add(&request->baselines, "none");
    options->how.all_threads = true;
    const struct op_row *const row = op_row_find(request->op);
    if (!row || !row->threads_sizes || request->sizes.n || request->shapes.n ||
        request->shape_lists.n)
        return 0;
    return sizes_expand(row->threads_sizes, &request->sizes, error);
}

/* Unless the user said: 2, 4, 8 ... and one for each CPU. */
static void choose_counts(struct options *options)
{
    int allowed[CPUS_MAX];
    struct request *const request = &options->request;
    const size_t most = cpus_allowed(allowed, TEAM_MAX);
    if (request->n_threads > 1 || request->threads[0] > 1)
        return;
    for (uint32_t n = 2; n < most; n *= 2)
        request->threads[request->n_threads++] = n;
    request->threads[request->n_threads++] = most > 1 ? (uint32_t)most : 2;
}

static int measure(struct options *options, struct catalog *catalog,
                   const struct plan *plan, struct error *error)
{
    struct team_reply cost[THREADS_MAX] = {{0}};
    FREED_BY(run_delete) struct run *run = run_describe(options, catalog, plan);
    int status = 0;
    for (size_t i = 0; i < options->request.n_threads && status == 0; i++)
        status = ask_cost(options, catalog, plan, options->request.threads[i], &cost[i],
                          error);
    struct live live;
    live_begin(&live, options, false);
    if (status == 0)
        status = run_plan(&options->how, catalog, plan, &live.watcher, run, error);
    live_end(&live, run);
    if (status == 0)
        status = run_exit_status(run);
    if (status == EXIT_OK) {
        const int written = outputs_write(options, false, run, error);
        if (options->format == FORMAT_TABLE)
            print_run(options, run, cost);
        status = written < 0 ? written : save(options, run, error);
    }
    return status;
}

int command_threads(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    FREED_BY(plan_free) struct plan plan = {.n_groups = 0};
    signals_catch();
    choose_counts(options);
    int status = settle(options, &error) ?: outputs_check(options, &error);
    const struct request *const request = &options->request;
    struct request one = *request;
    one.n_threads = one.threads[0] = 1;
    status = status
                 ?: catalog_make(&one, &options->how, &catalog, &error)
                 ?: plan_make(&one, &options->how, &catalog, &plan, &error);
    if (status == 0) {
        add_counts(&plan, request->threads, request->n_threads);
        status = plan_settle(request, &options->how, &catalog, &plan, &error);
    }
    if (!options->quiet)
        complain_each("", &plan.why_instead);
    if (status == 0 && options->dry_run)
        plan_print(&plan, stdout);
    else if (status == 0)
        status = measure(options, &catalog, &plan, &error);
    return exit_status_of(status, &error);
}
