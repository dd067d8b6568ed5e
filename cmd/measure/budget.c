/* SPDX-License-Identifier: Apache-2.0 */
/* A library may have nothing better than its reference for a case, thousands of times as
 * slow. It is left out before it costs minutes: nobody asked for that number. */
#include "measure_private.h"

#include <math.h>

/* A baseline has these times in any case, a part of a longer --timeout, and that many
 * times as long as the slowest kernel that it is compared with. */
#define FIRST_CALL_NS 5e9
#define ROUNDS_NS 20e9
enum { FIRST_CALL_PART = 12, ROUNDS_PART = 3, TIMES_SLOWER = 10 };
/* The least of calls that rounds have: each batch follows one that is not timed. */
enum { CALLS_LEAST = 2 * ROUNDS_MIN };

static bool is_opponent(const struct case_state *entry)
{
    return entry->active && !entry->offer->is_baseline && !entry->offer->is_roof;
}

int64_t budget_first_call(const struct group_state *group, const struct case_state *entry)
{
    const double timeout = (double)group->session->how->timeout_ns;
    double limit = fmax(FIRST_CALL_NS, timeout / FIRST_CALL_PART);
    for (size_t i = 0; i < group->n_cases; i++)
        if (is_opponent(&group->cases[i]))
            limit = fmax(limit, TIMES_SLOWER * group->cases[i].check_ns);
    return (int64_t)(entry->offer->is_baseline ? fmin(limit, timeout) : timeout);
}

bool budget_exceeded(struct group_state *group, struct case_state *entry, double call_ns)
{
    char reason[200];
    const double takes = CALLS_LEAST * call_ns;
    double budget =
        fmax(ROUNDS_NS, (double)group->session->how->timeout_ns / ROUNDS_PART);
    for (size_t i = 0; i < group->n_cases; i++)
        if (is_opponent(&group->cases[i]))
            budget = fmax(budget, TIMES_SLOWER * CALLS_LEAST * group->cases[i].call_ns);
    if (!entry->offer->is_baseline || takes <= budget)
        return false;
    snprintf(reason, sizeof reason,
             "a call takes %.3g s, %d of them more than the %.3g s that a baseline has: "
             "left out (a longer --timeout gives it more)",
             call_ns * 1e-9, CALLS_LEAST, budget * 1e-9);
    case_end(group, entry, STATUS_SKIPPED, reason);
    return true;
}
