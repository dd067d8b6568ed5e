/* SPDX-License-Identifier: Apache-2.0 */
/* Groups that take turns, again and again without the cases that broke them. */
#include "measure_private.h"

#include <math.h>

/* --accuracy takes no times: cases that were checked are done. */
static void group_accept(struct group_state *group)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active)
            result_set_status(case_result(group, &group->cases[i]), STATUS_OK, NULL);
}

/* Is there anything but limits to be measured? */
static bool has_work(const struct group_state *group)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active && !case_result(group, &group->cases[i])->is_roof)
            return true;
    return false;
}

static int ready_group(struct group_state *group, struct error *error)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active)
            result_clear_samples(case_result(group, &group->cases[i]));
    if (!has_work(group))
        return 0;
    const int status = group_prepare(group, error);
    return status || group->session->how->accuracy ? status
                                                   : group_calibrate(group, error);
}

/* The costs of the groups that take part. The cost of the first predicts the others. */
struct costs {
    double first_ns; /* the first group: placed, checked, calibrated */
    double ready_ns; /* all groups so far */
    double rounds_ns;
};

/* Some rounds are void. */
enum { ROUNDS_WANTED = STATS_MIN_SAMPLES * 3 / 2 };
/* A batch warms up, and outputs are spoilt and compared around it. */
#define CALLS_AROUND 2

static double rounds_cost(const struct group_state *group)
{
    double round_ns = 0;
    for (size_t i = 0; i < group->n_cases; i++)
        if (group->cases[i].active)
            round_ns += group->cases[i].call_ns *
                        (double)(group->cases[i].iterations + CALLS_AROUND);
    return ROUNDS_WANTED * round_ns;
}

/* Copies of its code are cases of a group. */
static double cases_of(const struct group_state *group)
{
    size_t n = 1;
    for (size_t i = 0; i < group->n_cases; i++)
        n += group->cases[i].plan->copy > 0;
    return (double)n;
}

/* Others that use the CPUs prolong what comes before rounds many times over. */
#define READY_LEAST_NS 3e9

/* The reason why a further group cannot take part, or NULL. Half of the time is for
 * rounds. */
static const char *unaffordable(const struct group_state *groups, size_t i,
                                const struct costs *costs)
{
    const struct plan *plan = groups[0].session->plan;
    const struct shape_info *shape = &groups[i].plan->shape;
    const struct shape_info *first = &groups[0].plan->shape;
    const double times = first->ops > 0 ? shape->ops / first->ops : 1;
    const double ready_ns = costs->ready_ns + times * costs->first_ns;
    const double rounds_ns =
        costs->rounds_ns + times * cases_of(&groups[i]) * rounds_cost(&groups[0]);
    const double half_ns = plan->rounds_ns / 2;
    if (half_ns > 0 && (ready_ns > fmax(half_ns, READY_LEAST_NS) || rounds_ns > half_ns))
        return NO_TIME_LEFT;
    const double free_bytes = (double)memory_available();
    return free_bytes > 0 && 6 * shape->bytes > free_bytes ? "no memory is left for it"
                                                           : NULL;
}

/* Further groups are there for the first one's sake. */
static bool alone(const struct group_state *groups, size_t i)
{
    return i > 0 && !has_work(&groups[0]);
}

static int ready_groups(struct group_state *groups, size_t n, struct error *error)
{
    struct costs costs = {.first_ns = 0};
    int status = 0;
    for (size_t i = 0; i < n && status == 0 && !alone(groups, i); i++) {
        const char *const why = i ? unaffordable(groups, i, &costs) : NULL;
        const int64_t began = clock_budget();
        if (why)
            group_end(&groups[i], NULL, STATUS_SKIPPED, why);
        else
            status = ready_group(&groups[i], error);
        const double ns = (double)(clock_budget() - began);
        if (i == 0)
            costs.first_ns = ns;
        costs.ready_ns += ns;
        costs.rounds_ns += rounds_cost(&groups[i]);
        /* The others go on without it. */
        if (i && status != 0 && status != -EINTR) {
            group_end(&groups[i], NULL, STATUS_FAILED,
                      status < 0 ? error->text : "its worker could not go on");
            status = 0;
        }
    }
    return status;
}

