/* SPDX-License-Identifier: Apache-2.0 */
/* The roofs that limit cases. The own worker runs a batch of one beside the last round of
 * a case in each process, which is enough for an interval of the share over processes. */
#include "ab_private.h"

#include <string.h>

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

/* Like case_ask(); the roof has ended if the batch cannot be believed. */
static int run_batch(struct ab_group *group, struct case_state *roof, uint64_t calls,
                     struct batch *batch)
{
    const struct how *const how = &group->ab->how;
    const struct batch_call call = batch_of(&group->state, roof->number, calls);
    cJSON *reply = NULL;
    const int64_t steal = group_steal(&group->state);
    const int status = case_ask(&group->state, roof, batch_call(&call),
                                batch_timeout(how, calls, roof->call_ns), &reply);
    *batch = batch_read(reply);
    batch->void_ |= group_steal(&group->state) != steal;
    const char *const doubt = reply ? batch_doubt(batch, calls) : NULL;
    if (doubt)
        case_end(&group->state, roof, STATUS_FAILED, doubt);
    cJSON_Delete(reply);
    return status;
}

static int calibrate(struct ab_group *group, struct case_state *roof)
{
    struct calibration search = {.shortest_ns = AB_BATCH_NS, .calls = 1};
    struct batch batch;
    do {
        roof->call_ns = search.call_ns;
        const int status = run_batch(group, roof, search.calls, &batch);
        if (status || !roof->active)
            return status;
    } while (calibration_next(&search, batch.ns, batch.void_));
    roof->iterations = search.calls;
    roof->call_ns = search.call_ns;
    case_result(&group->state, roof)->threads_used =
        roof->team ? roof->team : batch.threads;
    return 0;
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
        const size_t k = group->cases[c].wanted ? find_limit(group, c) : state->n_cases;
        group->cases[c].limit = k;
        if (k == state->n_cases || ready[k])
            continue;
        status = mapped ? 0 : map_own(group, error);
        if (status == 0)
            status = group_prepare_case(state, &state->cases[k]);
        if (status == 0 && state->cases[k].active && !state->cases[k].iterations)
            status = calibrate(group, &state->cases[k]);
        ready[k] = mapped = true;
    }
    return status;
}

int ab_take_limit(struct ab_group *group, size_t c)
{
    struct ab_case *entry = &group->cases[c];
    struct case_state *roof = &group->state.cases[entry->limit];
    struct batch batch;
    if (entry->limit == group->state.n_cases || !roof->active || !entry->n_trials)
        return 0;
    const int status = run_batch(group, roof, roof->iterations, &batch);
    entry->limit_ns = status || batch.void_ ? 0 : batch.ns;
    return status;
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
