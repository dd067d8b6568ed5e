/* SPDX-License-Identifier: Apache-2.0 */
/* Cases that run copies of the code of the first one. */
#include "measure_private.h"

#include <errno.h>

/* As the first case, but for its code. */
static void take_first(const struct group_state *group, struct case_state *copy)
{
    const struct result *const first = case_result(group, &group->cases[0]);
    struct result *const result = case_result(group, copy);
    copy->number = group->cases[0].number;
    copy->team = group->cases[0].team;
    result->ops = first->ops;
    result->bytes = first->bytes;
}

/* What is no copy, and all of them if there is none, ends with the reason. */
static void take_copies(struct group_state *group, const struct copies_reply *told)
{
    for (size_t i = 0; i < group->n_cases; i++) {
        struct case_state *const entry = &group->cases[i];
        if (!entry->active || !entry->plan->copy)
            continue;
        if (entry->plan->copy <= told->n)
            take_first(group, entry);
        else
            case_end(group, entry, STATUS_SKIPPED, "there is no such copy");
    }
}

static void end_copies(struct group_state *group, const char *reason)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active && group->cases[i].plan->copy)
            case_end(group, &group->cases[i], STATUS_SKIPPED, reason);
}

/* Of the trace that it begins with, and the proofs. */
#define COPIES_NS 30e9

int group_prepare_copies(struct group_state *group)
{
    const struct how *const how = group->session->how;
    const struct case_state *const first = &group->cases[0];
    const struct copies_call call = {.number = first->number,
                                     .n = how->conditions.places};
    struct error error = {.text = "the code as built cannot run"};
    struct copies_reply told;
    cJSON *reply = NULL;
    int status = -ENOTSUP;
    if (first->active)
        status = worker_ask(first->offer->worker, copies_call(&call),
                            timeout_with(how, COPIES_NS), &reply, &error);
    copies_reply_read(reply, &told);
    if (status == 0)
        take_copies(group, &told);
    else
        end_copies(group, error.text);
    cJSON_Delete(reply);
    return status == -EINTR                     ? status
           : worker_alive(first->offer->worker) ? 0
                                                : GROUP_RESTART;
}