/* False if there is nobody to lead. Groups that failed go to the end. */
static bool find_lead(struct group_state *groups, size_t n)
{
    size_t lead = 0;
    while (lead < n && !((lead == 0 || groups[lead].may_lead) && has_work(&groups[lead])))
        lead++;
    if (lead == 0 || lead == n)
        return lead == 0;
    const struct group_state failed = groups[0];
    groups[0] = groups[lead];
    groups[lead] = failed;
    return true;
}

/* A lead that others can follow fails alone. */
static int replace_lead(struct group_state *groups, int status, const struct error *error)
{
    if (status == -EINTR || status == -ENOMEM)
        return status;
    if (status < 0)
        group_end(&groups[0], NULL, STATUS_FAILED, error->text);
    return has_work(&groups[0]) ? status : GROUP_RESTART;
}

int run_groups(struct group_state *groups, size_t n, struct error *error)
{
    int status = GROUP_RESTART;
    while (status == GROUP_RESTART && find_lead(groups, n)) {
        status = ready_groups(groups, n, error);
        if (status == 0 && groups[0].session->how->accuracy)
            group_accept(&groups[0]);
        else if (status == 0 && !alone(groups, n - 1))
            status = groups_measure(groups, n, error);
        if (groups[n - 1].may_lead)
            status = replace_lead(groups, status, error);
    }
    return status == GROUP_RESTART ? 0 : status;
}

/* Its results, and the state that its rounds begin with. */
static void begin_arm(const struct run_arm *arm, const struct watcher *watcher,
                      struct session *session, struct group_state *group)
{
    const size_t first = arm->run->n_results;
    *session = session_begin(arm->how, arm->catalog, arm->plan, watcher, arm->run);
    session->first_group = arm->number;
    for (size_t c = 0; c < arm->plan->groups[0].n_cases; c++)
        session_add_result(session, 0, c);
    group_begin(session, 0, first, group);
    group->may_lead = arm->may_lead;
}

static void end_arm(const struct run_arm *arm, int status)
{
    run_close_pending(arm->run, arm->number,
                      status == -EINTR ? "interrupted" : "its rounds did not begin");
    run_summarise(arm->run, arm->number);
}

int run_arms(const struct run_arm *arms, size_t n, const struct watcher *watcher,
             struct error *error)
{
    FREED_BY(free_memory) struct session *sessions =
        must_have(calloc(n, sizeof *sessions));
    FREED_BY(free_memory) struct group_state *groups =
        must_have(calloc(n, sizeof *groups));
    for (size_t i = 0; i < n; i++)
        begin_arm(&arms[i], watcher, &sessions[i], &groups[i]);
    int status = run_groups(groups, n, error);
    if (status < 0 && status != -EINTR && status != -ENOMEM) {
        group_end(&groups[0], NULL, STATUS_FAILED, error->text);
        status = 0;
    }
    arms[0].run->interrupted |= status == -EINTR;
    for (size_t i = 0; i < n; i++) {
        end_arm(&arms[i], status);
        free(groups[i].cases);
    }
    note_core_share(&sessions[0]);
    return status;
}

static int check_arm(const struct run_arm *arm, struct session *session,
                     struct group_state *group, struct error *error)
{
    begin_arm(arm, NULL, session, group);
    const struct case_state *const first = &group->cases[0];
    const int status = group_prepare(group, error);
    const char *const reason = case_result(group, first)->reason;
    return status < 0 || first->active
               ? status
               : invalid(error, "%s", reason ? reason : "it cannot run here");
}

int run_arm_check(const struct run_arm *arm, struct error *error)
{
    struct session session;
    struct group_state group;
    const int status = check_arm(arm, &session, &group, error);
    free(group.cases);
    return status;
}

int run_arm_trace(const struct run_arm *arm, const struct inspect_options *follow,
                  int64_t timeout_ns, struct inspect_census *census, struct error *error)
{
    struct session session;
    struct group_state group;
    int status = check_arm(arm, &session, &group, error);
    const struct case_state *const first = &group.cases[0];
    if (status == 0) {
        const struct step_call call = {.number = first->number,
                                       .places = group_answers(&group, first)};
        status =
            worker_step(first->offer->worker, &call, follow, timeout_ns, census, error);
    }
    free(group.cases);
    return status;
}
