/* SPDX-License-Identifier: Apache-2.0 */
/* Cases of two builds of a harness, and looks at them until they are decided. */
#include "harness_private.h"

#include <math.h>

#define SLICE_NS 20000000LL
#define SHORT_SLICE_NS 5000000LL

const struct harness_plan *harness_plan(const struct harness *harness)
{
    return &harness->plan;
}

static bool case_is_compared(const struct harness_case *entry)
{
    return entry->has[SIDE_BASE] && entry->has[SIDE_HEAD] && !entry->skips;
}

bool unit_is_compared(const struct harness *harness, size_t first)
{
    bool any = false;
    for (size_t c = first; c < unit_end(harness, first); c++)
        any |= case_is_compared(&harness->cases[c]);
    return any;
}

/* ---- open ---- */

static int choose_adapter(struct harness *harness, struct error *error)
{
    const struct harness_request *const request = &harness->request;
    if (request->build && !request->name)
        return invalid(error, "--build needs --harness=NAME, as in simdbench ab "
                              "--harness=google-benchmark --build=make --run=./bench "
                              "HEAD~1 HEAD");
    char path[PATH_MAX];
    const char *const name =
        request->name ?: harness_recognise(request->base, request->cwd[SIDE_BASE]);
    harness->adapter = name ? adapter_find(name, "", 0) : NULL;
    if (!name)
        return invalid(
            error, "BASE=%.200s%s%.200s: %s", request->base,
            request->cwd[SIDE_BASE] ? " in " : "", request->cwd[SIDE_BASE] ?: "",
            command_path(request->base, request->cwd[SIDE_BASE], path, sizeof path)
                ? "no harness is known by its file; name it by --harness"
                : "no program");
    if (!harness->adapter) {
        FREED_BY(text_list_free) struct text_list names = {.n = 0};
        char text[300];
        harness_names(&names);
        text_list_unknown(&names, name, "harness", text, sizeof text);
        return invalid(error, "--harness=%.100s: %s", name, text);
    }
    harness->plan.name = harness->adapter->name;
    const char *const other =
        request->name ? NULL : harness_recognise(request->head, request->cwd[SIDE_HEAD]);
    return other && strcmp(other, name) != 0
               ? invalid(error,
                         "BASE=%.200s is a program of %s and HEAD=%.200s one of %s: ab "
                         "compares two builds of the same benchmarks; --harness=command "
                         "compares any two programs",
                         request->base, name, request->head, other)
               : 0;
}

static int check_request(struct harness *harness, struct error *error)
{
    const struct harness_request *const request = &harness->request;
    const bool regex = harness->adapter->reader == read_regex;
    char why[200];
    if (regex != (request->pattern != NULL))
        return invalid(error,
                       regex ? "--harness=regex needs --pattern, a regular expression "
                               "with a group for the name and one for the number"
                             : "--pattern is for --harness=regex");
    if (request->wall && harness->adapter->reader)
        return invalid(error, "--measure is for --harness=command");
    if ((request->build != NULL) != (request->run != NULL))
        return invalid(error, "--build and --run belong together: what builds a commit, "
                              "and the program that it makes");
    if (request->build && (request->cwd[0] || request->cwd[1]))
        return invalid(error, "--cwd-old and --cwd-new are not for --build, whose "
                              "commits have folders of their own");
    if (!regex)
        return 0;
    const int status = regcomp(&harness->pattern, request->pattern, REG_EXTENDED);
    harness->has_pattern = status == 0;
    if (status)
        regerror(status, &harness->pattern, why, sizeof why);
    else if (harness->pattern.re_nsub < 2)
        snprintf(why, sizeof why, "it needs a group for the name and one for the number");
    else
        return 0;
    return invalid(error, "--pattern=%.200s: %s", request->pattern, why);
}

/* ---- cases ---- */

/* The text with which all filters begin. Go takes it for an expression of a name without
 * parts. Names of checkasm end in an instruction set, which is no part of the function:
 * what follows the last '_' may be of it. */
