/* SPDX-License-Identifier: Apache-2.0 */
/* A run begins with a result for each case, and the state of a group. */
#include "measure_private.h"

#include <inttypes.h>

/* Known of every batch without perf_event; an event of the same name takes their place
 * where the kernel counts it. */
static const char *const usage_names[USAGE_COUNTERS] = {
    [USAGE_PAGE_FAULTS] = "page-faults",
    [USAGE_CONTEXT_SWITCHES] = "context-switches",
    [USAGE_TASK_CLOCK] = "task-clock"};

static void add_counters(struct session *session, struct result *result)
{
    for (size_t i = 0; i < USAGE_COUNTERS; i++) {
        struct counter *counter = result_add_counter(result, usage_names[i]);
        counter->running_share = 1;
    }
    for (size_t i = 0; i < session->plan->n_events; i++) {
        const struct event *event = &session->plan->event[i];
        size_t at = 0;
        while (at < result->samples.n_counters &&
               strcmp(result->samples.counters[at].name, event->name))
            at++;
        struct counter *counter = at < result->samples.n_counters
                                      ? &result->samples.counters[at]
                                      : result_add_counter(result, event->name);
        char config[24];
        snprintf(config, sizeof config, "0x%" PRIx64, event->config);
        session->counter_of_event[i] = at;
        counter->asked = i < session->how->events.n;
        counter->running_share = 1;
        string_set(&counter->event, event->string);
        string_set(&counter->config, config);
    }
    counted_metrics(session->how, session->plan, result);
}

static void add_setting(const char *name, const char *value, void *result)
{
    result_add_setting(result, name, value);
}

/* Only op roof has shapes that say where its operands lie. */
static const char *rung_level(const struct session *session,
                              const struct plan_group *group, const struct result *result)
{
    if (strcmp(group->op, "roof") != 0 || group->settings.cold)
        return NULL;
    return group->shape.shape.rank == 0
               ? "registers"
               : levels_find(&session->plan->levels, (uint32_t)result->threads,
                             result->work.working_set);
}

void session_add_result(struct session *session, size_t g, size_t c)
{
    const struct plan_group *group = &session->plan->groups[g];
    const struct plan_case *entry = &group->cases[c];
    const struct offer *offer = &session->catalog->offers[entry->offer];
    const struct worker_info *worker = &offer->worker->info;
    struct result *result = run_add_result(session->run);
    char type[64];
    snprintf(type, sizeof type, "%s%s%s", offer->semiring ? offer->semiring : "",
             offer->semiring ? "-" : "", type_name(offer->type));
    result->group = session->first_group + g;
    struct case_settings settings = group->settings;
    if (entry->threads)
        settings.threads = entry->threads;
    result->threads = (int)settings.threads;
    result->is_roof = offer->is_roof && strcmp(group->op, "roof");
    result->is_baseline = offer->is_baseline;
    result->work.ops = group->shape.ops;
    result->work.bytes = group->shape.bytes;
    if (!strcmp(group->op, "roof"))
        result->work.working_set = roof_working_set(&group->shape.shape, offer->variant);
    const struct {
        char **where;
        const char *text;
    } texts[] = {
        {&result->id, entry->id},
        {&result->op, offer->op},
        {&result->type, type},
        {&result->isa, offer->isa},
        {&result->variant, offer->variant},
        {&result->shape, entry->shape},
        {&result->module.name, worker->path ? worker->name : NULL},
        {&result->module.version, worker->version},
        {&result->module.core, worker->core},
        {&result->module.isa, worker->isa},
        {&result->limit_id, entry->limit_id},
        {&result->layout, group->shape.layout[0] ? group->shape.layout : NULL},
        {&result->work.level, rung_level(session, group, result)},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        string_set(texts[i].where, texts[i].text);
    result->summary.limit.guessed = entry->limit_guessed;
    /* The name of a module is its first word; what follows are its options. */
    if (result->module.name)
        result->module.name[strcspn(result->module.name, ",")] = '\0';
    for (size_t i = 0; i < worker->n_options; i++)
        result_add_module_option(result, worker->options[i].name,
                                 worker->options[i].value);
    case_settings_each(&settings, add_setting, result);
    add_counters(session, result);
    if (entry->skip)
        result_set_status(result, STATUS_SKIPPED, entry->skip);
    else if (session->how->prove && !result->is_roof)
        prove_not(&result->code.proof, "it was not measured");
    for (size_t i = 0; i < entry->notes.n && !entry->skip; i++)
        result_add_note(result, entry->notes.item[i]);
}

void group_begin(struct session *session, size_t g, size_t first,
                 struct group_state *group)
{
    const struct plan_group *plan = &session->plan->groups[g];
    *group = (struct group_state){
        .session = session,
        .plan = plan,
        .number = g,
        .n_cases = plan->n_cases,
        .cases = must_have(calloc(plan->n_cases, sizeof *group->cases))};
    /* One thread may have several CPUs to choose from, if the user says so. */
    const size_t n_cpu = session->plan->n_cpu;
    const bool list = session->how->n_cpu && plan->settings.threads == 1;
    group->used_cpus =
        list || plan->settings.threads > n_cpu ? n_cpu : plan->settings.threads;
    uint64_t state = session->how->seed + g;
    group->seed = random_next(&state);
    group->random = random_next(&state);
    for (size_t i = 0; i < plan->n_cases; i++) {
        const struct offer *const offer = &session->catalog->offers[plan->cases[i].offer];
        group->cases[i] = (struct case_state){.plan = &plan->cases[i],
                                              .offer = offer,
                                              .result = first + i,
                                              .resets = offer->flags & SIMDBENCH_RESETS,
                                              .active = !plan->cases[i].skip};
    }
}

void session_tell(const struct session *session, size_t group, const char *step,
                  uint32_t done, uint32_t wanted)
{
    const struct progress progress = {.group = group,
                                      .n_groups = session->plan->n_groups,
                                      .plan = &session->plan->groups[group],
                                      .step = step,
                                      .done = done,
                                      .wanted = wanted,
                                      .started = session->started};
    if (session->watcher->progress)
        session->watcher->progress(session->watcher->context, &progress);
}

void run_close_pending(struct run *run, size_t group, const char *reason)
{
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].status == STATUS_PENDING &&
            (group == GROUP_ALL || run->results[i].group == group))
            result_set_status(&run->results[i], STATUS_SKIPPED, reason);
}
