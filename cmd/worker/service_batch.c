/* SPDX-License-Identifier: Apache-2.0 */
#include "reports.h"
#include "service.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

/* The sum of what each event counted over the timed regions of one batch. Once there is
 * no value for a region there is none for the batch. */
struct batch_counts {
    size_t regions;
    double value[EVENTS_MAX], share[EVENTS_MAX];
    bool mine[EVENTS_MAX];
    struct count last[EVENTS_MAX];
};

static void batch_counts_add(const struct service *service,
                             const struct counters *counters, struct batch_counts *counts)
{
    counts->regions++;
    for (size_t i = 0; i < service->n_events; i++) {
        if (counts->last[i].absent[0])
            continue;
        counts->mine[i] = counters_get(counters, i, &counts->last[i]);
        counts->value[i] += (double)counts->last[i].value;
        counts->share[i] += counts->last[i].running_share;
    }
}

static void add_absence(cJSON *item, const struct count *count)
{
    cJSON_AddStringToObject(item, "absent", count->absent);
    if (count->impossible)
        cJSON_AddBoolToObject(item, "impossible", true);
    if (count->fix[0])
        cJSON_AddStringToObject(item, "fix", count->fix);
    if (count->code) {
        cJSON_AddNumberToObject(item, "errno", count->code);
        service_add_text(item, "errno_name", strerrorname_np(count->code));
    }
}

static cJSON *batch_counts_reply(const struct service *service,
                                 const struct batch_counts *counts)
{
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < service->n_events; i++) {
        cJSON *item = cJSON_CreateObject();
        const struct count *last = &counts->last[i];
        if (counts->mine[i] && last->absent[0]) {
            add_absence(item, last);
        } else if (counts->mine[i]) {
            cJSON_AddNumberToObject(item, "value", counts->value[i]);
            cJSON_AddNumberToObject(item, "running_share",
                                    counts->share[i] / (double)counts->regions);
            cJSON_AddNumberToObject(item, "threads", last->threads);
            cJSON_AddStringToObject(item, "scope",
                                    last->in_kernel ? "user and kernel" : "user");
            cJSON_AddBoolToObject(item, "user_read", last->user_read);
        }
        cJSON_AddItemToArray(list, item);
    }
    return list;
}

/* The one loop that is timed. It stays a function of its own, so that the empty kernel
 * that measures its cost goes through the very same instructions. */
__attribute__((noinline)) static void
repeat(void (*run)(const struct simdbench_operands *, void *),
       const struct simdbench_operands *operands, void *state, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        run(operands, state);
}

static void add_sample(cJSON *reply, const struct sample *sample)
{
    cJSON_AddNumberToObject(reply, "ns", (double)sample->ns);
    cJSON_AddNumberToObject(reply, "cpu_ns", (double)sample->cpu_ns);
    cJSON_AddNumberToObject(reply, "process_ns", (double)sample->process_ns);
    cJSON_AddNumberToObject(reply, "minor_faults", (double)sample->minor_faults);
    cJSON_AddNumberToObject(reply, "major_faults", (double)sample->major_faults);
    cJSON_AddNumberToObject(reply, "voluntary_switches",
                            (double)sample->voluntary_switches);
    cJSON_AddNumberToObject(reply, "involuntary_switches",
                            (double)sample->involuntary_switches);
    cJSON_AddBoolToObject(reply, "migrated", sample->cpu_begin != sample->cpu_end);
}

/* How many threads did something, and if there is a CPU for each, the longest that one of
 * them waited for it. Threads that work one after the other have nothing to wait for. */
static void add_threads(const struct service *service, const struct sample *sample,
                        const struct thread_times *before,
                        const struct thread_times *after, cJSON *reply)
{
    const uint32_t threads = service->operands.view.threads;
    const bool room =
        !clock_script() && (service->n_cpu == 0 || threads <= service->n_cpu);
    cJSON_AddNumberToObject(
        reply, "threads_busy",
        clock_script() ? threads : thread_times_busy(before, after, sample->ns / 10));
    cJSON_AddNumberToObject(reply, "waited_ns",
                            room ? (double)thread_times_waited(before, after) : 0);
}

/* The pages that lie inside outputs; a private copy gets new ones for them. */
static void give_back_outputs(const struct service *service)
{
    const uintptr_t page = OPERANDS_PAGE;
    for (uint32_t i = 0; i < service->operands.view.count; i++) {
        const struct simdbench_operand *operand = &service->operands.operand[i];
        const uintptr_t data = (uintptr_t)operand->data;
        const uintptr_t first = (data + page - 1) / page * page;
        const uintptr_t end =
            (data + operand->count * type_bytes(operand->type)) / page * page;
        if (operand->role == SIMDBENCH_OUT && first < end)
            madvise((void *)first, end - first, MADV_DONTNEED);
    }
}

