/* SPDX-License-Identifier: Apache-2.0 */
/* One case and the worker that runs it. */
#include "measure/measure.h"

#include <errno.h>
#include <string.h>

void case_end(struct group_state *group, struct case_state *entry, enum status status,
              const char *reason)
{
    struct result *result = case_result(group, entry);
    result_clear_samples(result);
    result_set_status(result, status, reason);
    entry->active = false;
}

void group_end(struct group_state *group, const struct worker *worker, enum status status,
               const char *reason)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active &&
            (!worker || group->cases[i].offer->worker == worker))
            case_end(group, &group->cases[i], status, reason);
}

int case_ask(struct group_state *group, struct case_state *entry, cJSON *request,
             int64_t timeout_ns, cJSON **reply)
{
    struct error error = {.text = ""};
    const bool check = !strcmp(message_text(request, "do"), "check");
    int status = worker_ask(entry->offer->worker, request, timeout_ns, reply, &error);
    if (status == 0)
        return 0;
    const bool dead = !worker_alive(entry->offer->worker);
    const bool wrong = message_true(*reply, "wrong");
    const bool slow = check && status == -ETIMEDOUT && entry->offer->is_baseline;
    const bool skip = slow || (!dead && status == -ENOTSUP);
    if (slow)
        error_set(&error, status,
                  "its first call took more than %.3g s: left out (a longer --timeout "
                  "gives it more)",
                  (double)timeout_ns * 1e-9);
    cJSON_Delete(*reply);
    *reply = NULL;
    if (status == -EINTR)
        return status;
    case_end(group, entry,
             skip    ? STATUS_SKIPPED
             : wrong ? STATUS_WRONG
                     : STATUS_FAILED,
             error.text);
    if (skip && !dead)
        return 0;
    /* A wrong kernel may have overwritten anything in its process. */
    if (wrong)
        worker_kill(entry->offer->worker);
    return wrong || dead ? GROUP_RESTART : 0;
}

void note_once(struct result *result, const char *note)
{
    for (size_t i = 0; i < result->n_notes && note; i++)
        if (!strcmp(result->notes[i], note))
            return;
    if (note)
        result_add_note(result, note);
}
