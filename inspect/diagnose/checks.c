/* SPDX-License-Identifier: Apache-2.0 */
/* Work on data that its loop just loaded computes no addresses. Branches that ask
 * such data and nearly always get the same answer are checks: the end of a search, or an
 * error. Nobody can decide them outside of the loop. */
#include "diagnose/making.h"

static const uint64_t flags = UINT64_C(1) << REGISTER_FLAGS;
/* Calls change it and change it back: places of the frame stay. */
static const uint64_t frame = UINT64_C(1) << GPR_RSP;

struct checks {
    const struct nodes *nodes;
    const struct loops *loops;
    uint64_t *written; /* of each loop: registers */
    uint64_t *loaded;  /* and those with what came from places that change, flags apart */
    uint32_t *setter;  /* of each node: the node whose flags it finds, or NO_NODE */
};

static bool checks_make(struct checks *c, const struct nodes *nodes,
                        const struct loops *loops)
{
    *c = (struct checks){.nodes = nodes,
                         .loops = loops,
                         .written = calloc(loops->n + 1, sizeof *c->written),
                         .loaded = calloc(loops->n + 1, sizeof *c->loaded),
                         .setter = malloc((nodes->n + 1) * sizeof *c->setter)};
    for (uint32_t i = 0; c->setter && i < nodes->n; i++)
        c->setter[i] = NO_NODE;
    return c->written && c->loaded && c->setter;
}

static bool has_loaded(const struct checks *c, uint32_t node)
{
    const uint32_t loop = c->loops->of[node];
    const struct code *const code = &c->nodes->node[node].code;
    return (code->loads && code->address_reads & c->written[loop]) ||
           code->reads & c->loaded[loop];
}

/* Registers and memory bring it, or flags that come from there. */
static bool gets_loaded(const struct checks *c, uint32_t node)
{
    const uint32_t setter = c->setter[node];
    return has_loaded(c, node) ||
           (c->nodes->node[node].code.reads & flags && setter != NO_NODE &&
            c->loops->of[setter] == c->loops->of[node] && has_loaded(c, setter));
}

/* Nodes follow each other nearly as they were executed first. */
static void find_setters(const struct checks *c)
{
    for (uint32_t i = 0; i < c->nodes->n; i++) {
        const struct node *const node = &c->nodes->node[i];
        const uint32_t setter = node->code.writes & flags ? i : c->setter[i];
        for (uint32_t e = 0; e < node->n_edges; e++)
            c->setter[node->edge[e].to] = setter;
    }
}

static void find_loaded(const struct checks *c)
{
    for (uint32_t i = 0; i < c->nodes->n; i++)
        if (c->loops->of[i] != NO_LOOP)
            c->written[c->loops->of[i]] |= c->nodes->node[i].code.writes & ~frame;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < c->nodes->n; i++) {
            const uint64_t writes = c->nodes->node[i].code.writes & ~flags;
            const uint32_t loop = c->loops->of[i];
            if (loop == NO_LOOP || !(writes & ~c->loaded[loop]) || !gets_loaded(c, i))
                continue;
            c->loaded[loop] |= writes;
            more = true;
        }
    }
}

/* It adds the carry of a comparison to a number (adc, sbb): vectors count these, too, but
 * not a carry that is set, or restored from a register (clc, bt). */
static bool counts(const struct checks *c, uint32_t node)
{
    const uint32_t setter = c->setter[node];
    const struct code *const code = &c->nodes->node[node].code;
    if (!code->lone || !(code->reads & flags) || setter == NO_NODE)
        return false;
    const struct code *const by = &c->nodes->node[setter].code;
    return !by->lone && !(by->writes & ~flags) && (by->reads & ~flags || by->n_accesses);
}

static bool is_settled(const struct node *branch)
{
    const double rare = 0.02;
    return branch->code.flow == FLOW_CONDITIONAL &&
           node_rarely(branch) <= rare * (double)branch->executed;
}

bool checks_count(const struct nodes *nodes, const struct loops *loops,
                  struct checked *of_loop)
{
    struct checks c;
    const bool made = checks_make(&c, nodes, loops);
    if (made) {
        find_setters(&c);
        find_loaded(&c);
    }
    for (uint32_t i = 0; made && i < nodes->n; i++) {
        const double executed = (double)nodes->node[i].executed;
        if (loops->of[i] == NO_LOOP)
            continue;
        struct checked *const to = &of_loop[loops->of[i]];
        const bool loaded = gets_loaded(&c, i);
        if (is_settled(&nodes->node[i]))
            *(loaded ? &to->checks : &to->guards) += executed;
        if (loaded && nodes->node[i].code.alu)
            to->work += executed;
        if (counts(&c, i))
            to->counted += executed;
    }
    FREE_EACH(c.written, c.loaded, c.setter);
    return made;
}
