/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of executed code. An edge back to a node on the way from the beginning closes
 * one, and the loop has all nodes from which it can be reached without its head. */
#include "inspect_private.h"
#include "numbers.h"

struct search {
    const struct nodes *nodes;
    uint32_t n, visited;
    uint32_t *first, *before; /* of each node: where the list of nodes before it begins */
    uint32_t *stack, *edge;   /* nodes on the way; the next edge of each */
    uint32_t *visit;  /* of each node: when it was reached, from 1 on; 0: not yet */
    uint32_t *last;   /* and the last one that was reached behind it */
    uint32_t *member; /* mark of the loop that found it last */
};

static void search_free(struct search *s)
{
    FREE_EACH(s->first, s->before, s->stack, s->edge, s->visit, s->last, s->member);
}

/* Nodes before each node, one list after the other. */
static void turn_edges(struct search *s)
{
    const struct node *node = s->nodes->node;
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t e = 0; e < node[i].n_edges; e++)
            s->first[node[i].edge[e].to + 2]++;
    for (uint32_t i = 2; i < s->n + 2; i++)
        s->first[i] += s->first[i - 1];
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t e = 0; e < node[i].n_edges; e++)
            s->before[s->first[node[i].edge[e].to + 1]++] = i;
}

static bool search_make(struct search *s, const struct nodes *nodes)
{
    const size_t n = nodes->n;
    size_t edges = 1;
    for (uint32_t i = 0; i < n; i++)
        edges += nodes->node[i].n_edges;
    *s = (struct search){.nodes = nodes,
                         .n = nodes->n,
                         .first = calloc(n + 2, sizeof *s->first),
                         .before = calloc(edges, sizeof *s->before),
                         .stack = calloc(n + 1, sizeof *s->stack),
                         .edge = calloc(n + 1, sizeof *s->edge),
                         .visit = calloc(n + 1, sizeof *s->visit),
                         .last = calloc(n + 1, sizeof *s->last),
                         .member = calloc(n + 1, sizeof *s->member)};
    if (!s->first || !s->before || !s->stack || !s->edge || !s->visit || !s->last ||
        !s->member)
        return false;
    turn_edges(s);
    return true;
}

/* Depth first. */
static void visit_from(struct search *s, uint32_t root)
{
    uint32_t depth = 0, next = root;
    for (;;) {
        if (!s->visit[next]) {
            s->visit[next] = ++s->visited;
            s->stack[depth++] = next;
        }
        if (depth == 0)
            return;
        const uint32_t at = s->stack[depth - 1];
        const struct node *node = &s->nodes->node[at];
        if (s->edge[at] < node->n_edges) {
            next = node->edge[s->edge[at]++].to;
        } else {
            s->last[at] = s->visited;
            depth--;
            next = at;
        }
    }
}

struct root {
    uint64_t address; /* first, for by_u64() */
    uint32_t node;
};

/* Some instruction goes back to it. */
static bool is_gone_back_to(const struct search *s, uint32_t node)
{
    const uint64_t address = s->nodes->node[node].code.address;
    bool back = false;
    for (uint32_t e = s->first[node]; e < s->first[node + 1]; e++)
        back |= s->nodes->node[s->before[e]].code.address >= address;
    return back;
}

/* A whole call begins with its first node. Windows begin anywhere, also within a loop:
 * there, the lowest address is taken for its beginning. Functions that a loop calls may
 * have lower ones, and begin several times in a turn: those that call come first. */
static bool visit_all(struct search *s, bool whole)
{
    const struct node *const node = s->nodes->node;
    FREED_BY(free_memory) struct root *root = malloc((s->n + 1) * sizeof *root);
    uint32_t deepest = 0;
    if (!root)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        root[i] = (struct root){.address = node[i].code.address, .node = i};
        deepest = node[i].depth > deepest ? node[i].depth : deepest;
    }
    if (whole && s->n)
        visit_from(s, 0);
    qsort(root, s->n, sizeof *root, by_u64);
    for (uint32_t depth = 0; depth <= deepest + 1; depth++)
        for (uint32_t i = 0; i < s->n; i++)
            if (depth > deepest ||
                (node[root[i].node].depth == depth && is_gone_back_to(s, root[i].node)))
                visit_from(s, root[i].node);
    return true;
}

static bool is_behind(const struct search *s, uint32_t head, uint32_t node)
{
    return s->visit[node] >= s->visit[head] && s->visit[node] <= s->last[head];
}

