/* SPDX-License-Identifier: Apache-2.0 */
/* The memory that all workers share: operands, their inputs, right answers. */
#include "service.h"

#include <inttypes.h>
#include <sys/mman.h>

void *service_memory(struct service *service, uint64_t offset, uint64_t bytes)
{
    if (offset > service->memory_bytes || bytes > service->memory_bytes - offset)
        return NULL;
    return service->memory + offset;
}

void service_unmap(struct service *service)
{
    service_release_all(service);
    service_free_sets(service);
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

cJSON *service_map(struct service *service, const struct map_call *call)
{
    service_unmap(service);
    const uint64_t bytes = call->bytes, block = call->block;
    struct map_call bound = *call;
    if (block > bytes)
        return service_error(-EPROTO, "map: bad dims or operands");
    bound.operands.bytes = block;
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
    const bool huge = call->huge && block;
    const bool copy = huge || (call->private && block);
    int status = copy ? make_arena(service, block, huge) : 0;
    if (status < 0)
        return service_error(status, "cannot map %" PRIu64 " bytes of its own: %s", block,
                             strerror(-status));
    operands_bind(&service->operands, &bound.operands, &call->dims,
                  (uint32_t)call->threads, copy ? service->arena : service->memory);
    service->operands.view.most_ulp = call->most_ulp;
    status = service_bind_sets(service, &bound, copy ? service->arena : service->memory);
    if (status < 0)
        return service_error(status, "map: no memory for %" PRIu64 " sets", call->sets);
    service->mapped = true;
    struct map_reply told = {.huge_bytes = -1};
    if (huge)
        told = (struct map_reply){
            .huge_bytes = (double)pages_huge(service->arena, service->arena_bytes),
            .arena_bytes = (double)service->arena_bytes};
    return map_reply_ok(&told);
}

int service_set_values(const struct simdbench_op *op, const struct operands *operands,
                       const struct inputs_call *call)
{
    if (!call->values)
        return 0;
    const bool repeated = !strcmp(call->values, "repeated");
    const bool keys = !strcmp(call->values, "keys");
    const bool ordered =
        op->flags & OP_ORDERED || input_is_ordered(call->input ?: op->inputs);
    if ((repeated && ordered) || (keys && !ordered) ||
        (!repeated && op->flags & OP_FORMED))
        return -ENOTSUP;
    if (!(op->flags & SIMDBENCH_JOINT) || op->flags & OP_EASY)
        return operands_set_values(operands, call->values);
    const int status = op->fill(&operands->view, call->seed, call->values);
    return status == -EINVAL ? -ENOTSUP : status;
}

/* All sets, each by a seed of its own. */
static int fill_sets(const struct service *service, const struct simdbench_op *op,
                     const struct inputs_call *call)
{
    uint64_t seed = call->seed;
    declared_set(op, 0);
    int status = op_fill(op, &service->operands.view, seed, call->input);
    for (uint64_t k = 1; k < service->n_sets && status == 0; k++) {
        declared_set(op, k);
        status = op_fill(op, &service->set[k].view, random_next(&seed), call->input);
    }
    declared_set(op, 0);
    return status;
}

static int set_values(const struct service *service, const struct simdbench_op *op,
                      const struct inputs_call *call)
{
    struct inputs_call one = *call;
    int status = service_set_values(op, &service->operands, call);
    for (uint64_t k = 1; k < service->n_sets && status == 0; k++) {
        one.seed = k + call->seed;
        status = service_set_values(op, &service->set[k], &one);
    }
    return status;
}

cJSON *service_fill(struct service *service, const struct inputs_call *call)
{
    const char *const input = call->input;
    const struct simdbench_op *op = service_op(service, call->op);
    if (!op)
        return service_error(-EINVAL, "fill: no such op");
    if (!service->mapped)
        return service_error(-ENODATA, "fill: no operands are mapped");
    const bool joint = op->flags & SIMDBENCH_JOINT;
    int status = fill_sets(service, op, call);
    const char *const trouble = declared_trouble(op);
    if (status < 0 && trouble && *trouble)
        return service_error(status, "op %s: %s", op->name, trouble);
    if (status < 0 && !input)
        return service_error(status, "op %s cannot fill its inputs: %s", op->name,
                             strerror(-status));
    if (status < 0 && strncmp(input, "file:", 5) == 0)
        return service_error(status, "--input=%s: %s", input,
                             status == -ENODATA ? "the file is empty or no regular one"
                                                : strerror(-status));
    if (status < 0)
        return service_error(
            status, "--input=%s: op %s has no such input (known: %s%s%s)", input,
            op->name, op->inputs ?: "", op->inputs && !joint ? "; of all ops: " : "",
            joint ? "" : INPUTS_OF_ALL);
    status = set_values(service, op, call);
    if (status < 0)
        return service_error(status, "op %s: its inputs go together as they were filled",
                             op->name);
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, operands_hash(&service->operands));
    return fill_reply_ok(&(struct fill_reply){.hash = hash});
}

bool service_answers(struct service *service, const struct answer_places *places,
                     const struct simdbench_operand *output, struct answers *answers)
{
    const uint64_t n = places->n;
    const bool all = places->index == UINT64_MAX;
    *answers = (struct answers){
        .n = n,
        .index =
            all ? NULL : service_memory(service, places->index, n * sizeof(uint64_t)),
        .value = service_memory(service, places->value, n * type_bytes(output->type)),
        .slack = service_memory(service, places->slack, n * sizeof(double)),
    };
    return answers->value && answers->slack && (all || answers->index);
}

cJSON *service_reference(struct service *service, const struct reference_call *call)
{
    struct answers to;
    struct error error = {.text = ""};
    const struct simdbench_op *op = service_op(service, call->op);
    const struct simdbench_operand *output = service_output(service);
    const char *const semiring = call->semiring;
    if (!op || !output)
        return service_error(-EINVAL, "reference: no such op, or it has no output");
    if (!service_answers(service, &call->places, output, &to))
        return service_error(-EINVAL, "reference: outside the shared memory");
    if (to.index)
        operands_sample(output, call->ops, call->full, call->seed, to.index);
    /* A function that is right may be one that is timed, of which a copy is selected. */
    if (service->moved && service_move(service, service->moved, 0, &error) < 0)
        return service_error(-EIO, "reference: %s", error.text);
    struct operands shared;
    service_shared(service, &shared);
    int status =
        op->reference(&shared.view, semiring, to.index, to.n, to.value, to.slack);
    if (status < 0 && declared_trouble(op))
        return service_error(status, "op %s: %s", op->name, declared_trouble(op));
    if (status < 0 && !semiring)
        return service_error(status, "op %s has no reference: %s", op->name,
                             strerror(-status));
    if (status < 0)
        return service_error(status, "op %s has no reference for semiring '%s'", op->name,
                             semiring);
    return message_ok();
}
