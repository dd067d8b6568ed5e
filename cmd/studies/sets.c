/* SPDX-License-Identifier: Apache-2.0 */
#include "studies/studies_private.h"

/* ---- an arm as a case ---- */

uint32_t threads_of(int threads, const struct set_settings *settings)
{
    return threads == STUDY_THREADS_ALL ? settings->cpus
           : threads > 0                ? (uint32_t)threads
                                        : 1;
}

/* A path is meant from the folder of the study. Options may follow the module. */
static bool is_path(const char *module)
{
    const size_t length = strcspn(module, ",");
    return memchr(module, '/', length) ||
           (length > 3 && !strncmp(module + length - 3, ".so", 3));
}

char *study_module(const char *module, const struct set_settings *settings)
{
    char path[4096];
    if (!module || !is_path(module) || module[0] == '/' || !settings->folder)
        return copy_text(module);
    snprintf(path, sizeof path, "%s/%s", settings->folder, module);
    return copy_text(path);
}

static int name_arm(const struct study_arm *arm, const char *at, uint32_t threads,
                    const struct set_settings *settings, struct case_name *name,
                    struct error *error)
{
    char *shape = NULL;
    *name = (struct case_name){
        .settings = {.threads = threads,
                     .cold = arm->cache && !strcmp(arm->cache, "cold"),
                     .huge_pages = arm->pages && !strcmp(arm->pages, "2m"),
                     .align = (uint64_t)arm->align}};
    if (!arm->op)
        return invalid(error, "arm %s: it has no op, and the work has none", arm->name);
    const int status = study_arm_shape(arm, at, &shape, error);
    if (status < 0)
        return status;
    name->shape = shape;
    name->op = copy_text(request_op_name(arm->op));
    name->type = copy_text(arm->type ? arm->type : "f32");
    name->semiring = copy_text(arm->semiring);
    name->isa = copy_text(arm->isa);
    name->variant = copy_text(arm->variant);
    name->layout = copy_text(arm->layout);
    name->settings.input = copy_text(arm->input);
    name->module = study_module(arm->module, settings);
    name->prefix = copy_text(arm->module);
    return 0;
}

/* ---- members ---- */

struct member *set_find(const struct round_set *set, const char *arm, uint32_t threads,
                        bool duplicate)
{
    for (size_t i = 0; set && i < set->n; i++) {
        struct member *const member = &set->member[i];
        if (!strcmp(member->arm->name, arm) && member->duplicate == duplicate &&
            (!threads || member->name.settings.threads == threads))
            return member;
    }
    return NULL;
}

struct round_set *sets_find(const struct set_list *list, const char *at,
                            const struct study_check *slope)
{
    for (size_t i = 0; i < list->n; i++) {
        const size_t k = (list->last + i) % list->n;
        if (list->set[k].slope == slope && !strcmp(list->set[k].at, at))
            return &list->set[k];
    }
    return NULL;
}

static struct round_set *add_set(struct set_list *list, const char *at,
                                 const struct study_check *slope)
{
    struct round_set *const old = sets_find(list, at, slope);
    if (old) {
        list->last = (size_t)(old - list->set);
        return old;
    }
    must_grow(list->set, list->n);
    list->set[list->n] = (struct round_set){.at = must_have(strdup(at)), .slope = slope};
    list->last = list->n;
    return &list->set[list->n++];
}

struct making {
    const struct study *study;
    const struct set_settings *settings;
    struct set_list *list;
};

/* Members that failed to be named are there, as absent ones. */
static struct member *add_member(const struct making *making, struct round_set *set,
                                 const struct study_arm *arm, const char *at,
                                 uint32_t threads, bool duplicate)
{
    struct error error = {.text = ""};
    must_grow(set->member, set->n);
    struct member *const member = &set->member[set->n++];
    *member = (struct member){.arm = arm, .duplicate = duplicate};
    if (name_arm(arm, at, threads, making->settings, &member->name, &error) < 0)
        member->absent = copy_text(error.text);
    else if (threads > making->settings->cpus) {
        invalid(&error, "it needs %u CPUs; here are %u", threads, making->settings->cpus);
        member->absent = copy_text(error.text);
    }
    return member;
}

static struct member *want(const struct making *making, struct round_set *set,
                           const char *name, const char *at, uint32_t threads)
{
    const struct study_arm *const arm = study_find_arm(making->study, name);
    const uint32_t number =
        threads ? threads : threads_of(arm->threads, making->settings);
    struct member *const old = set->slope ? NULL : set_find(set, name, number, false);
    return old ? old : add_member(making, set, arm, at, number, false);
}

/* ---- what checks need ---- */

