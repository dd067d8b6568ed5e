/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that change between batches, so that results which a kernel kept are wrong. */
#include "service.h"

void service_shared(const struct service *service, struct operands *shared)
{
    *shared = service->operands;
    for (uint32_t i = 0; i < shared->view.count; i++) {
        struct simdbench_operand *operand = &shared->operand[i];
        shared->view.operand[i] = operand;
        if (service->arena)
            operand->data =
                service->memory + ((unsigned char *)operand->data - service->arena);
    }
}

void service_take_inputs(const struct service *service)
{
    struct operands shared;
    service_shared(service, &shared);
    for (uint32_t i = 0; i < shared.view.count && service->arena; i++) {
        const struct simdbench_operand *own = &service->operands.operand[i];
        if (!operand_is_output(own))
            memcpy(own->data, shared.operand[i].data, operand_bytes(own));
    }
}

void service_forget_other(struct service *service)
{
    struct operands *other = &service->other;
    for (uint32_t i = 0; i < other->view.count; i++)
        if (!operand_is_output(&other->operand[i]))
            free(other->operand[i].data);
    other->view.count = 0;
}

static int make_other(struct service *service, const struct operands *shared,
                      const struct simdbench_op *op, const struct inputs_call *call)
{
    struct operands *other = &service->other;
    int status = 0;
    *other = *shared;
    for (uint32_t i = 0; i < other->view.count; i++) {
        struct simdbench_operand *operand = &other->operand[i];
        other->view.operand[i] = operand;
        if (operand_is_output(operand))
            continue;
        operand->data = aligned_alloc(64, (operand_bytes(operand) + 64) / 64 * 64);
        if (!operand->data)
            status = -ENOMEM;
    }
    if (status == 0)
        status = op_fill(op, &other->view, call->seed, call->input)
                     ?: service_set_values(op, other, call);
    if (status < 0)
        service_forget_other(service);
    return status;
}

cJSON *service_change(struct service *service, const struct inputs_call *call)
{
    const struct simdbench_op *op = service_op(service, call->op);
    if (!op)
        return service_error(-EINVAL, "change: no such op");
    if (!service->mapped)
        return service_error(-ENODATA, "change: no operands are mapped");
    struct operands shared;
    service_shared(service, &shared);
    const bool whole = op->flags & SIMDBENCH_JOINT;
    if (whole)
        service_forget_other(service);
    const int status =
        service->other.view.count ? 0 : make_other(service, &shared, op, call);
    if (status < 0)
        return service_error(status, "change: %s", strerror(-status));
    operands_change(&shared, &service->other, whole, call->seed);
    return message_ok();
}
