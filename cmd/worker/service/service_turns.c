/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of a declared function, each on operands of its own: nothing that it kept of an
 * earlier call is right for the next one. */
#include "service.h"

/* The operands of one turn. */
struct listed_turn {
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
                    struct listed_turn *turn)
{
    const uint32_t n = service->operands.view.count;
    turn->view = service->operands.view;
    for (uint32_t o = 0; o < n; o++) {
        struct simdbench_operand *const operand = &turn->operand[o];
        *operand = service->operands.operand[o];
        turn->view.operand[o] = operand;
        operand->data =
            service_memory(service, list[2 * n * i + o], operand_bytes(operand));
        if (!operand->data)
            return false;
    }
    return true;
}

cJSON *service_inputs(struct service *service, const struct lists_call *call)
{
    const struct simdbench_op *const op = service_op(service, call->op);
    const uint64_t *const list =
        service->mapped ? list_of(service, call->list, call->turns) : NULL;
    if (!op || !list)
        return service_error(-EINVAL, "inputs: no such op, or no such list");
    for (uint64_t i = 0; i < call->turns; i++) {
        struct listed_turn turn;
        const int status = turn_at(service, list, i, &turn)
                               ? op_fill(op, &turn.view, call->seed + i, call->input)
                               : -EINVAL;
        const char *const trouble = declared_trouble(op);
        if (status < 0)
            return service_error(status, "op %s cannot fill its inputs: %s", op->name,
                                 trouble && *trouble ? trouble : strerror(-status));
    }
    return lists_reply_ok(&(struct lists_reply){.joint = op->flags & SIMDBENCH_JOINT});
}

/* Brings the operands into this core's caches. */
static void touch(const struct listed_turn *turn)
{
    FOR_EACH (const struct simdbench_operand, operand, turn->operand, turn->view.count) {
        const volatile unsigned char *const data = operand->data;
        const uint64_t bytes = operand_bytes(operand);
        for (uint64_t b = 0; b < bytes; b += 64)
            (void)data[b];
    }
}

/* Adds what `n` calls take, made `repeat` times. */
static void run_calls(struct service_case *entry, struct call_frame *frame, uint64_t n,
                      uint64_t repeat, struct turns_reply *told)
{
    call_code *const code = entry->declared->plain;
    sigset_t mask;
    service_enter(&mask);
    const int64_t cpu_begin = clock_cpu(), begin = clock_now();
    for (uint64_t r = 0; r < repeat; r++)
        for (uint64_t i = 0; i < n; i++)
            code(&frame[i]);
    told->ns += (double)(clock_now() - begin);
    told->cpu_ns += (double)(clock_cpu() - cpu_begin);
    service_leave(entry, &mask);
}

/* The turns of a request, and the one whose operands are in use. */
struct turns {
    struct service *service;
    struct service_case *entry;
    /* results go to the list; its copy is what a call cannot overwrite */
    uint64_t *list, *copy, n, repeat;
    struct listed_turn turn;
};

/* Its case is called on the operands of that turn from now on. */
static int turn_to(struct turns *turns, uint64_t i, struct error *error)
{
    if (!turn_at(turns->service, turns->copy, i, &turns->turn))
        return invalid(error, "turns: operands outside the shared memory");
    touch(&turns->turn);
    return declared_point(turns->entry->declared, &turns->turn.view, error);
}

/* Writes what the last call returned, and how much of its outputs is valid. */
static void keep_result(const struct turns *turns, uint64_t i)
{
    const uint32_t count = turns->service->operands.view.count;
    declared_finish(turns->entry->declared);
    for (uint32_t o = 0; o < count; o++)
        turns->list[(2 * i + 1) * count + o] = declared_length(turns->entry->declared, o);
}

/* All in one loop. */
static int run_together(struct turns *turns, struct turns_reply *told,
                        struct error *error)
{
    struct call_frame *const own = turns->entry->declared->frame;
    FREED_BY(free_memory) struct call_frame *frame = calloc(turns->n + 1, sizeof *frame);
    int status = frame ? 0 : no_memory(error);
    for (uint64_t i = 0; i < turns->n && status == 0; i++) {
        status = turn_to(turns, i, error);
        if (status == 0)
            frame[i] = *own;
    }
    if (status == 0)
        run_calls(turns->entry, frame, turns->n, turns->repeat, told);
    for (uint64_t i = 0; i < turns->n && status == 0; i++) {
        status = turn_to(turns, i, error);
        if (status < 0)
            break;
        *own = frame[i];
        keep_result(turns, i);
    }
    return status;
}

/* Objects and tables of pointers are made for one call alone. */
static int run_singly(struct turns *turns, struct turns_reply *told, struct error *error)
{
    int status = 0;
    for (uint64_t i = 0; i < turns->n && status == 0; i++) {
        status = turn_to(turns, i, error);
        if (status < 0)
            break;
        run_calls(turns->entry, turns->entry->declared->frame, 1, turns->repeat, told);
        keep_result(turns, i);
    }
    return status;
}

cJSON *service_turns(struct service *service, const struct turns_call *call)
{
    struct turns_reply told = {.ns = 0};
    struct error error = {.text = ""};
    struct turns turns = {
        .service = service,
        .entry = service_find_case(service, call->number),
        .list = service->mapped ? list_of(service, call->list, call->turns) : NULL,
        .n = call->turns,
        .repeat = call->repeat ? call->repeat : 1};
    if (!turns.entry || !turns.entry->declared || !turns.list)
        return service_error(-EINVAL, "turns: no such case of a declared function, or "
                                      "its list lies outside the shared memory");
    const uint64_t bytes = 2 * turns.n * service->operands.view.count * sizeof(uint64_t);
    FREED_BY(free_memory) uint64_t *copy = malloc(bytes + 1);
    if (!copy)
        return service_error(-ENOMEM, "out of memory");
    turns.copy = memcpy(copy, turns.list, bytes);
    struct declared_call *const declared = turns.entry->declared;
    struct error why = {.text = ""};
    int status = declared_frames_last(declared) ? run_together(&turns, &told, &error)
                                                : run_singly(&turns, &told, &error);
    /* Its operands must not stay those of a turn, which end with this function. */
    const int back =
        declared_point(declared, &service->operands.view, status < 0 ? &why : &error);
    status = status < 0 ? status : back;
    if (status < 0)
        return service_error(status, "%s", error.text);
    if (clock_script())
        told.ns = service_script_ns(service, turns.entry, 0, 0) *
                  (double)(turns.n * turns.repeat);
    return turns_reply_ok(&told);
}
