/* SPDX-License-Identifier: Apache-2.0 */
#include "measure_private.h"

#include <math.h>

/* A probe takes about 33 us: one for each such stretch of batches costs under 2% of a
 * run. */
#define PROBE_EVERY_NS 2500000.0
/* Batches of a steady limit: longer ones would tell no more. */
#define STEADY_BATCH_NS 160000.0

static struct runner watched(struct group_state *group, struct case_state *entry)
{
    struct runner runner = runner_of(group, entry);
    runner.watched = true;
    return runner;
}

static int calibrate(struct group_state *group, struct case_state *entry)
{
    const struct plan *plan = group->session->plan;
    const bool turns = group->session->how->multiplex && plan->n_events;
    const struct runner runner = watched(group, entry);
    const double most = is_steady(group, entry) ? STEADY_BATCH_NS : INFINITY;
    case_result(group, entry)->threads_used = 0;
    const int status = runners_calibrate(
        &runner, 1, turns ? MULTIPLEX_BATCH_NS : fmin(plan->batch_ns, most));
    if (status || !entry->active)
        return status;
    struct result *const result = case_result(group, entry);
    result->samples.iterations = entry->iterations;
    fairness_used(result);
    return 0;
}

static bool same_worker(const struct case_state *a, const struct case_state *b)
{
    return a->active && b->active && a->offer->worker == b->offer->worker;
}

static void take_overhead(struct group_state *group, struct case_state *entry,
                          const cJSON *reply)
{
    struct overhead_reply told;
    size_t i = 0;
    const cJSON *item;
    overhead_reply_read(reply, &told);
    case_result(group, entry)->samples.overhead_ns = told.ns;
    cJSON_ArrayForEach (item, message_get(reply, "counts")) {
        struct overhead_count count;
        if (i == group->session->plan->n_events)
            break;
        overhead_count_read(item, &count);
        entry->empty_call[i] = isnan(count.call) ? 0 : count.call;
        entry->empty_region[i++] = isnan(count.region) ? 0 : count.region;
    }
}

/* Once it is known how many regions its batches have. */
static void set_overhead(struct group_state *group, const struct case_state *entry)
{
    const struct session *session = group->session;
    const double regions = (double)entry->regions / (double)entry->iterations;
    for (size_t i = 0; i < session->plan->n_events; i++)
        case_result(group, entry)
            ->samples.counters[session->counter_of_event[i]]
            .overhead = entry->empty_call[i] + entry->empty_region[i] * regions;
}

static bool is_declared(const struct case_state *entry)
{
    const char *const path = entry->offer->worker->info.path;
    return path && module_is_declared(path);
}

/* Each declared function is called in its own way. */
static bool same_loop(const struct case_state *a, const struct case_state *b)
{
    return same_worker(a, b) && a->resets == b->resets && (a == b || !is_declared(a));
}

/* Each worker is asked once for all cases that are called alike. */
static int measure_overhead(struct group_state *group)
{
    const struct how *how = group->session->how;
    for (size_t i = 0; i < group->n_cases; i++) {
        struct case_state *entry = &group->cases[i];
        bool known = !entry->active;
        for (size_t k = 0; k < i && !known; k++)
            known = same_loop(&group->cases[k], entry);
        if (known)
            continue;
        const struct overhead_call call = {
            .cold = group->plan->settings.cold || how->conditions.fresh_output ||
                    entry->resets,
            .number = is_declared(entry) ? entry->number : UINT64_MAX};
        FREED_BY(json_delete) cJSON *reply = NULL;
        const struct runner runner = runner_of(group, entry);
        int status = runner_ask(&runner, overhead_call(&call), how->timeout_ns, &reply);
        for (size_t k = i; k < group->n_cases && status == 0; k++)
            if (same_loop(&group->cases[k], entry))
                take_overhead(group, &group->cases[k], reply);
        if (status)
            return status;
    }
    return 0;
}

/* Those of batches that had the core alone come first. judge_case() keeps these alone,
 * or all. */
