/* SPDX-License-Identifier: Apache-2.0 */
/* Sums up what executed: by encoding and width, by module, by loop. */
#include "diagnose/making.h"

#include <math.h>

/* ---- loops ---- */

static size_t find_sum(struct making *m, uint64_t address)
{
    for (size_t i = 0; i < m->n_sums; i++)
        if (m->sum[i].loop.address == address)
            return i;
    m->sum[m->n_sums].loop = (struct inspect_loop){.address = address,
                                                   .places_follow = true,
                                                   .pages_known = true,
                                                   .spills_exact = true,
                                                   .innermost = true,
                                                   .carried = -1};
    return m->n_sums++;
}

/* True if it is known how far the core looks ahead. */
static bool has_window(const struct making *m)
{
    return m->window.waiting || m->window.integers || m->window.results;
}

static unsigned windows_of(const struct making *m)
{
    return m->census->windows < WINDOWS_MAX ? m->census->windows : WINDOWS_MAX;
}

/* The standard error of the mean of some numbers, as a part of it. */
static double error_of(const double *number, unsigned n)
{
    double sum = 0, squares = 0;
    for (unsigned i = 0; i < n; i++)
        sum += number[i];
    for (unsigned i = 0; i < n; i++)
        squares += (number[i] - sum / n) * (number[i] - sum / n);
    return n > 1 && sum > 0 ? sqrt(squares / (n - 1) / n) / (sum / n) : 0;
}

static void add_loops(struct making *m)
{
    const struct inspect_window far = {.pass = m->window.pass,
                                       .pass_named = m->window.pass_named,
                                       .pass_global = m->window.pass_global,
                                       .pass_vector = m->window.pass_vector};
    for (uint32_t l = 0; l < m->loops.n; l++) {
        const struct loop *loop = &m->loops.loop[l];
        const struct node *head = &m->nodes->node[loop->head];
        const size_t at = find_sum(m, head->code.address);
        struct sum *sum = &m->sum[at];
        m->sum_of[l] = at;
        sum->loop.iterations += (double)head->executed;
        sum->entries += loop->entries;
        sum->loop.innermost &= loop->inner;
        for (unsigned w = 0; head->seen && w < windows_of(m); w++)
            sum->seen[w] += head->seen[w];
        if (head->executed > sum->chain_weight) {
            sum->chain_weight = head->executed;
            sum->loop.chain = loop_chain(m->nodes, &m->loops, l, &far, CHAIN_USUAL);
            sum->loop.vector_chain =
                loop_chain(m->nodes, &m->loops, l, &far, CHAIN_VECTORS);
            sum->loop.other_chain =
                loop_chain(m->nodes, &m->loops, l, &far, CHAIN_OTHERS);
            sum->loop.kept_chain =
                loop_chain(m->nodes, &m->loops, l, &far, CHAIN_REGISTERS);
            sum->loop.placed_chain =
                loop_chain(m->nodes, &m->loops, l, &far, CHAIN_PLACED);
            sum->loop.chain_full = loop_chain(m->nodes, &m->loops, l, &far, CHAIN_FULL);
            if (has_window(m))
                sum->loop.window_chain =
                    loop_chain(m->nodes, &m->loops, l, &m->window, CHAIN_FULL);
            sum->loop.carried = loop_carried(m->nodes, &m->loops, l);
        }
    }
    for (uint32_t i = 0; i < m->nodes->n; i++)
        if (m->loops.of[i] != NO_LOOP)
            census_add_node(m->nodes, &m->nodes->node[i],
                            &m->sum[m->sum_of[m->loops.of[i]]].loop);
}

