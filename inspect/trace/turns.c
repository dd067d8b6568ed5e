/* SPDX-License-Identifier: Apache-2.0 */
/* The length of a call that was seen in windows alone, from the turns of its loops. */
#include "trace.h"

/* So many turns of a loop are counted at most, of the main one fewer: each is a stop of
 * up to 60 us in a virtual machine. */
enum { COUNT_MOST = 80000, COUNT_MAIN_MOST = 16000 };
/* The number of turns that a window has of the loop whose turns are counted may differ
 * from window to window, but the mean of all must be known as well as this; better, if
 * any loop is.
 */
static const double errors[] = {0.1, 0.2};
enum { TURNS_SEEN = 40 };
/* Turns of an outer loop that are stepped through, and have so many instructions at most;
 * an inner loop has so many turns in each at least. */
enum { TURNS_STEPPED = 4, TURN_STEPS = 20000, TURNS_INNER = 8 };
/* Two loops that tell so different numbers contradict each other. */
#define CONTRADICTION 1.5

/* The number of times that one call comes to an address, each time a stop; `all`: not
 * only of its beginning, as there were too many. */
static int count_turns(struct tracer *tracer, uint64_t address, uint64_t most,
                       uint64_t *turns, bool *all)
{
    struct child *child = &tracer->child;
    const bool before = child->debug_registers;
    int status = tracer_set_calls(tracer, INSPECT_CALLS) ?: tracer_begin_call(tracer);
    uint64_t n = 0;
    /* Breakpoints in the code would have to be taken out and put back each time. */
    child->debug_registers = true;
    bool armed = status == 0 && child_arm(child, &address, 1);
    while (armed && status == 0 && child->registers.rip != tracer->end + 1) {
        if (n > most) {
            child_disarm(child);
            armed = false;
        } else if ((status = child_continue(child)) < 0) {
            status = tracer_gone(tracer, status);
        }
        n += child->registers.rip == address;
    }
    child_disarm(child);
    child->debug_registers = before;
    *turns = n;
    *all = armed;
    return status == 0 && child->registers.rip != tracer->end + 1
               ? tracer_go_to_marker(tracer, false)
               : status;
}

/* Windows saw its turns often enough, and about as often as each other: what one window
 * alone saw may be rare in the call. */
static bool is_well_known(const struct inspect_loop *loop, double error)
{
    return loop->iterations >= TURNS_SEEN && loop->error <= error;
}

/* The loop with the fewest turns that is well known. NULL: there is none. */
static const struct inspect_loop *rarest_loop(const struct inspect_census *census)
{
    const struct inspect_loop *rarest = NULL;
    for (size_t k = 0; k < ARRAY_LEN(errors) && !rarest; k++)
        for (size_t i = 0; i < census->n_loops; i++)
            if (is_well_known(&census->loop[i], errors[k]) &&
                (!rarest || census->loop[i].iterations < rarest->iterations))
                rarest = &census->loop[i];
    return rarest;
}

/* From one arrival at `outer` to the next: how often it comes to `inner` in between.
 * -ENODATA: it takes too many instructions, or the call ends. */
static int step_turn(struct tracer *tracer, uint64_t outer, uint64_t inner, uint64_t *n)
{
    struct child *child = &tracer->child;
    const struct user_regs_struct *const r = &child->registers;
    int status = child_arm(child, &outer, 1) ? 0 : -ENODATA;
    while (status == 0 && r->rip != outer && r->rip != tracer->end + 1)
        status = child_continue(child);
    child_disarm(child);
    *n = 0;
    for (int i = 0; status == 0 && (i == 0 || r->rip != outer); i++) {
        if (i == TURN_STEPS || r->rip == tracer->end + 1)
            return -ENODATA;
        *n += r->rip == inner;
        status = child_advance(child);
    }
    return status < 0 && status != -ENODATA ? tracer_gone(tracer, status) : status;
}

/* The address where a loop ends: behind the last branch that leads back to its head. 0:
 * no branch that was seen does. */
static uint64_t end_of_loop(const struct nodes *nodes, uint64_t head)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct code *const code = &nodes->node[i].code;
        const uint64_t behind = code->address + code->length;
        if (code->flow == FLOW_CONDITIONAL && code->target == head && behind > head &&
            behind > end)
            end = behind;
    }
    return end;
}

/* The turns of a loop each time that it runs, the first times of a call; 0: they differ,
 * or are too many. */
