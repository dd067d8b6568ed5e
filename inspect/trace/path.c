/* SPDX-License-Identifier: Apache-2.0 */
/* A path is a list of instructions that executed one after the other. It may run again at
 * full speed, as there is a breakpoint wherever it can be left: the one that stops it
 * tells which instructions executed. So no two places may be left for the same address,
 * and none for an address on the path. In a loop, registers that change by the same
 * amount in each turn tell how many turns there were. */
#include "trace.h"

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

/* The place where a conditional branch goes when it does not go on to `next`. */
static uint64_t other_way(const struct code *code, uint64_t next)
{
    const uint64_t behind = code->address + code->length;
    return code->target == next ? behind : code->target;
}

/* ---- registers that count turns ---- */

/* A register holds within a turn what another one held at its beginning, and an
 * amount that is the same in each turn. */
enum { ROOT_NONE = -1, ROOT_UNKNOWN = -2 };
struct derived {
    int root;        /* a general register, or one of those */
    uint64_t offset; /* of ROOT_NONE: all of it */
    bool narrow;     /* only 32 bits of it are meant */
};
struct turn {
    struct derived of[GPR_COUNT];
};

static struct derived scaled(const struct turn *turn, int gpr, unsigned scale)
{
    struct derived value = {.root = ROOT_NONE};
    if (gpr == NO_GPR)
        return value;
    value = turn->of[gpr];
    value.offset *= scale;
    if (value.root >= 0 && scale != 1)
        value.root = ROOT_UNKNOWN;
    return value;
}

static struct derived sum(struct derived a, struct derived b)
{
    const bool one = a.root == ROOT_NONE || b.root == ROOT_NONE;
    return (struct derived){.root = !one                  ? ROOT_UNKNOWN
                                    : a.root == ROOT_NONE ? b.root
                                                          : a.root,
                            .offset = a.offset + b.offset,
                            .narrow = a.narrow || b.narrow};
}

static struct derived difference(struct derived a, struct derived b)
{
    b.offset = -b.offset;
    return b.root == ROOT_NONE ? sum(a, b) : (struct derived){.root = ROOT_UNKNOWN};
}

static struct derived derive(const struct turn *turn, const struct code *code)
{
    const struct access *address = &code->access[0];
    const struct derived immediate = {.root = ROOT_NONE,
                                      .offset = (uint64_t)code->immediate};
    const struct derived b = code->b == NO_GPR ? immediate : scaled(turn, code->b, 1);
    const struct derived place = {.root = ROOT_NONE, .offset = (uint64_t)address->offset};
    switch (code->effect) {
    case EFFECT_SET:
        return b;
    case EFFECT_ADD:
        return sum(scaled(turn, code->a, 1), b);
    case EFFECT_SUB:
        return difference(scaled(turn, code->a, 1), b);
    case EFFECT_LEA:
        return sum(place, sum(scaled(turn, address->base, 1),
                              scaled(turn, address->index, address->scale)));
    default:
        return (struct derived){.root = ROOT_UNKNOWN};
    }
}

/* Follows the first `n` nodes of a turn; registers that the path never writes are
 * amounts. */
static void follow_turn(const struct nodes *nodes, const struct path *path, uint32_t n,
                        const struct known *known, struct turn *turn)
{
    uint32_t written = 1u << GPR_RSP;
    for (uint32_t i = 0; i < path->n; i++)
        written |= nodes->node[path->node[i]].code.gpr_written;
    for (int r = 0; r < GPR_COUNT; r++)
        turn->of[r] = written >> r & 1 ? (struct derived){.root = r}
                                       : (struct derived){.root = ROOT_NONE,
                                                          .offset = known->value[r]};
    turn->of[GPR_RSP].root = ROOT_UNKNOWN;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *code = &nodes->node[path->node[i]].code;
        struct derived value = derive(turn, code);
        for (int r = 0; r < GPR_COUNT; r++)
            if (code->gpr_written >> r & 1)
                turn->of[r].root = ROOT_UNKNOWN;
        if (code->effect <= EFFECT_UNKNOWN)
            continue;
        value.narrow |= code->effect_32;
        turn->of[code->to] = value;
    }
}

/* A register that a turn changes by an amount, and does not only hand on. */
static bool is_counter(const struct turn *turn, int gpr)
{
    return turn->of[gpr].root == gpr && turn->of[gpr].offset;
}

static bool has_counter(const struct nodes *nodes, const struct path *path)
{
    struct known any;
    struct turn turn;
    bool found = false;
    for (int gpr = 0; gpr < GPR_COUNT; gpr++) /* no two of them cancel */
        any.value[gpr] = UINT64_C(0x0101010101010101) << gpr | 1;
    follow_turn(nodes, path, path->n, &any, &turn);
    for (int gpr = 0; gpr < GPR_COUNT; gpr++)
        found |= is_counter(&turn, gpr);
    return found;
}

