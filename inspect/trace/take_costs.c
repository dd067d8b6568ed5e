/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of the instructions that take a part of the time. The caller of inspect measures
 * them; here they find their instructions and registers. */
#include "trace.h"

#include <math.h>

/* Forms that execute less often than one in so many are not measured. */
enum { RARE = 1000 };

struct asking {
    struct inspect_code *code;
    uint32_t *of; /* of each node: index of its code, or NO_NODE */
    size_t n;
};

static size_t find(const struct asking *asking, const struct inspect_code *code)
{
    size_t i = 0;
    while (i < asking->n && (asking->code[i].n != code->n ||
                             memcmp(asking->code[i].bytes, code->bytes, code->n) != 0))
        i++;
    return i;
}

static void collect(struct asking *asking, const struct nodes *nodes,
                    const struct child *child)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < nodes->n; i++)
        all += nodes->node[i].executed;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct node *const node = &nodes->node[i];
        struct inspect_code code = {.n = node->code.length};
        asking->of[i] = NO_NODE;
        /* Those of MMX wait for each other as they are measured. */
        if (node->code.apart || node->executed < all / RARE ||
            code.n > sizeof code.bytes ||
            child_read(child, node->code.address, code.bytes, code.n) != code.n)
            continue;
        const size_t at = find(asking, &code);
        asking->n += at == asking->n;
        asking->code[at] = code;
        asking->of[i] = (uint32_t)at;
    }
}

static double longest(const struct inspect_cost *cost)
{
    double most = NAN;
    for (size_t i = 0; i < cost->n_links; i++)
        most = fmax(most, (double)cost->link[i].cycles);
    return most;
}

/* LOOP. Conditional jumps have an offset of one byte, too, or six bytes and more. */
static bool is_counted(const struct inspect_code *code)
{
    return code->n >= 2 && code->n < 6 && code->bytes[code->n - 2] == 0xe2;
}

/* Nobody measures an instruction with REP by its form, as what it does is in registers,
 * nor one that jumps. Cores move blocks at once, but search one element at a time. */
static double cycles_of(const struct node *node, const struct inspect_code *code,
                        const struct inspect_window *window)
{
    bool stores = false;
    for (unsigned i = 0; i < node->code.n_accesses; i++)
        stores |= node->code.access[i].write;
    if (!node->code.repeats)
        return node->code.flow == FLOW_CONDITIONAL && is_counted(code) ? window->counted
                                                                       : 0;
    if (!stores)
        return window->scan * (double)node->repeated / (double)node->executed;
    return node->code.n_accesses > 1 ? window->string_copies : window->string;
}

static void take_string(const struct node *node, const struct asking *asking, uint32_t at,
                        double cycles, struct code_cost *taken)
{
    const struct inspect_code *const code = &asking->code[at];
    struct code_cost *const to = &taken[at];
    code_text(code->bytes, code->n, node->code.address, to->form, sizeof to->form);
    /* LOOP has the place to which it goes. */
    char *const name_end = to->form + strcspn(to->form, " ");
    char *const operands = node->code.repeats ? strchr(name_end + 1, ' ') : name_end;
    if (operands)
        *operands = '\0';
    to->throughput = cycles;
    to->latency = NAN;
}

/* Sums of x87 stay on its stack, where many of a form were timed as a chain. */
static void take_top(const struct code *code, struct code_cost *taken)
{
    const uint64_t all = ~UINT64_C(0) << REGISTER_X87;
    const uint64_t top = code->reads & code->writes & all;
    if (!top || !code->float_arithmetic || !(taken->throughput > 0))
        return;
    taken->link[0].from = code->reads & all;
    taken->link[0].to = top;
    taken->link[0].cycles = taken->link[0].full = (float)taken->throughput;
    taken->n_links = 1;
}

struct code_cost *costs_take(struct nodes *nodes, const struct inspect_options *options,
                             const struct child *child)
{
    struct asking asking = {.n = 0};
    struct code_cost *taken = NULL;
    struct inspect_cost *costs = NULL;
    asking.code = calloc(nodes->n + 1, sizeof *asking.code);
    asking.of = calloc(nodes->n + 1, sizeof *asking.of);
    if (!options->costs || !asking.code || !asking.of)
        goto out;
    collect(&asking, nodes, child);
    costs = calloc(asking.n + 1, sizeof *costs);
    taken = calloc(asking.n + 1, sizeof *taken);
    if (!costs || !taken)
        goto out;
    options->costs(options->costs_context, asking.code, asking.n, costs);
    for (size_t i = 0; i < asking.n; i++) {
        taken[i].throughput = costs[i].throughput;
        taken[i].units = costs[i].units;
        taken[i].steps = costs[i].steps;
        taken[i].latency = longest(&costs[i]);
        memcpy(taken[i].form, costs[i].form, sizeof taken[i].form);
        code_cost_registers(asking.code[i].bytes, asking.code[i].n, &costs[i], &taken[i]);
    }
    for (uint32_t i = 0; i < nodes->n; i++) {
        struct node *const node = &nodes->node[i];
        const uint32_t at = asking.of[i];
        const double cycles =
            at == NO_NODE ? 0 : cycles_of(node, &asking.code[at], &options->window);
        const bool string = cycles > 0;
        if (string)
            take_string(node, &asking, at, cycles, taken);
        if (at == NO_NODE || !(string || costs[at].known))
            continue;
        take_top(&node->code, &taken[at]);
        node->code.cost = &taken[at];
    }
out:
    FREE_EACH(asking.code, asking.of, costs);
    return taken;
}
