/* SPDX-License-Identifier: Apache-2.0 */
/* A path is a list of instructions that executed one after the other. It may run again at
 * full speed, as there is a breakpoint wherever it can be left: the one that stops it
 * tells which instructions executed. So no two places may be left for the same address,
 * and none for an address on the path. In a loop, registers that change by the same
 * amount in each turn tell how many turns there were. */
#include "inspect_private.h"

#include <stdlib.h>

/* Addresses of a path and of its exits. */
struct addresses {
    uint64_t *slot;
    size_t n_slots; /* a power of two */
};

/* True if it was not there yet. */
static bool addresses_add(struct addresses *set, uint64_t address)
{
    size_t i = (address * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (set->n_slots - 1);
    for (; set->slot[i]; i = (i + 1) & (set->n_slots - 1))
        if (set->slot[i] == address)
            return false;
    set->slot[i] = address;
    return true;
}

static bool addresses_make(struct addresses *set, uint32_t n)
{
    for (set->n_slots = 16; set->n_slots < 4 * (size_t)n;)
        set->n_slots *= 2;
    set->slot = calloc(set->n_slots, sizeof *set->slot);
    return set->slot != NULL;
}

/* Where a conditional branch goes when it does not go on to `next`. */
static uint64_t other_way(const struct code *code, uint64_t next)
{
    const uint64_t behind = code->address + code->length;
    return code->target == next ? behind : code->target;
}

/* ---- registers that count turns ---- */

static bool is_invariant(uint32_t written, int gpr)
{
    return gpr == NO_GPR || !(written >> gpr & 1);
}

/* True if it adds to a register what is the same in each turn. */
static bool is_progress(const struct code *code, uint32_t written)
{
    const struct access *address = &code->access[0];
    const int to = code->to;
    if (code->effect == EFFECT_ADD || code->effect == EFFECT_SUB)
        return code->a == to && code->b != to && is_invariant(written, code->b);
    if (code->effect != EFFECT_LEA)
        return false;
    return (address->base == to && is_invariant(written, address->index)) ||
           (address->index == to && address->scale == 1 &&
            is_invariant(written, address->base));
}

static uint32_t find_counters(const struct nodes *nodes, const struct path *path)
{
    uint32_t written = 0, counters = 0;
    for (uint32_t i = 0; i < path->n; i++) {
        const struct code *code = &nodes->node[path->node[i]].code;
        written |= code->gpr_written;
        written |= code->stack ? 1u << GPR_RSP : 0;
    }
    counters = written & ~(1u << GPR_RSP);
    for (uint32_t i = 0; i < path->n; i++) {
        const struct code *code = &nodes->node[path->node[i]].code;
        if (!is_progress(code, written))
            counters &= ~code->gpr_written;
    }
    return counters;
}

/* What the first `n` nodes of a turn add to a register; `wide` becomes false if only 32
 * bits of it count. */
static uint64_t progress(const struct nodes *nodes, const struct path *path, uint32_t n,
                         int gpr, const struct known *known, bool *wide)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *code = &nodes->node[path->node[i]].code;
        if (!(code->gpr_written >> gpr & 1))
            continue;
        struct known now = *known;
        now.value[gpr] = 0;
        known_compute(&now, code);
        sum += now.value[gpr];
        *wide &= !code->effect_32;
    }
    return sum;
}

int64_t path_turns(const struct nodes *nodes, const struct path *path, uint32_t position,
                   const struct user_regs_struct *before,
                   const struct user_regs_struct *after)
{
    struct known from, to;
    known_take(&from, before);
    known_take(&to, after);
    for (int gpr = 0; gpr < GPR_COUNT; gpr++) {
        bool wide = true;
        if (!(path->counters >> gpr & 1))
            continue;
        const uint64_t step = progress(nodes, path, path->n, gpr, &from, &wide);
        const uint64_t part = progress(nodes, path, position, gpr, &from, &wide);
        const uint64_t gone = to.value[gpr] - from.value[gpr] - part;
        const int64_t by = wide ? (int64_t)step : (int32_t)step;
        const int64_t all = wide ? (int64_t)gone : (int32_t)gone;
        if (by && all % by == 0 && all / by >= 0)
            return all / by;
    }
    return -1;
}

/* ---- making one ---- */

/* A return goes where its call came from, if that is known. */
static uint32_t balanced(const struct nodes *nodes, const uint32_t *list, uint32_t n)
{
    uint32_t calls = 0;
    for (uint32_t i = 0; i < n; i++) {
        const enum flow flow = nodes->node[list[i]].code.flow;
        if (flow == FLOW_RETURN && calls-- == 0)
            return i;
        calls += flow == FLOW_CALL;
    }
    return n;
}

/* How many nodes of the list a path can have. Fills its exits. */
static uint32_t fill(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                     uint64_t end, size_t exits_max, struct addresses *seen,
                     struct path *path)
{
    uint32_t distinct = 0;
    while (distinct < n && addresses_add(seen, nodes->node[list[distinct]].code.address))
        distinct++;
    /* An address that comes twice cannot be the end either. */
    const uint32_t whole = balanced(nodes, list, distinct);
    if (whole < distinct)
        return whole;
    if (distinct < n || (!path->loop && !addresses_add(seen, end)))
        n = distinct - 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *code = &nodes->node[list[i]].code;
        const uint64_t next =
            i + 1 < path->n ? nodes->node[list[i + 1]].code.address : end;
        path->exit[i] = 0;
        if (code->flow != FLOW_CONDITIONAL)
            continue;
        const uint64_t other = other_way(code, next);
        if (path->n_exits == exits_max || !addresses_add(seen, other))
            return i;
        path->exit[i] = other;
        path->n_exits++;
    }
    return n;
}

struct path *path_make(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                       uint64_t end, bool loop, size_t exits_max)
{
    struct path *path = calloc(1, sizeof *path);
    struct addresses seen = {.slot = NULL};
    if (!path)
        return NULL;
    path->n = n;
    path->loop = loop;
    path->node = malloc(n * sizeof *path->node);
    path->exit = malloc(n * sizeof *path->exit);
    if (!path->node || !path->exit || !addresses_make(&seen, n)) {
        path_free(path);
        return NULL;
    }
    const uint32_t kept = fill(nodes, list, n, end, exits_max, &seen, path);
    free(seen.slot);
    path->loop = loop && kept == n;
    path->end = kept == n ? end : nodes->node[list[kept]].code.address;
    path->n = kept;
    for (uint32_t i = 0; i < kept; i++)
        path->node[i] = list[i];
    path->counters = path->loop ? find_counters(nodes, path) : 0;
    if (kept == 0) {
        path_free(path);
        return NULL;
    }
    return path;
}

void path_free(struct path *path)
{
    if (path) {
        free(path->node);
        free(path->exit);
    }
    free(path);
}

int64_t path_position(const struct nodes *nodes, const struct path *path, uint64_t pc)
{
    if (!path->loop && pc == path->end)
        return path->n;
    for (uint32_t i = 0; i < path->n; i++) {
        if (path->exit[i] == pc)
            return i + 1;
        if (nodes->node[path->node[i]].code.address == pc)
            return i;
    }
    return -1;
}
