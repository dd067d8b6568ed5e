/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "team.h"

int service_new(struct service **out, const char *path,
                const struct simdbench_option *options, size_t n_options, int memory_fd,
                struct error *error)
{
    struct service *service = calloc(1, sizeof *service);
    if (!service)
        return no_memory(error);
    service->memory_fd = memory_fd;
    int status = service_add_part(service, path, options, n_options, error);
    if (status < 0)
        free(service);
    else
        *out = service;
    return status;
}

void service_free(struct service *service)
{
    if (!service)
        return;
    service_unmap(service);
    team_stop();
    if (service->sampler.counters)
        counters_close(service->sampler.counters);
    while (service->n_parts-- > 0) {
        struct service_part *const part = &service->part[service->n_parts];
        if (part->declared)
            declared_close(part->declared);
        module_unload(&part->module);
    }
    free(service);
}

cJSON *service_error(int code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", false);
    cJSON_AddNumberToObject(reply, "errno", code < 0 ? -code : code);
    cJSON_AddStringToObject(reply, "error", text);
    return reply;
}

/* Reads a request of calls.h and answers it. */
#define HANDLER(verb, fields)                                                  \
    static cJSON *handle_##verb(struct service *service, const cJSON *request) \
    {                                                                          \
        struct fields##_call call;                                             \
        return verb##_call_read(request, &call) < 0                            \
                   ? service_error(-EPROTO, #verb ": bad dims or operands")    \
                   : service_##verb(service, &call);                           \
    }
EACH_CALL(HANDLER)

#define ROW(verb, fields) {#verb, handle_##verb},
cJSON *service_handle(struct service *service, const cJSON *request)
{
    static const struct {
        const char *name;
        cJSON *(*handle)(struct service *, const cJSON *);
    } verbs[] = {{"describe", service_describe},
                 {"load", service_load},
                 {"objects", service_objects},
                 {"setup", service_setup},
                 EACH_CALL(ROW)};
    const char *verb = message_text(request, "do");
    for (size_t i = 0; verb && i < ARRAY_LEN(verbs); i++) {
        if (!strcmp(verb, verbs[i].name))
            return verbs[i].handle(service, request);
    }
    return service_error(-ENOSYS, "unknown request '%.64s'", verb ? verb : "");
}
