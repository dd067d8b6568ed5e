/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds: a process of each build, one after the other, for one case or for all. */
#include "harness_private.h"

#include <math.h>

/* A round is as good as undisturbed if each of its processes lost its CPU once at most:
 * kernel threads take it for some microseconds. */
enum { CLEAN = 1 };
/* Slices of CPU time that a process with repetitions may take. */
enum { SLICES_MOST = 10 };
/* A case that had two void rounds, and one for each four others, ends at the next. */
enum { VOID_FEW = 2, VOID_PART = 4 };

size_t unit_end(const struct harness *harness, size_t first)
{
    return harness->adapter->one_case ? first + 1 : harness->n_cases;
}

static bool lacks_case(const struct harness *harness, const char *reason)
{
    const char *const none = harness->adapter->none;
    return none && strstr(reason, none);
}

/* A name is as it was listed, so that what it stands for is one entry. Lines that a
 * program prints before its list of cases are none. */
static void fail_all(const struct harness *harness, size_t first, const char *reason,
                     struct readings *readings)
{
    const bool told = !harness->found && lacks_case(harness, reason);
    readings_free(readings);
    for (size_t c = first; c < unit_end(harness, first); c++) {
        const char *const name = harness->cases[c].name;
        readings_put(readings, name, strlen(name), reason,
                     (struct reading){.ns = NAN, .told = told});
    }
}

/* The time of a whole program; for tests that of its side, as SIMDBENCH_TEST_CLOCK has
 * it. */
static double command_ns(const struct harness *harness, int which,
                         const struct slice *slice)
{
    return clock_script()          ? clock_script_rate(harness->side[which].name)
           : harness->request.wall ? (double)slice->wall_ns
                                   : (double)slice->cpu_ns;
}

/* Repetitions of a case are one reading, so that a few of them may be disturbed, but none
 * may fail. */
static void take_median(const char *name, struct readings *readings)
{
    struct reading *const lead = readings_find(readings, name);
    FREED_BY(free_memory) double *room = must_have(calloc(readings->n + 1, sizeof *room));
    size_t n = 0;
    FOR_EACH (const struct reading, entry, readings->entry, readings->n) {
        if (strcmp(entry->name, name) != 0)
            continue;
        if (!entry->reason)
            room[n++] = entry->ns;
        else if (entry->told && !lead->reason) {
            string_set(&lead->reason, entry->reason);
            lead->told = true;
            lead->ns = NAN;
        }
    }
    if (lead && !lead->reason)
        lead->ns = stats_median(room, n);
}

static void limit_repetitions(const struct harness *harness, struct harness_case *entry,
                              const struct slice *slice)
{
    const double one = (double)slice->cpu_ns / FIRST_REPETITIONS + 1;
    const double most = SLICES_MOST * (double)harness->slice_ns / one;
    if (!entry->repetitions)
        entry->repetitions = (uint32_t)fmin(fmax(most, 1), harness->adapter->repetitions);
}

int unit_run(struct harness *harness, size_t first, int which, size_t place,
             struct readings *readings, struct slice *slice, struct error *error)
{
    const struct adapter *const adapter = harness->adapter;
    const char *const name = harness->cases[first].name;
    struct error why = {.text = ""};
    *readings = (struct readings){.repeats = adapter->repetitions > 0};
    const int status = side_run(harness, which, place, adapter->run, adapter->reader,
                                name, readings, slice, &why);
    harness->found |= !lacks_case(harness, why.text);
    if (status == -EPROTO)
        fail_all(harness, first, why.text, readings);
    else if (status < 0)
        return error_set(error, status, "%s", why.text);
    else if (!adapter->reader)
        readings_add(readings, name, strlen(name), command_ns(harness, which, slice));
    if (adapter->repetitions) {
        take_median(name, readings);
        limit_repetitions(harness, &harness->cases[first], slice);
    }
    for (size_t c = first; c < unit_end(harness, first); c++) {
        const char *const wanted = harness->cases[c].name;
        if (!readings_find(readings, wanted))
            readings_put(readings, wanted, strlen(wanted), "its output has no such case",
                         (struct reading){.ns = NAN});
    }
    return 0;
}

/* ---- rounds ---- */

static size_t processes_of_round(const struct harness *harness)
{
    return SIDES * harness->n_places;
}

/* Rounds are rows of a Latin square: each side, at each place, is first, second and so on
 * equally often. Process i is side i % SIDES at place i / SIDES. */
