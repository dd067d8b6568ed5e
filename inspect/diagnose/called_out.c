/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of other modules that the code calls again and again, as libc's: their loops
 * are theirs, and none of them has to be the hot one. Those that work on vectors do much
 * in a call: these instructions of theirs do not count. */
#include "inspect_private.h"

enum { MODULES = 64, CALLS_LEAST = 16 };
struct module {
    const char *name;
    double instructions, calls, called;
    double all, loaded, stored; /* with instructions on vectors; bytes */
    double undecided;           /* branches that go their rarer way */
};

static size_t module_at(struct module *module, size_t *n, const char *name)
{
    size_t at = 0;
    while (at < *n && strcmp(module[at].name, name))
        at++;
    if (at == *n && *n < MODULES)
        module[(*n)++].name = name;
    return at;
}

/* Code that was made while the program ran; what there is no room for is like it. */
static bool is_made(const struct module *module)
{
    return !module->name || !strcmp(module->name, "jit");
}

/* A function that only reads, as a search does, stores less than this part of what it
 * loads. */
static const double left_by_readers = 0.05;

static bool is_called(const struct module *module)
{
    return module->called > module->calls;
}

/* Each of so many calls reads from the same place on. The first loads of a call tell
 * that: they are executed as often as it is made. Those from the stack, from places that
 * the instruction names and from the thread's own memory do not count. */
static bool begin_alike(const struct nodes *nodes, const uint32_t *of,
                        const struct module *module, double calls)
{
    bool found = false;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        const double executed = (double)node->executed;
        if (!is_called(&module[of[i]]) || executed < 0.9 * calls ||
            executed > 1.1 * calls)
            continue;
        for (unsigned a = 0; a < node->code.n_accesses; a++) {
            const struct access *const access = &node->code.access[a];
            const struct trail *const trail = &node->trail[a];
            if (!access->read || access->hidden || access->segment ||
                access->base == NO_GPR || access_is_slot(access))
                continue;
            if (trail->step == NO_STEP || trail->low != trail->high)
                return false;
            found = true;
        }
    }
    return found;
}

/* Modules that are called more often than they call. */
static void sum_up(const struct nodes *nodes, const uint32_t *of,
                   const struct module *module, size_t n, struct inspect_census *census)
{
    struct module sum = {.name = NULL};
    for (size_t i = 0; i < n; i++)
        if (is_called(&module[i])) {
            sum.instructions += module[i].instructions;
            sum.called += module[i].called;
            sum.all += module[i].all;
            sum.loaded += module[i].loaded;
            sum.stored += module[i].stored;
            sum.undecided += module[i].undecided;
        }
    if (sum.called < CALLS_LEAST)
        return;
    census->share_out = sum.instructions / (double)census->instructions;
    census->length_out = sum.instructions / sum.called;
    census->undecided_out = sum.undecided / (double)census->instructions;
    if (!census->whole || sum.stored > left_by_readers * sum.loaded)
        return;
    census->share_reading = sum.all / (double)census->instructions;
    if (begin_alike(nodes, of, module, sum.called))
        census->bytes_reading = sum.loaded;
}

static void add_node(const struct node *node, struct module *module)
{
    const double executed = (double)node->executed;
    module->all += executed;
    module->undecided += node_guessed(node);
    module->instructions += node->code.vector ? 0 : executed;
    FOR_EACH (const struct access, access, node->code.access, node->code.n_accesses) {
        module->loaded += access->read && !access->hidden ? executed * access->bytes : 0;
        module->stored += access->write && !access->hidden ? executed * access->bytes : 0;
    }
}

bool called_out(const struct nodes *nodes, const struct places *places,
                struct inspect_census *census)
{
    struct module module[MODULES + 1] = {[MODULES] = {.name = "jit"}};
    FREED_BY(free_memory) uint32_t *of = malloc((nodes->n + 1) * sizeof *of);
    uint64_t most = 0, called = 0;
    size_t n = 0;
    for (uint32_t i = 0; of && i < nodes->n; i++) {
        of[i] = (uint32_t)module_at(module, &n,
                                    places_module(places, nodes->node[i].code.address));
        add_node(&nodes->node[i], &module[of[i]]);
    }
    for (uint32_t i = 0; of && i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        const bool goes = node->code.is_call || node->code.flow == FLOW_INDIRECT;
        for (uint32_t e = 0; goes && e < node->n_edges; e++) {
            const struct edge *const edge = &node->edge[e];
            const uint32_t to = of[edge->to];
            if (to == of[i] || is_made(&module[of[i]]) || is_made(&module[to]))
                continue;
            module[of[i]].calls += (double)edge->count;
            module[to].called += (double)edge->count;
            if (edge->count > most) {
                most = edge->count;
                called = nodes->node[edge->to].code.address;
            }
        }
    }
    if (of)
        sum_up(nodes, of, module, n, census);
    if (census->share_out > 0)
        census->name_out = places_function(places, called);
    return of != NULL;
}

/* It only leads on to the next instruction, or to another one. */
static bool leads_on(const struct code *code)
{
    return code->flow == FLOW_JUMP || (code->flow == FLOW_INDIRECT && !code->is_call) ||
           (code->flow == FLOW_NEXT && !code->writes && !code->n_accesses);
}

char *called_name(const struct nodes *nodes, const struct places *places,
                  const struct node *node)
{
    char *name = NULL;
    for (unsigned ways = 0;
         ways < 4 && !name && (ways ? leads_on(&node->code) : node->code.is_call);
         ways++) {
        const double least = 0.9 * (double)node->executed;
        uint32_t e = 0;
        while (e < node->n_edges && (double)node->edge[e].count < least)
            e++;
        if (e == node->n_edges)
            break;
        node = &nodes->node[node->edge[e].to];
        name = places_function(places, node->code.address);
    }
    return name;
}