static void add_value(struct counter *counter, double value, bool alone)
{
    must(counter_add_sample(counter, value));
    if (!alone)
        return;
    double *const last = &counter->samples[counter->n - 1];
    *last = counter->samples[counter->n_alone];
    counter->samples[counter->n_alone++] = value;
}

static void add_count(struct counter *counter, const struct batch_count *count,
                      bool alone)
{
    add_value(counter, count->value, alone);
    counter->running_share +=
        (count->running_share - counter->running_share) / (double)counter->n;
    string_set(&counter->scope, count->scope);
    counter->threads = fmax(counter->threads, count->threads);
    counter->user_read = count->user_read;
    string_set(&counter->absent, NULL);
}

/* A batch without a value matters only while there is none from another batch. */
static void add_absence(struct counter *counter, const struct batch_count *count)
{
    counter->voided += count->impossible;
    if (counter->n)
        return;
    string_set(&counter->absent, count->absent);
    string_set(&counter->fix, count->fix);
    string_set(&counter->errno_name, count->errno_name);
    counter->code = count->code;
}

/* Takes the counts of perf_event, and those of getrusage where perf_event has none. */
static void add_counters(struct group_state *group, struct case_state *entry,
                         const struct batch *batch)
{
    const struct session *session = group->session;
    struct result *result = case_result(group, entry);
    const struct batch_reply *const told = &batch->told;
    double usage[USAGE_COUNTERS] = {
        [USAGE_PAGE_FAULTS] = told->minor_faults + told->major_faults,
        [USAGE_CONTEXT_SWITCHES] = told->voluntary_switches + told->involuntary_switches,
        [USAGE_TASK_CLOCK] = isnan(told->process_ns) ? 0 : told->process_ns};
    size_t i = 0;
    const cJSON *item;
    cJSON_ArrayForEach (item, message_get(batch->reply, "counts")) {
        struct batch_count count;
        if (i >= session->plan->n_events)
            break;
        batch_count_read(item, &count);
        size_t at = session->counter_of_event[i++];
        struct counter *counter = &result->samples.counters[at];
        /* Threads that a kernel started by itself have no counters, but CPU time. */
        const bool too_few = at == USAGE_TASK_CLOCK && count.threads < result->threads;
        const bool absent = too_few || count.absent;
        if (!absent && !isnan(count.value) && at < USAGE_COUNTERS) {
            usage[at] = count.value;
            string_set(&counter->scope, count.scope);
            counter->threads = fmax(counter->threads, count.threads);
        } else if (!absent && !isnan(count.value)) {
            add_count(counter, &count, batch->alone);
        } else if (absent && at < USAGE_COUNTERS) {
            string_set(&counter->event, "getrusage");
            string_set(&counter->config, NULL);
        } else if (absent) {
            add_absence(counter, &count);
        }
    }
    for (i = 0; i < USAGE_COUNTERS; i++)
        add_value(&result->samples.counters[i], usage[i], batch->alone);
}

/* False on evidence that another thread ran on the core. */
static bool had_core(struct session *session, const struct batch *batch)
{
    const int split = (int)batch->told.core_split;
    const double share = batch->told.core_share;
    if (split < 0 && !(share > 0))
        return true;
    session->core_best = fmax(session->core_best, share);
    const bool alone = clock_core_alone(split, share, session->core_best);
    session->n_core_probed++;
    session->n_core_shared += !alone;
    return alone;
}

/* A valid batch gives a sample, counts and perhaps the clock. It shows how many threads
 * work if calibration, disturbed by others, did not. */
static void add_batch(struct group_state *group, struct case_state *entry, uint32_t round,
                      const struct batch *batch)
{
    struct result *result = case_result(group, entry);
    const double ghz = batch->told.ghz;
    must((batch->alone ? result_add_sample : result_add_apart)(result, round, batch->ns));
    add_counters(group, entry, batch);
    result->samples.subnormal += batch->told.subnormal != 0;
    if (!result->threads_used) {
        runner_take_threads(result, batch);
        fairness_used(result);
    }
    if (ghz > 0)
        must(result_add_clock(result, ghz));
    note_once(result, batch->told.note);
}

