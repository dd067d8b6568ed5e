/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "team.h"

cJSON *service_ok(void)
{
    cJSON *reply = cJSON_CreateObject();
    cJSON_AddBoolToObject(reply, "ok", true);
    return reply;
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

void *service_memory(struct service *service, uint64_t offset, uint64_t bytes)
{
    if (offset > service->memory_bytes || bytes > service->memory_bytes - offset)
        return NULL;
    return service->memory + offset;
}

int service_new(struct service **out, const char *path,
                const struct simdbench_option *options, size_t n_options, int memory_fd,
                struct error *error)
{
    struct service *service = calloc(1, sizeof *service);
    if (!service)
        return error_set(error, -ENOMEM, "out of memory");
    service->memory_fd = memory_fd;
    int status = service_add_part(service, path, options, n_options, error);
    if (status < 0)
        free(service);
    else
        *out = service;
    return status;
}

static void unmap(struct service *service)
{
    service_release_all(service);
    service_forget_other(service);
    if (service->memory)
        munmap(service->memory, service->memory_bytes);
    if (service->arena)
        munmap(service->arena, service->arena_bytes);
    service->mapped = false;
    service->memory = service->arena = NULL;
    service->memory_bytes = service->arena_bytes = 0;
    memset(&service->operands, 0, sizeof service->operands);
}

void service_free(struct service *service)
{
    if (!service)
        return;
    unmap(service);
    team_stop();
    if (service->sampler.counters)
        counters_close(service->sampler.counters);
    while (service->n_parts-- > 0)
        module_unload(&service->part[service->n_parts].module);
    free(service);
}

/* A private copy. On 2 MiB pages, because those of a memfd cannot be huge for an ordinary
 * user; on small ones, because only private pages are new once they are given back. */
static int make_arena(struct service *service, uint64_t block, bool huge_pages)
{
    const uint64_t huge = 2u << 20;
    uint64_t bytes = (block + huge - 1) / huge * huge + huge;
    unsigned char *raw =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return -errno;
    unsigned char *start = (unsigned char *)(((uintptr_t)raw + huge - 1) / huge * huge);
    uint64_t head = (uint64_t)(start - raw), tail = huge - head;
    if (head)
        munmap(raw, head);
    if (tail)
        munmap(start + bytes - huge, tail);
    service->arena = start;
    service->arena_bytes = bytes - huge;
    madvise(start, service->arena_bytes, huge_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memcpy(start, service->memory, block);
    return 0;
}

static cJSON *map(struct service *service, const cJSON *request)
{
    unmap(service);
    uint64_t bytes = message_u64(request, "bytes", 0),
             block = message_u64(request, "block", 0);
    struct simdbench_shape dims;
    struct operands_map operands;
    if (message_read_dims(message_get(request, "dims"), &dims) < 0 ||
        message_read_operands(message_get(request, "operands"), &operands) < 0 ||
        block > bytes)
        return service_error(-EPROTO, "map: bad dims or operands");
    operands.bytes = block;
    if (bytes) {
        void *memory =
            mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, service->memory_fd, 0);
        if (memory == MAP_FAILED)
            return service_error(-errno, "cannot map %" PRIu64 " bytes of operands: %s",
                                 bytes, strerror(errno));
        service->memory = memory;
        service->memory_bytes = bytes;
        /* Page tables are per process: fault every page in now, not in a batch. */
        volatile unsigned char sink = 0;
        for (uint64_t i = 0; i < bytes; i += 4096)
            sink ^= service->memory[i];
        (void)sink;
    }
    const bool huge = message_true(request, "huge") && block;
    const bool copy = huge || (message_true(request, "private") && block);
    int status = copy ? make_arena(service, block, huge) : 0;
    if (status < 0)
        return service_error(status, "cannot map %" PRIu64 " bytes of its own: %s", block,
                             strerror(-status));
    operands_bind(&service->operands, &operands, &dims,
                  (uint32_t)message_number(request, "threads", 1),
                  copy ? service->arena : service->memory);
    service->operands.view.most_ulp = message_number(request, "most_ulp", 0);
    service->mapped = true;
    cJSON *reply = service_ok();
    if (huge) {
        cJSON_AddNumberToObject(reply, "huge_bytes",
                                (double)pages_huge(service->arena, service->arena_bytes));
        cJSON_AddNumberToObject(reply, "arena_bytes", (double)service->arena_bytes);
    }
    return reply;
}

int service_set_values(const struct simdbench_op *op, const struct operands *operands,
                       const cJSON *request)
{
    const char *values = message_text(request, "values");
    if (!values)
        return 0;
    return op->flags & SIMDBENCH_JOINT ? -ENOTSUP : operands_set_values(operands, values);
}

static cJSON *fill(struct service *service, const cJSON *request)
{
    const char *input = message_text(request, "input");
    const struct simdbench_op *op = service_op(service, message_text(request, "op"));
    if (!op)
        return service_error(-EINVAL, "fill: no such op");
    if (!service->mapped)
        return service_error(-ENODATA, "fill: no operands are mapped");
    int status =
        op->fill(&service->operands.view, message_u64(request, "seed", 0), input);
    if (status < 0 && !input)
        return service_error(status, "op %s cannot fill its inputs: %s", op->name,
                             strerror(-status));
    if (status < 0)
        return service_error(status, "--input=%s: op %s has no such input%s%s%s", input,
                             op->name, op->inputs ? " (known: " : "",
                             op->inputs ? op->inputs : "", op->inputs ? ")" : "");
    status = service_set_values(op, &service->operands, request);
    if (status < 0)
        return service_error(status, "op %s: its inputs go together as they were filled",
                             op->name);
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, operands_hash(&service->operands));
    cJSON *reply = service_ok();
    cJSON_AddStringToObject(reply, "hash", hash);
    return reply;
}

