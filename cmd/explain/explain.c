/* SPDX-License-Identifier: Apache-2.0 */
/* `simdbench explain`: each case with its experiments, then what they say. */
#include "explain_private.h"
#include "output/output.h"

#include <inttypes.h>

/* All that the cases share. */
struct explaining {
    const struct options *options; /* with the CPUs that are locked */
    struct run *run;
    struct live live;
    struct watcher watcher; /* counts cases as groups */
    size_t done, n;
    int other_cpu;
    double *rates; /* of this core */
    bool has_pmu;
    bool pair;   /* two cases are compared */
    bool prints; /* each case when it is explained */
    const struct case_list *list;
    struct subject *subjects; /* of the cases so far */
    size_t concluded;         /* the first so many are explained, and printed */
};

/* ---- CPUs ---- */

static size_t most_threads(const struct case_list *list)
{
    size_t most = 1;
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i].settings.threads > most)
            most = list->item[i].settings.threads;
    return most;
}

static bool has_pmu(void)
{
    struct host host;
    host_read(&host, "");
    return host.pmu == PMU_OK;
}

/* ---- one case, or two ---- */

static void tell(void *context, const struct progress *progress)
{
    const struct explaining *const all = context;
    struct progress mine = *progress;
    mine.group = all->done;
    mine.n_groups = all->n;
    if (all->live.watcher.progress)
        all->live.watcher.progress(all->live.watcher.context, &mine);
}

/* A case that could not be measured has its reason instead. */
static void print_case(const struct explaining *all, const struct subject *subject)
{
    const struct text_options text = text_of_stdout(all->options);
    struct result *const result = variant_result(&subject->base);
    const struct run alone = {.results = result, .n_results = 1};
    if (result->explanation) {
        explain_write(&alone, &text, stdout);
        return;
    }
    text_line(stdout, "%s", "");
    text_line(stdout, "%s   %s: %s", result->id, status_name(result->status),
              result->reason ?: "");
}

/* Evidence that costs nothing: counters that prove nothing are left out later. The last
 * group is for two cases. */
static void add_counters(const struct explaining *all, struct text_list *counters)
{
    static const char *const usual[] = {"core", "tlb", "frontend", "cache"};
    const struct text_list *const asked = &all->options->how.counters;
    text_list_add_all(counters, asked);
    for (size_t i = 0; i < ARRAY_LEN(usual) - !all->pair && !asked->n && all->has_pmu;
         i++)
        text_list_add(counters, usual[i]);
}

static int open_subject(const struct explaining *all, const struct case_name *name,
                        size_t group, struct subject *subject, struct error *error)
{
    *subject = (struct subject){.name = name};
    variant_begin(&subject->base, &all->options->request, &all->options->how, name);
    add_counters(all, &subject->base.how.counters);
    subject->base.run = all->run;
    subject->base.group = group;
    const int status = variant_open(&subject->base, error);
    if (status == 0)
        variant_add_stream(&subject->base);
    return status;
}

/* Traced first: then what is timed runs alone. */
static int measure(struct explaining *all, struct subject *subjects, size_t n,
                   struct error *error)
{
    for (size_t i = 0; i < n && !interrupted_by; i++)
        variant_trace(subjects[i].name, all->rates, &subjects[i].base,
                      &subjects[i].trace);
    const int64_t began = clock_now();
    const int status = experiments_run(subjects, n, all->other_cpu, &all->watcher, error);
    for (size_t i = 0; i < n; i++)
        subjects[i].seconds = (double)(clock_now() - began) * 1e-9;
    return status;
}

/* The time of a call is known after its trace. */
static void doubt_trace(struct variant_trace *trace, double call_ns)
{
    struct error error = {.text = ""};
    if (!trace->known || prove_time(call_ns, &trace->census, &error) == 0)
        return;
    trace->known = false;
    snprintf(trace->absent, sizeof trace->absent, "%s", error.text);
}

static bool was_measured(const struct subject *subject)
{
    const enum status status = variant_result(&subject->base)->status;
    return status == STATUS_NOISY || status_has_time(status);
}

/* Is a case still to come that does the same work? */
static bool has_later_sibling(const struct explaining *all, size_t i)
{
    for (size_t k = all->done; k < all->n; k++)
        if (is_sibling(&all->list->item[i], &all->list->item[k]))
            return true;
    return false;
}

/* Explains and prints cases in their order, each when all of the same work are measured;
 * `all_of_them`: no more will be. */