static int count_in_a_row(struct tracer *tracer, uint64_t head, uint64_t end,
                          uint64_t *turns)
{
    struct child *child = &tracer->child;
    const bool before = child->debug_registers;
    const uint64_t place[] = {head, end};
    int status = tracer_set_calls(tracer, INSPECT_CALLS) ?: tracer_begin_call(tracer);
    uint64_t n = 0, stops = 0;
    *turns = 0;
    child->debug_registers = true;
    bool alike = status == 0 && child_arm(child, place, ARRAY_LEN(place));
    for (int times = 0; alike && times < TURNS_STEPPED && stops < COUNT_MAIN_MOST;) {
        if ((status = child_continue(child)) < 0) {
            status = tracer_gone(tracer, status);
            break;
        }
        if (child->registers.rip == tracer->end + 1)
            break;
        stops++;
        n += child->registers.rip == head;
        if (child->registers.rip != end)
            continue;
        alike = times++ == 0 || n == *turns;
        *turns = n;
        n = 0;
    }
    child_disarm(child);
    child->debug_registers = before;
    if (!alike || stops >= COUNT_MAIN_MOST)
        *turns = 0;
    return status == 0 && child->registers.rip != tracer->end + 1
               ? tracer_go_to_marker(tracer, false)
               : status;
}

/* The turns of a loop in one call: counted, or if they are too many, those of each time
 * that it runs, times how often it does. */
static int count_loop(struct tracer *tracer, uint64_t head, uint64_t *turns, bool *all)
{
    const uint64_t end = end_of_loop(&tracer->nodes, head);
    uint64_t times = 0, in_a_row = 0;
    int status = count_turns(tracer, head, COUNT_MOST, turns, all);
    if (status < 0 || *all || !end)
        return status;
    status = count_turns(tracer, end, COUNT_MAIN_MOST, &times, all);
    if (status == 0 && *all)
        status = count_in_a_row(tracer, head, end, &in_a_row);
    *turns = times * in_a_row;
    *all = *all && *turns > 0;
    return status;
}

/* The turns of a loop that are too many to count: those of one around it, times what a
 * few of these have. 0 turns: they differ, or there is no such loop. */
static int multiply_turns(struct tracer *tracer, const struct inspect_census *census,
                          const struct inspect_loop *inner, uint64_t *turns)
{
    const struct inspect_loop *outer = NULL;
    uint64_t number = 0, of_turn[TURNS_STEPPED] = {0};
    bool all = false;
    *turns = 0;
    for (size_t i = 0; i < census->n_loops; i++)
        if (census->loop[i].iterations * TURNS_INNER <= inner->iterations &&
            (!outer || census->loop[i].iterations > outer->iterations))
            outer = &census->loop[i];
    if (!outer)
        return 0;
    int status = count_loop(tracer, outer->address, &number, &all)
                     ?: tracer_set_calls(tracer, INSPECT_CALLS)
                     ?: tracer_begin_call(tracer);
    for (int i = 0; i < TURNS_STEPPED && status == 0 && all; i++) {
        status = step_turn(tracer, outer->address, inner->address, &of_turn[i]);
        all = status == 0 && of_turn[i] == of_turn[0];
    }
    if (status == -ENODATA)
        status = 0;
    if (all)
        *turns = number * of_turn[0];
    return status == 0 && tracer->child.registers.rip != tracer->end + 1
               ? tracer_go_to_marker(tracer, false)
               : status;
}

/* The loop with the most instructions, but for the rarest one. NULL: no other one is well
 * known. */
static const struct inspect_loop *main_loop(const struct inspect_census *census,
                                            const struct inspect_loop *rare)
{
    for (size_t i = 0; i < census->n_loops; i++)
        if (&census->loop[i] != rare &&
            is_well_known(&census->loop[i], errors[ARRAY_LEN(errors) - 1]))
            return &census->loop[i];
    return NULL;
}

/* The number of instructions of a sampled call, from the turns of a rare loop, and of the
 * main other one, if these are not too many: they must not contradict each other. Windows
 * of a short call begin where it does more often than elsewhere, and what is there alone
 * seems to be a larger part of the call than it is. */
int tracer_estimate_call(struct tracer *tracer, const struct inspect_options *options,
                         struct inspect_census *census)
{
    const struct inspect_loop *const rare = rarest_loop(census);
    const struct inspect_loop *const main = main_loop(census, rare);
    const double seen = (double)census->instructions;
    uint64_t turns = 0;
    bool all = false;
    census->call_instructions = census->whole ? seen : 0;
    if (census->whole || !options->count_turns || !rare)
        return 0;
    int status = count_turns(tracer, rare->address, COUNT_MOST, &turns, &all);
    if (status == 0 && !all) {
        status = multiply_turns(tracer, census, rare, &turns);
        all = true;
    }
    const double number = all ? (double)turns / rare->iterations * seen : 0;
    if (status < 0 || !all || !main) {
        census->call_instructions = number;
        return status;
    }
    status = count_turns(tracer, main->address, COUNT_MAIN_MOST, &turns, &all);
    const double other = (double)turns / main->iterations * seen;
    if (other <= CONTRADICTION * number && (!all || number <= CONTRADICTION * other))
        census->call_instructions = number;
    return status;
}
