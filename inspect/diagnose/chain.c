/* SPDX-License-Identifier: Apache-2.0 */
/* The longest chain of dependencies from one turn of a loop to the next: registers, flags
 * and places on the stack become ready as if nothing else took any time. */
#include "inspect_private.h"

#include <math.h>

enum { PATH_MAX_NODES = 2048, TURNS = 32 };
/* The least that loads of known cores take: no chain seems longer than it is. */
enum { LOAD_CYCLES = 4, VECTOR_LOAD_CYCLES = 6, FORWARD_CYCLES = 5, SLOT_CYCLES = 1 };

/* The way that most turns take. */
static uint32_t usual_way(const struct nodes *nodes, const struct loops *loops,
                          uint32_t loop, uint32_t *way)
{
    const uint32_t head = loops->loop[loop].head;
    uint32_t at = head, n = 0;
    do {
        const struct node *node = &nodes->node[at];
        uint64_t most = 0;
        if (n == PATH_MAX_NODES)
            return 0;
        way[n++] = at;
        at = NO_NODE;
        for (uint32_t i = 0; i < node->n_edges; i++)
            if (loops->of[node->edge[i].to] == loop && node->edge[i].count > most) {
                most = node->edge[i].count;
                at = node->edge[i].to;
            }
    } while (at != NO_NODE && at != head);
    return at == head ? n : 0;
}

static bool is_same_place(const struct access *a, const struct access *b)
{
    return a->base == b->base && a->index == b->index && a->scale == b->scale &&
           a->offset == b->offset && a->segment == b->segment;
}

static struct place *find_place(const struct ready *ready, const struct access *access)
{
    for (unsigned i = 0; i < ready->n_places; i++)
        if (is_same_place(&ready->place[i].access, access))
            return (struct place *)&ready->place[i];
    return NULL;
}

static bool is_constant(const struct ready *ready, int gpr)
{
    return gpr == NO_GPR || gpr == GPR_RSP || !(ready->written >> gpr & 1);
}

/* Registers that it changes. A function that sets up its frame leaves rbp as it was. */
static uint64_t changed_by(const struct code *code)
{
    const bool frame =
        code->writes >> GPR_RSP & 1 || (code->effect == EFFECT_SET && code->b == GPR_RSP);
    return frame ? code->writes & ~(UINT64_C(1) << GPR_RBP) : code->writes;
}

/* Only what names no register that changes stays the same place. */
static bool is_fixed(const struct ready *ready, const struct access *access)
{
    return !access->hidden && !access->gather && is_constant(ready, access->index) &&
           is_constant(ready, access->base);
}

static double latest(const struct ready *ready, uint64_t mask)
{
    double time = 0;
    for (unsigned r = 0; r < REGISTER_COUNT; r++)
        if (mask >> r & 1)
            time = fmax(time, ready->at[r]);
    return time;
}

/* From a store to a load of what it stored. The store itself takes a cycle of it. */
static double forward_cycles(const struct ready *ready, const struct code *code,
                             const struct access *access, bool named)
{
    const struct inspect_window *const of = &ready->window.of;
    const bool vector = code->vector || code->scalar_float;
    const double pass = vector                   ? of->pass_vector
                        : !named                 ? of->pass
                        : access->base == NO_GPR ? of->pass_global
                                                 : of->pass_named;
    return pass > 0 ? pass - 1 : FORWARD_CYCLES;
}

/* The same for accesses at the same offset from a register that did not change; 0: an
 * index hides the place. */
static uint64_t name_of(const struct ready *ready, const struct access *access)
{
    const bool moves = access->base != NO_GPR;
    const uint64_t version = moves ? ready->version[access->base] : 0;
    if (access->index != NO_GPR || access->gather)
        return 0;
    return (version << 6 | (uint64_t)(access->base + 2)) << 32 ^ (uint64_t)access->offset;
}

/* Time at which the last value arrives that its registers, its address and places on the
 * stack bring. */
static double operands_ready(const struct ready *ready, const struct code *code)
{
    const double load =
        code->vector || code->scalar_float ? VECTOR_LOAD_CYCLES : LOAD_CYCLES;
    double start = latest(ready, code->reads);
    if (code->loads && !ready->placed_early)
        start = fmax(start, latest(ready, code->address_reads) + load);
    return start;
}

/* Cores know places on the stack by their names, and forward them early. */
static double cells_ready(struct ready *ready, const struct code *code,
                          const struct access *access, uint64_t address, double start)
{
    const uint64_t name = name_of(ready, access);
    if (!access->read || !address)
        return start;
    for (uint64_t at = address; at < address + access->bytes; at++) {
        const struct cell *const cell = &ready->cell[at % CELLS];
        const double forward =
            forward_cycles(ready, code, access, name && cell->name == name);
        const double then =
            cell->ready + (access_is_slot(access) ? fmin(SLOT_CYCLES, forward) : forward);
        if (cell->place != at || then <= start)
            continue;
        start = then;
        ready->cause = cell->by - 1;
    }
    return start;
}

