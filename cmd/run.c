/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that measures: groups in plan order, each until no case breaks it any
 * more. */
#include "run.h"
#include "thresholds.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAVE_EVERY_NS 1000000000LL
#define PROGRESS_EVERY_NS 100000000LL

/* Known of every batch without perf_event; an event of the same name takes their place
 * where the kernel counts it. */
static const char *const usage_names[USAGE_COUNTERS] = {
    [USAGE_PAGE_FAULTS] = "page-faults",
    [USAGE_CONTEXT_SWITCHES] = "context-switches",
    [USAGE_TASK_CLOCK] = "task-clock"};

static int add_counters(struct session *session, struct result *result)
{
    for (size_t i = 0; i < USAGE_COUNTERS; i++) {
        struct counter *counter = result_add_counter(result, usage_names[i]);
        if (!counter)
            return -ENOMEM;
        counter->running_share = 1;
    }
    for (size_t i = 0; i < session->n_events; i++) {
        const struct event *event = &session->events[i];
        size_t at = 0;
        while (at < result->n_counters && strcmp(result->counters[at].name, event->name))
            at++;
        struct counter *counter = at < result->n_counters
                                      ? &result->counters[at]
                                      : result_add_counter(result, event->name);
        if (!counter)
            return -ENOMEM;
        char config[24];
        snprintf(config, sizeof config, "0x%" PRIx64, event->config);
        session->counter_of_event[i] = at;
        counter->asked = i < session->options->events.n;
        counter->running_share = 1;
        int status = string_set(&counter->event, event->string);
        if (status == 0)
            status = string_set(&counter->config, config);
        if (status < 0)
            return status;
    }
    return counted_metrics(session->options, session->events, session->n_events, result);
}

static int add_settings(struct result *result, const struct options *options,
                        const struct plan_group *group, uint32_t threads)
{
    const char *const input = group->input;
    char text[32];
    int status = 0;
    if (threads > 1) {
        snprintf(text, sizeof text, "%u", threads);
        status = result_add_setting(result, "threads", text);
    }
    if (options->cold && status == 0)
        status = result_add_setting(result, "cache", "cold");
    if (options->huge_pages && status == 0)
        status = result_add_setting(result, "pages", "2m");
    if (options->align != 64 && status == 0) {
        snprintf(text, sizeof text, "%" PRIu64, options->align);
        status = result_add_setting(result, "align", text);
    }
    if (input && status == 0)
        status = result_add_setting(result, "input", input);
    return status;
}

int session_add_result(struct session *session, size_t g, size_t c)
{
    const struct plan_group *group = &session->plan->groups[g];
    const struct plan_case *entry = &group->cases[c];
    const struct offer *offer = &session->catalog->offers[entry->offer];
    const struct worker_info *worker = worker_info(offer->worker);
    struct result *result = run_add_result(session->run);
    char type[64];
    if (!result)
        return -ENOMEM;
    snprintf(type, sizeof type, "%s%s%s", offer->semiring ? offer->semiring : "",
             offer->semiring ? "-" : "", type_name(offer->type));
    const char *at = strchr(entry->id, '@');
    char shape[256] = "";
    if (at)
        snprintf(shape, sizeof shape, "%.*s", (int)strcspn(at + 1, ";"), at + 1);
    result->group = g;
    const uint32_t threads = entry->threads ? entry->threads : group->threads;
    result->threads = (int)threads;
    result->is_roof = offer->is_roof && strcmp(group->op, "roof");
    result->is_baseline = offer->is_baseline;
    result->ops = group->shape.ops;
    result->bytes = group->shape.bytes;
    int status = 0;
    const struct {
        char **where;
        const char *text;
    } texts[] = {
        {&result->id, entry->id},
        {&result->op, offer->op},
        {&result->type, type},
        {&result->isa, offer->isa},
        {&result->variant, offer->variant},
        {&result->shape, shape},
        {&result->module, worker->path ? worker->name : NULL},
        {&result->module_version, worker->version},
        {&result->module_core, worker->core},
        {&result->module_isa, worker->isa},
        {&result->limit_id, entry->limit_id},
        {&result->layout, group->shape.layout[0] ? group->shape.layout : NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts) && status == 0; i++)
        status = string_set(texts[i].where, texts[i].text);
    /* The name of a module is its first word; what follows are its options. */
    if (result->module)
        result->module[strcspn(result->module, ",")] = '\0';
    for (size_t i = 0; i < worker->n_options && status == 0; i++)
        status = result_add_module_option(result, worker->options[i].name,
                                          worker->options[i].value);
    if (status == 0)
        status = add_settings(result, session->options, group, threads);
    if (status == 0)
        status = add_counters(session, result);
    if (status == 0 && entry->skip)
        status = result_set_status(result, STATUS_SKIPPED, entry->skip);
    return status;
}

