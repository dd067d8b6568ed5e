/* SPDX-License-Identifier: Apache-2.0 */
/* Groups in plan order, process after process; those that remain open a second time. */
#include "ab_private.h"

#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>

/* The cost of a process beside its batches, and the time of an operation, for the guess
 * that is printed first. */
#define PROCESS_SECONDS 0.003
#define WORKER_SECONDS 0.004
#define ASK_NS 60000
#define OPERATION_NS 0.05

const struct catalog *ab_catalog(const struct ab *ab)
{
    return &ab->catalog;
}

const struct plan *ab_plan(const struct ab *ab)
{
    return &ab->plan;
}

static int describe_own(struct ab *ab, struct error *error)
{
    struct catalog *catalog = &ab->catalog;
    *catalog = (struct catalog){.memory_fd = memfd_create("simdbench", MFD_CLOEXEC)};
    if (catalog->memory_fd < 0)
        return error_set(error, -errno, "memfd_create: %s", strerror(errno));
    struct worker *own = worker_new("simdbench", NULL, NULL, 0, catalog->memory_fd);
    catalog_add_worker(catalog, own);
    return worker_ask(own, describe_call(), ab->how.timeout_ns, &own->description, error);
}

int ab_open(const struct ab_request *request, struct ab **out, struct error *error)
{
    struct ab *ab = must_have(calloc(1, sizeof *ab));
    ab->request = *request;
    ab->how = *request->how;
    ab->how.all_threads = true;
    ab->how.prove |= request->code;
    ab->catalog.memory_fd = -1;
    int status = describe_own(ab, error)
                 ?: arms_open(ab, error)
                 ?: ab_plan_make(ab, error);
    ab->session =
        (struct session){.how = &ab->how, .catalog = &ab->catalog, .plan = &ab->plan};
    if (status < 0)
        ab_close(ab);
    else
        *out = ab;
    return status;
}

void ab_close(struct ab *ab)
{
    if (!ab)
        return;
    arms_close(ab);
    plan_free(&ab->plan);
    catalog_free(&ab->catalog);
    free(ab->kernels);
    free(ab->left_out);
    free(ab->lacking);
    free(ab);
}

static bool has_both(const struct ab *ab, const struct plan_case *entry)
{
    if (entry->offer >= ab->n_kernels)
        return false;
    const struct ab_kernel *kernel = &ab->kernels[entry->offer];
    return kernel->number[ARM_BASE] != NO_KERNEL && kernel->number[ARM_HEAD] != NO_KERNEL;
}

double ab_seconds(const struct ab *ab)
{
    double seconds = 0;
    const double processes = ab_processes(ab);
    const double process =
        PROCESS_SECONDS + WORKER_SECONDS * (ab->own_processes ? ARMS : 1);
    FOR_EACH (const struct plan_group, group, ab->plan.groups, ab->plan.n_groups) {
        const double call = OPERATION_NS * group->shape.ops;
        const double batch = fmax(1.2 * AB_BATCH_NS, call) + call + ASK_NS;
        seconds += processes * process;
        for (size_t c = 0; c < group->n_cases; c++)
            if (!group->cases[c].skip && has_both(ab, &group->cases[c]))
                seconds += processes *
                           (ARMS * (ab_rounds_of(ab, call, false) * batch + 2 * call) +
                            (group->cases[c].limit_id ? batch + 2 * ASK_NS : 0)) *
                           1e-9;
    }
    return seconds;
}

/* ---- groups ---- */

static void group_close(struct ab_group *group)
{
    for (size_t c = 0; group->cases && c < group->state.n_cases; c++) {
        free(group->cases[c].trials);
        ab_free_places(&group->cases[c]);
    }
    free(group->cases);
    free(group->state.cases);
}

