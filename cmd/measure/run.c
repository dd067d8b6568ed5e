/* SPDX-License-Identifier: Apache-2.0 */
/* Groups in plan order, each until no case breaks it any more. */
#include "measure_private.h"

/* A group whose operands cannot be set up fails, and the next one goes on. */
static int run_group(struct session *session, size_t g, size_t first, struct error *error)
{
    struct group_state group;
    group_begin(session, g, first, &group);
    int status = run_groups(&group, 1, error) ?: group_take_prints(&group);
    if (status == 0 && session->how->prove)
        status = group_prove(&group, error);
    else if (status == 0)
        status = group_look_at_builds(&group, error);
    if (status < 0 && status != -EINTR && status != -ENOMEM && !group.refused) {
        group_end(&group, NULL, STATUS_FAILED, error->text);
        status = 0;
    }
    free(group.cases);
    return status;
}

/* An input that the op does not know ends the run before anything is measured, not in its
 * middle. */
static int try_inputs(struct session *session, const size_t *first, struct error *error)
{
    const struct plan *plan = session->plan;
    for (size_t g = 0; g < plan->n_groups; g++) {
        const char *input = plan->groups[g].settings.input;
        bool seen = !input;
        for (size_t i = 0; i < g && !seen; i++)
            seen = text_same(plan->groups[i].settings.input, input);
        if (seen)
            continue;
        struct group_state group;
        struct error why = {.text = ""};
        group_begin(session, g, first[g], &group);
        const int status = group_try_input(&group, &why);
        free(group.cases);
        /* The group itself will say what else is wrong. */
        if (status < 0 && (group.refused || status == -EINTR))
            return error_set(error, status, "%s", why.text);
    }
    return 0;
}

static bool several_inputs(const struct plan *plan)
{
    for (size_t g = 1; g < plan->n_groups; g++)
        if (!text_same(plan->groups[g].settings.input, plan->groups[0].settings.input))
            return true;
    return false;
}

/* Several measurements of one run add up. */
static void add_to_fact(struct facts *facts, const char *name, double number)
{
    for (size_t i = 0; i < facts->n; i++)
        if (!strcmp(facts->fact[i].name, name)) {
            facts->fact[i].number += number;
            return;
        }
    facts_number(facts, name, number);
}

void note_core_share(const struct session *session)
{
    struct facts *const facts = &session->run->host;
    if (!session->n_core_probed)
        return;
    add_to_fact(facts, "core_probes", (double)session->n_core_probed);
    add_to_fact(facts, "core_shared_probes", (double)session->n_core_shared);
}

static const struct watcher nobody = {.context = NULL};

struct session session_begin(const struct how *how, struct catalog *catalog,
                             const struct plan *plan, const struct watcher *watcher,
                             struct run *run)
{
    return (struct session){.how = how,
                            .catalog = catalog,
                            .plan = plan,
                            .watcher = watcher ? watcher : &nobody,
                            .run = run,
                            .started = clock_now()};
}

int run_plan(const struct how *how, struct catalog *catalog, const struct plan *plan,
             const struct watcher *watcher, struct run *run, struct error *error)
{
    struct session session = session_begin(how, catalog, plan, watcher, run);
    FREED_BY(free_memory) size_t *first =
        must_have(calloc(plan->n_groups + 1, sizeof *first));
    int status = 0;
    for (size_t g = 0; g < plan->n_groups; g++) {
        first[g] = run->n_results;
        for (size_t c = 0; c < plan->groups[g].n_cases; c++)
            session_add_result(&session, g, c);
    }
    if (several_inputs(plan) || how->accuracy)
        status = try_inputs(&session, first, error);
    if (status < 0)
        goto out;
    for (size_t g = 0; g < plan->n_groups; g++) {
        if (status == 0)
            status = run_group(&session, g, first[g], error);
        if (status < 0 && status != -EINTR)
            break;
        run->interrupted = status == -EINTR;
        run_close_pending(run, run->interrupted ? GROUP_ALL : g,
                          run->interrupted ? "interrupted"
                                           : "nothing to be limited by it ran");
        run_summarise(run, g);
        if (session.watcher->group_done)
            session.watcher->group_done(session.watcher->context, run, g);
    }
    if (status == 0 || run->interrupted)
        note_core_share(&session);
out:
    builds_free(session.builds);
    return status;
}
