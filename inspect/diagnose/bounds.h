/* SPDX-License-Identifier: Apache-2.0 */
/* Inside room inspect: bounds of the code (bounds_code.c), and of what surrounds it. */
#pragma once

#include <math.h>

#include "findings.h"

#define GET(id) inspect_fact_value(facts, FACT_##id)
#define PUT(id, value) inspect_fact_set(facts, FACT_##id, value)

/* The row of a rate for vectors of so many bits: rates stand in the order of widths. */
static inline enum inspect_fact at_width(enum inspect_fact narrowest, double bits)
{
    return narrowest + (bits >= 512 ? 3 : bits >= 256 ? 2 : bits >= 128 ? 1 : 0);
}

static inline double rate(const struct inspect_facts *facts, enum inspect_fact narrowest,
                          double bits)
{
    return inspect_fact_value(facts, at_width(narrowest, bits));
}

/* Zero of something takes no time, whatever the rate. */
static inline double takes(double count, double per_cycle)
{
    return count == 0 ? 0 : count / per_cycle;
}

static inline double cost(double count, double each)
{
    return count == 0 ? 0 : count * each;
}

static inline double known(double count)
{
    return count > 0 ? count : 0;
}

static inline double part(double some, double all)
{
    return all > 0 ? some / all : (double)NAN;
}

/* A loop of no more is one of few turns in a row. */
enum { BOUNDS_FEW_TURNS = 32 };

/* bounds_inputs.c: cycles of an iteration that take so much of the time; whether what
 * repeated inputs leave out was looked for; and what other inputs tell. */
double bounds_cycles_of(const struct inspect_facts *facts, double ratio);
bool bounds_same_work_helps(const struct inspect_facts *facts);
void bounds_put_inputs(struct inspect_facts *facts);
/* The code of an iteration, and its costs. */
void bounds_put_shares(struct inspect_facts *facts);
void bounds_put_code(struct inspect_facts *facts);
void bounds_put_costs(struct inspect_facts *facts);
double bounds_whole_stores(const struct inspect_facts *facts, double stores);