static void set_prefix(struct harness *harness)
{
    const struct text_list *const filters = harness->request.filters;
    char *const prefix = harness->prefix;
    size_t n = filters->n ? strcspn(filters->item[0], "*?[\\") : 0;
    for (size_t i = 1; i < filters->n; i++)
        for (size_t k = 0; k < n; k++)
            if (filters->item[i][k] != filters->item[0][k])
                n = k;
    n = n < sizeof harness->prefix - 2 ? n : 0;
    memcpy(prefix, n ? filters->item[0] : "", n);
    prefix[n] = '\0';
    if (harness->adapter->choice == CHOICE_PARTS) {
        prefix[strcspn(prefix, "/.+()|^$")] = '\0';
        return;
    }
    char *const end = strrchr(prefix, '_');
    snprintf(end ? end : prefix + n, 2, "*");
}

static struct harness_case *case_of(struct harness *harness, const char *name)
{
    for (size_t c = 0; c < harness->n_cases; c++)
        if (!strcmp(harness->cases[c].name, name))
            return &harness->cases[c];
    return NAMED_ADD(harness, cases, n_cases, name);
}

static int list_side(struct harness *harness, int which, struct readings *readings,
                     struct error *error)
{
    const struct adapter *const adapter = harness->adapter;
    struct error why = {.text = ""};
    FREED_BY(slice_free) struct slice slice = {.text = NULL};
    /* Cases of one name, that a process of Google Benchmark runs together, are one. */
    *readings = (struct readings){.repeats = adapter->list_reader == read_names};
    if (!adapter->list) {
        readings_list(readings, adapter->name, strlen(adapter->name));
        return 0;
    }
    int status = side_run(harness, which, 0, adapter->list, adapter->list_reader, NULL,
                          readings, &slice, &why);
    if (status == 0 && !readings->n)
        status =
            error_set(&why, -EPROTO, "it lists no case%s%s%.200s",
                      harness->request.filters->n && strstr(adapter->list, "{prefix}")
                          ? " whose name begins as the filter does; --dry-run without "
                            "one lists them"
                          : "",
                      slice.said ? "; it said: " : "", slice.said ?: "");
    return status == -EPROTO
               ? invalid(error, "%s=%.200s: harness %s: %.400s%s%s",
                         which == SIDE_HEAD ? "HEAD" : "BASE",
                         harness->side[which].command, adapter->name, why.text,
                         adapter->hint ? "; " : "", adapter->hint ?: "")
           : status < 0 ? error_set(error, status, "%s", why.text)
                        : 0;
}

static bool same_names(const struct readings *a, const struct readings *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; i < a->n && same; i++)
        same = !strcmp(a->entry[i].name, b->entry[i].name);
    return same;
}

/* A program that does not find its files from another place runs again where it is. */
static int try_copy(struct harness *harness, const struct readings *base,
                    struct error *error)
{
    FREED_BY(readings_free) struct readings control = {.n = 0};
    struct error why = {.text = ""};
    if (!harness->copied || !harness->adapter->list)
        return 0;
    const int status = list_side(harness, SIDE_CONTROL, &control, &why);
    if (status == -EINTR)
        error_set(error, status, "%s", why.text);
    else if (status < 0 || !same_names(base, &control))
        side_uncopy(harness);
    return status == -EINTR ? status : 0;
}

