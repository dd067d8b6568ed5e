/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs that a worker runs on, and the events that it counts. */
#include "service.h"

#include <limits.h>
#include <malloc.h>

enum { HEAP_PAD = 1 << 20 };

static int pin(struct service *service, const struct setup_call *call,
               struct error *error)
{
    service->n_cpu = call->n_cpu;
    memcpy(service->cpu, call->cpu, call->n_cpu * sizeof *call->cpu);
    return service->n_cpu ? cpus_pin(service->cpu, service->n_cpu, error) : 0;
}

static int read_events(struct service *service, const struct setup_call *call,
                       struct error *error)
{
    service->n_events = 0;
    if (call->n_events > EVENTS_MAX)
        return invalid(error, "at most %d events", EVENTS_MAX);
    for (size_t i = 0; i < call->n_events; i++) {
        int status = event_encode_any(call->event[i], &service->events[i], error);
        if (status < 0)
            return status;
        service->n_events++;
    }
    return 0;
}

/* Proves here what the request does not know. What is proven counts only as a part of a
 * PMU whose counters are alive. */
static void prove(struct service *service, struct proofs *proofs)
{
    bool hardware = false;
    for (size_t i = 0; i < proofs->n; i++) {
        struct event *const event = &service->events[i];
        if (!proofs->known[i])
            events_prove(event, 1, &proofs->proof[i]);
        proofs->known[i] = true;
        hardware |= event_is_hardware(event) && proofs->proof[i].verdict != PROOF_REFUSED;
        event_judge(event, &proofs->proof[i]);
    }
    if (hardware && !proofs->slots.announced)
        proofs->slots = counters_slots();
    const struct slots *const slots = &proofs->slots;
    service->perf = perf_system_linux;
    if (slots->live < slots->announced)
        service->perf.slots = slots->live ? slots->live : 1;
}

/* Memory that a kernel frees stays in the process, and is not new the next time. */
static void keep_heap(void)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, HEAP_PAD);
}

cJSON *service_setup(struct service *service, const cJSON *request)
{
    struct setup_call call;
    struct error error = {.text = ""};
    setup_call_read(request, &call);
    if (call.keep_heap)
        keep_heap();
    int status = pin(service, &call, &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (service->sampler.counters)
        counters_close(service->sampler.counters);
    service->sampler.counters = NULL;
    service->multiplex = false;
    status = read_events(service, &call, &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (!service->n_events)
        return message_ok();
    struct proofs proofs = {.n = service->n_events};
    proofs_read(request, &proofs);
    prove(service, &proofs);
    service->multiplex = call.multiplex;
    status = counters_open(&service->sampler.counters, service->events, service->n_events,
                           service->multiplex ? COUNTERS_MULTIPLEX : COUNTERS_PINNED,
                           &service->perf, &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    cJSON *reply = message_ok();
    cJSON_AddNumberToObject(reply, "passes",
                            (double)counters_passes(service->sampler.counters));
    proofs_add(reply, &proofs);
    return reply;
}