/* Checks and instructions of called functions are counted by the whole code of a loop. */
static bool add_counts(struct making *m)
{
    const size_t n = m->loops.n + 1;
    FREED_BY(free_memory) struct checked *checked = calloc(n, sizeof *checked);
    FREED_BY(free_memory) double *called = calloc(n, sizeof *called);
    const bool done = checked && called && checks_count(m->nodes, &m->loops, checked) &&
                      called_count(m->nodes, &m->loops, called);
    for (uint32_t l = 0; done && l < m->loops.n; l++) {
        struct inspect_loop *const loop = &m->sum[m->sum_of[l]].loop;
        loop->checks += checked[l].checks;
        loop->guards += checked[l].guards;
        loop->work += checked[l].work;
        loop->lone -= checked[l].counted;
        loop->called += called[l];
    }
    return done;
}

/* Ways into a node: how often they were gone, and how often AVX instructions were the
 * last ones on vector registers before. `touches` is one more than the node of the last
 * such instruction, or 0. */
struct ways {
    double gone, avx;
    uint32_t touches;
};

/* The first pass knows the way into a loop, the next one also the end of its turns. A
 * turn that touches no vector register tells its loop nothing new. */
static void leave(const struct node *node, uint32_t i, double avx, struct ways *ways)
{
    const enum encoding own = node->code.encoding;
    const bool touches = own || node->code.cleans;
    const uint32_t last = touches ? i + 1 : ways[i].touches;
    const double left = !touches ? avx : own > ENCODING_SSE && !node->code.cleans;
    for (uint32_t e = 0; e < node->n_edges; e++) {
        struct ways *const to = &ways[node->edge[e].to];
        if (node->edge[e].to <= i && last <= node->edge[e].to)
            continue;
        to->gone += (double)node->edge[e].count;
        to->avx += left * (double)node->edge[e].count;
        to->touches = last > to->touches ? last : to->touches;
    }
}

/* SSE instructions that follow those of other encodings: of each loop, and of all. */
static bool add_changes(struct making *m)
{
    enum { PASSES = 4 };
    double all = 0;
    const struct nodes *const nodes = m->nodes;
    struct ways *const ways = calloc(nodes->n + 1, sizeof *ways);
    for (uint32_t k = 0; ways && k < PASSES * nodes->n; k++) {
        const uint32_t i = k % nodes->n;
        const struct node *const node = &nodes->node[i];
        const double avx = ways[i].gone > 0 ? ways[i].avx / ways[i].gone : 0;
        ways[i].gone = ways[i].avx = 0;
        const bool last = k >= (PASSES - 1) * nodes->n;
        const double changes = last && node->code.encoding == ENCODING_SSE
                                   ? avx * (double)node->executed
                                   : 0;
        all += changes;
        if (m->loops.of[i] != NO_LOOP)
            m->sum[m->sum_of[m->loops.of[i]]].loop.sse_changes += changes;
        leave(node, i, avx, ways);
    }
    m->census->share_changes = all / (double)m->census->instructions;
    const bool done = ways != NULL;
    free(ways);
    return done;
}

static bool loads(const struct code *code)
{
    for (unsigned k = 0; k < code->n_accesses; k++)
        if (code->access[k].read && access_is_counted(code, &code->access[k]))
            return true;
    return false;
}

/* Cycles of an iteration of each loop, of `executed` ones that were seen in order. */
static bool take_order(struct making *m, bool memory)
{
    const uint32_t n = m->nodes->n;
    const struct order_sums sums = {calloc(n, sizeof *sums.cycles),
                                    calloc(n, sizeof *sums.chained),
                                    calloc(n, sizeof *sums.executed), m->vain};
    double *const turns = calloc(m->n_sums + 1, sizeof *turns);
    const bool done = sums.cycles && sums.chained && sums.executed && turns &&
                      order_times(m->tracer, &m->window, memory, &sums);
    for (uint32_t l = 0; done && l < m->loops.n; l++)
        turns[m->sum_of[l]] += sums.executed[m->loops.loop[l].head];
    for (uint32_t i = 0; done && i < n; i++) {
        const uint32_t loop = m->loops.of[i];
        if (loop == NO_LOOP)
            continue;
        const size_t at = m->sum_of[loop];
        const double part = turns[at] >= TURNS_IN_ORDER ? 1 / turns[at] : 0;
        *(memory ? &m->sum[at].loop.memory_chain : &m->sum[at].loop.register_chain) +=
            sums.cycles[i] * part;
        sums.chained[i] *= part;
        if (memory) {
            m->sum[at].loop.chain_seen += sums.chained[i];
            m->sum[at].loop.chain_loaded +=
                loads(&m->nodes->node[i].code) ? sums.chained[i] : 0;
        }
    }
    /* A loop around others has no usual way: its own instructions wait as was seen. */
    for (size_t at = 0; at < m->n_sums && has_window(m); at++)
        if (!m->sum[at].loop.innermost)
            m->sum[at].loop.window_chain = m->sum[at].loop.register_chain;
    m->chained[memory] = sums.chained;
    FREE_EACH(sums.cycles, sums.executed, turns);
    return done;
}