void session_progress(const struct group_state *group, uint32_t round, uint32_t rounds)
{
    struct session *session = group->session;
    int64_t now = clock_now();
    if (!session->progress || now - session->drawn < PROGRESS_EVERY_NS)
        return;
    session->drawn = now;
    double share = ((double)session->groups_done + (double)round / rounds) /
                   (double)session->plan->n_groups;
    double spent = (double)(now - session->started) * 1e-9;
    char left[32] = "";
    if (share > 0.02)
        snprintf(left, sizeof left, ", %.0f s left", spent * (1 - share) / share);
    fprintf(stderr, "\r\033[K[%zu/%zu] %s %s %s: round %u of %u%s",
            session->groups_done + 1, session->plan->n_groups, group->plan->op,
            type_name(group->plan->type), group->plan->shape.text, round + 1, rounds,
            left);
    fflush(stderr);
}

static void progress_clear(const struct session *session)
{
    if (session->progress)
        fputs("\r\033[K", stderr);
}

int group_begin(struct session *session, size_t g, size_t first,
                struct group_state *group, struct error *error)
{
    const struct plan_group *plan = &session->plan->groups[g];
    *group = (struct group_state){.session = session,
                                  .plan = plan,
                                  .number = g,
                                  .n_cases = plan->n_cases,
                                  .cases = calloc(plan->n_cases, sizeof *group->cases)};
    if (!group->cases)
        return error_set(error, -ENOMEM, "out of memory");
    /* One thread may have several CPUs to choose from, if the user says so. */
    const size_t n_cpu = session->n_cpu;
    const bool list = session->options->n_cpu && plan->threads == 1;
    group->used_cpus = list || plan->threads > n_cpu ? n_cpu : plan->threads;
    uint64_t state = session->options->seed + g;
    group->seed = random_next(&state);
    for (size_t i = 0; i < plan->n_cases; i++)
        group->cases[i] =
            (struct case_state){.plan = &plan->cases[i],
                                .offer = &session->catalog->offers[plan->cases[i].offer],
                                .result = first + i,
                                .active = !plan->cases[i].skip};
    return 0;
}