bool service_answers(struct service *service, const cJSON *request,
                     const struct simdbench_operand *output, struct answers *answers)
{
    const uint64_t n = message_u64(request, "n", 0);
    const uint64_t at = message_u64(request, "index", UINT64_MAX);
    *answers = (struct answers){
        .n = n,
        .index =
            at == UINT64_MAX ? NULL : service_memory(service, at, n * sizeof(uint64_t)),
        .value = service_memory(service, message_u64(request, "value", 0),
                                n * type_bytes(output->type)),
        .slack =
            service_memory(service, message_u64(request, "slack", 0), n * sizeof(double)),
    };
    return answers->value && answers->slack && (at == UINT64_MAX || answers->index);
}

static cJSON *reference(struct service *service, const cJSON *request)
{
    const struct simdbench_op *op = service_op(service, message_text(request, "op"));
    const struct simdbench_operand *output = service_output(service);
    struct answers to;
    if (!op || !output)
        return service_error(-EINVAL, "reference: no such op, or it has no output");
    if (!service_answers(service, request, output, &to))
        return service_error(-EINVAL, "reference: outside the shared memory");
    if (to.index)
        operands_sample(output, message_number(request, "ops", 0),
                        message_true(request, "full"), message_u64(request, "seed", 0),
                        to.index);
    const char *semiring = message_text(request, "semiring");
    struct operands shared;
    service_shared(service, &shared);
    int status =
        op->reference(&shared.view, semiring, to.index, to.n, to.value, to.slack);
    if (status < 0 && !semiring)
        return service_error(status, "op %s has no reference: %s", op->name,
                             strerror(-status));
    if (status < 0)
        return service_error(status, "op %s has no reference for semiring '%s'", op->name,
                             semiring);
    return service_ok();
}

cJSON *service_handle(struct service *service, const cJSON *request)
{
    static const struct {
        const char *name;
        cJSON *(*handle)(struct service *, const cJSON *);
    } verbs[] = {
        {"describe", service_describe},
        {"load", service_load},
        {"objects", service_objects},
        {"shape", service_shape},
        {"setup", service_setup},
        {"map", map},
        {"fill", fill},
        {"change", service_change},
        {"reference", reference},
        {"prepare", service_prepare},
        {"check", service_check},
        {"accuracy", service_accuracy},
        {"batch", service_batch},
        {"overhead", service_overhead},
        {"team", service_team},
        {"step", service_step},
    };
    const char *verb = message_text(request, "do");
    for (size_t i = 0; verb && i < ARRAY_LEN(verbs); i++) {
        if (!strcmp(verb, verbs[i].name))
            return verbs[i].handle(service, request);
    }
    return service_error(-ENOSYS, "unknown request '%.64s'", verb ? verb : "");
}