/* Evidence of another thread on the core: that it is split, or where that cannot be known
 * the fewest adds a cycle. */
struct company {
    bool wanted;
    int split;
    double adds;
};

static void company_look(struct company *company)
{
    if (!company->wanted)
        return;
    company->split |= clock_core_split();
    if (company->split < 0)
        company->adds = fmin(company->adds, clock_core_share());
}

/* The same between two regions. */
static void company_between(struct company *company, struct sampler *sampler)
{
    sampler_pause(sampler);
    company_look(company);
    sampler_resume(sampler);
}

static void company_reply(const struct company *company, cJSON *reply)
{
    if (!company->wanted)
        return;
    if (company->split < 0)
        cJSON_AddNumberToObject(reply, "core_share", company->adds);
    else
        cJSON_AddNumberToObject(reply, "core_split", company->split);
}

/* As many as were asked for, each with a call at least. */
static uint64_t batch_regions(const cJSON *request, uint64_t iterations)
{
    const uint64_t wanted = message_u64(request, "regions", 1);
    return wanted < 1 ? 1 : wanted < iterations ? wanted : iterations;
}

cJSON *service_batch(struct service *service, const cJSON *request)
{
    struct service_case *entry = service_find_case(service, request);
    uint64_t iterations = message_u64(request, "iterations", 0);
    sigset_t mask;
    if (!entry || !iterations)
        return service_error(-EINVAL, "batch: no such case, or no iterations");
    const struct simdbench_operands *operands = &service->operands.view;
    struct counters *counters = service->sampler.counters;
    const bool cold = message_true(request, "cold");
    const bool fresh = message_true(request, "fresh_output");
    struct sample sum = {.ns = 0};
    struct batch_counts counts = {.regions = 0};
    struct company company = {.wanted = message_true(request, "core_share"),
                              .adds = INFINITY};
    company_look(&company);
    if (counters)
        counters_select(counters, (size_t)message_u64(request, "pass", 0) %
                                      counters_passes(counters));
    /* Skip the per-thread times when the process has one thread. */
    const bool team = service->alive > 1;
    struct thread_times before, after;
    service_enter(&mask);
    if (message_true(request, "flush_denormals"))
        float_state_flush();
    entry->batches++;
    entry->run(operands, entry->state);
    /* By now a library has started its threads. */
    int status = counters ? counters_follow_threads(counters) : 0;
    if (status < 0)
        return service_error(status, "no memory for the counters of all threads");
    if (team && operands->threads > 1 && !entry->split)
        service_place_helpers(service);
    if (team)
        thread_times_read(&before);
    /* Calls whose operands are cold, or new, are regions each. Threads that wait,
     * spinning, would be taken for others. */
    const bool each = cold || fresh;
    const uint64_t regions = each   ? iterations
                             : team ? 1
                                    : batch_regions(request, iterations);
    /* Counters see all that runs between their readings. */
    const bool apart = each || counters;
    for (uint64_t i = 0; i < regions; i++) {
        if (cold)
            operands_evict(&service->operands);
        if (fresh)
            give_back_outputs(service);
        if (!each && i > 0)
            company_between(&company, &service->sampler);
        if (apart || i == 0)
            sampler_begin(&service->sampler);
        repeat(entry->run, operands, entry->state,
               iterations / regions + (i < iterations % regions));
        if (!apart && i + 1 < regions)
            continue;
        struct sample one;
        sampler_end(&service->sampler, &one);
        sample_add(&sum, &one);
        batch_counts_add(service, counters, &counts);
    }
    if (team)
        thread_times_read(&after);
    if (message_true(request, "flush_denormals"))
        float_state_reset();
    service_leave(entry, &mask);
    service_script(service, entry, iterations, &sum);
    service_rest(service);
    company_look(&company);
    cJSON *reply = service_ok();
    add_sample(reply, &sum);
    cJSON_AddNumberToObject(reply, "regions", (double)regions);
    company_reply(&company, reply);
    if (team)
        add_threads(service, &sum, &before, &after, reply);
    if (counters) {
        cJSON_AddItemToObject(reply, "counts", batch_counts_reply(service, &counts));
        service_add_text(reply, "note", counters_note(counters));
    }
    else if (clock_script())
        service_add_text(reply, "note", "its times are made up (SIMDBENCH_TEST_CLOCK)");
    if (message_true(request, "probe"))
        cJSON_AddNumberToObject(reply, "ghz", clock_ghz(20000));
    return reply;
}

