/* SPDX-License-Identifier: Apache-2.0 */
/* A worker says what it offers, and how its ops read shapes. */
#include "service.h"

const struct simdbench_op *service_op(const struct service *service, const char *name)
{
    for (size_t p = 0; name && p <= service->n_parts; p++) {
        const struct service_part *const part =
            &service->part[p ? p - 1 : service->right];
        const struct simdbench_op *const *ops = part->ops;
        for (size_t i = 0; ops && ops[i]; i++)
            if (!strcmp(ops[i]->name, name))
                return ops[i];
    }
    return name ? op_find(name) : NULL;
}

static void describe_module(const struct simdbench_module *module, cJSON *reply)
{
    struct simdbench_description description = {.size = sizeof description};
    message_add_text(reply, "name", module->name);
    if (!module->describe || module->describe(&description) < 0)
        return;
    message_add_text(reply, "version", description.version);
    message_add_text(reply, "core", description.core);
    message_add_text(reply, "isa", description.isa);
    message_add_text(reply, "detail", description.detail);
    message_add_text(reply, "advice", description.advice);
}

static cJSON *describe_op(const struct simdbench_op *op)
{
    cJSON *item = cJSON_CreateObject();
    message_add_text(item, "name", op->name);
    message_add_text(item, "summary", op->summary);
    message_add_text(item, "shape_help", op->shape_help);
    message_add_text(item, "default_shapes", op->default_shapes);
    message_add_text(item, "layouts", op->layouts);
    message_add_text(item, "inputs", op->inputs);
    message_add_text(item, "accuracy_inputs", op->accuracy ? op->accuracy_inputs : NULL);
    message_add_text(item, "accuracy_shape", op->accuracy ? op->accuracy_shape : NULL);
    const uint32_t calls = declared_calls(op);
    if (calls)
        cJSON_AddNumberToObject(item, "calls", calls);
    cJSON *lists = op->lists ? cJSON_AddArrayToObject(item, "lists") : NULL;
    for (size_t i = 0; op->lists && op->lists[i]; i++) {
        cJSON *list = cJSON_CreateObject();
        message_add_text(list, "name", op->lists[i]->name);
        message_add_text(list, "summary", op->lists[i]->summary);
        message_add_text(list, "shapes", op->lists[i]->shapes);
        cJSON_AddItemToArray(lists, list);
    }
    return item;
}

static cJSON *describe_kernel(const struct simdbench_kernel *kernel)
{
    cJSON *item = cJSON_CreateObject();
    message_add_text(item, "op", kernel->op);
    message_add_text(item, "semiring", kernel->semiring);
    message_add_text(item, "type", type_name(kernel->type));
    message_add_text(item, "isa", kernel->isa);
    message_add_text(item, "variant", kernel->variant);
    message_add_text(item, "layout", kernel->layout);
    message_add_text(item, "roof", kernel->roof);
    message_add_text(item, "other_roof", kernel->other_roof);
    cJSON_AddNumberToObject(item, "flags", kernel->flags);
    if (kernel->max_ulp > 0) {
        cJSON_AddNumberToObject(item, "max_ulp", kernel->max_ulp);
        cJSON_AddNumberToObject(item, "mean_ulp", kernel->mean_ulp);
    }
    return item;
}

void service_describe_part(const struct service_part *part, cJSON *reply)
{
    if (part->table)
        describe_module(part->table, reply);
    cJSON *ops = cJSON_AddArrayToObject(reply, "ops");
    for (size_t i = 0; part->ops && part->ops[i]; i++)
        cJSON_AddItemToArray(ops, describe_op(part->ops[i]));
    cJSON *kernels = cJSON_AddArrayToObject(reply, "kernels");
    for (size_t i = 0; part->kernels[i]; i++)
        cJSON_AddItemToArray(kernels, describe_kernel(part->kernels[i]));
}

cJSON *service_describe(struct service *service, const cJSON *request)
{
    cJSON *reply = message_ok();
    cJSON *isas = cJSON_AddArrayToObject(reply, "isas");
    for (size_t i = 0; i < isa_count(); i++)
        if (isa_available(i, NULL, 0))
            cJSON_AddItemToArray(isas, cJSON_CreateString(isa_get(i)->name));
    service_describe_part(&service->part[0], reply);
    return reply;
}

cJSON *service_shape(struct service *service, const struct shape_call *call)
{
    const struct simdbench_op *op = service_op(service, call->op);
    const uint32_t type = call->type ? type_find(call->type) : 0;
    if (!op || !call->text || !type)
        return service_error(-EINVAL, "shape needs op, type and text");
    if (call->layout && !op->relayout)
        return service_error(-EINVAL, "op %s has no layouts", op->name);
    struct simdbench_shape shape = {.size = sizeof shape};
    char error[512] = "", canonical[256] = "";
    int status = op->parse(call->text, &shape, error, sizeof error);
    if (status == 0 && call->layout)
        status = op->relayout(&shape, call->layout, error, sizeof error);
    if (status < 0)
        return service_error(status, "%s", error[0] ? error : strerror(-status));
    op->format(&shape, canonical, sizeof canonical);
    struct shape_reply told = {.text = canonical, .dims = shape};
    struct error why = {.text = ""};
    status = operands_place(op, &shape, type, 64, 0, &told.operands, &why);
    if (status < 0)
        return service_error(status, "%s", why.text);
    told.layout = op->layout_of ? op->layout_of(&shape) : NULL;
    op->work(&shape, type, &told.ops, &told.bytes);
    return shape_reply_ok(&told);
}
