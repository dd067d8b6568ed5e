/* SPDX-License-Identifier: Apache-2.0 */
/* One case before it is timed: prepared, checked, and asked how exact it is. */
#include "measure_private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Takes the choice that the kernel made. */
static void take_choice(struct case_state *entry, struct result *result,
                        const cJSON *reply)
{
    const char *isa = message_text(reply, "isa");
    if (isa)
        string_set(&result->module_isa, isa);
    fairness_clear(result);
    fairness_implementation(result, message_text(reply, "implementation"));
    fairness_isa(result, entry->offer, isa);
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
            must(string_set(&case_result(group, entry)->limit_id, other->plan->id));
    }
}

void case_take(const struct group_state *group, struct case_state *entry,
               const cJSON *reply)
{
    struct result *result = case_result(group, entry);
    take_roof(group, entry, message_text(reply, "roof"));
    entry->team = message_int(reply, "threads", 0);
    result->prepare_ns = message_number(reply, "prepare_ns", 0);
    result->ops = message_number(reply, "ops", result->ops);
    result->bytes = message_number(reply, "bytes", result->bytes);
    result->workspace_bytes = (double)message_u64(reply, "workspace_bytes", 0);
    must(string_set(&result->implementation, message_text(reply, "implementation")));
    note_once(result, message_text(reply, "note"));
}

static int prepare(struct group_state *group, struct case_state *entry)
{
    const struct options *options = group->session->options;
    struct result *result = case_result(group, entry);
    cJSON *request = message_new("prepare"), *reply = NULL;
    message_add_u64(request, "kernel", entry->offer->index);
    cJSON_AddNumberToObject(request, "threads", entry->plan->team);
    result->has_accuracy = false;
    int status = case_ask(group, entry, request, options->timeout_ns, &reply);
    if (reply) {
        entry->number = message_u64(reply, "case", UINT64_MAX);
        take_choice(entry, result, reply);
        case_take(group, entry, reply);
    }
    cJSON_Delete(reply);
    return status;
}

const struct answers *group_answers(const struct group_state *group,
                                    const struct case_state *entry)
{
    for (size_t i = 0; i < group->n_answers && !case_is_limit(group, entry); i++)
        if (!strcmp(group->answers[i].semiring ?: "", entry->offer->semiring ?: ""))
            return &group->answers[i];
    return NULL;
}

void group_add_answers(const struct answers *answers, cJSON *request)
{
    message_add_u64(request, "n", answers->n);
    if (answers->index != UINT64_MAX)
        message_add_u64(request, "index", answers->index);
    message_add_u64(request, "value", answers->value);
    message_add_u64(request, "slack", answers->slack);
}

/* With --accuracy, errors are those of all outputs that are checked. */
static void add_answers(const struct group_state *group, const struct answers *answers,
                        cJSON *request)
{
    group_add_answers(answers, request);
    if (group->session->options->accuracy)
        message_add_u64(request, "accuracy_n", answers->n);
}

/* Larger errors are not known: readers of saved runs refuse such numbers. */
#define ULP_MAX 1e300

static bool take_accuracy(struct result *result, const cJSON *reply)
{
    result->max_ulp = message_number(reply, "max_ulp", NAN);
    result->mean_ulp = message_number(reply, "mean_ulp", 0);
    result->has_accuracy = result->max_ulp <= ULP_MAX && result->mean_ulp <= ULP_MAX;
    if (!result->has_accuracy)
        result->max_ulp = result->mean_ulp = 0;
    result->worst_input = message_number(reply, "worst_input", NAN);
    return result->has_accuracy;
}

/* The op's owner finds the outputs in the shared memory, unless huge pages of its own
 * keep them in the worker. */
static int ask_owner(struct group_state *group, struct result *result,
                     const struct answers *answers)
{
    const struct session *session = group->session;
    struct worker *owner = catalog_op_owner(session->catalog, group->plan->op);
    struct error error = {.text = ""};
    if (session->options->huge_pages || session->options->conditions.fresh_output ||
        !answers || !answers->n ||
        !catalog_op_text(session->catalog, group->plan->op, "accuracy_inputs"))
        return 0;
    cJSON *request = message_new("accuracy"), *reply = NULL;
    cJSON_AddStringToObject(request, "op", group->plan->op);
    add_answers(group, answers, request);
    int status = worker_ask(owner, request, session->options->timeout_ns, &reply, &error);
    if (status == 0)
        take_accuracy(result, reply);
    cJSON_Delete(reply);
    return status == -EINTR ? status : 0;
}

void group_take_check(const struct group_state *group, struct result *result,
                      const cJSON *reply, const char *who)
{
    const char *note = message_text(reply, "note");
    char text[512];
    snprintf(text, sizeof text, "%s%s", who, note ?: "");
    note_once(result, note ? text : NULL);
    fairness_alive(result, message_int(reply, "threads_alive", 1),
                   (int)group->session->plan->most_threads);
}

static int check(struct group_state *group, struct case_state *entry)
{
    struct result *result = case_result(group, entry);
    const struct answers *answers = group_answers(group, entry);
    cJSON *request = message_new("check"), *reply = NULL;
    message_add_u64(request, "case", entry->number);
    if (answers)
        add_answers(group, answers, request);
    const int64_t started = clock_now();
    int status = case_ask(group, entry, request, budget_first_call(group, entry), &reply);
    entry->check_ns = (double)(clock_now() - started);
    if (reply) {
        group_take_check(group, result, reply, "");
        if (!take_accuracy(result, reply))
            status = ask_owner(group, result, answers);
    }
    cJSON_Delete(reply);
    return status;
}

cJSON *group_again_request(const struct group_state *group,
                           const struct case_state *entry, uint64_t number, uint64_t seed)
{
    const struct answers *answers = group_answers(group, entry);
    cJSON *request = message_new("check");
    message_add_u64(request, "case", number);
    cJSON_AddTrueToObject(request, "again");
    message_add_u64(request, "seed", seed);
    if (answers)
        group_add_answers(&group->again[answers - group->answers], request);
    message_add_u64(request, "accuracy_n", 0);
    return request;
}

int group_check_again(struct group_state *group, uint64_t seed, struct error *error)
{
    int status = group_change(group, seed, error);
    for (size_t i = 0; i < group->n_cases && status == 0; i++) {
        struct case_state *entry = &group->cases[i];
        if (!entry->active || case_is_limit(group, entry))
            continue;
        cJSON *reply = NULL;
        status =
            case_ask(group, entry, group_again_request(group, entry, entry->number, seed),
                     group->session->options->timeout_ns, &reply);
        if (reply)
            group_take_check(group, case_result(group, entry), reply, "");
        cJSON_Delete(reply);
    }
    return status;
}

int group_prepare_case(struct group_state *group, struct case_state *entry)
{
    const int status = prepare(group, entry);
    return status == 0 && entry->active ? check(group, entry) : status;
}