static void want_slope(const struct making *making, const struct study_check *check,
                       char **at, size_t n)
{
    struct round_set *const set = add_set(making->list, at[0], check);
    for (size_t i = 0; i < n && i < SERIES_MOST; i++)
        want(making, set, check->of[0], at[i], 0)->timed = true;
}

static void want_point(const struct making *making, const struct study_check *check,
                       const char *at)
{
    struct round_set *const set = add_set(making->list, at, NULL);
    const bool threads = check->measure == MEASURE_THREAD_RATIO;
    for (size_t i = 0; i < check->n_of; i++) {
        struct member *const member =
            want(making, set, check->of[i], at, threads ? 1 : 0);
        member->timed |= check->measure != MEASURE_STATIC;
        member->traced |= check->measure == MEASURE_STATIC;
        member->roofs |= check->measure == MEASURE_LIMIT_SHARE;
        member->floor |= check->measure == MEASURE_NOISE && check->what &&
                         !strcmp(check->what, "floor");
    }
    if (threads)
        want(making, set, check->of[0], at, threads_of(check->threads, making->settings))
            ->timed = true;
}

static void want_check(struct study_check *check, void *context)
{
    const struct making *const making = context;
    char **at;
    size_t n;
    points_of(check, making->settings->quick, &at, &n);
    if (check->measure == MEASURE_ARITHMETIC || check->measure == MEASURE_HOST ||
        check->reason || !n)
        return;
    if (check->measure == MEASURE_SLOPE) {
        want_slope(making, check, at, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        want_point(making, check, at[i]);
}

static void want_pair(const struct making *making, const struct study_pair *pair,
                      const char *at)
{
    struct round_set *const set = add_set(making->list, at, NULL);
    for (size_t i = 0; i < 2; i++)
        want(making, set, pair->of[i], at, 0)->timed = true;
}

static void want_account(const struct making *making)
{
    const struct study_account *const account = &making->study->account;
    const bool quick = making->settings->quick && account->n_quick;
    char **const at = quick ? account->quick : account->at;
    const size_t n = quick ? account->n_quick : account->n_at;
    for (size_t i = 0; i < n && account->total.of[0]; i++) {
        want_pair(making, &account->total, at[i]);
        for (size_t k = 0; k < account->parts.n; k++)
            want_pair(making, &account->parts.pair[k], at[i]);
        for (size_t k = 0; k < account->reverse.n; k++)
            want_pair(making, &account->reverse.pair[k], at[i]);
    }
}

/* ---- the floor ---- */

/* The number of ratios that have this arm below. */
static size_t times_below(const struct study *study, const char *arm)
{
    size_t times = 0;
    for (size_t i = 0; i < study->n_claims; i++) {
        const struct study_check *const check = &study->claims[i].check;
        times += check->measure == MEASURE_TIME_RATIO && check->n_of == 2 &&
                 !strcmp(check->of[1], arm);
    }
    return times;
}

/* The arm that most others are held against comes first, as it leads, and once more; so
 * do those whose floor is asked for. */
static void add_duplicates(const struct making *making, struct round_set *set)
{
    size_t best = 0;
    for (size_t i = 1; i < set->n; i++)
        if (set->member[i].timed && !set->member[i].absent &&
            (!set->member[best].timed || set->member[best].absent ||
             times_below(making->study, set->member[i].arm->name) >
                 times_below(making->study, set->member[best].arm->name)))
            best = i;
    if (!set->member[best].timed || set->member[best].absent || set->slope)
        return;
    const struct member lead = set->member[best];
    memmove(&set->member[1], &set->member[0], best * sizeof lead);
    set->member[0] = lead;
    set->member[0].floor = true;
    for (size_t i = 0, n = set->n; i < n; i++) {
        const struct member *const member = &set->member[i];
        if (member->floor && !member->absent)
            add_member(making, set, member->arm, set->at, member->name.settings.threads,
                       true)
                ->timed = true;
    }
}

void sets_make(const struct study *study, const struct set_settings *settings,
               struct set_list *list)
{
    const struct making making = {study, settings, list};
    *list = (struct set_list){.n = 0};
    each_check(study, want_check, &making);
    want_account(&making);
    for (size_t i = 0; i < list->n; i++)
        add_duplicates(&making, &list->set[i]);
}

void sets_free(struct set_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        FOR_EACH (struct member, member, list->set[i].member, list->set[i].n) {
            case_name_free(&member->name);
            series_clear(&member->series);
            series_clear(&member->limit);
            run_free(member->aside);
            FREE_EACH(member->absent, member->not_traced);
        }
        FREE_EACH(list->set[i].member, list->set[i].at);
    }
    free(list->set);
    *list = (struct set_list){.n = 0};
}
