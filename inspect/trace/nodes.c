/* SPDX-License-Identifier: Apache-2.0 */
/* Executed instructions, found by context and address, and the edges between them. */
#include "trace.h"

static uint32_t first_slot(const struct nodes *nodes, uint64_t context, uint64_t address)
{
    const uint64_t mixed = (address ^ context * 31) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mixed >> 32) & (nodes->n_slots - 1);
}

uint32_t nodes_find(const struct nodes *nodes, uint64_t context, uint64_t address)
{
    if (!nodes->n_slots)
        return NO_NODE;
    for (uint32_t i = first_slot(nodes, context, address); nodes->slot[i];
         i = (i + 1) & (nodes->n_slots - 1)) {
        const struct node *node = &nodes->node[nodes->slot[i] - 1];
        if (node->code.address == address && node->context == context)
            return nodes->slot[i] - 1;
    }
    return NO_NODE;
}

static void place(struct nodes *nodes, uint32_t number)
{
    const struct node *node = &nodes->node[number];
    uint32_t i = first_slot(nodes, node->context, node->code.address);
    while (nodes->slot[i])
        i = (i + 1) & (nodes->n_slots - 1);
    nodes->slot[i] = number + 1;
}

static bool grow(struct nodes *nodes)
{
    const uint32_t room = nodes->room ? 2 * nodes->room : 512;
    struct node *node = realloc(nodes->node, room * sizeof *node);
    if (node)
        nodes->node = node;
    uint32_t *slot = calloc(2 * (size_t)room, sizeof *slot);
    if (!node || !slot) {
        free(slot);
        return false;
    }
    free(nodes->slot);
    nodes->slot = slot;
    nodes->n_slots = 2 * room;
    nodes->room = room;
    for (uint32_t i = 0; i < nodes->n; i++)
        place(nodes, i);
    return true;
}

uint32_t nodes_add(struct nodes *nodes, const struct code *code, uint64_t context)
{
    if (nodes->n == nodes->room && !grow(nodes))
        return NO_NODE;
    nodes->node[nodes->n] = (struct node){.code = *code, .context = context};
    place(nodes, nodes->n);
    return nodes->n++;
}

int node_edge(struct nodes *nodes, uint32_t from, uint32_t to, uint64_t count)
{
    struct node *node = &nodes->node[from];
    for (uint32_t i = 0; i < node->n_edges; i++)
        if (node->edge[i].to == to) {
            node->edge[i].count += count;
            return 0;
        }
    if (!array_room(&node->edge, node->n_edges, sizeof *node->edge))
        return -ENOMEM;
    node->edge[node->n_edges++] = (struct edge){.to = to, .count = count};
    return 0;
}

void rows_take(struct rows *rows, uint32_t to, uint64_t times)
{
    if (to != rows->to) {
        rows->alike += rows->row == rows->before[1];
        rows->n++;
        rows->before[1] = rows->before[0];
        rows->before[0] = rows->row;
        rows->row = 0;
        rows->to = to;
    }
    rows->row += times;
}

int nodes_end_window(struct nodes *nodes, unsigned number, unsigned windows)
{
    FOR_EACH (struct node, node, nodes->node, nodes->n) {
        uint64_t before = 0;
        if (!node->seen && !(node->seen = calloc(windows, sizeof *node->seen)))
            return -ENOMEM;
        for (unsigned w = 0; w < number; w++)
            before += node->seen[w];
        node->seen[number] = (uint32_t)(node->executed - before);
    }
    return 0;
}

void nodes_free(struct nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->n; i++) {
        FREE_EACH(nodes->node[i].seen, nodes->node[i].edge);
        path_free(nodes->node[i].path);
    }
    FREE_EACH(nodes->node, nodes->slot);
    *nodes = (struct nodes){.n = 0};
}