/* A case that only one build has ends at once. A roof has nothing to be compared. */
static void begin_case(struct ab *ab, struct ab_group *group, size_t c)
{
    struct case_state *entry = &group->state.cases[c];
    struct result *result = case_result(&group->state, entry);
    ab_begin_places(&group->cases[c]);
    if (case_is_limit(&group->state, entry))
        return;
    struct comparison *comparison = result_comparison(result);
    group->cases[c].trials =
        must_have(calloc(ab_rounds(ab), sizeof *group->cases[c].trials));
    const bool has_base = ab->kernels[entry->plan->offer].number[ARM_BASE] != NO_KERNEL;
    const char *reason = entry->plan->skip;
    comparison->verdict = VERDICT_UNUSABLE;
    if (!has_both(ab, entry->plan)) {
        comparison->verdict = has_base ? VERDICT_GONE : VERDICT_NEW;
        reason = has_base ? "only base has it" : "only head has it";
        entry->active = false;
    }
    if (reason) {
        string_set(&comparison->reason, reason);
        result_set_status(result, STATUS_SKIPPED, reason);
    }
}

static void group_open(struct ab *ab, size_t g, struct ab_group *group)
{
    const struct plan_group *plan = &ab->plan.groups[g];
    const size_t first = ab->session.run->n_results;
    group_begin(&ab->session, g, first, &group->state);
    group->ab = ab;
    group->cases = must_have(calloc(plan->n_cases, sizeof *group->cases));
    for (size_t c = 0; c < plan->n_cases; c++)
        session_add_result(&ab->session, g, c);
    for (size_t c = 0; c < plan->n_cases; c++)
        begin_case(ab, group, c);
}

/* A case is measured in one more process if it is still open and has too few. */
static uint32_t choose_cases(struct ab_group *group, uint32_t processes)
{
    uint32_t least = UINT32_MAX;
    for (size_t c = 0; c < group->state.n_cases; c++) {
        struct ab_case *entry = &group->cases[c];
        const struct result *result = ab_result(group, c);
        if (!result->comparison)
            continue;
        /* The second look is for those that the first left open. */
        const bool open =
            !entry->processes || processes == ab_processes(group->ab) ||
            comparison_is_open(result->comparison, group->ab->request.threshold);
        entry->wanted =
            group->state.cases[c].active && open && entry->processes < processes;
        if (entry->wanted && entry->processes < least)
            least = entry->processes;
    }
    return least;
}

/* Half of the trials or more say that a build's call takes no longer than the loop, or
 * none could be had for that reason. */
static bool is_short(const struct ab_group *group, size_t c)
{
    const struct ab_case *entry = &group->cases[c];
    const struct comparison *comparison = ab_result(group, c)->comparison;
    size_t n = 0;
    for (size_t i = 0; i < comparison->n_trials; i++)
        n += fmin(comparison->trials[i].base_ns, comparison->trials[i].head_ns) <=
             group->overhead_ns;
    return comparison->n_trials ? 2 * n >= comparison->n_trials
                                : 2 * entry->shorter > entry->lost;
}

static void end_unusable(struct ab_group *group)
{
    for (size_t c = 0; c < group->state.n_cases; c++) {
        const struct ab_case *entry = &group->cases[c];
        char reason[160];
        if (!group->state.cases[c].active || !ab_result(group, c)->comparison)
            continue;
        if (is_short(group, c)) {
            snprintf(reason, sizeof reason,
                     "a call takes no longer than the loop that times it (%.3g ns)",
                     group->overhead_ns);
            case_end(&group->state, &group->state.cases[c], STATUS_SHORT, reason);
        }
        if (!group->state.cases[c].active ||
            entry->processes * 2 >= ab_processes(group->ab))
            continue;
        snprintf(reason, sizeof reason,
                 "%u of %u processes were too disturbed (preempted, stolen time, "
                 "migration or major faults)",
                 entry->disturbed, entry->disturbed + entry->processes);
        case_end(&group->state, &group->state.cases[c], STATUS_NOISY, reason);
    }
}

/* Until all cases that are open have that many processes. Disturbed ones are replaced, at
 * most as many again. */
static int look(struct ab_group *group, uint32_t processes, struct error *error)
{
    const uint32_t most = 2 * ab_processes(group->ab);
    int status = 0;
    group->answered = false;
    for (uint32_t n = 0; n < most && status == 0;) {
        const uint32_t done = choose_cases(group, processes);
        if (done == UINT32_MAX)
            break;
        session_tell(&group->ab->session, group->state.number, "process", done,
                     processes);
        status = ab_process(group, error);
        group->process++;
        n += status != GROUP_RESTART; /* it ended a case */
        if (status == GROUP_RESTART)
            status = 0;
    }
    if (status == 0)
        end_unusable(group);
    if (status == 0 || status == -EINTR || status == -ENOMEM)
        return status;
    /* If operands cannot be set up, fail this group's cases and go on with the next. */
    for (size_t c = 0; c < group->state.n_cases; c++)
        if (group->state.cases[c].active)
            case_end(&group->state, &group->state.cases[c], STATUS_FAILED, error->text);
    return 0;
}

