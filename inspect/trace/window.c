/* SPDX-License-Identifier: Apache-2.0 */
/* The window of a core: instructions enter in the order of the program, so many a
 * cycle, and only while there is room for those that wait and for results. Instructions
 * leave the first room when they start, in any order, and the second one when they and
 * all before them are done. */
#include "inspect_private.h"

#include <math.h>

static unsigned first_to_start(const struct window *window)
{
    unsigned first = 0;
    for (unsigned i = 1; i < window->n_waiting; i++)
        if (window->start[i] < window->start[first])
            first = i;
    return first;
}

double window_enter(struct window *window, const struct code *code)
{
    const struct inspect_window *const of = &window->of;
    if (of->per_cycle > 0 && code->flow != FLOW_CONDITIONAL)
        window->entered += 1 / of->per_cycle;
    if (code_waits(code) && of->waiting && window->n_waiting >= of->waiting) {
        const unsigned first = first_to_start(window);
        window->entered = fmax(window->entered, window->start[first]);
        window->start[first] = window->start[--window->n_waiting];
    }
    if (code_has_result(code) && of->results && window->n_results >= of->results)
        window->entered =
            fmax(window->entered,
                 window->done[(window->n_results - of->results) % INSPECT_WINDOW_MAX]);
    return window->entered;
}

void window_start(struct window *window, const struct code *code, double start,
                  double end)
{
    window->all_done = fmax(window->all_done, end);
    if (code_waits(code) && window->of.waiting)
        window->start[window->n_waiting++] = start;
    if (code_has_result(code) && window->of.results)
        window->done[window->n_results++ % INSPECT_WINDOW_MAX] = window->all_done;
}

/* ---- from the times of two loops ---- */

enum { TURNS = 32 };

/* Cycles of a turn: so many FMAs, each of which waits for the one before, and behind
 * them such that wait for nothing. */
static double turn_cycles(struct inspect_window of, unsigned chain, unsigned behind)
{
    const struct code code = {.encoding = ENCODING_VEX,
                              .computes = true,
                              .fma = true,
                              .reads = UINT64_C(1) << REGISTER_VECTOR,
                              .writes = UINT64_C(1) << REGISTER_VECTOR};
    const unsigned latency = latency_of(&code);
    struct window window = {.of = of};
    double half = 0;
    for (unsigned turn = 0; turn < TURNS; turn++) {
        double ready = 0;
        half = turn == TURNS / 2 ? window.all_done : half;
        for (unsigned i = 0; i < chain + behind; i++) {
            const double entered = window_enter(&window, &code);
            const double start = i < chain ? fmax(entered, ready) : entered;
            ready = i < chain ? start + latency : ready;
            window_start(&window, &code, start, start + (i < chain ? latency : 1));
        }
    }
    return (window.all_done - half) / (TURNS / 2.0);
}

/* Sets the least room, a part of `window`, with which turns take no longer; 0: any room
 * is too small, or the time is unknown. */
static void fit(struct inspect_window *window, unsigned *room, double cycles,
                unsigned chain, unsigned behind)
{
    unsigned low = 0, high = INSPECT_WINDOW_MAX; /* too small; enough, or no number */
    while (high - low > 1) {
        *room = (low + high) / 2;
        *(turn_cycles(*window, chain, behind) <= cycles ? &high : &low) = *room;
    }
    *room = high < INSPECT_WINDOW_MAX ? high : 0;
}

struct inspect_window inspect_window(double per_cycle, double computed,
                                     double chain_cycles, double behind_cycles)
{
    const double units = (INSPECT_AHEAD + INSPECT_BEHIND) / computed;
    struct inspect_window window = {.per_cycle = per_cycle > 0 ? per_cycle : 0};
    fit(&window, &window.waiting, chain_cycles, INSPECT_CHAIN, 0);
    if (!(behind_cycles <= 1.1 * units))
        fit(&window, &window.results, behind_cycles, INSPECT_AHEAD, INSPECT_BEHIND);
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
