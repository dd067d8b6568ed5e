/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to one worker about one case, and how the case ends if one fails. */
#include "measure_private.h"

#include <math.h>

/* The time between two looks at how much of the core a batch gets. A look takes 1.5 us,
 * all of them 2.6% of a batch. */
#define REGION_NS 80000.0

struct runner runner_of(struct group_state *group, struct case_state *entry)
{
    return (struct runner){.group = group,
                           .entry = entry,
                           .worker = entry->offer->worker,
                           .number = entry->number,
                           .copy = entry->plan->copy};
}

void runner_blame(const struct runner *runner, const char *text, char *out, size_t size)
{
    const char *const name = runner->worker->info.name;
    const size_t n = strlen(name);
    if (runner->name && !strncmp(text, name, n) && text[n] == ':' && text[n + 1] == ' ')
        text += n + 2;
    snprintf(out, size, "%s%s%s%.*s", runner->name ?: "", runner->more ?: "",
             runner->name ? ": " : "", runner->name ? 470 : 511, text);
}

void runner_end(const struct runner *runner, enum status status, const char *text)
{
    char reason[1024];
    runner_blame(runner, text, reason, sizeof reason);
    case_end(runner->group, runner->entry, status, reason);
}

int runner_ask(const struct runner *runner, cJSON *request, int64_t timeout_ns,
               cJSON **reply)
{
    struct error error = {.text = ""};
    const char *const verb = message_text(request, "do");
    const bool check = !strcmp(verb, "check"), batch = !strcmp(verb, "batch");
    int status = worker_ask(runner->worker, request, timeout_ns, reply, &error);
    if (status == 0)
        return 0;
    const bool dead = !worker_alive(runner->worker);
    const bool wrong = message_true(*reply, "wrong");
    const bool slow = check && status == -ETIMEDOUT && runner->entry->offer->is_baseline;
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
    runner_end(runner,
               skip    ? STATUS_SKIPPED
               : wrong ? STATUS_WRONG
                       : STATUS_FAILED,
               error.text);
    if (dead && batch && status != -ETIMEDOUT && !runner->entry->resets &&
        group_bytes_overwritten(runner->group) > 0)
        note_once(
            case_result(runner->group, runner->entry),
            "may have died of what the calls before left in inout arrays: --reset "
            "of call, \"reset\": true and SIMDBENCH_RESETS give each the first data");
    if (skip && !dead)
        return 0;
    /* A wrong kernel may have overwritten anything in its process. */
    if (wrong)
        worker_kill(runner->worker);
    return wrong || dead ? GROUP_RESTART : 0;
}

int runner_prepare(struct runner *runner, const struct prepare_call *call, bool describes)
{
    struct case_state *const entry = runner->entry;
    const int64_t timeout_ns = runner->group->session->how->timeout_ns;
    struct prepare_reply told;
    FREED_BY(json_delete) cJSON *reply = NULL;
    const int status = runner_ask(runner, prepare_call(call), timeout_ns, &reply);
    prepare_reply_read(reply, &told);
    if (reply)
        runner->number = told.number;
    if (reply && describes)
        case_take(runner->group, entry, &told, !runner->name);
    return status;
}

/* -ENOSYS: the owner of the op is a program that is too old to do it. */
static int verify_others(const struct runner *runner, const struct answer_places *places)
{
    const struct group_state *const group = runner->group;
    const struct session *const session = group->session;
    const struct offer *const offer = runner->entry->offer;
    const struct verify_call call = {offer->op, offer->semiring, *places};
    struct worker *const owner = catalog_op_owner(session->catalog, offer->op);
    struct error error = {.text = ""};
    FREED_BY(json_delete) cJSON *reply = NULL;
    if (!runner->foreign || offer->flags & SIMDBENCH_PARTIAL)
        return 0;
    const int status =
        worker_ask(owner, verify_call(&call), session->how->timeout_ns, &reply, &error);
    if (status == 0 || status == -EINTR || status == -ENOSYS)
        return status;
    const bool wrong = message_true(reply, "wrong");
    runner_end(runner, wrong ? STATUS_WRONG : STATUS_FAILED, error.text);
    if (wrong)
        worker_kill(runner->worker);
    return GROUP_RESTART;
}

int runner_check(const struct runner *runner, struct check_call *call, int64_t timeout_ns,
                 struct check_reply *told)
{
    struct result *const result = case_result(runner->group, runner->entry);
    char note[512];
    FREED_BY(json_delete) cJSON *reply = NULL;
    call->number = runner->number;
    call->copy = runner->copy;
    call->first = runner->foreign;
    const int status = runner_ask(runner, check_call(call), timeout_ns, &reply);
    check_reply_read(reply, told);
    snprintf(note, sizeof note, "%s%s%s", runner->name ?: "", runner->name ? " " : "",
             told->note ?: "");
    note_once(result, told->note ? note : NULL);
    if (reply)
        fairness_alive(result, told->threads_alive,
                       (int)runner->group->session->plan->most_threads);
    told->note = NULL;
    const int verified = reply ? verify_others(runner, &call->places) : status;
    if (verified != -ENOSYS || !reply)
        return verified;
    struct runner alone = *runner;
    alone.foreign = false;
    return runner_check(&alone, call, timeout_ns, told);
}

