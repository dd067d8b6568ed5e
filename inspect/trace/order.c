/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions in the order in which they were seen, with their addresses: what waits for
 * what through memory, too. */
#include "trace.h"

#include <math.h>

/* Behind a load from an unknown place, so many instructions may wait for what is not
 * known. */
enum { BLIND = 64 };
/* Data send stores about among so many places at most: loads of these meet one that is in
 * flight so often that a core lets them wait until it knows where all of them go. */
enum { PLACES_MET = 512 };
/* A call is repeated so often. */
enum { CALLS = 16 };

void order_add(struct order *order, uint32_t node)
{
    if (!order->item)
        order->item = calloc(ORDER_MAX, sizeof *order->item);
    if (order->item && order->n < ORDER_MAX)
        order->item[order->n++] = (struct ordered){.node = node};
    else
        order->n = ORDER_MAX + 1;
}

void order_address(struct order *order, unsigned access, uint64_t address)
{
    if (order->item && order->n && order->n <= ORDER_MAX)
        order->item[order->n - 1].address[access] = address;
}

/* An instruction and what it waited for. */
struct step {
    double end;
    uint32_t cause, last; /* last: of all so far, the one that is done last */
    bool known;           /* no load from an unknown place is near before it */
    bool vain;            /* as in struct ready */
};

struct run {
    struct ready ready;
    double done[INSPECT_SIGHT]; /* time at which each and all before it were done */
    double last;
    struct step step[ORDER_MAX];
};

/* A quarter of its places is far from the last one, and so many of these are on their way
 * at once that a load from one of the places meets one in 32 turns: cores look further
 * than that, and may let a load wait that met a store in one of its last 16 turns. A
 * trace knows too few places in a row to count that. */
static bool goes_about(const struct node *node, double executed)
{
    enum { MEETS = 32 };
    const struct span *const stores = &node->stores;
    const double on_way = FLIGHT_INSTRUCTIONS * (double)node->executed / executed;
    return node->counts.wild_stores > 0 &&
           4 * node->counts.wild_stores >= node->counts.addressed &&
           stores->hi - stores->lo < (uint64_t)PLACES_MET * stores->bytes &&
           (double)(stores->hi - stores->lo) <= MEETS * on_way * stores->bytes;
}

/* Marks the loads that may meet such stores. */
static void find_guarded(const struct nodes *nodes, bool *guarded)
{
    double executed = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        executed += (double)nodes->node[i].executed;
    for (uint32_t s = 0; s < nodes->n; s++)
        for (uint32_t i = 0; i < nodes->n && goes_about(&nodes->node[s], executed); i++) {
            const struct span *const to = &nodes->node[s].stores,
                                     *from = &nodes->node[i].loads;
            guarded[i] |= from->bytes && from->lo <= to->hi && to->lo <= from->hi;
        }
}

/* The time at which the last of all instructions up to this one is done. */
static double run_on(struct run *run, const struct code *code, const uint64_t *address)
{
    const uint32_t number = run->ready.step;
    double *const slot = &run->done[number % INSPECT_SIGHT];
    run->ready.address = address;
    run->ready.window.entered = fmax(run->ready.window.entered, *slot);
    const double end = ready_execute(&run->ready, code);
    const bool later = !number || end > run->last;
    run->step[number] =
        (struct step){.end = end,
                      .cause = run->ready.cause,
                      .vain = run->ready.vain,
                      .last = later ? number : run->step[number - 1].last};
    run->last = fmax(run->last, end);
    return *slot = run->last;
}

/* Back from the last result: the one that it waited for, or where none is, the last one
 * before. */
static void add_chain(const struct run *run, const struct order *order,
                      const struct order_sums *sums)
{
    for (uint32_t at = run->ready.step; at > 0;) {
        const uint32_t number = run->step[at - 1].last;
        at = number;
        for (uint32_t to = number; run->step[to].cause < to; at = to) {
            const struct step *const step = &run->step[to];
            const double cycles = step->end - run->step[step->cause].end;
            if (step->known) {
                sums->chained[order->item[to].node] += cycles;
                sums->vain[order->item[to].node] += step->vain ? cycles : -cycles;
            }
            to = step->cause;
        }
    }
}

double order_again(const struct tracer *tracer, const struct inspect_window *window,
                   bool memory)
{
    const uint32_t n = tracer->order.n;
    FREED_BY(free_memory) struct run *run = calloc(1, sizeof *run);
    FREED_BY(free_memory) struct cell *cell = calloc(CELLS, sizeof *cell);
    double half = 0;
    if (!run || !cell || n != tracer->instructions || CALLS * n > ORDER_MAX)
        return 0;
    run->ready = (struct ready){.window.of = *window, .cell = memory ? cell : NULL};
    for (uint32_t i = 0; i < CALLS * n; i++) {
        const struct ordered *const item = &tracer->order.item[i % n];
        if (i % n == 0)
            memset(run->ready.at, 0, sizeof run->ready.at);
        half = i == CALLS / 2 * n ? run->last : half;
        run_on(run, &tracer->nodes.node[item->node].code, item->address);
    }
    return (run->last - half) / (CALLS / 2.0);
}

static bool is_blind(const struct code *code, const uint64_t *address)
{
    bool blind = false;
    for (unsigned i = 0; i < code->n_accesses; i++)
        blind |= code->access[i].read && !code->access[i].hidden &&
                 !code->access[i].gather && !code->access[i].string && !address[i];
    return blind;
}

bool order_times(const struct tracer *tracer, const struct inspect_window *window,
                 bool memory, const struct order_sums *sums)
{
    const struct order *const order = &tracer->order;
    const uint32_t n = order->n < ORDER_MAX ? order->n : ORDER_MAX;
    FREED_BY(free_memory) struct run *run = calloc(1, sizeof *run);
    FREED_BY(free_memory) struct cell *cell = calloc(CELLS, sizeof *cell);
    FREED_BY(free_memory) bool *guarded = calloc(tracer->nodes.n + 1, sizeof *guarded);
    const bool done = run && cell && guarded;
    if (done && memory)
        find_guarded(&tracer->nodes, guarded);
    if (done)
        run->ready = (struct ready){.window.of = *window, .cell = memory ? cell : NULL};
    uint32_t known = 0; /* instructions since a load from an unknown place */
    for (uint32_t i = 0; done && i < n && order->item; i++) {
        const struct ordered *const item = &order->item[i];
        const struct code *const code = &tracer->nodes.node[item->node].code;
        const double before = run->last;
        run->ready.guarded = guarded[item->node];
        const double took = run_on(run, code, item->address) - before;
        known = is_blind(code, item->address) ? 0 : known + 1;
        if (known < BLIND)
            continue;
        run->step[i].known = true;
        sums->cycles[item->node] += took;
        sums->executed[item->node]++;
    }
    if (done && order->item)
        add_chain(run, order, sums);
    return done;
}
