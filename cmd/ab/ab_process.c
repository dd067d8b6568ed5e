/* SPDX-License-Identifier: Apache-2.0 */
/* One fresh process (or one for each arm): its operands, its kernels checked, its rounds.
 */
#include "ab_private.h"

#include <errno.h>
#include <string.h>

/* ---- workers ---- */

static void end_wanted(struct ab_group *group, const struct ab_arm *arm, int code,
                       const char *text)
{
    char reason[512];
    ab_blame(group->ab, arm, text, reason, sizeof reason);
    for (size_t c = 0; c < group->state.n_cases; c++)
        if (group->cases[c].wanted)
            ab_case_end(group, c, code == -EOPNOTSUPP ? STATUS_SKIPPED : STATUS_FAILED,
                        reason);
}

int ab_start_arms(struct ab_group *group, const int order[ARMS],
                  const struct ab_arm **arm, struct error *error)
{
    struct ab *ab = group->ab;
    int status = 0;
    for (int i = 0; i < ARMS && status == 0; i++) {
        struct ab_arm *next = &ab->arm[order[i]];
        *arm = next;
        if (!worker_alive(next->worker))
            status = group_ready_worker(&group->state, next->worker, error);
        if (status == 0)
            status = arm_load(ab, next, next->worker, NULL, error);
    }
    for (int i = 0; i < ARMS && status == 0; i++) {
        if (!ab->workers[i])
            continue;
        *arm = &ab->arm[i];
        status = group_map_worker(&group->state, ab->workers[i],
                                  ab->request.what->settings.huge_pages, error);
    }
    return status;
}

/* An arm that cannot be had ends all cases; not so an interruption. */
static int start_arms(struct ab_group *group, const int order[ARMS])
{
    struct error error = {.text = ""};
    const struct ab_arm *arm = NULL;
    const int status = ab_start_arms(group, order, &arm, &error);
    if (status == -EINTR || status == 0)
        return status;
    end_wanted(group, arm, status, error.text);
    return GROUP_RESTART;
}

void ab_stop_arms(struct ab *ab)
{
    for (int i = 0; i < ARMS; i++)
        if (ab->workers[i])
            worker_kill(ab->workers[i]);
}

/* ---- operands and answers ---- */

/* Places that the operands may have; a process that is replaced may see one again. */
enum { PLACEMENTS = 1024 };

static int move_operands(struct ab_group *group, uint32_t process, struct error *error)
{
    return group_offsets(
        &group->state, ab_random(group->ab, group->state.number, process % PLACEMENTS, 0),
        error);
}

/* Room for the operands wherever a process may have them, so that the answers behind them
 * never move. */
static int reserve(struct ab_group *group, struct error *error)
{
    struct group_state *state = &group->state;
    state->block = 0;
    for (uint32_t p = 0; p < PLACEMENTS; p++) {
        int status = move_operands(group, p, error);
        if (status < 0)
            return status;
        state->block = state->map.bytes > state->block ? state->map.bytes : state->block;
    }
    return 0;
}

/* Inputs are the same bytes at other places in each process; the owner's answers stay
 * unless somebody may have scribbled over them. */
int ab_place_operands(struct ab_group *group, struct error *error)
{
    struct group_state *state = &group->state;
    struct worker *owner = catalog_op_owner(&group->ab->catalog, state->plan->op);
    int status = 0;
    if (!group->answered)
        status = reserve(group, error);
    if (status == 0 && !group->answered)
        status = group_place(state, error);
    if (status == 0)
        status = move_operands(group, group->process, error);
    if (status == 0 && !worker_alive(owner) && owner != group->ab->catalog.workers[0])
        return error_set(error, -ECONNRESET, "%s: the worker that owns op %s is gone",
                         owner->info.name, state->plan->op);
    if (status == 0)
        status = group_write_inputs(state, owner, error);
    if (status == 0 && !group->answered)
        status = group_write_answers(state, error);
    if (status == 0)
        group->answered = true;
    return status;
}

/* ---- cases ---- */

static int prepare(struct ab_group *group, size_t c, int which)
{
    struct ab *ab = group->ab;
    const struct ab_kernel *kernel = &ab->kernels[group->state.plan->cases[c].offer];
    const struct ab_arm *arm = &ab->arm[which];
    const struct prepare_call call = {
        .kernel = arm->first + kernel->number[which == ARM_HEAD ? ARM_HEAD : ARM_BASE]};
    struct prepare_reply told;
    cJSON *reply = NULL;
    int status = ab_ask(group, c, which, prepare_call(&call), ab->how.timeout_ns, &reply);
    prepare_reply_read(reply, &told);
    if (reply)
        group->cases[c].number[which] = told.number;
    if (reply && which == ARM_HEAD)
        case_take(&group->state, &group->state.cases[c], &told);
    cJSON_Delete(reply);
    return status;
}