int64_t path_turns(const struct nodes *nodes, const struct path *path, uint32_t position,
                   const struct user_regs_struct *before,
                   const struct user_regs_struct *after)
{
    struct known from, to;
    struct turn whole, part;
    known_take(&from, before);
    known_take(&to, after);
    follow_turn(nodes, path, path->n, &from, &whole);
    follow_turn(nodes, path, position, &from, &part);
    for (int gpr = 0; gpr < GPR_COUNT; gpr++) {
        const int root = part.of[gpr].root;
        if (root < 0 || !is_counter(&whole, root))
            continue;
        const bool narrow = part.of[gpr].narrow || whole.of[root].narrow;
        const uint64_t gone = to.value[gpr] - from.value[root] - part.of[gpr].offset;
        const uint64_t step = whole.of[root].offset;
        const int64_t by = narrow ? (int32_t)step : (int64_t)step;
        const int64_t all = narrow ? (int32_t)gone : (int64_t)gone;
        if (by && all % by == 0 && all / by >= 0)
            return all / by;
    }
    return -1;
}

/* ---- making one ---- */

static uint64_t address_of(const struct nodes *nodes, uint32_t node)
{
    return nodes->node[node].code.address;
}

/* The address after the one of a node of a path. */
static uint64_t next_address(const struct nodes *nodes, const uint32_t *list,
                             const struct path *path, uint32_t i, uint64_t end)
{
    return i + 1 < path->n ? address_of(nodes, list[i + 1]) : end;
}

/* A return goes behind its call, if that is known; one that goes elsewhere, as those of
 * retpolines, is a computed jump. */
static uint32_t balanced(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                         const struct path *path, uint64_t end)
{
    uint64_t behind[CALLS_MAX];
    uint32_t calls = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *const code = &nodes->node[list[i]].code;
        const bool returns = code->flow == FLOW_RETURN;
        if (returns && !calls)
            return i;
        calls -= returns;
        if (returns && behind[calls] != next_address(nodes, list, path, i, end))
            return i;
        if (code->flow == FLOW_CALL && calls == CALLS_MAX)
            return i;
        if (code->flow == FLOW_CALL)
            behind[calls++] = code->address + code->length;
    }
    return n;
}

/* A breakpoint would change an instruction of the list behind whose prefix code jumps. */
static bool is_inside(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                      uint64_t address)
{
    bool inside = false;
    for (uint32_t i = 0; i < n && !inside; i++) {
        const struct code *const code = &nodes->node[list[i]].code;
        inside = address > code->address && address - code->address < code->length;
    }
    return inside;
}

/* The number of nodes of the list that a path can have. Fills its exits. */
static uint32_t fill(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                     uint64_t end, size_t exits_max, struct addresses *seen,
                     struct path *path)
{
    uint32_t distinct = 0;
    while (distinct < n && addresses_add(seen, address_of(nodes, list[distinct])))
        distinct++;
    /* An address that comes twice cannot be the end either. */
    const uint32_t whole = balanced(nodes, list, distinct, path, end);
    if (whole < distinct)
        n = whole;
    else if (distinct < n || (!path->loop && (!addresses_add(seen, end) ||
                                              is_inside(nodes, list, n, end))))
        n = distinct - 1;
    for (uint32_t i = 0; i < n; i++) {
        const struct code *code = &nodes->node[list[i]].code;
        path->exit[i] = 0;
        if (code->flow != FLOW_CONDITIONAL)
            continue;
        const uint64_t other = other_way(code, next_address(nodes, list, path, i, end));
        if (path->n_exits == exits_max || !addresses_add(seen, other) ||
            is_inside(nodes, list, path->n, other))
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
    path->end = kept == n ? end : address_of(nodes, list[kept]);
    path->n = kept;
    for (uint32_t i = 0; i < kept; i++)
        path->node[i] = list[i];
    path->counted = path->loop && has_counter(nodes, path);
    if (kept == 0) {
        path_free(path);
        return NULL;
    }
    return path;
}

void path_free(struct path *path)
{
    if (path)
        FREE_EACH(path->node, path->exit);
    free(path);
}

int64_t path_position(const struct nodes *nodes, const struct path *path, uint64_t pc)
{
    if (!path->loop && pc == path->end)
        return path->n;
    for (uint32_t i = 0; i < path->n; i++) {
        if (path->exit[i] == pc)
            return i + 1;
        if (address_of(nodes, path->node[i]) == pc)
            return i;
    }
    return -1;
}
