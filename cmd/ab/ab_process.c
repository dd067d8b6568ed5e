/* SPDX-License-Identifier: Apache-2.0 */
/* A fresh process, or one for each arm: operands, checks of its kernels, rounds. */
#include "ab_private.h"

/* ---- workers ---- */

static void end_wanted(struct ab_group *group, int which, int code, const char *text)
{
    for (size_t c = 0; c < group->state.n_cases; c++) {
        const struct runner runner = ab_runner(group, c, which);
        if (ab_is_left(group, c))
            runner_end(&runner, code == -EOPNOTSUPP ? STATUS_SKIPPED : STATUS_FAILED,
                       text);
    }
}

/* Tells which arm failed. */
static int start_all(struct ab_group *group, const int order[ARMS], int *arm,
                     struct error *error)
{
    struct ab *ab = group->ab;
    int status = 0;
    for (int i = 0; i < ARMS && status == 0; i++) {
        struct ab_arm *next = &ab->arm[order[i]];
        *arm = order[i];
        if (!worker_alive(next->worker))
            status = group_ready_worker(&group->state, next->worker, error);
        if (status == 0)
            status = arm_load(ab, next, next->worker, NULL, error);
    }
    for (int i = 0; i < ARMS && status == 0; i++) {
        if (!ab->workers[i])
            continue;
        *arm = i;
        status = group_map_worker(&group->state, ab->workers[i],
                                  ab->request.what->settings.huge_pages, error);
    }
    return status;
}

/* An arm that cannot be had ends all cases; not so an interruption. */
static int start_arms(struct ab_group *group, const int order[ARMS])
{
    struct error error = {.text = ""};
    int arm = ARM_BASE;
    const int status = start_all(group, order, &arm, &error);
    if (status == -EINTR || status == 0)
        return status;
    end_wanted(group, arm, status, error.text);
    return GROUP_RESTART;
}

static void stop_arms(struct ab *ab)
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
static int place_operands(struct ab_group *group, struct error *error)
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

int ab_prepare(struct ab_group *group, size_t c, int which)
{
    struct ab *ab = group->ab;
    const struct ab_kernel *kernel = &ab->kernels[group->state.plan->cases[c].offer];
    const struct ab_arm *arm = &ab->arm[which];
    const struct prepare_call call = {
        .kernel = arm->first + kernel->number[which == ARM_HEAD ? ARM_HEAD : ARM_BASE]};
    struct runner runner = ab_runner(group, c, which);
    const int status = runner_prepare(&runner, &call, which == ARM_HEAD);
    group->cases[c].number[which] = runner.number;
    return status;
}

static int check(struct ab_group *group, size_t c, int which)
{
    const struct runner runner = ab_runner(group, c, which);
    /* ab reports no ulp errors: it asks for none. */
    struct check_call call = {.places =
                                  group_answers(&group->state, &group->state.cases[c])};
    struct check_reply told;
    return runner_check(&runner, &call, group->ab->how.timeout_ns, &told);
}

/* In each process, so that its calls after the first are known to be right. */
static int check_again(struct ab_group *group, struct error *error)
{
    const uint64_t seed = ab_random(group->ab, group->state.number, group->process, 0);
    int status = group_change(&group->state, seed, error);
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        for (int i = 0; i < ARMS && status == 0 && ab_is_left(group, c); i++) {
            const struct runner runner = ab_runner(group, c, i);
            status = runner_check_again(&runner, seed);
        }
    }
    return status;
}

/* Base before its copy: a fault of both is called base's. */
static int check_cases(struct ab_group *group, const int order[ARMS])
{
    int status = 0;
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        struct ab_case *const entry = &group->cases[c];
        entry->n_trials = entry->voided = 0;
        entry->limit_ns = 0;
        memset(entry->best, 0, sizeof entry->best);
        for (int i = 0; i < ARMS && status == 0 && ab_is_left(group, c); i++)
            status = ab_prepare(group, c, order[i]);
        for (int i = 0; i < ARMS && status == 0 && ab_is_left(group, c); i++)
            status = check(group, c, i);
    }
    return status;
}

static int measure_cases(struct ab_group *group, struct error *error)
{
    int status = ab_calibrate(group);
    if (status == 0 && !group->overhead_known)
        status = ab_overhead(group, error);
    if (status == 0)
        status = ab_prepare_limits(group, error);
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        if (ab_is_left(group, c))
            status = ab_take_places(group, c);
        if (status == 0 && ab_is_left(group, c))
            status = ab_take_rounds(group, c);
        if (status == 0 && ab_is_left(group, c))
            status = ab_take_limit(group, c);
    }
    return status;
}

static uint32_t rounds_needed(const struct ab_group *group, size_t c)
{
    const uint32_t wanted = ab_rounds_of(group->ab, group->state.cases[c].call_ns,
                                         ab_is_moved(&group->cases[c]));
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
        const uint64_t iterations = group->state.cases[c].iterations;
        if (!ab_is_left(group, c))
            continue;
        const bool usable = entry->n_trials >= rounds_needed(group, c);
        result->comparison->voided += entry->voided;
        result->samples.voided += entry->voided;
        entry->processes += usable;
        entry->disturbed += !usable;
        result->samples.iterations = iterations;
        result->samples.overhead_ns = group->overhead_ns;
        for (uint32_t i = 0; usable && i < entry->n_trials; i++) {
            const struct trial *trial = &entry->trials[i];
            must(comparison_add_trial(result->comparison, trial));
            /* As if all batches had the calls that they have without jitter. */
            must(result_add_sample(result, group->rounds++,
                                   (trial->head_ns + result->samples.overhead_ns) *
                                       (double)iterations));
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
    int status = place_operands(group, error);
    if (status < 0)
        return status;
    status = start_arms(group, order)
             ?: check_cases(group, order)
             ?: measure_cases(group, error)
             ?: check_again(group, error);
    if (status == 0)
        take_trials(group);
    stop_arms(ab);
    group->answered &= status != GROUP_RESTART;
    if (status < 0 && !error->text[0])
        error_set(error, status, "%s",
                  status == -EINTR ? "interrupted" : strerror(-status));
    return status;
}

int ab_trace_process(struct ab_group *group, bool traced,
                     int (*work)(struct ab_group *group, bool traced),
                     struct error *error)
{
    static const int order[ARMS] = {ARM_BASE, ARM_HEAD, ARM_CONTROL};
    int arm;
    group->state.traced = traced;
    int status = place_operands(group, error);
    group->state.traced = false;
    if (status == 0)
        status = start_all(group, order, &arm, error) ?: work(group, traced);
    stop_arms(group->ab);
    group->process++;
    return status;
}
