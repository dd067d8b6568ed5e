/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a case that can be believed. */
#include "measure_private.h"

#include <math.h>

const struct proofs *proofs_known(struct session *session)
{
    const struct plan *plan = session->plan;
    if (!plan->n_events)
        return NULL;
    if (!session->proofs.loaded)
        proofs_load(session->run->fingerprint, plan->event, plan->n_events,
                    &session->proofs);
    return &session->proofs;
}

void proofs_take(struct group_state *group, const struct worker *worker,
                 const cJSON *reply)
{
    struct session *const session = group->session;
    const struct plan *plan = session->plan;
    if (!message_get(reply, "proofs"))
        return;
    if (proofs_read(reply, &session->proofs))
        proofs_save(session->run->fingerprint, plan->event, &session->proofs);
    for (size_t c = 0; c < group->n_cases; c++) {
        struct result *const result = case_result(group, &group->cases[c]);
        if (group->cases[c].offer->worker != worker)
            continue;
        for (size_t i = 0; i < plan->n_events; i++) {
            const struct proof *const proof = &session->proofs.proof[i];
            struct counter *const counter =
                &result->samples.counters[session->counter_of_event[i]];
            /* Resource usage stands in for what is withheld. */
            const bool usage = session->counter_of_event[i] < USAGE_COUNTERS;
            if (!session->proofs.known[i] || proof->verdict == PROOF_REFUSED ||
                (usage && proof->verdict != PROOF_PROVEN))
                continue;
            string_set(&counter->verdict, proof_verdict_name(proof->verdict));
            if (proof->verdict == PROOF_UNPROVEN)
                string_set(&counter->doubt, proof->reason);
        }
    }
}

/* The median of a call, or NaN. */
static double counted(const struct session *session, const struct result *result,
                      size_t event)
{
    const struct counter *const counter =
        &result->samples.counters[session->counter_of_event[event]];
    if (counter->absent || !counter->n || !counter->verdict)
        return NAN;
    return stats_median(counter->samples, counter->n) /
           (double)result->samples.iterations;
}

/* Cycles of one thread in user space, if all its time was spent there. */
static double clock_cycles(const struct result *result)
{
    if (result->threads_used != 1 || !result->samples.n_clock || !result->samples.n)
        return NAN;
    return stats_median(result->samples.ns, result->samples.n) /
           (double)result->samples.iterations *
           stats_median(result->samples.clock_ghz, result->samples.n_clock);
}

void counters_contradict(const struct group_state *group, const struct case_state *entry)
{
    const struct session *const session = group->session;
    struct result *const result = case_result(group, entry);
    const size_t n = session->plan->n_events;
    struct contradiction found[CONTRADICTIONS_MAX];
    double counts[EVENTS_MAX];
    if (!result->samples.iterations)
        return;
    for (size_t i = 0; i < n; i++)
        counts[i] = counted(session, result, i);
    const size_t n_found =
        counts_contradict(session->plan->event, counts, n, clock_cycles(result), found);
    for (size_t k = 0; k < n_found; k++) {
        const size_t both[] = {found[k].a, found[k].b};
        if (found[k].b == CONTRADICTS_CLOCK)
            note_once(result, "the clock probe and the counted cycles contradict each "
                              "other: one of them is wrong");
        for (size_t i = 0; i < ARRAY_LEN(both); i++)
            if (both[i] < n)
                string_set(
                    &result->samples.counters[session->counter_of_event[both[i]]].doubt,
                    found[k].text);
    }
}
