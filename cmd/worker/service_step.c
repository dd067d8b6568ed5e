/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a case for somebody who traces this process. */
#include "service.h"

#include <errno.h>
#include <string.h>

cJSON *service_step(struct service *service, const cJSON *request)
{
    struct step_call call;
    sigset_t mask;
    step_call_read(request, &call);
    struct service_case *entry = service_find_case(service, call.number);
    if (!entry || !call.calls)
        return service_error(-EINVAL, "step: no such case, or no calls");
    struct error error;
    const int moved = service_move(service, entry, 0, &error);
    if (moved < 0)
        return service_error(moved, "step: %s", error.text);
    const struct simdbench_operands *operands = &service->operands.view;
    service_enter(&mask);
    /* The first call of all may be another one: a library starts its threads. */
    entry->run(operands, entry->state);
    const int status = inspect_call((void (*)(const void *, void *))entry->run, operands,
                                    entry->state, call.calls);
    service_leave(entry, &mask);
    service_rest(service);
    return status == -EPERM ? service_error(status, "step: nobody traces this worker")
           : status < 0     ? service_error(status, "step: %s", strerror(-status))
                            : service_ok();
}
