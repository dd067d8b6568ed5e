/* SPDX-License-Identifier: Apache-2.0 */
/* From names of groups to events and to what is derived from them. */

#include "plan/plan.h"

static bool wants_group(const struct how *how, size_t g)
{
    return text_list_has(&how->counters, "all") ||
           text_list_has(&how->counters, counter_group_get(g)->name);
}

static int add_event(const char *name, struct event *events, size_t *n,
                     struct error *error)
{
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(events[i].name, name))
            return 0;
    if (*n == EVENTS_MAX)
        return error_set(error, -E2BIG, "more than %d events: count in several runs",
                         EVENTS_MAX);
    return event_encode_any(name, &events[(*n)++], error);
}

static int add_all(const struct how *how, struct plan *plan, struct error *error)
{
    struct event *const events = plan->event;
    size_t *const n = &plan->n_events;
    const struct uarch *const uarch = uarch_host();
    int status = 0;
    *n = 0;
    for (size_t i = 0; i < how->events.n && status == 0; i++)
        status = add_event(how->events.item[i], events, n, error);
    for (size_t g = 0; g < counter_group_count(); g++) {
        const char *names[COUNTER_GROUP_EVENTS];
        const size_t members = counter_group_events(g, uarch, names);
        for (size_t i = 0; i < members && status == 0 && wants_group(how, g); i++)
            status = add_event(names[i], events, n, error);
    }
    return status;
}

int counted_events(const struct how *how, struct plan *plan, struct error *error)
{
    struct error why = {.text = ""};
    const int status = add_all(how, plan, &why);
    return status < 0 ? error_set(error, status, "--events: %.480s", why.text) : 0;
}

void counted_notes(const struct how *how,
                   void (*tell)(const char *group, const char *note))
{
    for (size_t g = 0; g < counter_group_count(); g++) {
        const char *const note = counter_group_note(g, uarch_host());
        if (note && wants_group(how, g))
            tell(counter_group_get(g)->name, note);
    }
}

struct adding {
    struct result *result;
    bool asked;
};

static void add_metric(const struct formula *formula, void *context)
{
    struct adding *const adding = context;
    struct metric *const metric = must_have(
        result_add_metric(adding->result, formula->name, formula->unit, formula->text));
    metric->asked = adding->asked;
}

void counted_metrics(const struct how *how, const struct plan *plan,
                     struct result *result)
{
    const char *names[EVENTS_MAX];
    struct adding adding = {.result = result, .asked = how->counters.n > 0};
    for (size_t i = 0; i < plan->n_events; i++)
        names[i] = plan->event[i].name;
    formulas_each(uarch_host(), names, plan->n_events, add_metric, &adding);
}
