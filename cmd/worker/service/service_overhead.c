/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what the loop and the readings around it cost. */
#include "reports.h"
#include "service.h"

#include <math.h>

enum { EMPTY_BATCHES = 15, EMPTY_CALLS = 20000 };

static void empty_kernel(const struct simdbench_operands *operands, void *state)
{
}

double service_median(double *values, size_t n)
{
    stats_sort(values, n);
    return n ? values[n / 2] : 0;
}

/* The function that is called in the place of a kernel. */
struct empty_call {
    run_function *run;
    const struct simdbench_operands *argument;
    const struct turn *turn;
};

static struct empty_call empty_call_of(struct service *service, uint64_t number)
{
    /* The pointer is hidden, or the compiler would see that nothing is called. */
    run_function *volatile hidden = empty_kernel;
    const struct service_case *const entry = service_find_case(service, number);
    struct empty_call call = {
        .run = hidden, .argument = &service->operands.view, .turn = service->turn};
    if (entry && entry->declared) {
        call.run = SERVICE_RUN(entry->declared->nothing);
        call.argument = entry->argument;
        call.turn = entry->turn;
    }
    return call;
}

/* Medians over batches of the empty kernel, of those events that the selected pass counts
 * and that have a value. */
struct empty {
    double ns, count[EVENTS_MAX];
    bool known[EVENTS_MAX];
};

static void measure_empty(struct service *service, struct sampler *sampler,
                          const struct empty_call *call, uint64_t iterations,
                          struct empty *empty)
{
    double ns[EMPTY_BATCHES], counts[EVENTS_MAX][EMPTY_BATCHES];
    size_t n[EVENTS_MAX] = {0};
    const bool first = !clock_script() && !service->enclosed && priority_raise();
    for (size_t b = 0; b < EMPTY_BATCHES; b++) {
        struct sample sample;
        struct count count;
        service_repeat(service, call->run, call->argument, NULL, call->turn, iterations);
        sampler_begin(sampler);
        service_repeat(service, call->run, call->argument, NULL, call->turn, iterations);
        sampler_end(sampler, &sample);
        if (clock_script())
            sample_script(&sample, (double)iterations, b);
        ns[b] = (double)sample.ns;
        for (size_t i = 0; sampler->counters && i < service->n_events; i++)
            if (counters_get(sampler->counters, i, &count) && !count.absent[0])
                counts[i][n[i]++] = (double)count.value;
    }
    if (first)
        priority_drop();
    empty->ns = service_median(ns, EMPTY_BATCHES);
    for (size_t i = 0; i < service->n_events; i++) {
        empty->known[i] = n[i] > 0;
        empty->count[i] = service_median(counts[i], n[i]);
    }
}

/* Counts each event per call of the loop, and in a region without a call. */
static cJSON *count_empty(struct service *service, struct sampler *sampler,
                          const struct empty_call *empty_call)
{
    struct overhead_count cost[EVENTS_MAX];
    for (size_t i = 0; i < service->n_events; i++)
        cost[i] = (struct overhead_count){.call = NAN, .region = NAN};
    for (size_t pass = 0; pass < counters_passes(sampler->counters); pass++) {
        struct empty none, calls;
        counters_select(sampler->counters, pass);
        measure_empty(service, sampler, empty_call, 0, &none);
        measure_empty(service, sampler, empty_call, EMPTY_CALLS, &calls);
        for (size_t i = 0; i < service->n_events; i++) {
            if (!none.known[i] || !calls.known[i])
                continue;
            const double more = calls.count[i] - none.count[i];
            cost[i].region = none.count[i];
            cost[i].call = more > 0 ? more / EMPTY_CALLS : 0;
        }
    }
    cJSON *counts = cJSON_CreateArray();
    for (size_t i = 0; i < service->n_events; i++) {
        cJSON *item = cJSON_CreateObject();
        overhead_count_add(item, &cost[i]);
        cJSON_AddItemToArray(counts, item);
    }
    return counts;
}

cJSON *service_overhead(struct service *service, const struct overhead_call *call)
{
    const uint64_t iterations = call->cold ? 1 : EMPTY_CALLS;
    const struct empty_call empty_call = empty_call_of(service, call->number);
    struct sampler sampler = service->sampler;
    struct empty empty;
    /* Threads that wait for work, spinning, are no cost of the loop. */
    if (sampler.counters)
        counters_leave_threads(sampler.counters);
    measure_empty(service, &sampler, &empty_call, iterations, &empty);
    /* Groups that take turns do not get theirs in a time as short as that. */
    if (service->multiplex) {
        struct error error;
        int status = counters_open(&sampler.counters, service->events, service->n_events,
                                   COUNTERS_PINNED, &service->perf, &error);
        if (status < 0)
            return service_error(status, "%s", error.text);
    }
    cJSON *const reply =
        overhead_reply_ok(&(struct overhead_reply){.ns = empty.ns / (double)iterations});
    if (sampler.counters)
        cJSON_AddItemToObject(reply, "counts",
                              count_empty(service, &sampler, &empty_call));
    if (service->multiplex)
        counters_close(sampler.counters);
    return reply;
}
