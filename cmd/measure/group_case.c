/* SPDX-License-Identifier: Apache-2.0 */
/* One case before it is timed: prepared, checked, and asked how exact it is. */
#include "measure_private.h"

#include <math.h>

/* Takes the choice that the kernel made. */
static void take_choice(struct case_state *entry, struct result *result,
                        const struct prepare_reply *reply)
{
    if (reply->isa)
        string_set(&result->module.isa, reply->isa);
    fairness_clear(result);
    fairness_implementation(result, reply->implementation);
    fairness_isa(result, entry->offer, reply->isa);
}

/* The limit that belongs to the choice is another roof of the same kind. */
static void take_roof(const struct group_state *group, const struct case_state *entry,
                      const char *roof)
{
    const struct case_state *limit = NULL;
    for (size_t i = 0; i < group->n_cases && entry->plan->limit_id && !limit; i++)
        if (!strcmp(group->cases[i].plan->id, entry->plan->limit_id))
            limit = &group->cases[i];
    for (size_t i = 0; i < group->n_cases && limit && roof; i++) {
        const struct case_state *other = &group->cases[i];
        if (case_is_limit(group, other) && other->offer->type == limit->offer->type &&
            !strcmp(other->offer->isa, limit->offer->isa) &&
            other->plan->threads == limit->plan->threads &&
            !strcmp(other->offer->variant, roof))
            string_set(&case_result(group, entry)->limit_id, other->plan->id);
    }
}

void case_take(const struct group_state *group, struct case_state *entry,
               const struct prepare_reply *reply, bool choice)
{
    struct result *result = case_result(group, entry);
    if (choice)
        take_choice(entry, result, reply);
    take_roof(group, entry, reply->roof);
    entry->team = reply->threads;
    result->samples.prepare_ns = reply->prepare_ns;
    result->work.ops = isnan(reply->ops) ? result->work.ops : reply->ops;
    result->work.bytes = isnan(reply->bytes) ? result->work.bytes : reply->bytes;
    result->samples.workspace_bytes = (double)reply->workspace_bytes;
    string_set(&result->code.implementation, reply->implementation);
    note_once(result, reply->note);
}

static int prepare(struct group_state *group, struct case_state *entry)
{
    struct runner runner = runner_of(group, entry);
    const struct prepare_call call = {
        .kernel = entry->offer->index,
        .threads = (int)entry->plan->team,
        .shape = case_is_limit(group, entry) ? entry->plan->shape : NULL};
    case_result(group, entry)->accuracy.known = false;
    const int status = runner_prepare(&runner, &call, true);
    entry->number = runner.number;
    return status;
}

const struct semiring_answers *group_find_answers(const struct group_state *group,
                                                  const struct case_state *entry)
{
    for (size_t i = 0; i < group->n_answers && !case_is_limit(group, entry); i++)
        if (!strcmp(group->answers[i].semiring ?: "", entry->offer->semiring ?: ""))
            return &group->answers[i];
    return NULL;
}

const struct answer_places no_answers = {.index = UINT64_MAX};

struct answer_places group_answers(const struct group_state *group,
                                   const struct case_state *entry)
{
    const struct semiring_answers *const answers = group_find_answers(group, entry);
    return answers ? answers->places : no_answers;
}

/* With --accuracy, errors are those of all outputs that are checked. */
static uint64_t accuracy_outputs(const struct group_state *group,
                                 const struct answer_places *places)
{
    return group->session->how->accuracy ? places->n : ACCURACY_OUTPUTS;
}

/* Larger errors are not known: readers of saved runs refuse such numbers. */
#define ULP_MAX 1e300

static bool take_accuracy(struct result *result, const struct check_reply *reply)
{
    result->accuracy.max_ulp = reply->max_ulp;
    result->accuracy.mean_ulp = reply->mean_ulp;
    result->accuracy.known =
        result->accuracy.max_ulp <= ULP_MAX && result->accuracy.mean_ulp <= ULP_MAX;
    if (!result->accuracy.known)
        result->accuracy.max_ulp = result->accuracy.mean_ulp = 0;
    result->accuracy.worst_input = reply->worst_input;
    return result->accuracy.known;
}

/* The op's owner finds the outputs in the shared memory, unless huge pages of its own
 * keep them in the worker. */
static int ask_owner(struct group_state *group, struct result *result,
                     const struct answer_places *places)
{
    const struct session *session = group->session;
    struct worker *owner = catalog_op_owner(session->catalog, group->plan->op);
    struct error error = {.text = ""};
    if (group->plan->settings.huge_pages || session->how->conditions.fresh_output ||
        !places->n ||
        !catalog_op_text(session->catalog, group->plan->op, "accuracy_inputs"))
        return 0;
    const struct accuracy_call call = {.op = group->plan->op,
                                       .places = *places,
                                       .accuracy_n = accuracy_outputs(group, places)};
    struct check_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status =
        worker_ask(owner, accuracy_call(&call), session->how->timeout_ns, &reply, &error);
    check_reply_read(reply, &told);
    if (status == 0)
        take_accuracy(result, &told);
    return status == -EINTR ? status : 0;
}

static int check(struct group_state *group, struct case_state *entry)
{
    const struct runner runner = runner_of(group, entry);
    const struct answer_places places = group_answers(group, entry);
    struct check_call call = {.places = places,
                              .accuracy_n = accuracy_outputs(group, &places)};
    struct check_reply told;
    const int64_t started = clock_now();
    const int status =
        runner_check(&runner, &call, budget_first_call(group, entry), &told);
    entry->check_ns = (double)(clock_now() - started);
    if (status || !entry->active)
        return status;
    struct result *const result = case_result(group, entry);
    entry->answered = told.answered;
    entry->unseen = told.unseen;
    entry->varies = told.varies;
    return take_accuracy(result, &told) ? 0 : ask_owner(group, result, &places);
}

int group_check_again(struct group_state *group, uint64_t seed, struct error *error)
{
    const bool edited = group->session->how->conditions.edits > 0;
    int status = group_change(group, seed, error);
    for (size_t i = 0; i < group->n_cases && status == 0; i++) {
        struct case_state *entry = &group->cases[i];
        if (!entry->active || case_is_limit(group, entry) || edited)
            continue;
        const struct runner runner = runner_of(group, entry);
        status = runner_check_again(&runner, seed);
    }
    return status;
}

int group_prepare_case(struct group_state *group, struct case_state *entry)
{
    const int status = entry->plan->copy ? 0 : prepare(group, entry);
    /* Edited code computes wrong results, and what it leaves may make others wrong. */
    const bool edited = entry->plan->copy > group->session->how->conditions.places;
    return status == 0 && entry->active && !edited ? check(group, entry) : status;
}