static void next_order(struct harness *harness, size_t first, int *order)
{
    struct harness_case *const lead = &harness->cases[first];
    const size_t n = processes_of_round(harness), row = lead->turns++ % n;
    if (row == 0) {
        for (size_t i = 0; i < n; i++)
            lead->order[i] = (int)i;
        order_shuffle(lead->order, n, &harness->random);
    }
    for (size_t i = 0; i < n; i++)
        order[i] = lead->order[(i + row) % n];
}

static bool may_be_void(const struct harness_case *entry)
{
    return entry->n_void < VOID_FEW || VOID_PART * entry->n_void < entry->n_rounds;
}

/* The last digit of any time of a case: programs may leave out zeros at the end. */
static void take_step(struct harness_case *entry, const struct reading *reading)
{
    if (!(reading->ns > 0) || !(reading->step_ns > 0))
        return;
    const bool first = !entry->step_ns;
    entry->step_ns = first ? reading->step_ns : fmin(entry->step_ns, reading->step_ns);
    entry->least_ns = first ? reading->ns : fmin(entry->least_ns, reading->ns);
}

static void take_readings(struct harness *harness, size_t first, int which, size_t place,
                          const struct readings *readings, const struct slice *slice,
                          struct harness_round *rounds)
{
    for (size_t c = first; c < unit_end(harness, first); c++) {
        const struct reading *const reading =
            readings_find(readings, harness->cases[c].name);
        struct harness_round *const round = &rounds[c - first];
        if (!harness->cases[c].active)
            continue;
        if (reading->reason && !(reading->no_time && may_be_void(&harness->cases[c])))
            case_fail(harness, c, which, reading->reason);
        round->is_void |= reading->no_time;
        take_step(&harness->cases[c], reading);
        round->ns[which][place] = reading->ns;
        round->peak[which] = slice->peak_bytes;
        round->own[which] = slice->own_bytes;
        round->faults[which] = slice->faults;
        round->evidence += slice->evidence;
    }
}

static bool any_active(const struct harness *harness, size_t first)
{
    bool any = false;
    for (size_t c = first; c < unit_end(harness, first); c++)
        any |= harness->cases[c].active;
    return any;
}

static int take_round(struct harness *harness, size_t first, struct error *error)
{
    const size_t n = unit_end(harness, first) - first;
    FREED_BY(free_memory) struct harness_round *rounds =
        must_have(calloc(n, sizeof *rounds));
    const size_t n_processes = processes_of_round(harness);
    int order[SIDES * PLACES], status = 0;
    next_order(harness, first, order);
    for (size_t i = 0; i < n_processes && status == 0 && any_active(harness, first);
         i++) {
        const int which = order[i] % SIDES;
        const size_t place = (size_t)order[i] / SIDES;
        FREED_BY(readings_free) struct readings readings = {.n = 0};
        FREED_BY(slice_free) struct slice slice = {.text = NULL};
        status = unit_run(harness, first, which, place, &readings, &slice, error);
        if (status == 0)
            take_readings(harness, first, which, place, &readings, &slice, rounds);
    }
    for (size_t c = first; status == 0 && c < first + n; c++) {
        struct harness_case *const entry = &harness->cases[c];
        if (!entry->active)
            continue;
        if (rounds[c - first].is_void) {
            entry->n_void++;
            continue;
        }
        struct harness_round *const round = LIST_ADD(entry, rounds, n_rounds);
        *round = rounds[c - first];
    }
    return status;
}

/* ---- trials ---- */

static const struct harness_round *sorted; /* qsort() compares its numbers */

