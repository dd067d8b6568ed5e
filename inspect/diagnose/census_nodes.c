/* SPDX-License-Identifier: Apache-2.0 */
/* The executions of an instruction, added to its loop. */
#include "inspect_private.h"

#include <math.h>

/* So many accesses, all of them even or near each other, tell that places which nobody
 * computes follow from the turns. */
enum { LOOKED_AT = 16 };

/* Accesses of each execution whose addresses may be known. */
static uint64_t followed(const struct code *code)
{
    uint64_t each = 0;
    for (unsigned i = 0; i < code->n_accesses; i++)
        each += access_is_counted(code, &code->access[i]) && !code->access[i].gather &&
                !code->access[i].string;
    return each;
}

double node_scale(const struct node *node)
{
    const double expected = (double)(followed(&node->code) * node->executed);
    return node->counts.addressed ? expected / (double)node->counts.addressed : 0;
}

/* By how much the counts of known addresses have to be multiplied; 0: none is known. */
static double scale_of(const struct node *node, struct inspect_loop *to)
{
    const struct code *code = &node->code;
    const uint64_t each = followed(code);
    bool slot = false;
    for (unsigned i = 0; i < code->n_accesses; i++)
        slot |= code->vector && access_is_slot(&code->access[i]);
    const uint64_t expected = each * node->executed;
    const uint64_t alike = each * node->counts.alike;
    const bool even = node->counts.addressed >= LOOKED_AT && node->counts.wild == 0;
    const bool seen = node->counts.addressed == expected || (even && !alike);
    to->places_follow &= seen || node->counts.addressed + alike == expected;
    to->pages_known &= seen;
    to->spills_exact &= !slot || node->counts.addressed == expected;
    return node_scale(node);
}

static void add_accesses(const struct node *node, struct inspect_loop *to)
{
    const struct code *code = &node->code;
    const struct access_counts *counts = &node->counts;
    const double n = (double)node->executed;
    const double scale = scale_of(node, to);
    bool loads = false, stores = false, fixed = counts->addressed >= LOOKED_AT;
    for (unsigned i = 0; i < code->n_accesses; i++) {
        const struct access *access = &code->access[i];
        const double times = access->string ? (double)node->repeated : n;
        if (!access_is_counted(code, access))
            continue;
        loads |= access->read;
        fixed &= !access->write && node->trail[i].last && node->trail[i].step == 0 &&
                 node->trail[i].low == node->trail[i].high;
        stores |= access->write;
        to->bytes_loaded += access->read ? times * access->bytes : 0;
        to->bytes_stored += access->write ? times * access->bytes : 0;
    }
    to->loads += loads ? n : 0;
    to->stores += stores ? n : 0;
    to->fixed += loads && fixed ? n : 0;
    to->line_splits += scale * (double)counts->line_splits;
    to->split_stores += scale * (double)counts->split_stores;
    to->banked += scale * (double)counts->banked;
    to->forwards += scale * (double)counts->forwards;
    to->taken_apart += scale * (double)counts->taken_apart;
    to->crossings += scale * (double)counts->taken_apart;
    to->page_splits += scale * (double)counts->page_splits;
    to->failed_forwards += scale * (double)counts->failed_forwards;
    to->masked_forwards += scale * (double)counts->masked_forwards;
    to->page_changes += scale * (double)counts->page_changes;
    to->crowded += scale * (double)counts->crowded;
    to->wild_stores += scale * (double)counts->wild_stores;
    to->aliases_4k += scale * (double)counts->aliases;
    to->vector_reloads += scale * (double)counts->reloads;
    to->vector_spills += scale * (double)counts->spills;
    to->stack_reloads_of_constants += scale * (double)counts->constants;
    to->scalar_stack += scale * (double)counts->stack;
}

/* The number of times that it went elsewhere than to the instruction behind it. */
static double jumps(const struct nodes *nodes, const struct node *node)
{
    const uint64_t behind = node->code.address + node->code.length;
    double n = 0;
    for (uint32_t i = 0; i < node->n_edges; i++)
        n += nodes->node[node->edge[i].to].code.address != behind
                 ? (double)node->edge[i].count
                 : 0;
    return n;
}

double node_rarely(const struct node *node)
{
    const enum flow flow = node->code.flow;
    const bool many_ways = flow == FLOW_CONDITIONAL || flow == FLOW_INDIRECT;
    uint64_t most = 0, all = 0;
    for (uint32_t i = 0; i < node->n_edges && many_ways; i++) {
        all += node->edge[i].count;
        most = node->edge[i].count > most ? node->edge[i].count : most;
    }
    return (double)(all - most);
}

