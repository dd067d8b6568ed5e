/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "findings.h"
#include "inspect.h"

/* clang-format off */
static const struct {
    const char *name;
    enum inspect_source source;
    const char *unit, *text;
} rows[INSPECT_FACTS] = {
#define FACT(id, source, unit, text) {#id, INSPECT_##source, unit, text},
#include "facts.def"
};
/* clang-format on */

void inspect_fact_set_interval(struct inspect_facts *facts, enum inspect_fact fact,
                               double value, double low, double high)
{
    if (!isfinite(value) || !isfinite(low) || !isfinite(high))
        return;
    facts->fact[fact].value = value;
    facts->fact[fact].low = low;
    facts->fact[fact].high = high;
    facts->fact[fact].known = true;
    facts->fact[fact].refuted = false;
}

void inspect_fact_set(struct inspect_facts *facts, enum inspect_fact fact, double value)
{
    inspect_fact_set_interval(facts, fact, value, value, value);
}

void inspect_fact_set_absent(struct inspect_facts *facts, enum inspect_fact fact,
                             const char *why)
{
    facts->fact[fact].known = false;
    facts->fact[fact].absent = why;
}

void inspect_fact_faster_way(struct inspect_facts *facts, double times)
{
    if (!(inspect_fact_value(facts, FACT_faster_way) <= times))
        inspect_fact_set(facts, FACT_faster_way, times);
}

bool inspect_fact_is_code(enum inspect_fact fact)
{
    return fact >= FACT_place && fact < FACT_alone;
}

double inspect_fact_value(const struct inspect_facts *facts, enum inspect_fact fact)
{
    return facts->fact[fact].known ? facts->fact[fact].value : (double)NAN;
}

enum inspect_fact inspect_fact_find(const char *name)
{
    size_t i = 0;
    while (i < INSPECT_FACTS && strcmp(rows[i].name, name) != 0)
        i++;
    return i;
}

const char *inspect_fact_name(enum inspect_fact fact)
{
    return rows[fact].name;
}

const char *inspect_fact_unit(enum inspect_fact fact)
{
    return rows[fact].unit;
}

const char *inspect_fact_text(enum inspect_fact fact)
{
    return rows[fact].text;
}

enum inspect_source inspect_fact_source(enum inspect_fact fact)
{
    return rows[fact].source;
}

const char *inspect_source_name(enum inspect_source source)
{
    static const char *const names[] = {"time",  "trace",      "rate",
                                        "bound", "experiment", "count"};
    return names[source];
}

static double outside_share(const struct inspect_census *census)
{
    double inside = 0;
    for (size_t i = 0; i < census->n_loops; i++)
        inside += census->loop[i].share;
    return fmax(0, 1 - inside);
}

/* Bytes that an iteration executes of lines of code that no first cache holds: the
 * largest has room for 16 lines whose addresses are the same modulo 4096, and more of
 * them, if most iterations execute each, push each other out, however short the code is.
 * Instructions ascend. */
static double crowded_code(const struct inspect_census *census,
                           const struct inspect_loop *loop)
{
    enum { LINE = 64, SETS = 64, ROOM = 16 };
    size_t lines[SETS] = {0};
    double bytes[SETS] = {0}, crowded = 0;
    uint64_t last = UINT64_MAX;
    for (size_t i = loop->line; i < loop->line + loop->n_lines; i++) {
        const uint64_t line = census->line[i].address / LINE;
        const double executed = (double)census->line[i].executed;
        if (executed <= 0.5 * loop->iterations || line == last)
            continue;
        lines[line % SETS]++;
        bytes[line % SETS] += LINE * fmin(1, executed / loop->iterations);
        last = line;
    }
    for (size_t i = 0; i < SETS; i++)
        crowded += lines[i] > ROOM ? bytes[i] : 0;
    return crowded;
}