static int by_share(const void *a, const void *b)
{
    const struct inspect_loop *x = a, *y = b;
    return x->share > y->share       ? -1
           : x->share < y->share     ? 1
           : x->address < y->address ? -1
                                     : 1;
}

static bool take_loops(struct making *m)
{
    struct inspect_census *census = m->census;
    census->loop = calloc(m->n_sums + 1, sizeof *census->loop);
    for (size_t i = 0; census->loop && i < m->n_sums; i++) {
        struct inspect_loop *loop = &census->loop[census->n_loops++];
        *loop = m->sum[i].loop;
        loop->share = loop->instructions / (double)census->instructions;
        loop->error = error_of(m->sum[i].seen, windows_of(m));
        loop->trips =
            m->sum[i].entries ? loop->iterations / (double)m->sum[i].entries : 0;
        census_divide(loop);
        loop->where = places_where(m->places, loop->address);
        loop->path = places_path(m->places, loop->address);
        loop->source = places_source(m->places, loop->address);
        if (!loop->where)
            return false;
    }
    if (census->loop)
        qsort(census->loop, census->n_loops, sizeof *census->loop, by_share);
    return census->loop != NULL;
}

/* ---- all of it ---- */

/* The number of instructions on vectors or floats that are that wide, or wider; of float
 * arithmetic alone if there is enough of it, as others pack and copy its results. */
static double at_least(const struct nodes *nodes, unsigned bits)
{
    double some[2] = {0}, all[2] = {0};
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct code *code = &nodes->node[i].code;
        const double n = code->bits ? (double)nodes->node[i].executed : 0;
        for (int k = 0; k < 1 + code->float_arithmetic; k++) {
            all[k] += n;
            some[k] += code->bits >= bits ? n : 0;
        }
    }
    const int k = all[1] >= INSPECT_MAIN_SHARE * all[0];
    return all[k] > 0 ? some[k] / all[k] : 0;
}

static void take_straight(const struct making *m, const struct inspect_loop *all)
{
    struct inspect_loop *straight = &m->census->straight;
    *straight = *all;
    straight->share = straight->iterations = 1;
    straight->carried = -1;
    straight->n_lines = m->census->n_lines;
}

static void take_shares(const struct making *m)
{
    static const unsigned widths[] = {512, 256, 128, 64, 32};
    struct inspect_census *census = m->census;
    struct inspect_loop all = {.places_follow = true, .pages_known = true};
    uint64_t cpuids = 0;
    FOR_EACH (const struct node, node, m->nodes->node, m->nodes->n) {
        census_add_node(m->nodes, node, &all);
        cpuids += node->code.cpuid ? node->executed : 0;
        for (unsigned k = 0; k < node->code.n_accesses && node->code.repeats; k++)
            if (node->code.access[k].write)
                census->bytes_filled +=
                    (double)node->repeated * node->code.access[k].bytes;
    }
    const double n = (double)census->instructions;
    census->share_sse = all.legacy_sse / n;
    census->share_avx = all.vex / n;
    census->share_avx512 = all.evex / n;
    census->share_scalar = (n - all.legacy_sse - all.vex - all.evex) / n;
    census->share_fma = all.fma / n;
    census->share_vector = all.vector / n;
    census->share_scalar_float = all.scalar_float / n;
    census->share_undecided = all.undecided / n;
    census->cpuids = cpuids;
    census->widest_bits = all.widest_bits;
    for (size_t i = 0; i < ARRAY_LEN(widths) && !census->main_bits; i++)
        if (at_least(m->nodes, widths[i]) >= INSPECT_MAIN_SHARE)
            census->main_bits = widths[i];
    if (census->whole && !census->n_loops)
        take_straight(m, &all);
    census->share_transitions = (double)m->tracer->transitions / n;
    /* AVX of 128 bits leaves no upper halves in use. */
    census->share_changes = fmin(census->share_changes, census->share_transitions);
    census->mixes_sse_avx = m->tracer->transitions > 0;
}