static void conclude(struct explaining *all, bool all_of_them)
{
    for (; all->concluded < all->done &&
           (all_of_them || !has_later_sibling(all, all->concluded));
         all->concluded++) {
        struct subject *const subject = &all->subjects[all->concluded];
        if (was_measured(subject)) {
            explain_siblings(subject, all->subjects, all->done);
            explain_take(subject, all->options->all_code);
        }
        if (all->live.watcher.group_done)
            all->live.watcher.group_done(all->live.watcher.context, all->run,
                                         all->concluded);
        if (all->prints)
            print_case(all, subject);
        inspect_census_free(&subject->trace.census);
    }
    standard_flush(NULL);
}

/* Two builds have cases of the same name. */
static void tell_apart(const struct subject *subjects)
{
    struct result *const both[] = {variant_result(&subjects[0].base),
                                   variant_result(&subjects[1].base)};
    char id[600];
    if (strcmp(both[0]->id, both[1]->id) != 0)
        return;
    for (int i = 0; i < 2; i++) {
        snprintf(id, sizeof id, "%c:%s", "AB"[i], both[i] -> id);
        string_set(&both[i]->id, id);
    }
}

/* One case, or two in the same rounds. */
static int explain_cases(struct explaining *all, size_t n, struct error *error)
{
    struct subject *const subjects = &all->subjects[all->done];
    const struct case_name *const names = &all->list->item[all->done];
    int status = 0;
    size_t open = 0;
    for (; open < n && status == 0; open++)
        status =
            open_subject(all, &names[open], all->done + open, &subjects[open], error);
    if (status == 0)
        status = measure(all, subjects, n, error);
    if (status == 0 && n == 2)
        tell_apart(subjects);
    for (size_t i = 0; i < n && status == 0; i++)
        if (was_measured(&subjects[i])) {
            doubt_trace(&subjects[i].trace,
                        variant_result(&subjects[i].base)->summary.median_ns);
            explain_facts(&subjects[i], all->rates);
        }
    if (status == 0 && n == 2)
        all->run->account = explain_account(&subjects[0], &subjects[1]);
    for (size_t i = 0; i < open; i++) {
        if (status < 0)
            inspect_census_free(&subjects[i].trace.census);
        variant_close(&subjects[i].base);
    }
    if (status == 0) {
        all->done += n;
        conclude(all, false);
    }
    return status;
}

/* ---- the command ---- */

/* Two cases on the command line are compared; so are two builds of one. */
static bool is_pair(const struct options *options, const struct case_list *list)
{
    bool cases = options->files.n == 2 && list->n == 2;
    for (size_t i = 0; i < options->files.n; i++)
        cases &= case_name_is(options->files.item[i]);
    return cases;
}

/* Stands before the names of its rows: as=NAME in the end, or the file. */
static char *module_name(const char *path)
{
    const char *const as = strstr(path, ",as=");
    const size_t length = strcspn(path, ",");
    const char *const slash = memrchr(path, '/', length);
    const char *const base = slash ? slash + 1 : path;
    return as ? must_have(strdup(as + 4)) : must_have(strndup(base, strcspn(base, ".,")));
}

/* True if the case says which of two plug-ins has it. */
static bool names_one(const struct text_list *plugins, const char *prefix)
{
    FREED_BY(free_memory) char *first = module_name(plugins->item[0]);
    FREED_BY(free_memory) char *second = module_name(plugins->item[1]);
    return text_same(prefix, first) != text_same(prefix, second);
}

/* One case of two builds: --plugin=a.so --plugin=b.so. */
static int split_builds(const struct options *options, struct case_list *list,
                        struct error *error)
{
    if (options->files.n != 1 || list->n != 1 || options->request.plugins.n != 2 ||
        !case_name_is(options->files.item[0]) ||
        names_one(&options->request.plugins, list->item[0].prefix) ||
        module_is_declared(options->request.plugins.item[0]) !=
            module_is_declared(options->request.plugins.item[1]))
        return 0;
    must_grow(list->item, list->n);
    const int status = case_name_parse(options->files.item[0], &list->item[1], error);
    list->n++;
    for (size_t i = 0; i < 2; i++) {
        const char *const path = options->request.plugins.item[i];
        list->item[i].module = must_have(strdup(path));
        list->item[i].prefix = list->item[i].prefix ?: module_name(path);
    }
    return status;
}

static int describe(struct explaining *all, const struct case_name *name,
                    const struct taken_cpus *cpus, struct error *error)
{
    FREED_BY(variant_close) struct variant first;
    variant_begin(&first, &all->options->request, &all->options->how, name);
    const int status = variant_open(&first, error);
    if (status == 0) {
        first.plan.lock = cpus->plan.lock;
        all->run = run_describe(all->options, &first.catalog, &first.plan);
        first.plan.lock = NULL;
    }
    return status;
}

