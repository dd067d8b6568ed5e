/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench study`: one study, or all that the program brings with it. */
#include "output/output.h"
#include "studies/studies_private.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>

/* The time that a study may take, without the work before and after its rounds. */
#define FULL_NS 90e9
#define QUICK_NS 8e9

/* A study that was read, and where its modules are. */
struct opened {
    struct study *study;
    char *folder;
};
struct opened_list {
    struct opened *item;
    size_t n;
};

/* ---- which claims ---- */

static int choose_claims(const struct options *options, struct study *study,
                         struct error *error)
{
    FREED_BY(text_list_free) struct text_list ids = {.n = 0};
    char hint[120], known[300];
    int status = 0;
    for (size_t i = 0; i < study->n_claims; i++)
        text_list_add(&ids, study->claims[i].id);
    text_list_join(&ids, ", ", known, sizeof known);
    for (size_t i = 0; i < options->claims.n && status == 0; i++) {
        const char *const id = options->claims.item[i];
        text_list_hint(&ids, id, hint, sizeof hint);
        if (!text_list_has(&ids, id))
            status = invalid(error, "--claim=%.80s: %s has no such claim%s (known: %s)",
                             id, study->name, hint, known);
    }
    if (status == 0 && options->claims.n)
        study_keep_claims(study, options->claims.item, options->claims.n);
    return status;
}

void each_check(const struct study *study, check_visitor *each, const void *context)
{
    FOR_EACH (struct study_claim, claim, study->claims, study->n_claims) {
        each(&claim->check, (void *)(uintptr_t)context);
        for (size_t k = 0; k < claim->n_evidence; k++)
            each(&claim->evidence[k], (void *)(uintptr_t)context);
    }
}

/* ---- what is counted ---- */

static bool is_simple(const char *metric)
{
    return words_have("workspace_bytes,threads_used,ghz,gops,gbs,ns_per_op,page-faults,"
                      "context-switches,task-clock",
                      metric);
}

/* An event of the machine, or else what a group of them comes to. */
static void count_for(struct study_check *check, void *context)
{
    struct studying *const all = context;
    static const char *const groups[] = {"core", "cache", "tlb", "frontend", "license"};
    struct event event;
    struct error error;
    const bool counts =
        check->measure == MEASURE_METRIC || check->measure == MEASURE_EXPLAINED;
    all->by_rates |=
        check->measure == MEASURE_EXPLAINED || check->measure == MEASURE_STATIC;
    if (!counts || check->reason || is_simple(check->what) || !all->run->pmu_state ||
        strcmp(all->run->pmu_state, "ok") != 0)
        return;
    if (event_encode(check->what, &event, &error) == 0)
        text_list_add_once(&all->events, check->what);
    for (size_t i = 0; i < ARRAY_LEN(groups); i++)
        text_list_add_once(&all->counters, groups[i]);
}

/* ---- one study ---- */

static int measure(struct studying *all, struct error *error)
{
    const int64_t began = clock_now();
    if (all->by_rates)
        all->rates = measured_rates(all->options->how.cpu, all->options->how.n_cpu);
    const int status = sets_measure(all, error);
    study_calculate(all->study);
    each_check(all->study, points_fill, all);
    account_fill(all);
    study_judge(all->study);
    all->study->seconds = (double)(clock_now() - began) * 1e-9;
    return status;
}

static int run_study(const struct options *options, const struct opened *opened,
                     uint32_t cpus, const struct watcher *watcher, struct run *run,
                     size_t *groups, struct error *error)
{
    struct study *const study = opened->study;
    struct studying all = {
        .options = options,
        .study = study,
        .settings = {.quick = options->quick, .cpus = cpus, .folder = opened->folder},
        .run = run,
        .watcher = watcher,
        .left_ns = options->quick ? QUICK_NS : FULL_NS,
        .groups = *groups};
    int status = 0;
    study->is_quick = options->quick;
    study->level = study_level(study);
    each_check(study, meet_needs, run);
    each_check(study, count_for, &all);
    sets_make(study, &all.settings, &all.sets);
    if (options->dry_run) {
        study_print_plan(&all);
    } else {
        status = measure(&all, error);
    }
    *groups = all.groups;
    sets_free(&all.sets);
    text_list_free(&all.events);
    text_list_free(&all.counters);
    free(all.rates);
    return status;
}

/* ---- the command ---- */

static int open_word(const struct options *options, const char *word,
                     struct opened_list *list, struct error *error)
{
    must_grow(list->item, list->n);
    struct opened *const opened = &list->item[list->n++];
    *opened = (struct opened){.study = must_have(calloc(1, sizeof(struct study)))};
    enum trust trust;
    int status = study_open(word, opened->study, &opened->folder, &trust, error);
    if (status == 0 && trust < TRUST_KEPT && !options->dry_run)
        status = study_modules_inside(opened->study, opened->folder, word, error);
    return status < 0 ? status : choose_claims(options, opened->study, error);
}

static int open_studies(const struct options *options, struct opened_list *list,
                        struct error *error)
{
    int status = 0;
    if (strcmp(options->files.item[0], "all") != 0)
        return open_word(options, options->files.item[0], list, error);
    for (const struct brought *brought = brought_studies; brought->name && status == 0;
         brought++)
        status = open_word(options, brought->name, list, error);
    return status;
}

static void close_studies(struct opened_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        study_clear(list->item[i].study);
        FREE_EACH(list->item[i].study, list->item[i].folder);
    }
    free(list->item);
}

static uint32_t most_threads(const struct opened_list *list, uint32_t cpus)
{
    const struct set_settings settings = {.cpus = cpus};
    double most = 1;
    for (size_t i = 0; i < list->n; i++) {
        const struct study *const study = list->item[i].study;
        for (size_t k = 0; k < study->n_arms; k++)
            most = fmax(most, threads_of(study->arms[k].threads, &settings));
        for (size_t k = 0; k < study->n_claims; k++)
            if (study->claims[k].check.measure == MEASURE_THREAD_RATIO)
                most = fmax(most, threads_of(study->claims[k].check.threads, &settings));
    }
    return (uint32_t)fmin(most, cpus);
}

static struct run *describe(const struct options *options, const struct plan *plan,
                            struct error *error)
{
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    struct run *run = NULL;
    if (catalog_make(&options->request, &options->how, &catalog, error) == 0)
        run = run_describe(options, &catalog, plan);
    return run;
}

static int exit_of(const struct options *options, const struct run *run)
{
    int worst = EXIT_OK;
    if (run->interrupted)
        return EXIT_INTERRUPTED;
    for (size_t i = 0; i < run->n_studies && options->expect_confirmed; i++) {
        const int status = study_expect_confirmed(&run->studies[i], options->strict);
        worst = worst == EXIT_REGRESSED || !status ? worst : status;
    }
    return worst;
}

/* The studies move into the run. */
static int run_studies(const struct options *options, struct opened_list *list,
                       uint32_t cpus, struct run *run, struct error *error)
{
    struct live live;
    size_t groups = 0;
    int status = 0;
    live_begin(&live, options, false);
    for (size_t i = 0; i < list->n && status == 0; i++) {
        status =
            run_study(options, &list->item[i], cpus, &live.watcher, run, &groups, error);
        struct study *const place = LIST_ADD(run, studies, n_studies);
        *place = *list->item[i].study;
        *list->item[i].study = (struct study){.name = NULL};
    }
    live_end(&live, run);
    run->interrupted |= status == -EINTR;
    if (status < 0 && status != -EINTR)
        return status;
    status = outputs_write(options, true, run, error);
    return status < 0 ? status : exit_of(options, run);
}

static int plan_studies(const struct options *options, const struct opened_list *list,
                        uint32_t cpus, struct run *run, struct error *error)
{
    size_t groups = 0;
    int status = 0;
    for (size_t i = 0; i < list->n && status == 0; i++)
        status = run_study(options, &list->item[i], cpus, NULL, run, &groups, error);
    return status;
}

static int study(struct options *options, struct opened_list *list, struct error *error)
{
    FREED_BY(give_cpus_back) struct taken_cpus cpus = {.other_cpu = -1};
    int order[CPUS_MAX];
    const uint32_t here =
        (uint32_t)(options->how.n_cpu ? options->how.n_cpu : cpu_order(order));
    int status = take_cpus(&options->how, most_threads(list, here), &cpus, error);
    how_set_cpus(&options->how, cpus.plan.cpu, cpus.plan.n_cpu);
    text_list_add(&options->request.baselines, "none");
    FREED_BY(run_delete) struct run *run =
        status < 0 ? NULL : describe(options, &cpus.plan, error);
    if (status == 0 && !run)
        status = -EIO;
    if (status == 0)
        status = options->dry_run ? plan_studies(options, list, here, run, error)
                                  : run_studies(options, list, here, run, error);
    return status;
}

int command_study(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(close_studies) struct opened_list list = {.n = 0};
    signals_catch();
    const int status = outputs_check(options, &error)
                     ?: open_studies(options, &list, &error)
                     ?: study(options, &list, &error);
    return exit_status_of(status, &error);
}
