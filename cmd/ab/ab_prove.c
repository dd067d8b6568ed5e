/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that nobody times trace both builds. A case that cannot be traced goes on. */
#include "ab_private.h"

static struct code_proof **proof_of(struct result *result, int arm)
{
    return arm == ARM_BASE ? &result->code.base_proof : &result->code.proof;
}

/* Calls with less work are those that both builds can be traced whole with. */
static bool is_wanted(const struct ab_group *group, size_t c, bool smaller)
{
    const struct result *const result = ab_result(group, c);
    return prove_can(&group->state, &group->state.cases[c]) &&
           (!smaller || prove_wants_call(result->code.base_proof) ||
            prove_wants_call(result->code.proof));
}

static int end_wrong(struct ab_group *group, size_t c, int which, const char *text)
{
    const struct runner runner = ab_runner(group, c, which);
    runner_end(&runner, STATUS_WRONG, text);
    return 0;
}

static int prove_arm(struct ab_group *group, size_t c, int which, bool smaller)
{
    const struct ab *ab = group->ab;
    const struct ab_arm *const arm = &ab->arm[which];
    const struct shape_info *const shape = &group->state.plan->shape;
    const uint32_t kernel = ab->kernels[group->state.plan->cases[c].offer].number[which];
    struct result *const result = ab_result(group, c);
    struct code_proof **const proof = proof_of(result, which);
    struct prepared prepared = {.ops = shape->ops,
                                .call_ns = smaller ? 0 : group->state.cases[c].call_ns,
                                .places =
                                    group_answers(&group->state, &group->state.cases[c])};
    struct error error = {.text = ""};
    const struct prepare_call call = {.kernel = arm->first + kernel};
    int status = prove_prepare(arm->worker, &call, &ab->how, &prepared, &error);
    if (status == 0 && smaller && *proof) {
        status =
            prove_call(arm->worker, &prepared, &ab->how, shape->text, &(*proof)->call);
        return status == -EDOM ? end_wrong(group, c, which, (*proof)->call.absent)
                               : status;
    }
    if (status == 0) {
        status = prove_case(arm->worker, &prepared, &ab->how, result, proof);
        return status == -EDOM ? end_wrong(group, c, which, (*proof)->absent) : status;
    }
    if (!smaller)
        prove_not(proof, error.text);
    return status == -EINTR ? status : 0;
}

/* Both base and head are traced; control is base. A worker that died takes no further
 * case. */
static int prove_cases(struct ab_group *group, bool smaller)
{
    const struct ab *ab = group->ab;
    int status = 0;
    for (size_t c = 0; c < group->state.n_cases && status == 0; c++) {
        if (!group->cases[c].wanted)
            continue;
        group->cases[c].wanted = false;
        for (int i = 0; i < 2 && status == 0; i++)
            status = prove_arm(group, c, i, smaller);
        if (!worker_alive(ab->arm[ARM_BASE].worker) ||
            !worker_alive(ab->arm[ARM_HEAD].worker))
            break;
    }
    return status;
}

/* True if there are any. */
static bool choose(struct ab_group *group, bool smaller)
{
    bool any = false;
    for (size_t c = 0; c < group->state.n_cases; c++) {
        group->cases[c].wanted = is_wanted(group, c, smaller);
        any |= group->cases[c].wanted;
    }
    return any;
}

/* Process after process, as long as one that dies has got further. */
static int prove_at(struct ab_group *group, const struct plan_group *plan,
                    struct error *error)
{
    const struct plan_group *const own = group->state.plan;
    const bool smaller = plan != own;
    const size_t n = group->state.n_cases;
    int status = 0;
    group->state.plan = plan;
    group->answered = false;
    for (size_t c = 0; c < n && status == 0; c++)
        if (group->cases[c].wanted)
            status = ab_trace_process(group, smaller, prove_cases, error);
    group->state.plan = own;
    group->answered = false;
    return status;
}

int ab_prove(struct ab_group *group, struct error *error)
{
    const struct catalog *const catalog = &group->ab->catalog;
    const struct plan_group *const own = group->state.plan;
    struct plan_group smaller = *own;
    int status = choose(group, false) ? prove_at(group, own, error) : 0;
    while (status == 0 && choose(group, true) && prove_smaller(catalog, &smaller))
        status = prove_at(group, &smaller, error);
    return status == -EINTR || status == -ENOMEM ? status : 0;
}