struct module_share {
    const char *name;
    double share;
};

static int by_module_share(const void *a, const void *b)
{
    const struct module_share *x = a, *y = b;
    return x->share > y->share ? -1 : x->share < y->share ? 1 : strcmp(x->name, y->name);
}

/* "97% jit, 3% libdnnl.so.2": down to a percent, and the largest in any case. */
static bool take_modules(const struct making *m)
{
    struct module_share module[64];
    size_t n = 0, used = 0;
    char text[512] = "";
    FOR_EACH (const struct node, node, m->nodes->node, m->nodes->n) {
        const char *const name = places_module(m->places, node->code.address);
        size_t at = 0;
        while (at < n && strcmp(module[at].name, name))
            at++;
        if (at == n && n < ARRAY_LEN(module))
            module[n++] = (struct module_share){.name = name};
        if (at < n)
            module[at].share += (double)node->executed / (double)m->census->instructions;
    }
    qsort(module, n, sizeof *module, by_module_share);
    for (size_t i = 0; i < n && used < sizeof text; i++)
        if (i == 0 || module[i].share >= 0.005)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%.0f%% %s",
                                 i ? ", " : "", 100 * module[i].share, module[i].name);
    m->census->modules = strdup(text);
    return m->census->modules != NULL;
}

static bool make(struct making *m, bool text)
{
    if (!m->sum || !m->sum_of || !m->vain || !m->places)
        return false;
    add_loops(m);
    if (!add_counts(m) || !add_changes(m) || !take_order(m, true) ||
        !take_order(m, false) || !take_loops(m) || !census_take_lines(m, text) ||
        !take_modules(m) || !called_out(m->nodes, m->places, m->census))
        return false;
    take_shares(m);
    if (m->census->whole && m->window.per_cycle > 0) {
        m->census->calls_chain = order_again(m->tracer, &m->window, false);
        m->census->calls_order = order_again(m->tracer, &m->window, true);
    }
    if (m->census->n_loops)
        m->census->producer = places_producer(m->places, m->census->loop[0].address);
    return dearest_take(m->census);
}

int census_make(const struct tracer *tracer, const struct inspect_options *options,
                struct inspect_census *census)
{
    struct making m = {.tracer = tracer,
                       .nodes = &tracer->nodes,
                       .window = options->window,
                       .census = census};
    census->instructions = tracer->instructions;
    census->system_calls = tracer->system_calls;
    int status = loops_find(m.nodes, census->whole, &m.loops);
    if (status < 0)
        return error_set(tracer->error, status, "out of memory");
    m.sum = calloc(m.loops.n + 1, sizeof *m.sum);
    m.sum_of = calloc(m.loops.n + 1, sizeof *m.sum_of);
    m.vain = calloc(m.nodes->n + 1, sizeof *m.vain);
    m.places = places_open(tracer->child.pid);
    if (!tracer->instructions)
        status = error_set(tracer->error, -ENODATA, "no instruction was seen");
    else if (!make(&m, options->text))
        status = error_set(tracer->error, -ENOMEM, "out of memory");
    places_close(m.places);
    loops_free(&m.loops);
    FREE_EACH(m.sum, m.sum_of, m.stores.span, m.chained[0], m.chained[1], m.vain);
    return status;
}
