/* SPDX-License-Identifier: Apache-2.0 */
/* The units of a core. Each kind takes so many instructions a cycle. Instructions come in
 * the order of the program, and one that finds all units of its kind taken starts later.
 */
#include "trace.h"

#include <math.h>

enum { CYCLES = 4096, FORMS = 60 };
enum kind { INTEGER, VECTOR, LOAD, STORE, FORM };
struct cycle {
    uint64_t at; /* 1 more than its number; 0: nothing was taken yet */
    float taken; /* 1: all of it */
};

struct units {
    const struct inspect_window *of;
    const struct code_cost *form[FORMS];
    unsigned n_forms;
    uint8_t *form_of; /* of each node: its number among forms, and 1 more; 0: none */
    struct cycle cycle[FORM + FORMS][CYCLES];
};

/* Narrower accesses and vectors are never slower. */
static unsigned width_of(uint64_t bytes)
{
    return bytes > 32 ? 3 : bytes > 16 ? 2 : bytes > 8 ? 1 : 0;
}

static unsigned number_of(struct units *units, const struct code_cost *cost)
{
    unsigned i = 0;
    while (i < units->n_forms && strcmp(units->form[i]->form, cost->form) != 0)
        i++;
    if (i == units->n_forms && i < FORMS)
        units->form[units->n_forms++] = cost;
    return i < FORMS ? i + 1 : 0;
}

struct units *units_open(const struct nodes *nodes, const struct inspect_window *of)
{
    struct units *const units = calloc(1, sizeof *units);
    if (units)
        units->of = of;
    if (!units || !(units->form_of = calloc(nodes->n + 1, sizeof *units->form_of))) {
        free(units);
        return NULL;
    }
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct code_cost *const cost = nodes->node[i].code.cost;
        if (cost && cost->throughput > 0 && !form_is_apart(cost->form, cost->throughput))
            units->form_of[i] = (uint8_t)number_of(units, cost);
    }
    return units;
}

void units_close(struct units *units)
{
    if (units)
        free(units->form_of);
    free(units);
}

/* Takes a part of a kind, from a time on; returns the time at which it begins. */
static double take(struct units *units, unsigned kind, double from, double share)
{
    const float least = 0.01F;
    double start = -1;
    for (uint64_t at = (uint64_t)from; share > (double)least; at++) {
        struct cycle *const cycle = &units->cycle[kind][at % CYCLES];
        if (cycle->at != at + 1)
            *cycle = (struct cycle){.at = at + 1};
        if (1 - cycle->taken < least)
            continue;
        const float part = fminf(1 - cycle->taken, (float)share);
        cycle->taken += part;
        share -= (double)part;
        start = start < 0 ? fmax(from, (double)at) : start;
    }
    return start < 0 ? from : start;
}

static double take_rate(struct units *units, unsigned kind, double from, double rate)
{
    return rate > 0 ? take(units, kind, from, 1 / rate) : from;
}

/* A comparison goes with the branch behind it, and takes no unit of its own. */
static bool computes_integers(const struct code *code)
{
    return code->alu && (code->gpr_written || code->n_accesses);
}

double units_start(struct units *units, uint32_t node, const struct code *code,
                   double from)
{
    const struct inspect_window *const of = units->of;
    const unsigned form = units->form_of[node];
    double start = from;
    for (unsigned i = 0; i < code->n_accesses; i++) {
        const struct access *const access = &code->access[i];
        const unsigned width = width_of(access->bytes);
        if (access->hidden || access->gather || access->string)
            continue;
        if (access->read)
            start = fmax(start, take_rate(units, LOAD, from, of->loads[width]));
        if (access->write)
            take_rate(units, STORE, from, of->stores[width]);
    }
    if (code->computes && !code->copy)
        start = fmax(start, take_rate(units, VECTOR, from,
                                      of->computed[width_of(code->unit_bits / 8)]));
    else if (computes_integers(code))
        start = fmax(start, take_rate(units, INTEGER, from, of->integers));
    if (form)
        start = fmax(
            start, take(units, FORM + form - 1, from, units->form[form - 1]->throughput));
    return start;
}
