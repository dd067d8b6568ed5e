/* SPDX-License-Identifier: Apache-2.0 */
/* One case of two builds, and the workers of its arms. */
#include "ab_private.h"

#include <errno.h>
#include <string.h>

uint64_t ab_random(const struct ab *ab, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t state = ab->how.seed;
    const uint64_t parts[] = {a, b, c};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        state = random_next(&state) ^ parts[i];
    return random_next(&state);
}

void ab_case_end(struct ab_group *group, size_t c, enum status status, const char *reason)
{
    struct case_state *entry = &group->state.cases[c];
    struct comparison *comparison = case_result(&group->state, entry)->comparison;
    case_end(&group->state, entry, status, reason);
    group->cases[c].wanted = false;
    if (!comparison) /* a roof */
        return;
    *comparison = (struct comparison){.trials = comparison->trials,
                                      .voided = comparison->voided,
                                      .verdict = VERDICT_UNUSABLE,
                                      .reason = comparison->reason,
                                      .placement = comparison->placement,
                                      .code = comparison->code};
    string_set(&comparison->reason, reason);
}

void ab_blame(const struct ab *ab, const struct ab_arm *arm, const char *text, char *out,
              size_t size)
{
    const char *name = arm->worker->info.name;
    const size_t n = strlen(name);
    if (!strncmp(text, name, n) && text[n] == ':' && text[n + 1] == ' ')
        text += n + 2;
    snprintf(out, size, "%s: %.470s",
             arm == &ab->arm[ARM_CONTROL] ? "control (a copy of base)" : arm->name, text);
}

int ab_ask(struct ab_group *group, size_t c, int which, cJSON *request,
           int64_t timeout_ns, cJSON **reply)
{
    const struct ab_arm *arm = &group->ab->arm[which];
    struct error error = {.text = ""};
    char reason[512];
    int status = worker_ask(arm->worker, request, timeout_ns, reply, &error);
    if (status == 0)
        return 0;
    const bool dead = !worker_alive(arm->worker), wrong = message_true(*reply, "wrong");
    cJSON_Delete(*reply);
    *reply = NULL;
    if (status == -EINTR)
        return status;
    ab_blame(group->ab, arm, error.text, reason, sizeof reason);
    ab_case_end(group, c,
                wrong                         ? STATUS_WRONG
                : !dead && status == -ENOTSUP ? STATUS_SKIPPED
                                              : STATUS_FAILED,
                reason);
    return wrong || dead ? GROUP_RESTART : 0;
}
