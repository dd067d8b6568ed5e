/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a case, and its notes. */
#include "measure/measure.h"

/* No two builds can be compared by it. */
static void end_comparison(struct comparison *comparison, const char *reason)
{
    *comparison = (struct comparison){.trials = comparison->trials,
                                      .voided = comparison->voided,
                                      .verdict = VERDICT_UNUSABLE,
                                      .reason = comparison->reason,
                                      .placement = comparison->placement,
                                      .code = comparison->code};
    string_set(&comparison->reason, reason);
}

void case_end(struct group_state *group, struct case_state *entry, enum status status,
              const char *reason)
{
    struct result *result = case_result(group, entry);
    result_clear_samples(result);
    result_set_status(result, status, reason);
    if (result->comparison)
        end_comparison(result->comparison, reason);
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

void note_once(struct result *result, const char *note)
{
    for (size_t i = 0; i < result->n_notes && note; i++)
        if (!strcmp(result->notes[i], note))
            return;
    if (note)
        result_add_note(result, note);
}
