/* SPDX-License-Identifier: Apache-2.0 */
/* Several sets of operands, with values of their own, which calls take in turn. */
#include "service.h"

int service_bind_sets(struct service *service, const struct map_call *call, void *base)
{
    if (call->sets < 2)
        return 0;
    service->set = calloc(call->sets, sizeof *service->set);
    service->turn = calloc(call->sets, sizeof *service->turn);
    if (!service->set || !service->turn)
        return -ENOMEM;
    service->n_sets = call->sets;
    for (uint64_t k = 0; k < call->sets; k++) {
        operands_bind_set(&service->set[k], &call->operands, &call->dims,
                          (uint32_t)call->threads, base, k);
        service->set[k].view.most_ulp = call->most_ulp;
        service->turn[k].argument = &service->set[k].view;
    }
    return 0;
}

void service_free_sets(struct service *service)
{
    FREE_EACH(service->set, service->turn);
    service->set = NULL;
    service->turn = NULL;
    service->n_sets = service->next_set = 0;
}

int service_prepare_turns(const struct service *service, struct service_case *entry,
                          char *error, size_t error_size)
{
    int status = 0;
    if (!service->n_sets)
        return 0;
    entry->turn = calloc(service->n_sets, sizeof *entry->turn);
    if (!entry->turn)
        return -ENOMEM;
    entry->turn[0] = (struct turn){entry->argument, entry->state};
    for (uint64_t k = 1; k < service->n_sets && status == 0; k++) {
        struct turn *const turn = &entry->turn[k];
        struct call_frame *frame = NULL;
        const struct simdbench_operands *const view = &service->set[k].view;
        turn->argument = view;
        if (entry->declared) {
            status = declared_add_set(entry->declared, view, &frame, error, error_size);
            turn->argument = (const void *)frame;
        } else if (entry->kernel->prepare) {
            status = entry->kernel->prepare(view, &turn->state, error, error_size);
        }
        if (status < 0)
            turn->argument = NULL;
    }
    return status;
}

void service_free_turns(const struct service *service, struct service_case *entry)
{
    for (uint64_t k = 1; k < service->n_sets && entry->turn; k++)
        if (entry->turn[k].argument && !entry->declared && entry->kernel->release)
            entry->kernel->release(entry->turn[k].state);
    free(entry->turn);
    entry->turn = NULL;
}

const struct operands *service_next(const struct service *service)
{
    return service->n_sets ? &service->set[service->next_set] : &service->operands;
}

/* They stay functions of their own, so that the empty kernel that measures their cost
 * goes through the very same instructions. */
__attribute__((noinline)) static void repeat(run_function *run,
                                             const struct simdbench_operands *operands,
                                             void *state, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++)
        run(operands, state);
}

__attribute__((noinline)) static uint64_t take_turns(run_function *run,
                                                     const struct turn *turn, uint64_t n,
                                                     uint64_t next, uint64_t iterations)
{
    for (uint64_t i = 0; i < iterations; i++) {
        run(turn[next].argument, turn[next].state);
        next = next + 1 == n ? 0 : next + 1;
    }
    return next;
}

void service_repeat(struct service *service, run_function *run,
                    const struct simdbench_operands *argument, void *state,
                    const struct turn *turn, uint64_t iterations)
{
    if (turn)
        service->next_set =
            take_turns(run, turn, service->n_sets, service->next_set, iterations);
    else
        repeat(run, argument, state, iterations);
}
