/* SPDX-License-Identifier: Apache-2.0 */
/* The roofs that limit cases. The own worker runs a batch of one beside the last round of
 * a case in each process, which is enough for an interval of the share over processes. */
#include "ab_private.h"

/* The number of the roof that limits a case; n_cases: none that can run. */
static size_t find_limit(const struct ab_group *group, size_t c)
{
    const struct group_state *state = &group->state;
    const char *id = ab_result(group, c)->limit_id;
    for (size_t k = 0; id && k < state->n_cases; k++)
        if (state->cases[k].active && case_is_limit(state, &state->cases[k]) &&
            !strcmp(state->plan->cases[k].id, id))
            return k;
    return state->n_cases;
}

/* The roof that ended costs its cases their limit and nothing else. */
static int without(const struct runner *roof, int status)
{
    return status == GROUP_RESTART && worker_alive(roof->worker) ? 0 : status;
}

/* The own worker has the operands already if it owns the op. */
static int map_own(struct ab_group *group, struct error *error)
{
    const struct catalog *catalog = &group->ab->catalog;
    struct worker *own = catalog->workers[0];
    if (catalog_op_owner(catalog, group->state.plan->op) == own)
        return 0;
    const int status = group_ready_worker(&group->state, own, error);
    return status < 0 ? status : group_map_worker(&group->state, own, false, error);
}

int ab_prepare_limits(struct ab_group *group, struct error *error)
{
    struct group_state *state = &group->state;
    bool ready[GROUP_CASES_MAX] = {false}, mapped = false;
    int status = 0;
    for (size_t c = 0; c < state->n_cases && status == 0; c++) {
        const size_t k = ab_is_left(group, c) ? find_limit(group, c) : state->n_cases;
        group->cases[c].limit = k;
        if (k == state->n_cases || ready[k])
            continue;
        status = mapped ? 0 : map_own(group, error);
        if (status == 0)
            status = group_prepare_case(state, &state->cases[k]);
        const struct runner roof = runner_of(state, &state->cases[k]);
        if (status == 0 && state->cases[k].active && !state->cases[k].iterations)
            status = without(&roof, runners_calibrate(&roof, 1, AB_BATCH_NS));
        ready[k] = mapped = true;
    }
    return status;
}

int ab_take_limit(struct ab_group *group, size_t c)
{
    struct ab_case *entry = &group->cases[c];
    struct case_state *const roof = &group->state.cases[entry->limit];
    if (entry->limit == group->state.n_cases || !roof->active || !entry->n_trials)
        return 0;
    const struct runner runner = runner_of(&group->state, roof);
    const struct batch_call call = runner_call(&runner, roof->iterations);
    const int64_t steal = group_steal(&group->state);
    struct batch batch;
    const int status = runner_batch(&runner, &call, &batch);
    const bool disturbed = batch.void_ || group_steal(&group->state) != steal;
    cJSON_Delete(batch.reply);
    entry->limit_ns = status || disturbed ? 0 : batch.ns;
    return without(&runner, status);
}

void ab_add_limit(struct ab_group *group, size_t c)
{
    const struct ab_case *entry = &group->cases[c];
    if (!(entry->limit_ns > 0) || !group->state.cases[entry->limit].active)
        return;
    struct result *roof = ab_result(group, entry->limit);
    roof->samples.iterations = group->state.cases[entry->limit].iterations;
    roof->samples.overhead_ns = group->overhead_ns;
    must(result_add_sample(roof, group->rounds - 1, entry->limit_ns));
}