static int list_cases(struct harness *harness, struct error *error)
{
    const struct text_list *const filters = harness->request.filters;
    int status = 0;
    for (int i = SIDE_BASE; i <= SIDE_HEAD && status == 0; i++) {
        FREED_BY(readings_free) struct readings readings = {.n = 0};
        status = list_side(harness, i, &readings, error);
        if (status == 0 && i == SIDE_BASE)
            status = try_copy(harness, &readings, error);
        FOR_EACH (const struct reading, reading, readings.entry, readings.n) {
            if (filters->n && !text_list_matches(filters, reading->name))
                continue;
            struct harness_case *const entry = case_of(harness, reading->name);
            entry->has[i] = true;
            entry->listed_ns = fmax(entry->listed_ns, reading->ns);
        }
    }
    for (size_t c = 0; c < harness->n_cases; c++)
        harness->plan.n_cases +=
            harness->cases[c].has[SIDE_BASE] && harness->cases[c].has[SIDE_HEAD];
    return status == 0 && !harness->n_cases
               ? error_set(error, -ENOENT,
                           "no case of BASE and HEAD matches '%.200s'; --dry-run without "
                           "a filter lists them",
                           filters->n ? filters->item[0] : "*")
               : status;
}

static void set_form(struct harness *harness)
{
    struct host host;
    harness->form = (struct reading_form){.pattern = &harness->pattern, .tick_ns = 1};
    if (harness->adapter->reader != read_checkasm)
        return;
    host_read(&host, "");
    if (host.tsc_ghz > 0)
        harness->form.tick_ns = 1 / host.tsc_ghz;
}

int harness_open(const struct harness_request *request, struct harness **out,
                 struct error *error)
{
    struct harness *const harness = must_have(calloc(1, sizeof *harness));
    harness->request = *request;
    harness->slice_ns = request->slice_ns ? request->slice_ns : SLICE_NS;
    harness->random = request->how->seed;
    harness->folder_lock = -1;
    harness->plan.settled.most_threads = request->threads ?: 1;
    int status = choose_adapter(harness, error)
                     ?: check_request(harness, error)
                     ?: sides_open(harness, error)
                     ?: plan_take_cpus(request->how, &harness->plan.settled, error);
    if (status == 0) {
        set_form(harness);
        set_prefix(harness);
        harness->form.threads = (uint32_t)harness->plan.settled.n_cpu;
        status = list_cases(harness, error);
    }
    if (status == 0 && !request->how->unlocked)
        status = harness_pilot(harness, error);
    if (status < 0)
        harness_close(harness);
    else
        *out = harness;
    return status;
}

void harness_close(struct harness *harness)
{
    if (!harness)
        return;
    sides_close(harness);
    for (size_t c = 0; c < harness->n_cases; c++) {
        FREE_EACH(harness->cases[c].name, harness->cases[c].skips);
        free(harness->cases[c].rounds);
    }
    free(harness->cases);
    if (harness->has_pattern)
        regfree(&harness->pattern);
    plan_free(&harness->plan.settled);
    free(harness);
}

void harness_print(const struct harness *harness, FILE *file)
{
    FOR_EACH (const struct harness_case, entry, harness->cases, harness->n_cases) {
        const bool both = entry->has[SIDE_BASE] && entry->has[SIDE_HEAD];
        text_line(file, "%s%s", entry->name,
                  both                    ? ""
                  : entry->has[SIDE_BASE] ? "  (only base has it)"
                                          : "  (only head has it)");
    }
}

/* ---- the run ---- */

static void begin_case(struct harness *harness, size_t c)
{
    struct harness_case *const entry = &harness->cases[c];
    entry->result = harness->run->n_results;
    struct result *const result = run_add_result(harness->run);
    result_set_name(result, entry->name);
    result->group = c;
    result->threads = (int)harness->form.threads;
    entry->active = case_is_compared(entry);
    entry->n_rounds = entry->n_void = entry->turns = 0;
    entry->step_ns = entry->least_ns = 0;
    free(entry->rounds);
    entry->rounds = NULL;
    if (entry->skips) {
        result_set_status(result, STATUS_SKIPPED, entry->skips);
        return;
    }
    struct comparison *const comparison = result_comparison(result);
    comparison->verdict = VERDICT_UNUSABLE;
    if (entry->active)
        return;
    const char *const reason =
        entry->has[SIDE_BASE] ? "only base has it" : "only head has it";
    comparison->verdict = entry->has[SIDE_BASE] ? VERDICT_GONE : VERDICT_NEW;
    string_set(&comparison->reason, reason);
    result_set_status(result, STATUS_SKIPPED, reason);
}

