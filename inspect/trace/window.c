/* SPDX-License-Identifier: Apache-2.0 */
/* The window of a core: instructions enter in the order of the program, so many a cycle,
 * and only while there is room. Vector instructions that wait have a room, which they
 * leave when they start, in any order. Those that take integer units have one of the same
 * kind. Results have a third one, which they leave when they and all before are done. */
#include "inspect_private.h"

#include <math.h>

/* Vector units take their instructions from a room of their own on some cores; on those
 * where all wait in one, each sees more room than there is. */
enum { VECTORS, INTEGERS, NOWHERE };

static unsigned room_of(const struct window *window, const struct code *code)
{
    return code_waits(code) && window->of.waiting                ? VECTORS
           : code->alu && !code->computes && window->of.integers ? INTEGERS
                                                                 : NOWHERE;
}

/* Time at which one leaves its place to the next. */
static double wait_for_place(struct window *window, unsigned room)
{
    double *const start = window->start[room];
    unsigned first = 0;
    for (unsigned i = 1; i < window->n_waiting[room]; i++)
        if (start[i] < start[first])
            first = i;
    const double free = start[first];
    start[first] = start[--window->n_waiting[room]];
    return free;
}

double window_enter(struct window *window, const struct code *code)
{
    const struct inspect_window *const of = &window->of;
    const unsigned room = room_of(window, code);
    if (of->per_cycle > 0 && code->flow != FLOW_CONDITIONAL)
        window->entered += 1 / of->per_cycle;
    if (room != NOWHERE &&
        window->n_waiting[room] >= (room == VECTORS ? of->waiting : of->integers))
        window->entered = fmax(window->entered, wait_for_place(window, room));
    if (code_has_result(code) && of->results && window->n_results >= of->results)
        window->entered =
            fmax(window->entered,
                 window->done[(window->n_results - of->results) % INSPECT_WINDOW_MAX]);
    return window->entered;
}

void window_start(struct window *window, const struct code *code, double start,
                  double end)
{
    const unsigned room = room_of(window, code);
    window->all_done = fmax(window->all_done, end);
    if (room != NOWHERE)
        window->start[room][window->n_waiting[room]++] = start;
    if (code_has_result(code) && window->of.results)
        window->done[window->n_results++ % INSPECT_WINDOW_MAX] = window->all_done;
}

/* ---- from the times of loops ---- */

enum { TURNS = 32 };

static const struct code fma_code = {.encoding = ENCODING_VEX,
                                     .computes = true,
                                     .fma = true,
                                     .reads = UINT64_C(1) << REGISTER_VECTOR,
                                     .writes = UINT64_C(1) << REGISTER_VECTOR};
static const struct code integer_code = {.alu = true, .reads = 1, .writes = 1};

/* Cycles of a turn: so many of these, each of which waits for the one before, and behind
 * them such that wait for nothing. */
static double turn_cycles(const struct code *code, struct inspect_window of,
                          unsigned chain, unsigned behind)
{
    const unsigned latency = code->alu ? 1 : latency_of(code);
    struct window window = {.of = of};
    double half = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        double ready = 0;
        half = turn == TURNS / 2 ? window.all_done : half;
        for (unsigned i = 0; i < chain + behind; i++) {
            const double entered = window_enter(&window, code);
            const double start = i < chain ? fmax(entered, ready) : entered;
            ready = i < chain ? start + latency : ready;
            window_start(&window, code, start, start + (i < chain ? latency : 1));
        }
    }
    return (window.all_done - half) / (TURNS / 2.0);
}

/* Sets the least room, a part of `window`, with which turns take no longer; 0: any room
 * is too small, or the time is unknown. */
static void fit(struct inspect_window *window, unsigned *room, double cycles,
                const struct code *code, unsigned chain, unsigned behind)
{
    unsigned low = 0, high = INSPECT_WINDOW_MAX; /* too small; enough, or no number */
    while (high - low > 1) {
        *room = (low + high) / 2;
        *(turn_cycles(code, *window, chain, behind) <= cycles ? &high : &low) = *room;
    }
    *room = high < INSPECT_WINDOW_MAX ? high : 0;
}

struct inspect_window inspect_window(double per_cycle, double computed,
                                     double chain_cycles, double behind_cycles,
                                     double integer_cycles)
{
    const double units = (INSPECT_AHEAD + INSPECT_BEHIND) / computed;
    struct inspect_window window = {.per_cycle = per_cycle > 0 ? per_cycle : 0};
    fit(&window, &window.integers, integer_cycles, &integer_code, INSPECT_CHAIN, 0);
    fit(&window, &window.waiting, chain_cycles, &fma_code, INSPECT_CHAIN, 0);
    if (!(behind_cycles <= 1.1 * units))
        fit(&window, &window.results, behind_cycles, &fma_code, INSPECT_AHEAD,
            INSPECT_BEHIND);
    return window;
}

double inspect_pass(double cycles)
{
    return isnan(cycles) ? 0 : fmax(cycles, 1);
}

double inspect_guard(double cycles)
{
    const double load = 4, add = 1;
    return cycles >= load + add ? cycles - add : 0;
}