/* Runs a batch of a case that has the core alone, if there is one to be had soon. Those
 * beside another thread are set apart. */
static int run_alone(struct rounds *rounds, const struct turn *turn, uint32_t round,
                     bool probe, struct batch *batch)
{
    enum { AGAIN = 8 };
    const struct runner runner = watched(turn->group, turn->entry);
    struct batch_call call = runner_call(&runner, turn->entry->iterations);
    call.pass = round;
    call.probe = probe;
    for (int tries = 0;; tries++) {
        const int status = runner_batch(&runner, &call, batch);
        batch->alone = status != 0 || had_core(rounds->lead, batch);
        if (batch->alone || tries == AGAIN || !pace_again(rounds, turn, round))
            return status;
        if (!batch->void_)
            must(result_add_apart(case_result(turn->group, turn->entry), round,
                                  batch->ns));
        cJSON_Delete(batch->reply);
    }
}

/* All CPUs that some group runs on, most of them once. */
static int64_t steal_of(const struct group_state *groups, size_t n)
{
    int64_t sum = group_steal(&groups[0]);
    for (size_t i = 1; i < n; i++)
        if (groups[i].used_cpus > groups[0].used_cpus ||
            groups[i].session->plan->cpu[0] != groups[0].session->plan->cpu[0])
            sum += group_steal(&groups[i]);
    return sum;
}

/* A further group that breaks something loses its own turns: the others go on. */
static int without(const struct rounds *rounds, struct group_state *group, int status)
{
    const bool lead = group == &rounds->groups[0];
    if (lead || status == 0 || status == -EINTR)
        return status;
    group_end(group, NULL, STATUS_FAILED, "its worker could not go on");
    return 0;
}

/* All active cases once, in a random order. A batch is kept unless there is evidence
 * against it. `complete` is false if any was thrown away. */
static int run_round(struct rounds *rounds, uint32_t round, const int *order,
                     struct batch *batches, bool *complete)
{
    struct session *session = rounds->lead;
    int64_t steal = steal_of(rounds->groups, rounds->n_groups);
    int status = 0;
    size_t done = 0;
    for (; done < rounds->n && status == 0; done++) {
        const struct turn *turn = &rounds->turns[order[done]];
        batches[done] = (struct batch){.reply = NULL};
        if (!turn->entry->active)
            continue;
        /* The first probe of each case comes at once and is paid for later. A few rounds
         * of many arms would give each too few of them. */
        bool probe = rounds->n_groups > 1 || session->probe_ns >= PROBE_EVERY_NS ||
                     case_result(turn->group, turn->entry)->samples.n_clock == 0;
        status = run_alone(rounds, turn, round, probe, &batches[done]);
        status = without(rounds, turn->group, status);
        if (probe)
            session->probe_ns -= PROBE_EVERY_NS;
        session->probe_ns = fmin(session->probe_ns + batches[done].ns, PROBE_EVERY_NS);
    }
    bool stolen = steal_of(rounds->groups, rounds->n_groups) != steal;
    *complete = !stolen;
    for (size_t i = 0; i < done; i++) {
        const struct turn *turn = &rounds->turns[order[i]];
        if (!batches[i].reply)
            continue;
        const bool counts = status == 0 && turn->entry->active; /* it may have ended */
        if (counts && !stolen && !batches[i].void_) {
            add_batch(turn->group, turn->entry, round, &batches[i]);
        } else if (counts) {
            struct result *const result = case_result(turn->group, turn->entry);
            result->samples.voided++;
            must(result_add_voided(result, batches[i].ns));
            *complete = false;
        }
        cJSON_Delete(batches[i].reply);
    }
    return status;
}

static int calibrate_all(struct group_state *group)
{
    int status = 0;
    for (size_t i = 0; i < group->n_cases && status == 0; i++)
        if (group->cases[i].active)
            status = calibrate(group, &group->cases[i]);
    return status;
}

