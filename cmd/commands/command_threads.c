/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench threads OP`: what several threads gain at each size, what a team costs, and
 * from how much work on it is worth while. */
#include "commands/commands.h"
#include "output/output.h"
#include "process/process.h"
#include "team.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From sizes at which a team costs more than it gains to such as fill it. */
static const struct {
    const char *op, *sizes;
} default_sizes[] = {
    {"gemm", "8..512"},
    {"gemm_argmax", "8..512"},
    {"gemm_backward", "8..512"},
    {"relu", "1Ki..4Mi*4"},
    {"tanh", "256..1Mi*4"},
    {"conv", "n1c16h4w4k16r3s3,n1c16h8w8k16r3s3,n1c16h16w16k16r3s3,n1c16h32w32k16r3s3,"
             "n1c16h64w64k16r3s3,n1c64h56w56k64r3s3p1q1,n16c16h128w128k16r3s3"},
};

/* ---- plan: each case with each number of threads, in one group ---- */

static char *with_threads(const char *id, uint32_t threads)
{
    return id ? must_have(gain_id(id, threads)) : NULL;
}

static void add_copy(struct plan_group *group, size_t number, uint32_t threads)
{
    must_grow(group->cases, group->n_cases);
    const struct plan_case *const one = &group->cases[number];
    group->cases[group->n_cases++] =
        (struct plan_case){.offer = one->offer,
                           .threads = threads,
                           .id = with_threads(one->id, threads),
                           .skip = one->skip ? must_have(strdup(one->skip)) : NULL,
                           .limit_id = with_threads(one->limit_id, threads)};
}

static void add_counts(struct plan *plan, const uint32_t *threads, size_t n)
{
    for (size_t g = 0; g < plan->n_groups; g++) {
        struct plan_group *const group = &plan->groups[g];
        const size_t cases = group->n_cases;
        for (size_t c = 0; c < cases; c++)
            group->cases[c].threads = 1;
        for (size_t i = 0; i < n; i++) {
            group->threads = threads[i] > group->threads ? threads[i] : group->threads;
            for (size_t c = 0; c < cases && threads[i] > 1; c++)
                add_copy(group, c, threads[i]);
        }
    }
}

/* ---- what a team costs ---- */

struct cost {
    double spawn_ns, sync_ns;
};

static int ask_cost(const struct options *options, struct catalog *catalog,
                    const struct plan *plan, uint32_t threads, struct cost *cost,
                    struct error *error)
{
    struct worker *const own = catalog->workers[0];
    cJSON *reply = NULL;
    int status = worker_alive(own) ? 0 : worker_start(own, options->in_process, error);
    if (status < 0)
        return status;
    cJSON *request = message_new("setup");
    cJSON_AddItemToObject(request, "cpus",
                          cJSON_CreateIntArray(plan->cpu, (int)plan->n_cpu));
    status = worker_tell(own, request, options->timeout_ns, error);
    if (status < 0)
        return status;
    request = message_new("team");
    cJSON_AddNumberToObject(request, "threads", threads);
    status = worker_ask(own, request, options->timeout_ns, &reply, error);
    *cost = (struct cost){.spawn_ns = message_number(reply, "spawn_ns", NAN),
                          .sync_ns = message_number(reply, "sync_ns", NAN)};
    cJSON_Delete(reply);
    return status;
}

/* ---- text ---- */

static const char *time_text(double ns, char *text, size_t size)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;
    for (; ns >= 999.5 && unit + 1 < ARRAY_LEN(units); unit++)
        ns /= 1000;
    snprintf(text, size, "%.*f %s", ns < 9.995 ? 2 : ns < 99.95 ? 1 : 0, ns, units[unit]);
    return text;
}

static void print_result(const struct run *run, const struct result *one,
                         const uint32_t *threads, size_t n)
{
    char time[32];
    if (!gain_measured(one)) {
        text_line(stdout, "  %s  %s: %s", one->id, status_name(one->status),
                  one->reason ? one->reason : "");
        return;
    }
    struct buffer row = {.text = NULL};
    buffer_format(&row, "  %-50s  1: %s", one->id,
                  time_text(one->median_ns, time, sizeof time));
    for (size_t i = 0; i < n; i++) {
        const struct result *const many =
            threads[i] > 1 ? gain_partner(run, one, threads[i]) : NULL;
        if (!many)
            continue;
        const struct gain gain = gain_between(one, many);
        if (!gain_measured(many) || !gain.ci.known)
            buffer_format(&row, "  %u: %s", threads[i],
                          gain_measured(many) ? "too few rounds"
                                              : status_name(many->status));
        else
            buffer_format(&row, "  %u: %s %.2fx [%.2f, %.2f] %.0f%%", threads[i],
                          time_text(many->median_ns, time, sizeof time), gain.times,
                          gain.ci.lo, gain.ci.hi, 100 * gain.times / many->threads_used);
    }
    text_line(stdout, "%s", buffer_text(&row));
    buffer_free(&row);
}

static void print_run(const struct options *options, const struct run *run,
                      const struct cost *cost)
{
    char first[32], empty[32];
    for (size_t i = 0; i < options->n_threads; i++)
        if (options->threads[i] > 1)
            text_line(
                stdout,
                "%u threads: %s for the first call of a cold team, %s for an empty one "
                "of a warm team",
                options->threads[i], time_text(cost[i].spawn_ns, first, sizeof first),
                time_text(cost[i].sync_ns, empty, sizeof empty));
    text_line(stdout,
              "time a call by threads, times as fast as one thread, its share of the "
              "threads that ran");
    for (int roofs = 0; roofs < 2; roofs++) {
        if (roofs)
            text_line(stdout, "limits:");
        for (size_t i = 0; i < run->n_results; i++) {
            const struct result *const one = &run->results[i];
            bool seen = one->threads > 1 || one->is_roof != (roofs > 0);
            for (size_t k = 0; k < i && !seen; k++)
                seen = !strcmp(run->results[k].id, one->id);
            if (!seen)
                print_result(run, one, options->threads, options->n_threads);
        }
    }
}

static int save(const struct options *options, const struct run *run, struct error *error)
{
    struct threshold thresholds[THREADS_MAX];
    char path[4096];
    size_t n = 0;
    for (size_t i = 0; i < options->n_threads; i++) {
        const char *shape = "";
        const uint32_t threads = options->threads[i];
        if (threads < 2)
            continue;
        const double ops = gain_least_work(run, threads, &shape);
        thresholds[n++] = (struct threshold){.threads = threads, .ops = ops};
        if (isfinite(ops))
            text_line(stdout, "%u threads from %.6g operations a call on (%s)", threads,
                      ops, shape);
        else
            text_line(stdout, "%u threads: at no size faster for certain", threads);
    }
    const int status = thresholds_save(run->fingerprint, options->command, thresholds, n,
                                       path, sizeof path, error);
    if (status == 0)
        text_line(stdout, "saved to %s", path);
    return status;
}

/* ---- the command ---- */

/* The word after `threads` is the op; no library takes part. */
static int settle(struct options *options, struct error *error)
{
    char *const op = must_have(strdup(args_op_name(options->files.item[0])));
    text_list_add(&options->baselines, "none");
    free(options->command);
    options->command = op;
    options->scaling = true;
    for (size_t i = 0; i < ARRAY_LEN(default_sizes); i++)
        if (!strcmp(default_sizes[i].op, op) && !options->sizes.n && !options->shapes.n &&
            !options->shape_lists.n)
            return sizes_expand(default_sizes[i].sizes, &options->sizes, error);
    return 0;
}

/* Unless the user said: 2, 4, 8 ... and one for each CPU. */
static void choose_counts(struct options *options)
{
    int allowed[CPUS_MAX];
    const size_t most = cpus_allowed(allowed, TEAM_MAX);
    if (options->n_threads > 1 || options->threads[0] > 1)
        return;
    for (uint32_t n = 2; n < most; n *= 2)
        options->threads[options->n_threads++] = n;
    options->threads[options->n_threads++] = most > 1 ? (uint32_t)most : 2;
}

static int measure(struct options *options, struct catalog *catalog,
                   const struct plan *plan, struct error *error)
{
    struct cost cost[THREADS_MAX] = {{0}};
    struct run *const run = run_describe(options, catalog, plan);
    int status = 0;
    for (size_t i = 0; i < options->n_threads && status == 0; i++)
        status = ask_cost(options, catalog, plan, options->threads[i], &cost[i], error);
    struct live live;
    live_begin(&live, options, false);
    if (status == 0)
        status = run_plan(options, catalog, plan, &live.watcher, run, error);
    live_end(&live, run);
    if (status == 0)
        status = run_exit_status(run);
    if (status == EXIT_OK) {
        const int written = outputs_write(options, false, run, error);
        print_run(options, run, cost);
        status = written < 0 ? written : save(options, run, error);
    }
    run_free(run);
    return status;
}

int command_threads(struct options *options)
{
    struct error error = {.text = ""};
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    signals_catch();
    choose_counts(options);
    uint32_t counts[THREADS_MAX];
    const size_t n = options->n_threads;
    memcpy(counts, options->threads, sizeof counts);
    int status = settle(options, &error);
    if (status == 0)
        status = outputs_check(options, &error);
    if (status == 0)
        status = catalog_make(options, &catalog, &error);
    options->n_threads = 1;
    options->threads[0] = 1;
    if (status == 0)
        status = plan_make(options, &catalog, &plan, &error);
    memcpy(options->threads, counts, sizeof counts);
    options->n_threads = n;
    if (status == 0) {
        add_counts(&plan, counts, n);
        status = plan_settle(options, &catalog, &plan, &error);
    }
    for (size_t i = 0; i < plan.why_instead.n && !options->quiet; i++)
        complain("%s", plan.why_instead.item[i]);
    if (status == 0 && options->dry_run)
        plan_print(&plan, stdout);
    else if (status == 0)
        status = measure(options, &catalog, &plan, &error);
    plan_free(&plan);
    catalog_free(&catalog);
    return exit_status_of(status, &error);
}
