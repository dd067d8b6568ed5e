/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs that a worker runs on, and the events that it counts. */
#include "service.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <string.h>

enum { HEAP_PAD = 1 << 20 };

static int pin(struct service *service, const cJSON *cpus, struct error *error)
{
    const cJSON *item;
    service->n_cpu = 0;
    cJSON_ArrayForEach (item, cpus) {
        if (service->n_cpu < CPUS_MAX && cJSON_IsNumber(item))
            service->cpu[service->n_cpu++] = item->valueint;
    }
    return service->n_cpu ? cpus_pin(service->cpu, service->n_cpu, error) : 0;
}

static int read_events(struct service *service, const cJSON *names, struct error *error)
{
    const cJSON *item;
    service->n_events = 0;
    cJSON_ArrayForEach (item, names) {
        const char *name = cJSON_GetStringValue(item);
        if (!name || service->n_events == EVENTS_MAX)
            return error_set(error, -EINVAL, "at most %d events", EVENTS_MAX);
        int status = event_encode(name, &service->events[service->n_events++], error);
        if (status < 0)
            return status;
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

/* Memory that a kernel frees stays in the process, so that it is not new the next time.
 */
static void keep_heap(void)
{
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, HEAP_PAD);
}

cJSON *service_setup(struct service *service, const cJSON *request)
{
    struct error error = {.text = ""};
    if (message_true(request, "keep_heap"))
        keep_heap();
    int status = pin(service, message_get(request, "cpus"), &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (service->sampler.counters)
        counters_close(service->sampler.counters);
    service->sampler.counters = NULL;
    service->multiplex = false;
    status = read_events(service, message_get(request, "events"), &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (!service->n_events)
        return service_ok();
    struct proofs proofs = {.n = service->n_events};
    proofs_read(request, &proofs);
    prove(service, &proofs);
    service->multiplex = message_true(request, "multiplex");
    status = counters_open(&service->sampler.counters, service->events, service->n_events,
                           service->multiplex ? COUNTERS_MULTIPLEX : COUNTERS_PINNED,
                           &service->perf, &error);
    if (status < 0)
        return service_error(status, "%s", error.text);
    cJSON *reply = service_ok();
    cJSON_AddNumberToObject(reply, "passes",
                            (double)counters_passes(service->sampler.counters));
    proofs_add(reply, &proofs);
    return reply;
}