/* ---- what the loop and the readings around it cost ---- */

enum { EMPTY_BATCHES = 15, EMPTY_CALLS = 20000 };

static void empty_kernel(const struct simdbench_operands *operands, void *state)
{
    (void)operands;
    (void)state;
}

double service_median(double *values, size_t n)
{
    stats_sort(values, n);
    return n ? values[n / 2] : 0;
}

/* Medians over batches of the empty kernel, of those events that the selected pass counts
 * and that have a value. */
struct empty {
    double ns, count[EVENTS_MAX];
    bool known[EVENTS_MAX];
};

static void measure_empty(const struct service *service, struct sampler *sampler,
                          uint64_t iterations, struct empty *empty)
{
    /* The pointer is hidden, or the compiler would see that nothing is called. */
    void (*volatile hidden)(const struct simdbench_operands *, void *) = empty_kernel;
    void (*run)(const struct simdbench_operands *, void *) = hidden;
    double ns[EMPTY_BATCHES], counts[EVENTS_MAX][EMPTY_BATCHES];
    size_t n[EVENTS_MAX] = {0};
    for (size_t b = 0; b < EMPTY_BATCHES; b++) {
        struct sample sample;
        struct count count;
        repeat(run, &service->operands.view, NULL, iterations);
        sampler_begin(sampler);
        repeat(run, &service->operands.view, NULL, iterations);
        sampler_end(sampler, &sample);
        if (clock_script())
            sample_script(&sample, (double)iterations, b);
        ns[b] = (double)sample.ns;
        for (size_t i = 0; sampler->counters && i < service->n_events; i++)
            if (counters_get(sampler->counters, i, &count) && !count.absent[0])
                counts[i][n[i]++] = (double)count.value;
    }
    empty->ns = service_median(ns, EMPTY_BATCHES);
    for (size_t i = 0; i < service->n_events; i++) {
        empty->known[i] = n[i] > 0;
        empty->count[i] = service_median(counts[i], n[i]);
    }
}

/* Counts each event per call of the loop, and in a region without a call. */
static cJSON *count_empty(const struct service *service, struct sampler *sampler)
{
    struct {
        bool known;
        double region, call;
    } cost[EVENTS_MAX] = {{.known = false}};
    for (size_t pass = 0; pass < counters_passes(sampler->counters); pass++) {
        struct empty none, calls;
        counters_select(sampler->counters, pass);
        measure_empty(service, sampler, 0, &none);
        measure_empty(service, sampler, EMPTY_CALLS, &calls);
        for (size_t i = 0; i < service->n_events; i++) {
            if (!none.known[i] || !calls.known[i])
                continue;
            double more = calls.count[i] - none.count[i];
            cost[i].known = true;
            cost[i].region = none.count[i];
            cost[i].call = more > 0 ? more / EMPTY_CALLS : 0;
        }
    }
    cJSON *counts = cJSON_CreateArray();
    for (size_t i = 0; i < service->n_events; i++) {
        cJSON *item = cJSON_CreateObject();
        if (cost[i].known) {
            cJSON_AddNumberToObject(item, "region", cost[i].region);
            cJSON_AddNumberToObject(item, "call", cost[i].call);
        }
        cJSON_AddItemToArray(counts, item);
    }
    return counts;
}

cJSON *service_overhead(struct service *service, const cJSON *request)
{
    uint64_t iterations = message_true(request, "cold") ? 1 : EMPTY_CALLS;
    struct sampler sampler = service->sampler;
    struct empty empty;
    /* Threads that wait for work, spinning, are no cost of the loop. */
    if (sampler.counters)
        counters_leave_threads(sampler.counters);
    measure_empty(service, &sampler, iterations, &empty);
    /* Groups that take turns do not get theirs in a time as short as that. */
    if (service->multiplex) {
        struct error error;
        int status = counters_open(&sampler.counters, service->events, service->n_events,
                                   COUNTERS_PINNED, &service->perf, &error);
        if (status < 0)
            return service_error(status, "%s", error.text);
    }
    cJSON *reply = service_ok();
    cJSON_AddNumberToObject(reply, "ns", empty.ns / (double)iterations);
    if (sampler.counters)
        cJSON_AddItemToObject(reply, "counts", count_empty(service, &sampler));
    if (service->multiplex)
        counters_close(sampler.counters);
    return reply;
}