/* It goes the same ways again and again, as where a loop always has as many turns: a core
 * learns that by heart. */
static bool is_learnt(const struct node *branch)
{
    enum { ROWS = 16, TURNS = 32 };
    const struct rows *const rows = &branch->rows;
    return branch->code.flow == FLOW_CONDITIONAL && rows->n >= ROWS &&
           20 * rows->alike >= 19 * (rows->n - 3) &&
           rows->before[0] + rows->before[1] <= TURNS;
}

double node_guessed(const struct node *node)
{
    return is_learnt(node) ? 0 : node_rarely(node);
}

void census_add_node(const struct nodes *nodes, const struct node *node,
                     struct inspect_loop *to)
{
    const struct code *code = &node->code;
    const double n = (double)node->executed;
    to->instructions += n;
    *(code->vector         ? &to->vector
      : code->scalar_float ? &to->scalar_float
                           : &to->integer) += n;
    to->alu += code->alu ? n : 0;
    to->lone += code->lone ? n : 0;
    to->calls += code->is_call ? n : 0;
    to->branches += code->flow == FLOW_CONDITIONAL ? n : 0;
    to->indirect += code->flow == FLOW_INDIRECT ? node_rarely(node) : 0;
    to->undecided += node_guessed(node);
    to->taken += code->flow != FLOW_NEXT ? jumps(nodes, node) : 0;
    to->copies += code->copy ? n : 0;
    to->crossings += code->crossing ? n : 0;
    to->divides += code->divide ? n : 0;
    to->integer_divides += code->divide && !code->vector && !code->scalar_float ? n : 0;
    to->divides_f64 += code->divide_f64 ? n : 0;
    to->float_arithmetic += code->float_arithmetic ? n : 0;
    to->floats += code->floats ? n : 0;
    to->needed += code->needed ? n : 0;
    to->needed_bits += code->needed ? n * code->unit_bits : 0;
    to->multiplies += code->multiply ? n : 0;
    to->fma += code->fma ? n : 0;
    to->gathered += n * code->gathered;
    to->scattered += n * code->scattered;
    to->computed += code->computes ? n : 0;
    to->computed_bits += code->computes ? n * code->unit_bits : 0;
    const double steps = code->cost ? n * fmax(1, code->cost->steps) : n;
    to->steps += code->computes ? steps : 0;
    to->steps_bits += code->computes ? steps * code->unit_bits : 0;
    to->shuffles += code->shuffle ? n : 0;
    to->shuffle_bits += code->shuffle ? n * code->unit_bits : 0;
    to->permutes += code->permute ? n : 0;
    to->legacy_sse += code->encoding == ENCODING_SSE ? n : 0;
    to->vex += code->encoding == ENCODING_VEX ? n : 0;
    to->evex += code->encoding == ENCODING_EVEX ? n : 0;
    to->apart |= code->apart && node->executed;
    if (code->bits > to->widest_bits && node->executed)
        to->widest_bits = code->bits;
    if ((code->needed || code->floats) && code->bits > to->work_bits && node->executed)
        to->work_bits = code->bits;
    if (code->vector && 64u - code->lane_bits > to->packed_bits)
        to->packed_bits = 64u - code->lane_bits;
    if (code->scalar_float && code->writes >> REGISTER_VECTOR & UINT32_MAX &&
        code->bits > to->single_bits)
        to->single_bits = code->bits;
    add_accesses(node, to);
}

void census_divide(struct inspect_loop *loop)
{
    /* clang-format off */
    double *const sums[] = {
#define OF_TIME(id)
#define OF_TRACE(id)
#define OF_LOOP(id) &loop->id,
#define OF_RATE(id)
#define OF_BOUND(id)
#define OF_RATIO(id)
#define OF_COUNT(id)
#define FACT(id, source, unit, text) OF_##source(id)
#include "facts.def"
        &loop->work, &loop->vector_reloads, &loop->vector_spills,
        &loop->stack_reloads_of_constants, &loop->scalar_stack, &loop->calls, &loop->called,
        &loop->branches, &loop->checks, &loop->guards, &loop->indirect, &loop->undecided, &loop->taken,
        &loop->page_splits, &loop->page_changes, &loop->evex};
    /* clang-format on */
    for (size_t i = 0; i < ARRAY_LEN(sums) && loop->iterations > 0; i++)
        *sums[i] /= loop->iterations;
}