/* Puts nodes before `at` on the stack, if the loop has them and they are new. */
static uint32_t push_before(struct search *s, uint32_t head, uint32_t at, uint32_t mark,
                            uint32_t n)
{
    for (uint32_t e = s->first[at]; e < s->first[at + 1]; e++) {
        const uint32_t from = s->before[e];
        if (s->member[from] == mark || !is_behind(s, head, from))
            continue;
        s->member[from] = mark;
        s->stack[n++] = from;
    }
    return n;
}

/* The number of nodes in the loop of a head; 0: it is the head of none. */
static uint32_t collect(struct search *s, uint32_t head, uint32_t mark)
{
    uint32_t size = 1;
    bool closed = false;
    for (uint32_t e = s->first[head]; e < s->first[head + 1]; e++)
        closed |= is_behind(s, head, s->before[e]);
    if (!closed)
        return 0;
    s->member[head] = mark;
    uint32_t n = push_before(s, head, head, mark, 0);
    for (; n; size++) {
        const uint32_t at = s->stack[--n];
        n = push_before(s, head, at, mark, n);
    }
    return size;
}

static uint64_t entries_of(const struct search *s, uint32_t head, uint32_t mark)
{
    uint64_t inside = 0;
    for (uint32_t e = s->first[head]; e < s->first[head + 1]; e++) {
        const struct node *from = &s->nodes->node[s->before[e]];
        for (uint32_t i = 0; s->member[s->before[e]] == mark && i < from->n_edges; i++)
            inside += from->edge[i].to == head ? from->edge[i].count : 0;
    }
    const uint64_t all = s->nodes->node[head].executed;
    return all > inside ? all - inside : 0;
}

/* It is left so early that its code is a step of the loop around it, whose results wait
 * for those of its other steps. */
static bool is_step(const struct search *s, uint32_t head, uint64_t entries)
{
    return 2 * s->nodes->node[head].executed < 3 * entries;
}

/* The smallest loop that has a node is the innermost one. */
static bool add_loop(const struct search *s, uint32_t mark, const struct loop *loop,
                     struct loops *loops)
{
    if (!array_room(&loops->loop, loops->n, sizeof *loops->loop))
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t old = loops->of[i];
        if (s->member[i] == mark &&
            (old == NO_LOOP || loops->loop[old].size > loop->size))
            loops->of[i] = loops->n;
    }
    loops->loop[loops->n++] = *loop;
    return true;
}

/* Steps are loops where no other one is around them. */
static bool find_all(struct search *s, struct loops *loops)
{
    uint32_t mark = 0;
    for (int steps = 0; steps < 2; steps++)
        for (uint32_t head = 0; head < s->n; head++) {
            if (steps && loops->of[head] != NO_LOOP)
                continue;
            const uint32_t size = collect(s, head, ++mark);
            const uint64_t entries = size ? entries_of(s, head, mark) : 0;
            const struct loop loop = {
                .head = head, .size = size, .inner = true, .entries = entries};
            if (size && is_step(s, head, entries) == steps &&
                !add_loop(s, mark, &loop, loops))
                return false;
        }
    return true;
}

/* A loop with nodes that belong to another one within it is no inner one. */
static void find_inner(const struct search *s, struct loops *loops)
{
    uint32_t *own = s->stack;
    for (uint32_t l = 0; l < loops->n; l++)
        own[l] = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (loops->of[i] != NO_LOOP)
            own[loops->of[i]]++;
    for (uint32_t l = 0; l < loops->n; l++)
        loops->loop[l].inner = own[l] == loops->loop[l].size;
}

int loops_find(const struct nodes *nodes, bool whole, struct loops *loops)
{
    struct search search;
    const size_t bytes = (nodes->n + 1) * sizeof *loops->of;
    *loops = (struct loops){.of = malloc(bytes)};
    if (loops->of)
        memset(loops->of, 0xff, bytes); /* NO_LOOP */
    const bool done = search_make(&search, nodes) && loops->of &&
                      visit_all(&search, whole) && find_all(&search, loops);
    if (done)
        find_inner(&search, loops);
    search_free(&search);
    if (!done)
        loops_free(loops);
    return done ? 0 : -ENOMEM;
}

void loops_free(struct loops *loops)
{
    FREE_EACH(loops->loop, loops->of);
    *loops = (struct loops){.n = 0};
}
