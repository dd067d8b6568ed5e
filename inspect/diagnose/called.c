/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of functions that loops call. */
#include "inspect_private.h"

struct called {
    const struct nodes *nodes;
    const struct loops *loops;
    uint32_t *by; /* the loop whose calls led to a node last, or NO_LOOP */
    bool *in;     /* a function that its own loop calls has the node */
    uint32_t *stack, n;
};

static void push(struct called *c, uint32_t loop, uint32_t node)
{
    if (node == NO_NODE || c->by[node] == loop)
        return;
    c->by[node] = loop;
    c->in[node] |= c->loops->of[node] == loop;
    c->stack[c->n++] = node;
}

/* All that is executed from there until the function returns: not what it calls, as that
 * is called, too. */
static void follow_function(struct called *c, uint32_t loop)
{
    while (c->n) {
        const struct node *const node = &c->nodes->node[c->stack[--c->n]];
        if (node->code.is_call)
            push(c, loop,
                 nodes_find(c->nodes, node->context,
                            node->code.address + node->code.length));
        for (uint32_t e = 0; e < node->n_edges; e++)
            if (!node->code.is_call && node->code.flow != FLOW_RETURN)
                push(c, loop, node->edge[e].to);
    }
}

bool called_count(const struct nodes *nodes, const struct loops *loops, double *of_loop)
{
    struct called c = {.nodes = nodes,
                       .loops = loops,
                       .by = malloc((nodes->n + 1) * sizeof *c.by),
                       .in = calloc(nodes->n + 1, sizeof *c.in),
                       .stack = malloc((nodes->n + 1) * sizeof *c.stack)};
    const bool made = c.by && c.in && c.stack;
    for (uint32_t i = 0; made && i < nodes->n; i++)
        c.by[i] = NO_LOOP;
    for (uint32_t i = 0; made && i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        for (uint32_t e = 0;
             node->code.is_call && e < node->n_edges && loops->of[i] != NO_LOOP; e++)
            push(&c, loops->of[i], node->edge[e].to);
        follow_function(&c, loops->of[i]);
    }
    for (uint32_t i = 0; made && i < nodes->n; i++)
        if (c.in[i])
            of_loop[loops->of[i]] += (double)nodes->node[i].executed;
    FREE_EACH(c.by, c.in, c.stack);
    return made;
}