/* The places of its stores are known when their addresses are. */
static void place_stores(struct ready *ready, const struct code *code)
{
    for (unsigned i = 0; i < code->n_accesses; i++)
        for (unsigned r = 0; r < REGISTER_COUNT; r++)
            if (code->access[i].write && !code->access[i].hidden &&
                code->address_reads >> r & 1 && ready->at[r] > ready->placed) {
                ready->placed = ready->at[r];
                ready->placed_by = ready->by[r];
            }
}

static double guard_ready(struct ready *ready)
{
    const double guard = ready->window.of.guard;
    if (!ready->guarded || !ready->cell || !(guard > 0) || !ready->placed_by)
        return 0;
    ready->cause = ready->placed_by - 1;
    return ready->placed + guard;
}

static double places_ready(struct ready *ready, const struct code *code)
{
    if (ready->apart)
        return 0;
    double start = guard_ready(ready);
    for (unsigned i = 0; i < code->n_accesses && ready->cell; i++)
        start = cells_ready(ready, code, &code->access[i], ready->address[i], start);
    for (unsigned i = 0; i < code->n_accesses && !ready->address; i++) {
        const struct access *access = &code->access[i];
        const struct place *place =
            access->read && is_fixed(ready, access) ? find_place(ready, access) : NULL;
        if (place)
            start = fmax(start, place->ready + forward_cycles(ready, code, access,
                                                              access->index == NO_GPR));
    }
    return start;
}

/* Time at which register r has its result, by the links that lead there. An instruction
 * that makes zero waits for none of its operands. */
static double link_ready(const struct ready *ready, const struct code *code, unsigned r,
                         double otherwise)
{
    const struct code_cost *const cost = code->cost;
    const uint64_t reads =
        code->reads | (ready->placed_early && code->loads ? 0 : code->address_reads) |
        (ready->needed ? 0 : cost->kept);
    double end = -1;
    for (size_t i = 0; i < cost->n_links; i++)
        if (cost->link[i].to >> r & 1)
            end = fmax(end, latest(ready, cost->link[i].from & reads) +
                                (double)(ready->full ? cost->link[i].full
                                                     : cost->link[i].cycles));
    return end < 0 ? otherwise : end;
}

static void write_cells(struct ready *ready, const struct access *access,
                        uint64_t address, double end)
{
    const uint64_t name = name_of(ready, access);
    for (uint64_t at = address; address && access->write && at < address + access->bytes;
         at++)
        ready->cell[at % CELLS] =
            (struct cell){.place = at, .name = name, .ready = end, .by = ready->step + 1};
}

static void write_places(struct ready *ready, const struct code *code, double end)
{
    for (unsigned i = 0; i < code->n_accesses && ready->cell; i++)
        write_cells(ready, &code->access[i], ready->address[i], end);
    for (unsigned i = 0; i < code->n_accesses && !ready->address; i++) {
        const struct access *access = &code->access[i];
        if (!access->write || !is_fixed(ready, access))
            continue;
        struct place *place = find_place(ready, access);
        if (!place && ready->n_places < PLACES_MAX)
            place = &ready->place[ready->n_places++];
        if (place)
            *place = (struct place){.access = *access, .ready = end};
    }
}

/* The stack of x87 moves: what is there has other names then. */
static void move_stack(struct ready *ready, int pushes)
{
    double *const top = &ready->at[REGISTER_X87];
    uint32_t *const by = &ready->by[REGISTER_X87];
    const size_t rest = REGISTER_COUNT - REGISTER_X87 - (size_t)abs(pushes);
    const int to = pushes > 0 ? pushes : 0, from = pushes < 0 ? -pushes : 0;
    memmove(top + to, top + from, rest * sizeof *top);
    memmove(by + to, by + from, rest * sizeof *by);
}

/* Only fxch writes two registers of a stack that stays: their values change places. */
static void exchange(const struct ready *ready, const struct code *code, double *at)
{
    const uint64_t both = code->writes >> REGISTER_X87;
    if (code->pushes || __builtin_popcountll(both) != 2)
        return;
    const int a = REGISTER_X87 + __builtin_ctzll(both),
              b = 63 - __builtin_clzll(code->writes);
    at[a] = ready->at[b];
    at[b] = ready->at[a];
}

static bool is_linked(const struct code *code)
{
    return code->cost && code->cost->n_links;
}

/* Cycles from the value of a register to the last result. */
static double way_cycles(const struct code *code, unsigned from)
{
    const struct code_cost *const cost = code->cost;
    double cycles = is_linked(code) ? 0 : code->latency;
    if (code->loads && code->address_reads >> from & 1)
        cycles += code->vector || code->scalar_float ? VECTOR_LOAD_CYCLES : LOAD_CYCLES;
    for (size_t i = 0; cost && i < cost->n_links; i++)
        if (cost->link[i].from >> from & 1)
            cycles = fmax(cycles, (double)cost->link[i].cycles);
    return cycles;
}

/* The cause is what made the last register, unless a value from memory comes later.
 * Returns when the last result is there by that. */