static int ask_check(struct ab_group *group, size_t c, int which,
                     const struct check_call *call)
{
    const struct ab *ab = group->ab;
    struct check_reply told;
    cJSON *reply = NULL;
    char who[16];
    int status = ab_ask(group, c, which, check_call(call), ab->how.timeout_ns, &reply);
    snprintf(who, sizeof who, "%s ", ab->arm[which].name);
    check_reply_read(reply, &told);
    if (reply)
        group_take_check(&group->state, ab_result(group, c), &told, who);
    cJSON_Delete(reply);
    return status;
}

static int check(struct ab_group *group, size_t c, int which)
{
    const struct case_state *entry = &group->state.cases[c];
    /* ab reports no ulp errors: it asks for none. */
    const struct check_call call = {.number = group->cases[c].number[which],
                                    .places = group_answers(&group->state, entry)};
    return ask_check(group, c, which, &call);
}

/* In each process, so that its calls after the first are known to be right. */
static int check_again(struct ab_group *group, struct error *error)
{
    const uint64_t seed = ab_random(group->ab, group->state.number, group->process, 0);
    int status = group_change(&group->state, seed, error);
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        const struct case_state *entry = &group->state.cases[c];
        for (int i = 0; i < ARMS && status == 0 && group->cases[c].wanted; i++) {
            struct check_call call =
                group_again(&group->state, entry, group->cases[c].number[i], seed);
            call.copy = group->cases[c].best[i];
            status = ask_check(group, c, i, &call);
        }
    }
    return status;
}

/* Base before its copy: a fault of both is called base's. */
static int check_cases(struct ab_group *group, const int order[ARMS])
{
    int status = 0;
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        group->cases[c].n_trials = group->cases[c].voided = 0;
        group->cases[c].limit_ns = 0;
        for (int i = 0; i < ARMS && status == 0 && group->cases[c].wanted; i++)
            status = prepare(group, c, order[i]);
        for (int i = 0; i < ARMS && status == 0 && group->cases[c].wanted; i++)
            status = check(group, c, i);
    }
    return status;
}

static int measure_cases(struct ab_group *group, struct error *error)
{
    int status = group->overhead_known ? 0 : ab_overhead(group, error);
    if (status == 0)
        status = ab_prepare_limits(group, error);
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        if (group->cases[c].wanted && !group->cases[c].iterations)
            status = ab_calibrate(group, c);
        if (status == 0 && group->cases[c].wanted)
            status = ab_take_places(group, c);
        if (status == 0 && group->cases[c].wanted)
            status = ab_take_rounds(group, c);
        if (status == 0 && group->cases[c].wanted)
            status = ab_take_limit(group, c);
    }
    return status;
}

static uint32_t rounds_needed(const struct ab *ab, const struct ab_case *entry)
{
    const uint32_t wanted = ab_rounds_of(ab, entry->call_ns, ab_is_moved(entry));
    const uint32_t quarter = wanted / 4;
    const uint32_t least = wanted < ROUNDS_USABLE ? wanted : ROUNDS_USABLE;
    return quarter > least ? quarter : least;
}

/* Only a process that came to its end counts. */
static void take_trials(struct ab_group *group)
{
    for (size_t c = 0; c < group->state.n_cases; c++) {
        struct ab_case *entry = &group->cases[c];
        struct result *result = ab_result(group, c);
        if (!entry->wanted)
            continue;
        const bool usable = entry->n_trials >= rounds_needed(group->ab, entry);
        result->comparison->voided += entry->voided;
        result->samples.voided += entry->voided;
        entry->processes += usable;
        entry->disturbed += !usable;
        result->samples.iterations = entry->iterations;
        result->samples.overhead_ns = group->overhead_ns;
        for (uint32_t i = 0; usable && i < entry->n_trials; i++) {
            const struct trial *trial = &entry->trials[i];
            must(comparison_add_trial(result->comparison, trial));
            /* As if all batches had the calls that they have without jitter. */
            must(result_add_sample(result, group->rounds++,
                                   (trial->head_ns + result->samples.overhead_ns) *
                                       (double)entry->iterations));
        }
        if (usable)
            ab_add_limit(group, c);
    }
}

int ab_process(struct ab_group *group, struct error *error)
{
    struct ab *ab = group->ab;
    int order[ARMS] = {0, 1, 2};
    uint64_t random = ab_random(ab, group->state.number, group->process, 1);
    order_shuffle(order, ARMS, &random);
    error->text[0] = '\0';
    int status = ab_place_operands(group, error);
    if (status < 0)
        return status;
    status = start_arms(group, order);
    if (status == 0)
        status = check_cases(group, order);
    if (status == 0)
        status = measure_cases(group, error);
    if (status == 0)
        status = check_again(group, error);
    if (status == 0)
        take_trials(group);
    ab_stop_arms(ab);
    group->answered &= status != GROUP_RESTART;
    if (status < 0 && !error->text[0])
        error_set(error, status, "%s",
                  status == -EINTR ? "interrupted" : strerror(-status));
    return status;
}
