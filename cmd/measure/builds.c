/* SPDX-License-Identifier: Apache-2.0 */
/* Were the user's modules built without optimisation? One short call of each of their
 * kernels is traced, in a process that is not timed, as long as its module has time. */
#include "measure_private.h"

/* A look at a module may take so long in a whole run, with the start of its process. */
#define LOOK_NS INT64_C(250000000)
/* Operands of a shape of the user are not written again if that takes long. */
#define PLACED_BYTES (1 << 24)
/* A call with more steps shows its loops in a few windows. */
enum { LOOK_STEPS = 2000, LOOK_WINDOWS = 4, LOOK_WINDOW_STEPS = 300 };

struct builds {
    bool *looked; /* at an offer of the catalog */
    char **why;   /* it is not optimised; NULL: it is, or nobody knows */
    size_t n;
    int64_t *spent_ns; /* on a worker */
};

static struct builds *builds_new(const struct catalog *catalog)
{
    struct builds *const builds = must_have(calloc(1, sizeof *builds));
    builds->n = catalog->n_offers;
    builds->looked = must_have(calloc(catalog->n_offers + 1, sizeof *builds->looked));
    builds->why = must_have(calloc(catalog->n_offers + 1, sizeof *builds->why));
    builds->spent_ns =
        must_have(calloc(catalog->n_workers + 1, sizeof *builds->spent_ns));
    return builds;
}

void builds_free(struct builds *builds)
{
    if (!builds)
        return;
    for (size_t i = 0; i < builds->n; i++)
        free(builds->why[i]);
    FREE_EACH(builds->why, builds->looked, builds->spent_ns, builds);
}

static bool is_wanted(const struct group_state *group, const struct case_state *entry,
                      const struct worker *of)
{
    return entry->offer->worker == of && prove_can(group, entry) &&
           !group->session->builds->looked[entry->plan->offer];
}

static bool any_wanted(const struct group_state *group, const struct worker *of)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (is_wanted(group, &group->cases[i], of))
            return true;
    return false;
}

bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/usr/lib/", "/usr/lib64/", "/lib/", "/lib64/",
                                          NULL};
    for (size_t i = 0; folders[i]; i++)
        if (!strncmp(path, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* A baseline that is known by its name only wraps a library: the system has optimised
 * those that it brings. */
static bool is_of_user(const struct group_state *group, struct worker *worker,
                       const struct worker *of)
{
    char path[4096], name[256];
    struct error error;
    FREED_BY(json_delete) cJSON *reply = NULL;
    const cJSON *object;
    bool found = false;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(of->info.name, ","), of->info.name);
    if (!of->info.is_baseline || module_find(name, path, sizeof path, &error) < 0 ||
        strcmp(path, of->info.path) != 0)
        return true;
    worker_ask(worker, objects_call(), group->session->how->timeout_ns, &reply, &error);
    cJSON_ArrayForEach (object, message_get(reply, "objects")) {
        struct loaded_object loaded;
        loaded_object_read(object, &loaded);
        found |=
            loaded.path && !is_of_system(loaded.path) && strcmp(loaded.path, path) != 0;
    }
    return found;
}

/* A kernel that does not take this shape may take another one. */
static int look_at(struct group_state *group, const struct case_state *entry,
                   struct worker *worker, int64_t time_ns)
{
    const struct inspect_options follow = {.max_steps = LOOK_STEPS,
                                           .windows = LOOK_WINDOWS,
                                           .window_steps = LOOK_WINDOW_STEPS,
                                           .seed = group->seed};
    struct builds *const builds = group->session->builds;
    struct prepared prepared = {.ops = 0};
    FREED_BY(inspect_census_free) struct inspect_census census = {.whole = false};
    struct error error = {.text = ""};
    int status = prove_kernel(group, entry, worker, &prepared, &error);
    if (status < 0)
        return status;
    builds->looked[entry->plan->offer] = true;
    status = worker_step(worker, &(struct step_call){.number = prepared.number}, &follow,
                         time_ns, &census, &error);
    if (status == 0)
        take_build(&census, &builds->why[entry->plan->offer]);
    return status;
}

static int look_at_all_of(struct group_state *group, const struct worker *of,
                          int64_t *spent_ns)
{
    const int64_t began = clock_budget() - *spent_ns;
    struct worker *const worker = worker_twin(of);
    struct error error;
    int status = prove_ready(group, worker, &error);
    if (status == 0 && !is_of_user(group, worker, of))
        *spent_ns = LOOK_NS;
    for (size_t i = 0; i < group->n_cases && status != -EINTR && *spent_ns < LOOK_NS;
         i++) {
        if (is_wanted(group, &group->cases[i], of))
            status = look_at(group, &group->cases[i], worker,
                             clock_patience(LOOK_NS - *spent_ns));
        if (status == -ENOTSUP || status == -EPERM)
            *spent_ns = LOOK_NS; /* nothing can be traced here */
        if (*spent_ns < LOOK_NS)
            *spent_ns = clock_budget() - began;
    }
    worker_free(worker);
    return status == -EINTR ? status : 0;
}

static int look(const struct group_state *own, const struct plan_group *plan,
                struct error *error)
{
    const struct catalog *const catalog = own->session->catalog;
    struct group_state group = *own;
    bool placed = false;
    int status = 0;
    group.plan = plan;
    for (size_t w = 0; w < catalog->n_workers && status == 0; w++) {
        const struct worker *const of = catalog->workers[w];
        int64_t *const spent_ns = &own->session->builds->spent_ns[w];
        if (!of->info.path || *spent_ns >= LOOK_NS || prove_cannot(own, of) ||
            !any_wanted(own, of))
            continue;
        if (!placed)
            status = prove_place(&group, error);
        placed = true;
        if (status == 0)
            status = look_at_all_of(&group, of, spent_ns);
    }
    return status;
}

static void tell_results(const struct group_state *group)
{
    for (size_t i = 0; i < group->n_cases; i++) {
        const char *const why = group->session->builds->why[group->cases[i].plan->offer];
        if (why)
            string_set(&case_result(group, &group->cases[i])->code.unoptimised, why);
    }
}

int group_look_at_builds(struct group_state *group, struct error *error)
{
    struct session *const session = group->session;
    struct plan_group smaller = *group->plan;
    int status = 0;
    if (!session->builds)
        session->builds = builds_new(session->catalog);
    if (prove_smaller(session->catalog, &smaller))
        status = look(group, &smaller, error);
    if (status == 0 && group->plan->shape.bytes <= PLACED_BYTES)
        status = look(group, group->plan, error);
    tell_results(group);
    return status == -EINTR ? error_set(error, status, "interrupted") : 0;
}