/* ---- the run ---- */

static void set_gate(struct ab *ab, struct run *run)
{
    struct gate *gate = run_gate(run);
    gate->threshold = ab->request.threshold;
    gate->strict = ab->request.strict;
    gate->code = ab->request.code;
    gate->placement = ab->request.placement;
    string_set(&gate->left_out, ab->left_out);
    string_set(&gate->lacking, ab->lacking);
    gate->own_processes = ab->own_processes;
    string_set(&gate->kind, "paired");
    facts_number(&run->settings, "processes", ab_processes(ab));
    facts_number(&run->settings, "process_rounds", ab_rounds(ab));
    arms_tell(ab, gate);
}

static void finish(struct ab *ab, struct ab_group *groups, bool interrupted)
{
    struct run *run = ab->session.run;
    for (size_t g = 0; g < ab->plan.n_groups; g++) {
        for (size_t c = 0; c < groups[g].state.n_cases; c++) {
            const struct case_state *entry = &groups[g].state.cases[c];
            struct result *result = case_result(&groups[g].state, entry);
            ab_note_learning(&groups[g], c);
            if (entry->active && result->samples.n)
                result_set_status(result, STATUS_OK, NULL);
            else if (entry->active && !result->comparison)
                result_set_status(result, STATUS_SKIPPED, "it limits no case here");
            else if (entry->active)
                string_set(&result->comparison->reason, "interrupted");
        }
    }
    run->interrupted = interrupted;
    run_close_pending(run, GROUP_ALL, "interrupted");
    run->gate->seconds = (double)(clock_now() - ab->session.started) * 1e-9;
    run_summarise(run, GROUP_ALL);
    run_judge(run); /* suspect cases are known by now */
    run_judge_code(run);
}

/* Tells the watcher what is known by now. */
static void tell_group(struct ab *ab, size_t g)
{
    const struct watcher *const watcher = ab->session.watcher;
    struct run *const run = ab->session.run;
    if (!watcher->group_done)
        return;
    run_judge(run);
    run_summarise(run, GROUP_ALL);
    watcher->group_done(watcher->context, run, g);
}

int ab_measure(struct ab *ab, const struct ab_gate *gate, const struct watcher *watcher,
               struct run *run, struct error *error)
{
    static const struct watcher nobody = {.context = NULL};
    const size_t n = ab->plan.n_groups;
    ab->how.seed = gate->seed;
    ab->extra_work = gate->extra_work;
    ab->built_work = gate->built_work;
    ab->times_alone = gate->times_alone;
    ab->session.watcher = watcher ? watcher : &nobody;
    ab->session.run = run;
    ab->session.started = clock_now();
    FREED_BY(free_memory) struct ab_group *groups = must_have(calloc(n, sizeof *groups));
    int status = 0;
    set_gate(ab, run);
    for (size_t g = 0; g < n; g++)
        group_open(ab, g, &groups[g]);
    /* All cases are judged together before any is looked at again. */
    for (uint32_t looks = 1; looks <= 2 && status == 0; looks++) {
        for (size_t g = 0; g < n && status == 0; g++) {
            status = look(&groups[g], looks * ab_processes(ab), error);
            if (status == 0 && looks == 1 && ab->how.prove)
                status = ab_prove(&groups[g], error);
            if (status == 0)
                tell_group(ab, g);
        }
        if (status == 0)
            run_judge(run);
        for (size_t g = 0; g < n && status == 0 && looks == 1; g++)
            status = ab_resolve_doubt(&groups[g], error);
        if (status == 0)
            run_judge(run);
    }
    if (status == 0 || status == -EINTR)
        finish(ab, groups, status == -EINTR);
    for (size_t g = 0; g < n; g++)
        group_close(&groups[g]);
    return status;
}
