/* SPDX-License-Identifier: Apache-2.0 */
/* Whether both builds have the same code, and differ in nothing else that is known. */
#include "ab_private.h"
#include "surgery.h"

#define TRACE_NS 30e9
/* Cases that times leave in doubt: steps of a trace, and the longest call. */
enum { STEPS_MOST = 2000000 };
#define LONGEST_NS 500000.0

static bool same_object(const cJSON *first, const cJSON *second)
{
    struct loaded_object a, b;
    loaded_object_read(first, &a);
    loaded_object_read(second, &b);
    return a.path && b.path && !strcmp(a.path, b.path);
}

/* The libraries that they bring, their options and their work. */
static bool same_rest(const struct ab *ab)
{
    const struct ab_arm *const base = &ab->arm[ARM_BASE], *const head =
                                                              &ab->arm[ARM_HEAD];
    const cJSON *a = base->objects ? base->objects->child : NULL;
    const cJSON *b = head->objects ? head->objects->child : NULL;
    for (; a && b && same_object(a, b); a = a->next)
        b = b->next;
    return base->objects && head->objects && !a && !b &&
           arms_same_options(&base->spec, &head->spec) && ab->extra_work == 0 &&
           ab->built_work == 0 && !ab->times_alone;
}

/* Both files load the same bytes, so that code that nobody traced, such as that of
 * constructors, is the same too: they may differ in what debuggers read. */
static bool same_bytes(const struct ab *ab)
{
    const uint64_t loaded = ab->arm[ARM_BASE].file.loaded;
    return loaded && loaded == ab->arm[ARM_HEAD].file.loaded;
}

void ab_compare_code(struct ab_group *group, size_t c)
{
    const struct ab_places *const base = &group->cases[c].places[ARM_BASE];
    const struct ab_places *const head = &group->cases[c].places[ARM_HEAD];
    struct placement *const placement =
        comparison_placement(ab_result(group, c)->comparison);
    const bool whole = base->whole && head->whole;
    const bool closed = base->closed && head->closed, all = whole || closed;
    /* A trace is of one call: others of the sets may execute other code. */
    const bool sets = group->state.plan->settings.sets > 1;
    struct surgery_difference difference;
    if (!base->code || !head->code ||
        surgery_compare(base->code, head->code, &difference) < 0)
        return;
    /* Windows see other parts of equal code. */
    if (!all && (!difference.same || placement->unmoved))
        return;
    placement->equality = difference.same     ? EQUALITY_SAME
                          : difference.nearly ? EQUALITY_NEARLY
                                              : EQUALITY_OTHER;
    const bool proven = (closed || (whole && !sets)) && !base->prepared &&
                        !head->prepared && difference.same_data;
    placement->same_data =
        (proven || (difference.same && same_bytes(group->ab))) && same_rest(group->ab);
    placement->instructions = (double)difference.instructions;
    string_set(&placement->where,
               difference.nearly && !difference.same ? difference.where : NULL);
}

/* Generated code is in no file: it may be other code in the next process. */
static int ask_code(struct ab_group *group, size_t c, int which, uint64_t steps)
{
    const struct runner runner = ab_runner(group, c, which);
    struct ab_places *const places = &group->cases[c].places[which];
    const struct copies_call call = {
        .number = runner.number, .code = true, .libc_stays = true, .steps = steps};
    struct copies_reply told;
    struct error error = {.text = ""};
    FREED_BY(json_delete) cJSON *reply = NULL;
    const int status =
        worker_ask(runner.worker, copies_call(&call),
                   timeout_with(&group->ab->how, TRACE_NS), &reply, &error);
    copies_reply_read(reply, &told);
    places->whole = told.whole;
    places->closed = told.closed;
    places->prepared = told.prepared;
    string_set(&places->code, status == 0 && told.executed ? told.code : NULL);
    return status == -EINTR ? status : worker_alive(runner.worker) ? 0 : GROUP_RESTART;
}

static int ask_both(struct ab_group *group, size_t c, uint64_t steps)
{
    int status = 0;
    group->cases[c].asked = steps ? ASKED_LONG : ASKED;
    for (int which = ARM_BASE; which <= ARM_HEAD && status == 0; which++)
        status = ask_code(group, c, which, steps);
    if (status == 0)
        ab_compare_code(group, c);
    return status;
}

int ab_take_code(struct ab_group *group, size_t c)
{
    return group->cases[c].asked ? 0 : ask_both(group, c, 0);
}

/* ---- cases that times leave in doubt ---- */

static bool is_doubtful(const struct ab_group *group, size_t c)
{
    const struct ab_case *const entry = &group->cases[c];
    const struct comparison *const comparison = ab_result(group, c)->comparison;
    const struct placement *const placement = comparison ? comparison->placement : NULL;
    const bool untold = entry->asked && !entry->places[ARM_HEAD].code;
    return placement && comparison->n_trials && !untold && entry->asked < ASKED_LONG &&
           group->state.cases[c].active && comparison->verdict != VERDICT_SAME &&
           comparison->verdict != VERDICT_PLACED &&
           (placement->equality == EQUALITY_UNKNOWN ||
            placement->equality == EQUALITY_SAME) &&
           !(entry->places[ARM_BASE].whole && entry->places[ARM_HEAD].whole) &&
           group->state.plan->settings.sets <= 1 &&
           group->state.cases[c].call_ns <= LONGEST_NS;
}

static int ask_doubtful(struct ab_group *group, bool traced)
{
    int status = 0;
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        if (!is_doubtful(group, c))
            continue;
        for (int which = ARM_BASE; which <= ARM_HEAD && status == 0; which++)
            status = ab_prepare(group, c, which);
        if (status == 0)
            status = ask_both(group, c, STEPS_MOST);
    }
    return status;
}

/* The trace has a process of its own. One that dies leaves the rest in doubt. */
int ab_resolve_doubt(struct ab_group *group, struct error *error)
{
    bool any = false;
    for (size_t c = 0; c < group->state.n_cases; c++)
        any |= is_doubtful(group, c);
    if (!any)
        return 0;
    group->answered = false;
    const int status = ab_trace_process(group, false, ask_doubtful, error);
    group->answered = false;
    return status == -EINTR || status == -ENOMEM ? status : 0;
}
