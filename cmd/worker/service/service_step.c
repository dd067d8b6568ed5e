/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a case for somebody who traces this process. */
#include "reports.h"
#include "service.h"

#include <stdlib.h>
#include <unistd.h>

static void renew(const void *of)
{
    const struct service_case *const entry = of;
    struct error error = {.text = ""};
    if (declared_renew(entry->declared, &error) < 0) {
        text_line(stderr, "%s", error.text);
        _exit(EXIT_FAILURE); /* its objects are gone: nothing may be called with them */
    }
}

/* Opaque blocks may point to memory that a call gave back. */
static bool holds_objects(const struct operands *operands)
{
    bool found = false;
    for (uint32_t i = 0; i < operands->view.count; i++)
        found |= operands->operand[i].role == SIMDBENCH_INOUT &&
                 type_kind(operands->operand[i].type) == TYPE_OPAQUE;
    return found;
}

struct inspect_calls service_traced(const struct service_case *entry,
                                    const struct operands *operands)
{
    const bool resets =
        entry->kernel->flags & SIMDBENCH_RESETS || !holds_objects(operands);
    struct inspect_calls calls = {
        .function = (void (*)(const void *, void *))entry->run,
        .a = entry->argument,
        .b = entry->state,
        .before = resets ? (void (*)(const void *))operands_reset : NULL,
        .of = operands};
    if (entry->declared) {
        calls.before = renew;
        calls.of = entry;
    }
    return calls;
}

int service_call_traced(struct service_case *entry, const struct operands *operands,
                        uint64_t calls, struct error *error)
{
    struct declared_call *const declared = entry->declared;
    struct inspect_calls traced = service_traced(entry, operands);
    if (declared)
        traced.function = (void (*)(const void *, void *))SERVICE_RUN(declared->plain);
    int status =
        (declared ? declared_renew(declared, error) : 0) ?: inspect_call(&traced, calls);
    if (declared && declared->code != declared->plain && status == 0) {
        status = declared_renew(declared, error);
        if (status == 0)
            declared->code(declared->frame);
    }
    if (declared)
        declared_finish(declared);
    return status;
}

/* The first call of all may be another one: a library starts its threads. */
static void call_first(struct service *service, struct service_case *entry)
{
    sigset_t mask;
    if (entry->stepped)
        return;
    service_enter(&mask);
    entry->run(entry->argument, entry->state);
    service_leave(entry, &mask);
    service_rest(service);
    entry->stepped = true;
}

cJSON *service_step(struct service *service, const struct step_call *call)
{
    struct answers want;
    struct error error = {.text = ""};
    struct service_case *entry = service_find_case(service, call->number);
    if (!entry)
        return service_error(-EINVAL, "step: no such case");
    if (!service_wanted(service, &call->places, &want))
        return service_error(-EINVAL, "step: outside the shared memory");
    const int moved = service_move(service, entry, 0, &error);
    if (moved < 0)
        return service_error(moved, "step: %s", error.text);
    call_first(service, entry);
    if (!call->calls)
        return message_ok();
    operands_guard(&service->operands);
    operands_poison(&service->operands);
    const int status = service_call_checked(service, entry, &want, call->calls, &error);
    service_rest(service);
    return status == -EPERM  ? service_error(status, "step: nobody traces this worker")
           : status == -EDOM ? service_wrong(error.text, 0)
           : status < 0      ? service_error(status, "step: %s", error.text)
                             : message_ok();
}
