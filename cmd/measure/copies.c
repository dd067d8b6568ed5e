/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that run copies of the code of the first one. */
#include "measure_private.h"

/* As the first case, but for its code. */
static void take_first(const struct group_state *group, struct case_state *copy)
{
    const struct result *const first = case_result(group, &group->cases[0]);
    struct result *const result = case_result(group, copy);
    copy->number = group->cases[0].number;
    copy->team = group->cases[0].team;
    result->work.ops = first->work.ops;
    result->work.bytes = first->work.bytes;
}

/* The reason why there is no such copy, or NULL. Edited copies follow the plain ones. */
static const char *why_no_copy(const struct group_state *group, uint64_t copy,
                               const struct copies_reply *told, const cJSON *reply)
{
    const struct conditions *const conditions = &group->session->how->conditions;
    const cJSON *const list = message_get(reply, "edits");
    struct copies_edit edit = {.absent = NULL};
    if (copy > told->n)
        return "there is no such copy";
    if (copy > conditions->places)
        copies_edit_read(cJSON_GetArrayItem(list, (int)((copy - conditions->places - 1) /
                                                        conditions->edits)),
                         &edit);
    return edit.absent;
}

/* A case that cannot be copied ends with the reason. */
static void take_copies(struct group_state *group, const cJSON *reply)
{
    struct copies_reply told;
    copies_reply_read(reply, &told);
    FOR_EACH (struct case_state, entry, group->cases, group->n_cases) {
        if (!entry->active || !entry->plan->copy)
            continue;
        const char *const why = why_no_copy(group, entry->plan->copy, &told, reply);
        if (!why)
            take_first(group, entry);
        else
            case_end(group, entry, STATUS_SKIPPED, why);
    }
}

static void end_copies(struct group_state *group, const char *reason)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active && group->cases[i].plan->copy)
            case_end(group, &group->cases[i], STATUS_SKIPPED, reason);
}

/* Time for the trace at the beginning, and for the proofs. */
#define COPIES_NS 30e9

int group_prepare_copies(struct group_state *group)
{
    const struct how *const how = group->session->how;
    const struct case_state *const first = &group->cases[0];
    const struct copies_call call = {.number = first->number,
                                     .n = how->conditions.places,
                                     .edits = how->conditions.edits};
    struct error error = {.text = "the code as built cannot run"};
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = -ENOTSUP;
    if (first->active)
        status = worker_ask(first->offer->worker, copies_call(&call),
                            timeout_with(how, COPIES_NS), &reply, &error);
    if (status == 0)
        take_copies(group, reply);
    else
        end_copies(group, error.text);
    return status == -EINTR                     ? status
           : worker_alive(first->offer->worker) ? 0
                                                : GROUP_RESTART;
}
