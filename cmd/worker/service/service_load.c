/* SPDX-License-Identifier: Apache-2.0 */
/* Several modules side by side in one worker, and what the process has loaded. */
#include "confine.h"
#include "process/process.h"
#include "service.h"

#include <link.h>

int service_add_part(struct service *service, const char *path,
                     const struct simdbench_option *options, size_t n_options,
                     struct error *error)
{
    const struct simdbench_option *list[SERVICE_OPTIONS_MAX];
    size_t n = 0;
    for (; n < n_options && n < ARRAY_LEN(list); n++)
        list[n] = &options[n];
    if (service->n_parts == SERVICE_PARTS_MAX)
        return error_set(error, -E2BIG, "more than %d modules in one worker",
                         SERVICE_PARTS_MAX);
    struct service_part *part = &service->part[service->n_parts];
    *part = (struct service_part){.ops = NULL};
    const int status = !path ? 0
                       : module_is_declared(path)
                           ? declared_open(path, list, n, &part->declared, error)
                           : module_load(&part->module, path, list, n, error);
    part->left_modes = float_state_changed();
    float_state_reset();
    if (status < 0)
        return status;
    part->table = part->declared ? declared_table(part->declared) : part->module.table;
    part->ops = path ? part->table->ops : op_list();
    part->kernels = path ? part->table->kernels : kernel_list();
    while (part->kernels[part->n])
        part->n++;
    const struct service_part *last = part - 1;
    part->first = service->n_parts ? last->first + last->n : 0;
    service->n_parts++;
    return 0;
}

cJSON *service_load(struct service *service, const cJSON *request)
{
    struct simdbench_option options[SERVICE_OPTIONS_MAX];
    struct load_call call;
    const bool good = load_call_read(request, options, ARRAY_LEN(options), &call);
    if (!call.path)
        return service_error(-EINVAL, "load needs a path");
    if (!good)
        return service_error(-EINVAL, "load: bad options, or too many");
    struct error error = {.text = ""};
    if (call.enclosed) {
        service->enclosed = true;
        priority_raise();
        hide_names();
        enclose_helpers();
    }
    int status = service_add_part(service, call.path, options, call.n, &error);
    if (call.enclosed)
        enclose_files();
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (call.right)
        service->right = service->n_parts - 1;
    const struct service_part *part = &service->part[service->n_parts - 1];
    cJSON *reply = message_ok();
    message_add_u64(reply, "first", part->first);
    cJSON_AddBoolToObject(reply, "modes", part->left_modes);
    service_describe_part(part, reply);
    return reply;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct elf_file file;
    struct error error;
    /* The program itself has no name here, and the kernel's page of code no path. */
    if (!info->dlpi_name || !strchr(info->dlpi_name, '/') ||
        elf_read(info->dlpi_name, false, &file, &error) < 0)
        return 0;
    cJSON *item = cJSON_CreateObject();
    loaded_object_add(item, &(struct loaded_object){.path = info->dlpi_name,
                                                    .soname = file.soname,
                                                    .build_id = file.build_id});
    cJSON_AddItemToArray(context, item);
    return 0;
}

cJSON *objects_here(void)
{
    cJSON *reply = message_ok();
    message_add_text(reply, "version", simdbench_version.number);
    message_add_text(reply, "commit", simdbench_version.commit);
    dl_iterate_phdr(add_object, cJSON_AddArrayToObject(reply, "objects"));
    return reply;
}

cJSON *service_objects(struct service *service, const cJSON *request)
{
    return objects_here();
}
