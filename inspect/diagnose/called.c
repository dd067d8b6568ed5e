/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of functions that loops call. */
#include "inspect_private.h"

#include <stdlib.h>

struct called {
    const struct nodes *nodes;
    bool *in; /* of each node: a function that was called has it */
    uint32_t *stack, n;
};

static void push(struct called *c, uint32_t node)
{
    if (node == NO_NODE || c->in[node])
        return;
    c->in[node] = true;
    c->stack[c->n++] = node;
}

/* All that is executed from there until the function returns: not what it calls, as that
 * is called, too. */
static void follow_function(struct called *c)
{
    while (c->n) {
        const struct node *const node = &c->nodes->node[c->stack[--c->n]];
        if (node->code.is_call)
            push(c, nodes_find(c->nodes, node->context,
                               node->code.address + node->code.length));
        for (uint32_t e = 0; e < node->n_edges; e++)
            if (!node->code.is_call && node->code.flow != FLOW_RETURN)
                push(c, node->edge[e].to);
    }
}

bool called_count(const struct nodes *nodes, const struct loops *loops, double *of_loop)
{
    struct called c = {.nodes = nodes,
                       .in = calloc(nodes->n + 1, sizeof *c.in),
                       .stack = malloc((nodes->n + 1) * sizeof *c.stack)};
    const bool made = c.in && c.stack;
    for (uint32_t i = 0; made && i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        for (uint32_t e = 0; node->code.is_call && e < node->n_edges; e++)
            push(&c, loops->of[i] == NO_LOOP ? NO_NODE : node->edge[e].to);
        follow_function(&c);
    }
    for (uint32_t i = 0; made && i < nodes->n; i++)
        if (c.in[i] && loops->of[i] != NO_LOOP)
            of_loop[loops->of[i]] += (double)nodes->node[i].executed;
    free(c.in);
    free(c.stack);
    return made;
}
