/* SPDX-License-Identifier: Apache-2.0 */
/* What a run begins with: a result for each case, and the state of a group. */
#include "measure_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Known of every batch without perf_event; an event of the same name takes their place
 * where the kernel counts it. */
static const char *const usage_names[USAGE_COUNTERS] = {
    [USAGE_PAGE_FAULTS] = "page-faults",
    [USAGE_CONTEXT_SWITCHES] = "context-switches",
    [USAGE_TASK_CLOCK] = "task-clock"};

static int add_counters(struct session *session, struct result *result)
{
    for (size_t i = 0; i < USAGE_COUNTERS; i++) {
        struct counter *counter = result_add_counter(result, usage_names[i]);
        if (!counter)
            return -ENOMEM;
        counter->running_share = 1;
    }
    for (size_t i = 0; i < session->plan->n_events; i++) {
        const struct event *event = &session->plan->event[i];
        size_t at = 0;
        while (at < result->n_counters && strcmp(result->counters[at].name, event->name))
            at++;
        struct counter *counter = at < result->n_counters
                                      ? &result->counters[at]
                                      : result_add_counter(result, event->name);
        if (!counter)
            return -ENOMEM;
        char config[24];
        snprintf(config, sizeof config, "0x%" PRIx64, event->config);
        session->counter_of_event[i] = at;
        counter->asked = i < session->options->events.n;
        counter->running_share = 1;
        int status = string_set(&counter->event, event->string);
        if (status == 0)
            status = string_set(&counter->config, config);
        if (status < 0)
            return status;
    }
    return counted_metrics(session->options, session->plan, result);
}

static int add_settings(struct result *result, const struct options *options,
                        const struct plan_group *group, uint32_t threads)
{
    const char *const input = group->input;
    char text[32];
    int status = 0;
    if (threads > 1) {
        snprintf(text, sizeof text, "%u", threads);
        status = result_add_setting(result, "threads", text);
    }
    if (options->cold && status == 0)
        status = result_add_setting(result, "cache", "cold");
    if (options->huge_pages && status == 0)
        status = result_add_setting(result, "pages", "2m");
    if (options->align != 64 && status == 0) {
        snprintf(text, sizeof text, "%" PRIu64, options->align);
        status = result_add_setting(result, "align", text);
    }
    if (input && status == 0)
        status = result_add_setting(result, "input", input);
    return status;
}

int session_add_result(struct session *session, size_t g, size_t c)
{
    const struct plan_group *group = &session->plan->groups[g];
    const struct plan_case *entry = &group->cases[c];
    const struct offer *offer = &session->catalog->offers[entry->offer];
    const struct worker_info *worker = worker_info(offer->worker);
    struct result *result = run_add_result(session->run);
    char type[64];
    if (!result)
        return -ENOMEM;
    snprintf(type, sizeof type, "%s%s%s", offer->semiring ? offer->semiring : "",
             offer->semiring ? "-" : "", type_name(offer->type));
    const char *at = strchr(entry->id, '@');
    char shape[256] = "";
    if (at)
        snprintf(shape, sizeof shape, "%.*s", (int)strcspn(at + 1, ";"), at + 1);
    result->group = g;
    const uint32_t threads = entry->threads ? entry->threads : group->threads;
    result->threads = (int)threads;
    result->is_roof = offer->is_roof && strcmp(group->op, "roof");
    result->is_baseline = offer->is_baseline;
    result->ops = group->shape.ops;
    result->bytes = group->shape.bytes;
    int status = 0;
    const struct {
        char **where;
        const char *text;
    } texts[] = {
        {&result->id, entry->id},
        {&result->op, offer->op},
        {&result->type, type},
        {&result->isa, offer->isa},
        {&result->variant, offer->variant},
        {&result->shape, shape},
        {&result->module, worker->path ? worker->name : NULL},
        {&result->module_version, worker->version},
        {&result->module_core, worker->core},
        {&result->module_isa, worker->isa},
        {&result->limit_id, entry->limit_id},
        {&result->layout, group->shape.layout[0] ? group->shape.layout : NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts) && status == 0; i++)
        status = string_set(texts[i].where, texts[i].text);
    /* The name of a module is its first word; what follows are its options. */
    if (result->module)
        result->module[strcspn(result->module, ",")] = '\0';
    for (size_t i = 0; i < worker->n_options && status == 0; i++)
        status = result_add_module_option(result, worker->options[i].name,
                                          worker->options[i].value);
    if (status == 0)
        status = add_settings(result, session->options, group, threads);
    if (status == 0)
        status = add_counters(session, result);
    if (status == 0 && entry->skip)
        status = result_set_status(result, STATUS_SKIPPED, entry->skip);
    for (size_t i = 0; i < entry->notes.n && status == 0 && !entry->skip; i++)
        status = result_add_note(result, entry->notes.item[i]);
    return status;
}

int group_begin(struct session *session, size_t g, size_t first,
                struct group_state *group, struct error *error)
{
    const struct plan_group *plan = &session->plan->groups[g];
    *group = (struct group_state){.session = session,
                                  .plan = plan,
                                  .number = g,
                                  .n_cases = plan->n_cases,
                                  .cases = calloc(plan->n_cases, sizeof *group->cases)};
    if (!group->cases)
        return error_set(error, -ENOMEM, "out of memory");
    /* One thread may have several CPUs to choose from, if the user says so. */
    const size_t n_cpu = session->plan->n_cpu;
    const bool list = session->options->n_cpu && plan->threads == 1;
    group->used_cpus = list || plan->threads > n_cpu ? n_cpu : plan->threads;
    uint64_t state = session->options->seed + g;
    group->seed = random_next(&state);
    for (size_t i = 0; i < plan->n_cases; i++)
        group->cases[i] =
            (struct case_state){.plan = &plan->cases[i],
                                .offer = &session->catalog->offers[plan->cases[i].offer],
                                .result = first + i,
                                .active = !plan->cases[i].skip};
    return 0;
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
    for (size_t i = 0; i < run->n_results; i++) {
        if (run->results[i].status == STATUS_PENDING &&
            (group == GROUP_ALL || run->results[i].group == group))
            result_set_status(&run->results[i], STATUS_SKIPPED, reason);
    }
}
