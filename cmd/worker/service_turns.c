/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a declared function, each on operands of its own: nothing that it kept of an
 * earlier call is right for the next one. */
#include "service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The operands of one turn. */
struct turn {
    struct simdbench_operands view;
    struct simdbench_operand operand[SIMDBENCH_MAX_OPERANDS];
};

static uint64_t *list_of(struct service *service, uint64_t list, uint64_t turns)
{
    const uint64_t words = 2 * service->operands.view.count;
    const uint64_t most = service->memory_bytes / (words * sizeof(uint64_t) + 1);
    return turns <= most ? service_memory(service, list, turns * words * sizeof(uint64_t))
                         : NULL;
}

/* False: one of them lies outside the shared memory. */
static bool turn_at(struct service *service, const uint64_t *list, uint64_t i,
                    struct turn *turn)
{
    const uint32_t n = service->operands.view.count;
    turn->view = service->operands.view;
    for (uint32_t o = 0; o < n; o++) {
        struct simdbench_operand *const operand = &turn->operand[o];
        *operand = service->operands.operand[o];
        turn->view.operand[o] = operand;
        operand->data = service_memory(service, list[2 * n * i + o],
                                       operand->count * type_bytes(operand->type));
        if (!operand->data)
            return false;
    }
    return true;
}

static cJSON *outside(void)
{
    return service_error(-EINVAL, "turns: operands outside the shared memory");
}

cJSON *service_inputs(struct service *service, const cJSON *request)
{
    struct lists_call call;
    inputs_call_read(request, &call);
    const struct simdbench_op *const op = service_op(service, call.op);
    const uint64_t *const list =
        service->mapped ? list_of(service, call.list, call.turns) : NULL;
    if (!op || !list)
        return outside();
    for (uint64_t i = 0; i < call.turns; i++) {
        struct turn turn;
        const int status = turn_at(service, list, i, &turn)
                               ? op_fill(op, &turn.view, call.seed + i, call.input)
                               : -EINVAL;
        if (status < 0)
            return service_error(status, "op %s cannot fill its inputs: %s", op->name,
                                 strerror(-status));
    }
    cJSON *const reply = service_ok();
    lists_reply_add(reply, &(struct lists_reply){.joint = op->flags & SIMDBENCH_JOINT});
    return reply;
}

/* Brings the operands into this core's caches. */
static void touch(const struct turn *turn)
{
    for (uint32_t o = 0; o < turn->view.count; o++) {
        const struct simdbench_operand *const operand = &turn->operand[o];
        const volatile unsigned char *const data = operand->data;
        const uint64_t bytes = operand->count * type_bytes(operand->type);
        for (uint64_t b = 0; b < bytes; b += 64)
            (void)data[b];
    }
}

static int64_t cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static struct turns_reply run_turns(struct service_case *entry, struct call_frame *frame,
                                    uint64_t n, uint64_t repeat)
{
    call_code *const code = entry->declared->code;
    sigset_t mask;
    service_enter(&mask);
    const int64_t cpu_begin = cpu_now(), begin = clock_now();
    for (uint64_t r = 0; r < repeat; r++)
        for (uint64_t i = 0; i < n; i++)
            code(&frame[i]);
    const int64_t ns = clock_now() - begin, cpu_ns = cpu_now() - cpu_begin;
    service_leave(entry, &mask);
    return (struct turns_reply){.ns = (double)ns, .cpu_ns = (double)cpu_ns};
}

/* Writes what each call returned, and how much of it is valid. */
static void finish(struct service *service, const struct service_case *entry,
                   uint64_t *list, const struct call_frame *frame, uint64_t n)
{
    const uint32_t count = service->operands.view.count;
    for (uint64_t i = 0; i < n; i++) {
        struct turn turn;
        if (!turn_at(service, list, i, &turn))
            continue; /* the function wrote to its list: what it did is compared */
        declared_point(entry->declared, &turn.view);
        *entry->declared->frame = frame[i];
        declared_finish(entry->declared);
        for (uint32_t o = 0; o < count; o++)
            list[2 * count * i + count + o] = declared_length(entry->declared, o);
    }
    declared_point(entry->declared, &service->operands.view);
}

cJSON *service_turns(struct service *service, const cJSON *request)
{
    struct turns_call call;
    turns_call_read(request, &call);
    struct service_case *const entry = service_find_case(service, call.number);
    uint64_t *const list =
        service->mapped ? list_of(service, call.list, call.turns) : NULL;
    if (!entry || !entry->declared)
        return service_error(-EINVAL, "turns: no such case of a declared function");
    if (!list)
        return outside();
    struct call_frame *const frame = calloc(call.turns + 1, sizeof *frame);
    bool inside = frame != NULL;
    for (uint64_t i = 0; i < call.turns && inside; i++) {
        struct turn turn;
        inside = turn_at(service, list, i, &turn);
        if (!inside)
            break;
        touch(&turn);
        declared_point(entry->declared, &turn.view);
        frame[i] = *entry->declared->frame;
    }
    struct turns_reply told = {.ns = 0};
    if (inside) {
        const uint64_t repeat = call.repeat ? call.repeat : 1;
        told = run_turns(entry, frame, call.turns, repeat);
        if (clock_script())
            told.ns = service_script_ns(service, entry, 0, 0) * (double)call.turns *
                      (double)repeat;
        finish(service, entry, list, frame, call.turns);
    }
    free(frame);
    if (!inside)
        return outside();
    cJSON *const reply = service_ok();
    turns_reply_add(reply, &told);
    return reply;
}