int group_calibrate(struct group_state *group, struct error *error)
{
    bool matter = false;
    int status = measure_overhead(group) ?: calibrate_all(group);
    for (size_t i = 0; i < group->n_cases && status == 0; i++) {
        const struct runner runner = runner_of(group, &group->cases[i]);
        if (!runner.entry->plan->copy)
            status = runner_look_at_data(&runner, &matter);
    }
    if (status == 0 && matter) {
        group_reset_data(group);
        status = measure_overhead(group) ?: calibrate_all(group);
    }
    return status < 0 ? error_set(error, status, "interrupted") : status;
}

/* The cases that are left, in plan order. */
static void add_turns(struct rounds *rounds, struct group_state *group)
{
    for (size_t i = 0; i < group->n_cases; i++) {
        if (!group->cases[i].active)
            continue;
        must_grow(rounds->turns, rounds->n);
        rounds->turns[rounds->n++] =
            (struct turn){.group = group, .entry = &group->cases[i]};
    }
}

/* The inputs of all groups change in the same way: cases that are compared compute the
 * same, also if their time depends on the numbers. */
static int change_inputs(struct rounds *rounds, struct error *error)
{
    const uint64_t seed = random_next(&rounds->groups[0].random);
    int status = 0;
    for (size_t i = 0; i < rounds->n_groups && status == 0; i++)
        status = without(rounds, &rounds->groups[i],
                         group_check_again(&rounds->groups[i], seed, error));
    return status;
}

/* Rounds until they end; what ran is judged. Inputs also change before two of them, which
 * a kernel cannot foresee. */
static int run_rounds(struct rounds *rounds, struct error *error)
{
    struct group_state *const first = &rounds->groups[0];
    const struct pace *const pace = &rounds->pace;
    FREED_BY(free_memory) struct batch *batches =
        must_have(calloc(rounds->n, sizeof *batches));
    FREED_BY(free_memory) int *order = must_have(calloc(rounds->n, sizeof *order));
    uint32_t complete = 0, round = 0;
    uint64_t random = first->seed;
    int status = 0;
    const uint64_t later = (pace->wanted < pace->look ? pace->wanted : pace->look) - 1;
    const uint64_t check_at[] = {1 + random_next(&first->random) % (later + !later),
                                 1 + random_next(&first->random) % (later + !later)};
    for (size_t i = 0; i < rounds->n; i++)
        order[i] = (int)i;
    for (; status == 0 && !pace_ends(rounds, round, complete); round++) {
        bool whole;
        session_tell(rounds->lead, first->number, "round", complete, pace->wanted);
        order_shuffle(order, rounds->n, &random);
        if (round == check_at[0] || round == check_at[1])
            status = change_inputs(rounds, error);
        if (status == 0) {
            status = run_round(rounds, round, order, batches, &whole);
            complete += whole;
        }
    }
    if (status == 0)
        status = change_inputs(rounds, error);
    for (size_t i = 0; i < rounds->n; i++)
        if (rounds->turns[i].entry->active)
            set_overhead(rounds->turns[i].group, rounds->turns[i].entry);
    if (status == 0 || status == -EINTR)
        pace_judge(rounds, status == 0 ? round : 0);
    return status;
}

int groups_measure(struct group_state *groups, size_t n, struct error *error)
{
    struct rounds rounds = {.groups = groups, .n_groups = n, .lead = groups[0].session};
    int status = 0;
    error->text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        add_turns(&rounds, &groups[i]);
    if (rounds.n > GROUP_CASES_MAX)
        status =
            error_set(error, -E2BIG, "more than %d cases in one group", GROUP_CASES_MAX);
    if (status == 0 && rounds.n) {
        pace_choose(&rounds);
        status = run_rounds(&rounds, error);
    }
    free(rounds.turns);
    if (status < 0 && !error->text[0])
        return error_set(error, status, "interrupted");
    return status;
}