static int explain_each(struct explaining *all, struct error *error)
{
    int status = 0;
    all->subjects = must_have(calloc(all->n + 1, sizeof *all->subjects));
    while (all->done < all->n && status == 0)
        status = explain_cases(all, all->pair ? 2 : 1, error);
    conclude(all, true);
    free(all->subjects);
    return status;
}

static int explain_all(struct explaining *all, struct error *error)
{
    int status = explain_each(all, error);
    if (status == 0 && all->prints) {
        const struct text_options text = text_of_stdout(all->options);
        const struct text_page page = page_of(stdout, FORMAT_TABLE);
        account_write(all->run, &page);
        answer_write(all->run, &text, stdout);
        standard_flush(NULL);
    }
    live_end(&all->live, all->run);
    if (status == 0 || all->run->interrupted) {
        const int written = outputs_write(all->options, false, all->run, error);
        status = written < 0 ? written : run_exit_status(all->run);
    }
    return status;
}

static int explain(struct options *options, struct case_list *list, struct error *error)
{
    struct taken_cpus cpus = {.other_cpu = -1};
    struct explaining all = {
        .options = options, .n = list->n, .prints = options->format == FORMAT_TABLE};
    all.pair = is_pair(options, list) ||
               (options->files.n == 1 && list->n == 2 &&
                options->request.plugins.n == 2 && case_name_is(options->files.item[0]));
    int status = take_cpus(&options->how, most_threads(list), &cpus, error);
    how_set_cpus(&options->how, cpus.plan.cpu, cpus.plan.n_cpu);
    all.list = list;
    all.n = list->n;
    all.other_cpu = cpus.other_cpu;
    if (status == 0)
        status = describe(&all, &list->item[0], &cpus, error);
    if (status == 0) {
        all.has_pmu = has_pmu();
        all.rates = measured_rates(options->how.cpu, options->how.n_cpu);
        live_begin(&all.live, options, false);
        all.watcher = (struct watcher){.context = &all, .progress = tell};
        status = explain_all(&all, error);
    }
    free(all.rates);
    run_free(all.run);
    give_cpus_back(&cpus);
    return status;
}

int explain_case(const struct options *options, const char *id, struct run **run,
                 struct error *error)
{
    struct case_list list = {.n = 1, .item = must_have(calloc(1, sizeof *list.item))};
    const struct taken_cpus none = {.other_cpu = -1};
    struct explaining all = {.options = options, .n = 1, .list = &list, .other_cpu = -1};
    int status =
        case_name_parse(id, list.item, error) ?: describe(&all, list.item, &none, error);
    if (status == 0) {
        all.has_pmu = has_pmu();
        all.rates = measured_rates(options->how.cpu, options->how.n_cpu);
        all.watcher = (struct watcher){.context = &all, .progress = tell};
        status = explain_each(&all, error);
    }
    free(all.rates);
    case_list_free(&list);
    *run = all.run;
    return status;
}

static void print_plan(const struct options *options, const struct case_list *list)
{
    text_line(stdout, "seed %" PRIu64, options->how.seed);
    for (size_t i = 0; i < list->n; i++) {
        FREED_BY(free_memory) char *id = case_name_format(&list->item[i]);
        text_line(stdout, "%s", id);
    }
}

/* An op was planned already, and all modules on the command line were loaded for it. */
static int check_cases(const struct options *options, const struct case_list *list,
                       struct error *error)
{
    int status = 0;
    for (size_t i = 0; i < options->files.n; i++)
        if (!case_name_is(options->files.item[i]))
            return 0;
    for (size_t i = 0; i < list->n && status == 0; i++)
        status = variant_check(&options->request, &options->how, &list->item[i], error);
    return status;
}

int explain_run(struct options *options)
{
    struct error error = {.text = ""};
    FREED_BY(case_list_free) struct case_list list = {.n = 0};
    FREED_BY(text_list_free) struct text_list why_instead = {.n = 0};
    signals_catch();
    int status = outputs_check(options, &error)
                     ?: case_list_make(&options->files, &options->request, &options->how,
                                       &list, &why_instead, &error);
    if (!options->quiet)
        complain_each("", &why_instead);
    if (status == 0)
        status =
            split_builds(options, &list, &error) ?: check_cases(options, &list, &error);
    if (status == 0 && options->dry_run)
        print_plan(options, &list);
    else if (status == 0)
        status = explain(options, &list, &error);
    return exit_status_of(status, &error);
}