static void set_gate(struct harness *harness)
{
    struct gate *const gate = run_gate(harness->run);
    struct facts *const settings = &harness->run->settings;
    gate->threshold = harness->request.threshold;
    gate->strict = harness->request.strict;
    gate->own_processes = true;
    gate->placement = harness->request.placement;
    string_set(&gate->kind, "paired");
    gate->equal = harness->plan.equal;
    string_set(&gate->harness, harness->adapter->name);
    facts_number(settings, "processes", harness->plan.processes);
    facts_number(settings, "slice_ns", (double)harness->slice_ns);
    if (harness->n_places > 1)
        facts_number(settings, "places", (double)harness->n_places);
    FOR_EACH (const struct side, side, harness->side, SIDES) {
        const char *const id = side->file.build_id;
        struct arm *const arm = gate_add_arm(gate, side->name, side->told);
        string_set(&arm->build_id, *id ? id : NULL);
        string_set(&arm->commit, side->commit);
    }
}

static void set_remark(struct harness *harness)
{
    FREED_BY(buffer_free) struct buffer remark = {.text = NULL};
    harness_count(harness);
    if (harness->n_disturbed)
        buffer_format(&remark,
                      "%zu of %zu rounds were disturbed (preempted, stolen time, company "
                      "on the core), and no better ones were to be had%s",
                      harness->n_disturbed, harness->n_taken,
                      harness->adapter->one_case && harness->slice_ns > SHORT_SLICE_NS
                          ? "; with --slice=5ms fewer are disturbed"
                          : "");
    for (int i = 0; i < SIDES; i++)
        if (harness->n_late[i])
            buffer_format(&remark, "%s%zu process%s of %s hung and ran again",
                          remark.text ? "; " : "", harness->n_late[i],
                          harness->n_late[i] == 1 ? "" : "es", harness->side[i].name);
    string_set(&harness->run->gate->remark, remark.text);
}

static void finish(struct harness *harness, bool interrupted)
{
    struct run *const run = harness->run;
    if (!interrupted)
        places_bound(harness);
    interrupted |= interrupted_by != 0;
    for (size_t c = 0; c < harness->n_cases; c++) {
        struct result *const result = &run->results[harness->cases[c].result];
        if (!harness->cases[c].active)
            continue;
        notes_add(harness, c);
        if (result->samples.n)
            result_set_status(result, STATUS_OK, NULL);
        else
            string_set(&result->comparison->reason, "interrupted");
    }
    run->interrupted = interrupted;
    run_close_pending(run, GROUP_ALL, "interrupted");
    run->gate->seconds = (double)(clock_now() - harness->started) * 1e-9;
    set_remark(harness);
    run_summarise(run, GROUP_ALL);
    run_judge(run);
}

int harness_measure(struct harness *harness, uint64_t seed, const struct watcher *watcher,
                    struct run *run, struct error *error)
{
    static const struct watcher nobody = {.context = NULL};
    const struct harness_plan *const plan = &harness->plan;
    harness->random = seed;
    harness->run = run;
    harness->watcher = watcher ? watcher : &nobody;
    harness->started = clock_now();
    for (size_t c = 0; c < harness->n_cases; c++)
        begin_case(harness, c);
    set_gate(harness);
    int status = 0;
    for (int look = 1; look <= plan->looks && status == 0; look++) {
        status = harness_look(harness, (uint32_t)look * plan->processes, look, error);
        run_judge(run);
        if (status == 0 && look == 1) {
            unchanged_find(harness);
            run_judge(run);
        }
        run_summarise(run, GROUP_ALL);
        if (status == 0 && harness->watcher->group_done)
            harness->watcher->group_done(harness->watcher->context, run, 0);
    }
    if (status == 0 || status == -EINTR)
        finish(harness, status == -EINTR);
    return status;
}