static int by_evidence(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    const uint32_t x = sorted[a].evidence, y = sorted[b].evidence;
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

static int by_number(const void *left, const void *right)
{
    const size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static void add_trial(const struct harness *harness, struct result *result,
                      const struct harness_round *round, const size_t *best, size_t i)
{
    struct trial trial = {.process = (uint32_t)i,
                          .base_ns = round->ns[SIDE_BASE][best[SIDE_BASE]],
                          .head_ns = round->ns[SIDE_HEAD][best[SIDE_HEAD]],
                          .control_ns = round->ns[SIDE_CONTROL][best[SIDE_CONTROL]]};
    if (harness->n_places > 1) {
        trial.built_base_ns = round->ns[SIDE_BASE][0];
        trial.built_head_ns = round->ns[SIDE_HEAD][0];
        comparison_placement(result->comparison);
    }
    must(comparison_add_trial(result->comparison, &trial));
    must(result_add_sample(result, (uint32_t)i, trial.head_ns));
}

/* The rounds with the least evidence against them count, whatever their times. */
static void choose(struct harness *harness, size_t c, uint32_t processes)
{
    struct harness_case *const entry = &harness->cases[c];
    struct result *const result = &harness->run->results[entry->result];
    const size_t n = entry->n_rounds;
    const size_t taken = n < processes ? n : processes;
    FREED_BY(free_memory) size_t *number = must_have(calloc(n + 1, sizeof *number));
    for (size_t i = 0; i < n; i++)
        number[i] = i;
    sorted = entry->rounds;
    qsort(number, n, sizeof *number, by_evidence);
    qsort(number, taken, sizeof *number, by_number);
    relink_choose(harness, c, number, taken);
    result_clear_samples(result);
    free(result->comparison->trials);
    result->comparison->trials = NULL;
    result->comparison->n_trials = 0;
    result->comparison->voided = result->samples.voided =
        (uint32_t)(n - taken + entry->n_void);
    result->comparison->rounding = entry->step_ns ? entry->step_ns / entry->least_ns : 0;
    result->samples.iterations = 1;
    for (size_t i = 0; i < taken; i++)
        add_trial(harness, result, &entry->rounds[number[i]], entry->best, number[i]);
}

static size_t clean_rounds(const struct harness *harness,
                           const struct harness_case *entry)
{
    size_t n = 0;
    for (size_t i = 0; i < entry->n_rounds; i++)
        n += entry->rounds[i].evidence <= CLEAN * processes_of_round(harness);
    return n;
}

/* ---- looks ---- */

/* Disturbed rounds are replaced, at most as many again, and not where nearly all are: on
 * a machine that busy more of them are no better. With --time they are while it lasts. */
static bool case_wants(const struct harness *harness, const struct harness_case *entry,
                       uint32_t processes)
{
    const size_t n = entry->n_rounds, clean = clean_rounds(harness, entry);
    const int64_t time_ns = harness->request.time_ns;
    if (!entry->active || !entry->wanted ||
        (time_ns && n >= PROCESSES_LEAST && clock_now() - harness->started > time_ns))
        return false;
    return n < processes ||
           (clean < processes && 4 * clean >= n && n < 2 * (size_t)processes);
}

static bool unit_wants(const struct harness *harness, size_t first, uint32_t processes)
{
    bool wants = false;
    for (size_t c = first; c < unit_end(harness, first); c++)
        wants |= case_wants(harness, &harness->cases[c], processes);
    return wants;
}

static void tell(const struct harness *harness, size_t first, uint32_t processes)
{
    const struct harness_case *const entry = &harness->cases[first];
    const struct progress progress = {.group = 0,
                                      .n_groups = 1,
                                      .title = entry->name,
                                      .step = "process",
                                      .done = (uint32_t)entry->n_rounds,
                                      .wanted = processes,
                                      .started = harness->started};
    if (harness->watcher->progress)
        harness->watcher->progress(harness->watcher->context, &progress);
}

/* Units take turns, so that a change of the machine meets all of them. */
static int take_rounds(struct harness *harness, uint32_t processes, struct error *error)
{
    bool any = true;
    int status = 0;
    while (any && status == 0) {
        any = false;
        for (size_t c = 0; c < harness->n_cases && status == 0;
             c = unit_end(harness, c)) {
            if (!unit_wants(harness, c, processes))
                continue;
            any = true;
            tell(harness, c, processes);
            status = take_round(harness, c, error);
        }
    }
    return status;
}

int harness_look(struct harness *harness, uint32_t processes, int look,
                 struct error *error)
{
    FOR_EACH (struct harness_case, entry, harness->cases, harness->n_cases) {
        const struct comparison *const comparison =
            harness->run->results[entry->result].comparison;
        entry->wanted =
            entry->active &&
            (look == 1 || comparison_is_open(comparison, harness->request.threshold));
    }
    const int status = take_rounds(harness, processes, error);
    for (size_t c = 0; c < harness->n_cases; c++)
        if (harness->cases[c].active && harness->cases[c].wanted)
            choose(harness, c, processes);
    return status;
}

void harness_count(struct harness *harness)
{
    harness->n_taken = harness->n_disturbed = 0;
    FOR_EACH (const struct harness_case, entry, harness->cases, harness->n_cases) {
        if (entry->skips)
            continue;
        const size_t taken = harness->run->results[entry->result].comparison->n_trials;
        const size_t clean = clean_rounds(harness, entry);
        harness->n_taken += taken;
        harness->n_disturbed += taken > clean ? taken - clean : 0;
    }
}
