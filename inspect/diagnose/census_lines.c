/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a census: each instruction with what was seen of it. */
#include "diagnose/making.h"

#include <math.h>

static size_t rank_of(const struct making *m, uint32_t node)
{
    const uint32_t loop = m->loops.of[node];
    const uint64_t head =
        loop == NO_LOOP ? 0 : m->nodes->node[m->loops.loop[loop].head].code.address;
    for (size_t i = 0; i < m->census->n_loops && loop != NO_LOOP; i++)
        if (m->census->loop[i].address == head)
            return i;
    return INSPECT_NO_LOOP;
}

static int by_loop(const void *a, const void *b)
{
    const struct inspect_line *x = a, *y = b;
    if (x->loop != y->loop)
        return x->loop < y->loop ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool add_text(const struct making *m, struct inspect_line *line)
{
    unsigned char bytes[CODE_BYTES_MAX];
    char text[192];
    const size_t n = child_read(&m->tracer->child, line->address, bytes, sizeof bytes);
    code_text(bytes, n, line->address, text, sizeof text);
    line->text = strdup(text);
    line->source = places_source(m->places, line->address);
    line->callee = called_name(m->nodes, m->places, &m->nodes->node[line->first]);
    return line->text != NULL;
}

/* Loads alone; 0: not always as many. */
static uint8_t bytes_beyond(const struct node *node)
{
    for (unsigned i = 0; i < node->code.n_accesses; i++) {
        const struct access *const access = &node->code.access[i];
        const struct beginning *const beginning = &node->beginning[i];
        const unsigned within = access->bytes - 1;
        if (access->read && !access->write && !access->hidden && beginning->any &&
            !(access->bytes & within) && !(beginning->varies & within))
            return beginning->first & within;
    }
    return 0;
}

static struct inspect_line line_of(struct making *m, uint32_t number)
{
    const struct node *const node = &m->nodes->node[number];
    const uint64_t crossing = node->counts.line_splits - node->counts.split_stores;
    const uint64_t late = node->counts.failed_forwards + node->counts.masked_forwards;
    return (struct inspect_line){
        .address = node->code.address,
        .executed = node->executed,
        .first = number,
        .reloads = node->counts.reloads,
        .spills = node->counts.spills,
        .waits_in_vain = m->vain[number] > 0,
        .takes_vectors = spans_meet(&m->stores, node),
        .needed = node->code.needed && node->code.vector,
        .shuffles = node->code.shuffle,
        .failed_forwards = node_scale(node) * (double)late,
        .undecided = node_guessed(node),
        .chained = {m->chained[0][number], m->chained[1][number]},
        .length = node->code.length,
        .crosses = crossing && 10 * crossing >= node->counts.addressed,
        .beyond = bytes_beyond(node),
        .loop = rank_of(m, number)};
}

static bool add_cost(const struct code_cost *cost, struct inspect_line *line)
{
    line->throughput = line->latency = NAN;
    if (!cost)
        return true;
    line->throughput = cost->throughput;
    line->units = cost->units;
    line->steps = cost->steps;
    line->latency = cost->latency;
    line->form = strdup(cost->form);
    return line->form != NULL;
}

bool census_take_lines(struct making *m, bool text)
{
    struct inspect_census *census = m->census;
    struct inspect_line *line = calloc(m->nodes->n + 1, sizeof *line);
    size_t n = 0;
    bool done = line != NULL && spans_take(m->nodes, census->whole, &m->stores);
    for (uint32_t i = 0; done && i < m->nodes->n; i++)
        line[i] = line_of(m, i);
    if (done)
        qsort(line, m->nodes->n, sizeof *line, by_loop);
    for (uint32_t i = 0; done && i < m->nodes->n; i++) {
        if (n && by_loop(&line[n - 1], &line[i]) == 0) {
            line[n - 1].executed += line[i].executed;
            line[n - 1].reloads += line[i].reloads;
            line[n - 1].spills += line[i].spills;
            line[n - 1].takes_vectors |= line[i].takes_vectors;
            line[n - 1].failed_forwards += line[i].failed_forwards;
            line[n - 1].undecided += line[i].undecided;
            line[n - 1].waits_in_vain |= line[i].waits_in_vain;
            line[n - 1].crosses |= line[i].crosses;
            if (line[n - 1].beyond != line[i].beyond)
                line[n - 1].beyond = 0;
            line[n - 1].chained[0] += line[i].chained[0];
            line[n - 1].chained[1] += line[i].chained[1];
            if (line[i].first < line[n - 1].first)
                line[n - 1].first = line[i].first;
        } else if (line[i].executed)
            line[n++] = line[i];
    }
    census->line = line;
    census->n_lines = n;
    for (size_t i = n; i-- > 0;)
        if (line[i].loop != INSPECT_NO_LOOP) {
            census->loop[line[i].loop].line = i;
            census->loop[line[i].loop].n_lines++;
        }
    for (size_t i = 0; done && i < n; i++)
        done = add_cost(m->nodes->node[line[i].first].code.cost, &line[i]);
    for (size_t i = 0; text && done && i < n; i++)
        done = add_text(m, &line[i]);
    return done;
}
