/* SPDX-License-Identifier: Apache-2.0 */
/* The last decisions of a plan: what is counted, on which CPUs, with how many threads. */
#include "plan/plan.h"

#include <math.h>

/* A ladder has hundreds of cases; bandwidths spread little. */
#define LADDER_CASE_NS 2.5e7

int plan_take_cpus(const struct how *how, struct plan *plan, struct error *error)
{
    int order[CPUS_MAX];
    if (how->n_cpu > CPUS_MAX)
        return invalid(error, "--cpu: more than %d CPUs", CPUS_MAX);
    for (size_t i = 0; i < how->n_cpu; i++)
        order[i] = how->cpu[i];
    const size_t n = how->n_cpu ? how->n_cpu : cpu_order(order);
    plan->n_cpu = plan->most_threads < n && !how->n_cpu ? plan->most_threads : n;
    const int status = how->unlocked ? 0
                                     : cpu_lock_take(order, n, plan->n_cpu, how->wait_ns,
                                                     how->quiet, &plan->lock, error);
    memcpy(plan->cpu, order, plan->n_cpu * sizeof order[0]);
    return status;
}

/* Own kernels get no more threads than are worth while; a limit gets all. */
static void choose_team(const cJSON *thresholds, const struct offer *offer, double work,
                        struct plan_case *entry)
{
    const uint32_t asked = entry->team;
    char text[256], least[64] = "at no size that was measured";
    double ops = 0;
    if (!thresholds || offer->is_roof || offer->worker->info.path)
        return;
    entry->team = thresholds_threads(thresholds, offer->op, work, asked, &ops);
    if (entry->team >= asked)
        return;
    if (isfinite(ops))
        snprintf(least, sizeof least, "from %.6g operations a call on", ops);
    snprintf(text, sizeof text,
             "%u of %u threads: here more of them are faster %s (simdbench threads "
             "%.32s); --threads-threshold=off runs all",
             entry->team, asked, least, offer->op);
    text_list_add(&entry->notes, text);
}

static void settle_case(const struct plan *plan, const cJSON *thresholds,
                        const struct offer *offer, double work, struct plan_case *entry)
{
    char text[128];
    if (entry->team > plan->n_cpu && entry->team > 1) {
        snprintf(text, sizeof text, "%u threads take turns on %zu CPU%s", entry->team,
                 plan->n_cpu, plan->n_cpu == 1 ? "" : "s");
        text_list_add(&entry->notes, text);
    }
    choose_team(thresholds, offer, work, entry);
}

static int read_thresholds(const struct how *how, const struct plan *plan,
                           cJSON **thresholds, struct error *error)
{
    struct host host;
    *thresholds = NULL;
    if (plan->most_threads == 1 || how->all_threads)
        return 0;
    host_read(&host, "");
    return thresholds_read(host.fingerprint, thresholds, error);
}

int plan_settle(const struct request *request, const struct how *how,
                const struct catalog *catalog, struct plan *plan, struct error *error)
{
    FREED_BY(json_delete) cJSON *thresholds = NULL;
    plan->most_threads = 1;
    const bool exact = how->time_per_case_ns || how->rounds;
    plan->case_ns = how->time_per_case_ns ? (double)how->time_per_case_ns
                    : request->ladder     ? LADDER_CASE_NS
                                          : 1e8;
    plan->batch_ns =
        how->batch_ns > 0 ? how->batch_ns : fmax(BATCH_NS, plan->case_ns / ROUNDS_MAX);
    plan->rounds_ns = how->rounds_ns;
    plan->precision = how->precision > 0 ? how->precision : exact ? 0 : 0.01;
    if (request->op && !strcmp(request->op, "roof"))
        plan->levels = levels_here();
    FOR_EACH (struct plan_group, group, plan->groups, plan->n_groups) {
        FOR_EACH (struct plan_case, entry, group->cases, group->n_cases) {
            entry->team = entry->threads ? entry->threads : group->settings.threads;
            if (entry->team > plan->most_threads)
                plan->most_threads = entry->team;
        }
    }
    int status = counted_events(how, plan, error)
                     ?: plan_take_cpus(how, plan, error)
                     ?: read_thresholds(how, plan, &thresholds, error);
    if (status < 0)
        return status;
    FOR_EACH (const struct plan_group, group, plan->groups, plan->n_groups)
        for (size_t c = 0; c < group->n_cases; c++)
            settle_case(plan, thresholds, &catalog->offers[group->cases[c].offer],
                        group->shape.ops, &group->cases[c]);
    return 0;
}

/* A worker that cannot start ends the run before it begins. */
static int start_own(const struct how *how, const struct catalog *catalog,
                     const struct plan *plan, struct error *error)
{
    struct worker *const own = catalog->workers[0];
    bool needed = false;
    for (size_t g = 0; g < plan->n_groups; g++)
        needed |= catalog_op_owner(catalog, plan->groups[g].op) == own;
    return needed && !worker_alive(own) ? worker_start(own, how->in_process, error) : 0;
}

int plan_prepare(const struct request *request, const struct how *how,
                 struct catalog *catalog, struct plan *plan, struct error *error)
{
    const int status = catalog_make(request, how, catalog, error)
                           ?: plan_make(request, how, catalog, plan, error)
                           ?: start_own(how, catalog, plan, error);
    return status ? status : plan_settle(request, how, catalog, plan, error);
}