static double take_cause(struct ready *ready, const struct code *code, double places)
{
    const uint64_t reads = code->reads | code->address_reads,
                   all = reads | (code->cost ? code->cost->kept : 0);
    double last = places > 0 ? places + (is_linked(code) ? 0 : code->latency) : 0;
    for (int vain = 0; vain <= 1; vain++)
        for (unsigned r = 0; r < REGISTER_COUNT; r++)
            if ((vain ? all & ~reads : reads) >> r & 1 &&
                ready->at[r] + way_cycles(code, r) > last) {
                last = ready->at[r] + way_cycles(code, r);
                ready->cause = ready->by[r] - 1;
                ready->vain = vain;
            }
    return last;
}

double ready_execute(struct ready *ready, const struct code *code)
{
    double at[REGISTER_COUNT];
    ready->cause = NO_CAUSE;
    ready->vain = false;
    const double places = places_ready(ready, code);
    place_stores(ready, code);
    const double operands = fmax(operands_ready(ready, code), places);
    const double start = fmax(operands, window_enter(&ready->window, code));
    const double least = fmax(start > operands ? start : 0, places);
    const double waited = take_cause(ready, code, places);
    double end = start;
    for (unsigned r = 0; r < REGISTER_COUNT; r++)
        if (code->writes >> r & 1) {
            at[r] = start + code->latency;
            if (is_linked(code))
                at[r] = fmax(least, link_ready(ready, code, r, at[r]));
            if (r < GPR_COUNT && code->gpr_kept >> r & 1)
                at[r] = fmax(at[r], ready->at[r] + 1);
            end = fmax(end, at[r]);
        }
    exchange(ready, code, at);
    /* Cores add to the stack pointer as instructions enter. */
    if (code->stack)
        at[GPR_RSP] = ready->at[GPR_RSP];
    if (!code->writes)
        end = start + code->latency;
    /* Its operands were there before it entered. */
    if (start > operands && end > waited)
        ready->cause = NO_CAUSE;
    window_start(&ready->window, code, start, end);
    write_places(ready, code, end);
    if (code->pushes > 0)
        move_stack(ready, code->pushes);
    for (unsigned r = 0; r < REGISTER_COUNT; r++)
        if (code->writes >> r & 1) {
            ready->at[r] = at[r];
            if (r != GPR_RSP || !code->stack)
                ready->by[r] = ready->step + 1;
            if (r < GPR_COUNT)
                ready->version[r]++;
        }
    if (code->pushes < 0)
        move_stack(ready, code->pushes);
    ready->step++;
    return end;
}

static double last_of(const struct ready *ready)
{
    double time = latest(ready, ~UINT64_C(0));
    for (unsigned i = 0; i < ready->n_places; i++)
        time = fmax(time, ready->place[i].ready);
    return time;
}

int loop_carried(const struct nodes *nodes, const struct loops *loops, uint32_t loop)
{
    const uint64_t general = ((UINT64_C(1) << GPR_COUNT) - 1) & ~(UINT64_C(1) << GPR_RSP);
    uint64_t frame = UINT64_C(1) << GPR_RBP;
    uint32_t way[PATH_MAX_NODES];
    uint64_t read = 0, written = 0;
    const uint32_t n = loops->loop[loop].inner ? usual_way(nodes, loops, loop, way) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *const code = &nodes->node[way[i]].code;
        const bool saves = code->stack < 0 && !code->is_call; /* a push */
        read |= saves ? 0 : (code->reads | code->address_reads) & ~written;
        written |= code->writes;
        frame &= ~changed_by(code);
    }
    return n ? __builtin_popcountll(read & general & ~frame) : -1;
}

/* Nothing but vectors comes from the turn before, or all but these. */
static void keep(struct ready *ready, bool vectors)
{
    for (unsigned r = 0; r < REGISTER_COUNT; r++)
        if ((r >= REGISTER_VECTOR && r < REGISTER_FLAGS) != vectors)
            ready->at[r] = 0;
    ready->n_places = vectors ? 0 : ready->n_places;
}

static double turn_of(const struct nodes *nodes, const uint32_t *way, uint32_t n,
                      const struct inspect_window *window, enum chain_kind kind)
{
    struct ready ready = {.window.of = *window,
                          .full = kind == CHAIN_FULL,
                          .apart = kind == CHAIN_REGISTERS,
                          .placed_early = kind == CHAIN_PLACED,
                          .needed = kind == CHAIN_VECTORS};
    double half = 0;
    for (uint32_t i = 0; i < n; i++)
        ready.written |= changed_by(&nodes->node[way[i]].code);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        if (turn == TURNS / 2)
            half = last_of(&ready);
        if (kind == CHAIN_VECTORS || kind == CHAIN_OTHERS)
            keep(&ready, kind == CHAIN_VECTORS);
        for (uint32_t i = 0; i < n; i++)
            ready_execute(&ready, &nodes->node[way[i]].code);
    }
    return (last_of(&ready) - half) / (TURNS / 2.0);
}

double loop_chain(const struct nodes *nodes, const struct loops *loops, uint32_t loop,
                  const struct inspect_window *window, enum chain_kind kind)
{
    uint32_t way[PATH_MAX_NODES];
    const uint32_t n = loops->loop[loop].inner ? usual_way(nodes, loops, loop, way) : 0;
    return turn_of(nodes, way, n, window, kind);
}