int runner_check_again(const struct runner *runner, uint64_t seed)
{
    const struct group_state *const group = runner->group;
    const struct semiring_answers *const answers =
        group_find_answers(group, runner->entry);
    struct check_call call = {
        .places = answers ? group->again[answers - group->answers].places : no_answers,
        .again = true,
        .seed = seed};
    struct check_reply told;
    return runner_check(runner, &call, group->session->how->timeout_ns, &told);
}

struct batch_call runner_call(const struct runner *runner, uint64_t calls)
{
    const struct session *const session = runner->group->session;
    const struct conditions *const conditions = &session->how->conditions;
    struct batch_call call = {.number = runner->number,
                              .iterations = calls,
                              .cold = runner->group->plan->settings.cold,
                              .flush_denormals = conditions->flush_denormals,
                              .fresh_output = conditions->fresh_output,
                              .reset = runner->entry->resets,
                              .copy = runner->copy};
    if (!runner->watched)
        return call;
    call.core_share = !run_is_emulated(session->run);
    /* Counters that take turns need long regions. */
    if (!session->how->multiplex)
        call.regions = (uint64_t)ceil(runner->entry->call_ns * (double)calls / REGION_NS);
    return call;
}

/* --timeout is for one call; calls that were measured may all take ten times as long. */
static int64_t batch_timeout(const struct runner *runner, uint64_t calls)
{
    return timeout_with(runner->group->session->how,
                        10 * runner->entry->call_ns * (double)(calls + 1));
}

int runner_batch(const struct runner *runner, const struct batch_call *call,
                 struct batch *batch)
{
    struct case_state *const entry = runner->entry;
    const uint64_t calls = call->iterations;
    cJSON *reply = NULL;
    const int status =
        runner_ask(runner, batch_call(call), batch_timeout(runner, calls), &reply);
    *batch = batch_read(reply);
    if (!reply)
        return status ? status : GROUP_RESTART;
    entry->regions = batch->told.regions ?: call->cold ? calls : 1;
    if (entry->team)
        batch->threads = entry->team;
    const char *const doubt = batch_doubt(batch, calls);
    if (!doubt)
        return 0;
    case_end(runner->group, entry, STATUS_FAILED, doubt);
    return GROUP_RESTART;
}

void runner_take_threads(struct result *result, const struct batch *batch)
{
    if (!batch->void_ || batch->threads >= result->threads)
        result->threads_used = batch->threads;
}

/* Batches of a call with so much CPU time have one, however much they were disturbed. */
#define ONE_CALL_NS 50e6

/* One batch of each; false in `whole` if one was disturbed. */
static int calibrate_once(const struct runner *runners, size_t n, uint64_t calls,
                          double *slowest, bool *whole)
{
    struct group_state *const group = runners[0].group;
    const int64_t steal = group_steal(group);
    bool one_call = true;
    *slowest = 0;
    *whole = true;
    for (size_t i = 0; i < n; i++) {
        const struct batch_call call = runner_call(&runners[i], calls);
        struct batch batch;
        const int status = runner_batch(&runners[i], &call, &batch);
        cJSON_Delete(batch.reply);
        if (status)
            return status;
        *whole &= runners[i].watched || !batch.void_;
        one_call &= calls == 1 && batch.told.cpu_ns > ONE_CALL_NS;
        *slowest = fmax(*slowest, one_call && batch.void_ ? batch.told.cpu_ns : batch.ns);
        runner_take_threads(case_result(group, runners[i].entry), &batch);
    }
    *whole &= runners[0].watched || group_steal(group) == steal;
    *whole |= one_call;
    return 0;
}

int runners_calibrate(const struct runner *runners, size_t n, double shortest_ns)
{
    struct case_state *const entry = runners[0].entry;
    struct calibration search = {.shortest_ns = shortest_ns, .calls = 1};
    double slowest;
    bool whole;
    do {
        entry->call_ns = search.call_ns;
        const int status = calibrate_once(runners, n, search.calls, &slowest, &whole);
        if (status)
            return status;
        if (budget_exceeded(runners[0].group, entry, slowest / (double)search.calls))
            return 0;
    } while (calibration_next(&search, slowest, !whole));
    entry->iterations = search.calls;
    entry->call_ns = search.call_ns;
    return 0;
}