/* One group, again and again without the cases that broke it. */
static int run_group(struct session *session, size_t g, size_t first, struct error *error)
{
    struct group_state group;
    int status = group_begin(session, g, first, &group, error);
    bool any = false;
    if (status < 0)
        return status;
    for (size_t i = 0; i < group.n_cases; i++)
        any |= group.cases[i].active && !case_result(&group, &group.cases[i])->is_roof;
    status = any ? GROUP_RESTART : 0;
    while (status == GROUP_RESTART) {
        for (size_t i = 0; i < group.n_cases; i++) {
            if (group.cases[i].active)
                result_clear_samples(case_result(&group, &group.cases[i]));
        }
        status = group_prepare(&group, error);
        if (status == 0 && session->options->accuracy)
            group_accept(&group);
        else if (status == 0)
            status = group_measure(&group, error);
    }
    /* Whoever cannot get its operands takes its group along, not the run. */
    if (status < 0 && status != -EINTR && status != -ENOMEM && !group.refused) {
        for (size_t i = 0; i < group.n_cases; i++) {
            if (group.cases[i].active)
                case_end(&group, &group.cases[i], STATUS_FAILED, error->text);
        }
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
    int status = 0;
    for (size_t g = 0; g < plan->n_groups && status == 0; g++) {
        const char *input = plan->groups[g].input;
        bool seen = !input;
        for (size_t i = 0; i < g && !seen; i++)
            seen = plan->groups[i].input && !strcmp(plan->groups[i].input, input);
        if (seen)
            continue;
        struct group_state group;
        struct error why = {.text = ""};
        if (group_begin(session, g, first[g], &group, error) < 0)
            return -ENOMEM;
        status = group_try_input(&group, &why);
        free(group.cases);
        if (status < 0 && (group.refused || status == -EINTR))
            return error_set(error, status, "%s", why.text);
        status = 0; /* the group itself will say it */
    }
    return status;
}

void run_close_pending(struct run *run, size_t group, const char *reason)
{
    for (size_t i = 0; i < run->n_results; i++) {
        if (run->results[i].status == STATUS_PENDING &&
            (group == GROUP_ALL || run->results[i].group == group))
            result_set_status(&run->results[i], STATUS_SKIPPED, reason);
    }
}

static int exit_status(const struct run *run)
{
    bool measured = false, wrong = false;
    for (size_t i = 0; i < run->n_results; i++) {
        const struct result *result = &run->results[i];
        if (result->is_roof)
            continue;
        wrong |= result->status == STATUS_WRONG || result->status == STATUS_FAILED;
        measured |= !result->is_baseline &&
                    (result->status == STATUS_OK || result->status == STATUS_NOISY);
    }
    if (run->interrupted)
        return EXIT_INTERRUPTED;
    return wrong ? EXIT_WRONG : measured ? EXIT_OK : EXIT_NOTHING;
}

/* A probe that got clearly less of the core than the best one shared it. */
static int judge_company(const struct session *session)
{
    double best = 0, shared = 0;
    for (size_t i = 0; i < session->n_widths; i++)
        best = session->widths[i] > best ? session->widths[i] : best;
    /* More than four is a clock that was read too low. */
    best = best > 4 ? 4 : best;
    for (size_t i = 0; i < session->n_widths; i++)
        shared += session->widths[i] < 0.85 * best;
    if (!session->n_widths)
        return 0;
    struct facts *facts = &session->run->host;
    int status = facts_number(facts, "core_probes", (double)session->n_widths);
    return status < 0 ? status : facts_number(facts, "core_shared_probes", shared);
}

uint32_t options_most_threads(const struct options *options)
{
    uint32_t most = 1;
    for (size_t i = 0; i < options->n_threads; i++)
        most = options->threads[i] > most ? options->threads[i] : most;
    return most;
}

int session_choose_cpus(struct session *session, struct error *error)
{
    const struct options *options = session->options;
    if (options->n_cpu > CPUS_MAX)
        return error_set(error, -EINVAL, "--cpu: more than %d CPUs", CPUS_MAX);
    session->n_cpu = options->n_cpu;
    for (size_t i = 0; i < options->n_cpu; i++)
        session->cpu[i] = options->cpu[i];
    if (session->n_cpu)
        return 0;
    /* The last one: interrupts and other people's work prefer the first. Then one of
     * each core, and those that share a core with them last. */
    int allowed[CPUS_MAX], order[CPUS_MAX];
    const size_t n = cpus_allowed(allowed, CPUS_MAX);
    for (size_t i = 0; i < n; i++)
        order[i] = allowed[n - 1 - i];
    size_t chosen = cpus_cores(order, n);
    for (size_t i = n; i-- > 0 && chosen < n;) {
        size_t at = 0;
        while (at < chosen && order[at] != allowed[i])
            at++;
        if (at == chosen)
            order[chosen++] = allowed[i];
    }
    const uint32_t most = options_most_threads(options);
    session->n_cpu = most < n ? most : n;
    memcpy(session->cpu, order, session->n_cpu * sizeof order[0]);
    return 0;
}

/* A disk that is full now may have room at the end: then it counts. */
static void save_meanwhile(struct session *session)
{
    struct error error = {.text = ""};
    if (outputs_save(session->options, session->run, &error) == 0)
        return;
    if (!session->save_failed)
        fprintf(stderr, "simdbench: %s; to be tried again\n", error.text);
    session->save_failed = true;
}

int run_plan(const struct options *options, struct catalog *catalog,
             const struct plan *plan, struct run *run, struct error *error)
{
    struct session *session = calloc(1, sizeof *session);
    size_t *first = calloc(plan->n_groups + 1, sizeof *first);
    int status = session && first ? 0 : error_set(error, -ENOMEM, "out of memory");
    if (status < 0)
        goto out;
    *session = (struct session){.options = options,
                                .catalog = catalog,
                                .plan = plan,
                                .run = run,
                                .started = clock_now(),
                                .progress = !options->quiet && isatty(STDERR_FILENO)};
    status = session_choose_cpus(session, error);
    if (status == 0 && options_most_threads(options) > 1 && !options->all_threads &&
        !options->scaling)
        status = thresholds_read(run->fingerprint, &session->thresholds, error);
    if (status == 0)
        status = counted_events(options, session->events, &session->n_events, error);
    for (size_t g = 0; g < plan->n_groups && status == 0; g++) {
        first[g] = run->n_results;
        for (size_t c = 0; c < plan->groups[g].n_cases && status == 0; c++)
            status = session_add_result(session, g, c);
        if (status < 0)
            error_set(error, status, "out of memory");
    }
    if (status == 0 && (options->inputs.n > 1 || options->accuracy))
        status = try_inputs(session, first, error);
    if (status < 0)
        goto out;
    const struct text_options text = {.colour = terminal_colour(stdout),
                                      .width = terminal_width(stdout)};
    bool live =
        options->format == FORMAT_TABLE && !options->accuracy && !options->scaling;
    int64_t saved = 0;
    for (size_t g = 0; g < plan->n_groups; g++) {
        if (status == 0)
            status = run_group(session, g, first[g], error);
        if (status < 0 && status != -EINTR)
            goto out;
        session->groups_done = g + 1;
        run->interrupted = status == -EINTR;
        run_close_pending(run, run->interrupted ? GROUP_ALL : g,
                          run->interrupted ? "interrupted"
                                           : "nothing to be limited by it ran");
        run_summarise(run, g);
        progress_clear(session);
        if (live && g == 0)
            table_begin(run, &text, stdout);
        if (live)
            table_group(run, g, &text, stdout);
        standard_flush(NULL);
        if (status == 0 && g + 1 < plan->n_groups &&
            clock_now() - saved > SAVE_EVERY_NS) {
            save_meanwhile(session);
            saved = clock_now();
        }
    }
    if (status < 0 && status != -EINTR)
        goto out;
    status = judge_company(session);
    if (status < 0) {
        error_set(error, status, "out of memory");
        goto out;
    }
    if (live)
        table_end(run, &text, stdout);
    else if (options->format == FORMAT_TABLE && options->accuracy)
        accuracy_print(plan, run, catalog, stdout);
    status = exit_status(run);
out:
    if (session) {
        cJSON_Delete(session->thresholds);
        free(session->widths);
    }
    free(session);
    free(first);
    return status;
}