/* A call without loops has none of the facts of a loop. */
static void set_repeated(struct inspect_facts *facts, const struct inspect_loop *loop)
{
#define SET(fact) inspect_fact_set(facts, FACT_##fact, loop->fact)
#define SET_KNOWN(fact) \
    inspect_fact_set(facts, FACT_##fact, loop->fact > 0 ? loop->fact : NAN)
    SET_KNOWN(trips);
    SET_KNOWN(chain_full);
    SET_KNOWN(needed_form);
    SET_KNOWN(shuffle_form);
    SET_KNOWN(products);
    SET_KNOWN(busy);
    SET_KNOWN(divided);
    SET_KNOWN(collected);
    if (loop->chain > 0) {
        SET(chain);
        SET(vector_chain);
        SET(other_chain);
        SET(kept_chain);
    }
    if (loop->memory_chain > 0 && loop->register_chain > 0) {
        SET(memory_chain);
        if (fabs(loop->chain_seen - loop->memory_chain) <= 0.3 * loop->memory_chain)
            inspect_fact_set(facts, FACT_loaded_share,
                             loop->chain_loaded / loop->chain_seen);
        SET(register_chain);
    }
    if (loop->carried >= 0)
        SET(carried);
    SET(vector_reloads);
    SET(vector_spills);
    SET(scalar_stack);
    inspect_fact_set(facts, FACT_places_known, loop->places_follow);
    SET(calls);
    SET(called);
    SET(branches);
    SET(checks);
    SET(guards);
    SET(work);
    SET(indirect);
    SET(undecided);
    SET(taken);
    /* Places that follow from registers may lie on other pages than was thought. */
    if (loop->pages_known || loop->page_changes > 0)
        SET(page_changes);
}

void inspect_facts_trace(struct inspect_facts *facts, const struct inspect_census *census,
                         const struct inspect_loop *loop)
{
    inspect_fact_set(facts, FACT_mixes_sse_avx, census->mixes_sse_avx);
    inspect_fact_set(facts, FACT_sampled, !census->whole);
    inspect_fact_set(facts, FACT_share_undecided, census->share_undecided);
    inspect_fact_set(facts, FACT_share_changes, census->share_changes);
    if (census->n_loops > 0)
        inspect_fact_set(facts, FACT_outside_share, outside_share(census));
    if (census->call_instructions > 0)
        inspect_fact_set(facts, FACT_call_instructions, census->call_instructions);
    if (census->share_out > 0) {
        inspect_fact_set(facts, FACT_out_share, census->share_out);
        inspect_fact_set(facts, FACT_out_length, census->length_out);
        inspect_fact_set(facts, FACT_out_undecided, census->undecided_out);
    }
    if (census->share_reading > 0) {
        inspect_fact_set(facts, FACT_reading_share, census->share_reading);
        inspect_fact_set(facts, FACT_bytes_reading, census->bytes_reading);
    }
    if (census->calls_chain > 0 && census->calls_order > 0) {
        inspect_fact_set(facts, FACT_calls_chain, census->calls_chain);
        inspect_fact_set(facts, FACT_calls_order, census->calls_order);
    }
    if (census->whole) {
        inspect_fact_set(facts, FACT_cpuids, (double)census->cpuids);
        inspect_fact_set(facts, FACT_bytes_filled, census->bytes_filled);
    }
    const int built = inspect_built_unoptimised(census->producer);
    if (built >= 0)
        inspect_fact_set(facts, FACT_built_unoptimised, built);
    if (loop)
        set_repeated(facts, loop);
    else if (census->whole && census->n_loops == 0)
        loop = &census->straight;
    else
        return;
    inspect_fact_set(facts, FACT_crowded_code, crowded_code(census, loop));
    inspect_fact_set(facts, FACT_loop_share, loop->share);
    SET_KNOWN(dearest);
    SET_KNOWN(dearest_each);
    inspect_fact_set(facts, FACT_sample_error, loop->error);
    if (loop->window_chain > 0)
        SET(window_chain);
#define OF_TIME(id)
#define OF_TRACE(id)
#define OF_LOOP(id) SET(id);
#define OF_RATE(id)
#define OF_BOUND(id)
#define OF_RATIO(id)
#define OF_COUNT(id)
#define FACT(id, source, unit, text) OF_##source(id)
#include "facts.def"
    /* One element at a time, in vector registers; or results that are packed later. */
    const double much = 0.4;
    const bool single =
        (loop->single_bits && loop->single_bits + loop->packed_bits <= 64) ||
        (loop->work_bits && loop->work_bits <= 64 &&
         loop->needed >= much * (loop->vector + loop->scalar_float));
    /* Registers of MMX and tiles have no width that could be compared. */
    if (!loop->apart)
        inspect_fact_set(facts, FACT_widest_bits,
                         single && loop->widest_bits > 64 ? 64 : loop->widest_bits);
#undef SET
}
