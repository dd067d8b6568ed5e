/* SPDX-License-Identifier: Apache-2.0 */
#include "bounds.h"

/* Bounds are of an iteration of the hot loop and never larger than what the core needs:
 * where a count or a width is not known exactly, the faster rate is taken. Arithmetic
 * with what is unknown is NaN, which leaves the result unknown. */

enum { LINE_BYTES = 64, VECTOR_BYTES = 64 };

const enum inspect_fact inspect_bound_list[INSPECT_BOUND_LIST] = {
    FACT_roof_cycles,    FACT_arithmetic_cycles, FACT_memory_cycles,
    FACT_integer_cycles, FACT_operand_cycles,    FACT_vector_cycles,
    FACT_shuffle_cycles, FACT_dispatch_cycles,   FACT_decode_cycles,
    FACT_branch_cycles,  FACT_load_cycles,       FACT_store_cycles,
    FACT_gather_cycles,  FACT_divide_cycles,     FACT_form_cycles,
    FACT_chain_cycles,   FACT_window_cycles,     FACT_calling_cycles,
    FACT_order_cycles,   FACT_calls_cycles};

/* Iterations of a call. */
static double turns(const struct inspect_facts *facts)
{
    return GET(loop_share) * GET(call_instructions) / GET(instructions);
}

/* Bytes a cycle at the width of the row; of one that names none, at the fastest width. */
static double full_rate(const struct inspect_facts *facts, enum inspect_fact narrowest)
{
    const double bits = GET(isa_bits);
    double most = bits / 8 * rate(facts, narrowest, bits);
    for (unsigned i = 0; i < 4 && isnan(bits); i++)
        most = fmax(most, (8u << i) * inspect_fact_value(facts, narrowest + i));
    return most;
}

/* If the hot loop moves no more than the operands once, the least that these need of the
 * ports for loads and stores, at full width. */
static double operand_cycles(const struct inspect_facts *facts)
{
    const double once = 1.1;
    const double loaded = GET(bytes_loaded), stored = GET(bytes_stored);
    if (!((loaded + stored) * turns(facts) <= once * GET(call_bytes)))
        return NAN;
    return fmax(takes(loaded, full_rate(facts, FACT_rate_loads_64)),
                takes(stored, full_rate(facts, FACT_rate_stores_64)));
}

/* The larger of those that are known. */
static double largest(const struct inspect_facts *facts, const enum inspect_fact *list,
                      size_t n)
{
    double most = NAN;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, inspect_fact_value(facts, list[i]));
    return most;
}

/* A measured rate may be so much too low. */
static const double beaten = 1.3;

/* The stream roof or such loads. A roof that the case beats is of other bytes. */
static double bytes_per_cycle(const struct inspect_facts *facts)
{
    const double stream = GET(stream_rate), loads = full_rate(facts, FACT_rate_loads_64);
    const bool credible = GET(call_bytes) / stream < beaten * GET(call_cycles);
    return credible ? fmin(stream, loads) : loads;
}

/* It moves less than half of the bytes of its operands, or by windows, which know its
 * turns less well, less than a quarter: how long all of them take is no limit of what it
 * does. Other loops may move the rest, unless the hot one is nearly all, or each of their
 * instructions would have to move more than a vector. One with REP moves any number. */
static bool touches_a_part(const struct inspect_facts *facts)
{
    const double element = 4, nearly_all = 0.9;
    const double moved = GET(bytes_loaded) + GET(bytes_stored) +
                         element * (known(GET(gathered)) + known(GET(scattered)));
    const double part_of = GET(sampled) == 0 ? 0.5 : 0.25;
    const double others = GET(loop_share) >= nearly_all ? 0 : 1 - GET(loop_share);
    return !(GET(threads) > 1) && moved * turns(facts) + 2 * known(GET(bytes_filled)) +
                                          VECTOR_BYTES * others * GET(call_instructions) <
                                      part_of * GET(call_bytes);
}

static void forget_streams(struct inspect_facts *facts)
{
    static const char why[] = "it moves a part of its bytes alone";
    inspect_fact_set_absent(facts, FACT_memory_share, why);
    if (GET(roof_streams) > 0)
        inspect_fact_set_absent(facts, FACT_roof_share, why);
}

static void put_memory(struct inspect_facts *facts)
{
    const double bytes = GET(bytes_loaded) + GET(bytes_stored);
    const double per_cycle = bytes_per_cycle(facts),
                 loads = full_rate(facts, FACT_rate_loads_64);
    const double far = 0.35;
    const double share = part(takes(GET(call_bytes), per_cycle), GET(call_cycles));
    /* Faster than that: it does not touch all bytes. */
    PUT(memory_share, share < beaten ? share : (double)NAN);
    if (touches_a_part(facts))
        forget_streams(facts);
    PUT(memory_cycles, GET(memory_share) * GET(cycles));
    if (per_cycle > 0 && loads > 0)
        PUT(far_share, per_cycle <= far * loads ? GET(memory_share) : 0);
    /* Without a stream lines that are used again may come from anywhere nearer. */
    PUT(traffic_cycles, GET(page_share) >= 0.1 && GET(memory_cycles) > 0
                            ? fmin(takes(bytes, per_cycle), GET(memory_cycles))
                            : takes(bytes, per_cycle));
    PUT(operand_cycles, operand_cycles(facts));
    PUT(line_uses,
        part((GET(loads) + GET(stores)) * LINE_BYTES * turns(facts), GET(call_bytes)));
    if (GET(line_uses) < 2)
        inspect_fact_set_absent(facts, FACT_crowded_share,
                                "hardly any of its lines is used again");
    /* Vectors of floats may be read by many that compute with them. */
    PUT(read_again, GET(reading_share) >= 0.6 && !(GET(floats) >= 0.01)
                        ? part(GET(bytes_reading), GET(call_bytes))
                        : (double)NAN);
    /* A loop counts its turns, and goes to the next place. */
    const bool computes = GET(loads) > 0 || GET(computed) > 0 || GET(divides) > 0 ||
                          GET(lone) > 0 || GET(alu) > GET(stores) + 1;
    PUT(bytes_cleared, computes ? 0 : GET(bytes_stored) * GET(trips));
    PUT(stored_twice, part(GET(bytes_stored) * turns(facts), GET(output_bytes)));
}

/* Bounds, and the fact that is unknown with each. */
static const struct {
    enum inspect_fact bound, too;
} twins[] = {{FACT_roof_cycles, FACT_roof_share},
             {FACT_memory_cycles, FACT_memory_share},
             {FACT_memory_cycles, FACT_far_share},
             {FACT_load_cycles, FACT_whole_load_cycles},
             {FACT_chain_cycles, FACT_chain},
             {FACT_form_cycles, FACT_dearest},
             {FACT_window_cycles, FACT_window_chain},
             {FACT_order_cycles, FACT_memory_chain},
             /* Instructions enter the window at that rate. */
             {FACT_dispatch_cycles, FACT_window_cycles}};

/* Time is parted among loops by their instructions, but one that waits for results or
 * ports takes more than its part: how much more than its time these may take. */
static double parted(const struct inspect_facts *facts)
{
    const double most = 1.2;
    return GET(loop_share) > 0 ? fmin(most, 1 / GET(loop_share)) : 1;
}

/* No machine is faster than it can be: a bound that the time refutes was derived from a
 * count, a latency or a rate that is wrong, and is evidence of nothing. Results wait for
 * each other as long if inputs are repeated, unless these may leave out work, and if no
 * vector is stored, where data say no place, no chain leads through memory and no other
 * loop loses stores. A chain of divisions of integers stays, as values say how long these
 * take. */
static void refute(struct inspect_facts *facts)
{
    static const char why[] = "the time refutes it";
    const bool same = facts->fact[FACT_input_repeated].known &&
                      bounds_same_work_helps(facts) && !(GET(unweighed) > 0);
    const double repeated = same ? facts->fact[FACT_input_repeated].high : HUGE_VAL;
    const bool kept =
        GET(places_known) >= 1 && !(GET(chain) > INSPECT_REFUTED * GET(kept_chain));
    const double emptied =
        kept && GET(loop_share) >= 0.9 && facts->fact[FACT_edit_store].known
            ? inspect_flip_base(facts, FACT_edit_store) *
                  facts->fact[FACT_edit_store].high
            : HUGE_VAL;
    const double chained = bounds_cycles_of(facts, fmin(repeated, emptied));
    inspect_fact_set_absent(facts, FACT_overlap, NULL);
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++) {
        const enum inspect_fact bound = inspect_bound_list[i];
        const bool waits = bound == FACT_chain_cycles || bound == FACT_window_cycles;
        const bool busy = bound == FACT_load_cycles || bound == FACT_store_cycles;
        const double all = (waits || busy ? parted(facts) : 1) * GET(cycles);
        const double most = INSPECT_REFUTED * (waits && chained < all ? chained : all);
        if (!(inspect_fact_value(facts, bound) > most))
            continue;
        if (bound == FACT_chain_cycles && GET(trips) <= BOUNDS_FEW_TURNS &&
            GET(call_cycles) >= 500 && turns(facts) >= 4 * GET(trips))
            PUT(overlap, GET(chain_cycles) * GET(loop_share) / GET(cycles));
        inspect_fact_set_absent(facts, bound, why);
        facts->fact[bound].refuted = true;
        for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
            if (twins[k].bound == bound &&
                !(twins[k].too == FACT_chain && GET(integer_divides) >= 0.5))
                inspect_fact_set_absent(facts, twins[k].too, why);
    }
}

/* Experiments that do the same work in another way tell of it as other cases do. A way is
 * faster for sure if its whole interval is below 1. */
static void put_faster_way(struct inspect_facts *facts)
{
    static const enum inspect_fact ways[] = {
        FACT_other_isa,   FACT_place,       FACT_edit_chain,   FACT_edit_gather,
        FACT_edit_divide, FACT_edit_spill,  FACT_edit_forward, FACT_edit_call,
        FACT_edit_vex,    FACT_edit_cached, FACT_page_offset,  FACT_alignment};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (facts->fact[ways[i]].known && facts->fact[ways[i]].high < 1)
            inspect_fact_faster_way(facts, inspect_fact_value(facts, ways[i]));
}

/* Takes over a ratio if it tells anything of this code. */
static void take_if(struct inspect_facts *facts, enum inspect_fact to,
                    enum inspect_fact from, bool holds, const char *why)
{
    if (holds)
        facts->fact[to] = facts->fact[from];
    else
        inspect_fact_set_absent(facts, to, why);
}

static void put_conditional_ratios(struct inspect_facts *facts)
{
    const double nearly_all = 0.9;
    const bool calls = GET(calls) >= 0.5;
    /* Cores learn branches by heart, but not all of them where jumps go. */
    take_if(facts, FACT_learnt_input, FACT_input_repeated, !(GET(indirect) >= 0.1),
            "it jumps to where data says");
    /* The edit cuts chains of vectors alone: another one that is as long stays. */
    take_if(facts, FACT_unchained, FACT_edit_chain,
            GET(vector_chain) >= nearly_all * GET(chain) &&
                !(GET(other_chain) >= nearly_all * GET(chain)),
            "the longest chain is not one of vectors alone");
    /* No vector stays in its register over a call: spills of the loop are around it. */
    take_if(facts, FACT_unsaved, FACT_edit_spill, calls, "it calls nothing");
    /* A register that is loaded no more keeps its old value, and results may wait for it.
     */
    take_if(
        facts, FACT_unspilled, FACT_edit_spill,
        !(facts->fact[FACT_edit_spill].known && facts->fact[FACT_edit_spill].low > 1.1),
        "without reloads results wait for each other");
    /* Chains through these spills are, too. */
    if (calls)
        PUT(saved_chain, part(GET(chain) - GET(kept_chain), GET(chain)));
    else
        inspect_fact_set_absent(facts, FACT_saved_chain, "it calls nothing");
}

/* The time is less than what was executed takes by a rate that was measured: the work
 * goes faster than that, and nobody knows how fast. Roofs and streams may be of what a
 * call leaves out. */
static bool is_beaten(const struct inspect_facts *facts)
{
    return facts->fact[FACT_arithmetic_cycles].refuted ||
           facts->fact[FACT_operand_cycles].refuted;
}

static void put_limit(struct inspect_facts *facts)
{
    static const enum inspect_fact work[] = {FACT_roof_cycles, FACT_arithmetic_cycles,
                                             FACT_memory_cycles, FACT_operand_cycles};
    const bool open = is_beaten(facts);
    const double limit =
        open ? (double)NAN : largest(facts, work, sizeof work / sizeof *work);
    const double gap = GET(cycles) - limit;
    const double share = isnan(gap) ? GET(roof_share) : limit / GET(cycles);
    PUT(limit_cycles, limit);
    PUT(free_bits, isnan(GET(isa_bits)) && GET(arithmetic_cycles) >= limit
                       ? GET(widest_bits)
                       : (double)NAN);
    if (GET(faster_way) <= INSPECT_FASTER)
        inspect_fact_set_absent(facts, FACT_limit_share, "another way is faster");
    else
        PUT(limit_share, open ? 1 : limit / GET(cycles));
    PUT(gap_cycles, gap < 0 ? 0 : gap);
    PUT(gap_share, isnan(share) ? 1 : fmax(0, 1 - share));
    PUT(code_cycles, largest(facts, inspect_bound_list, INSPECT_BOUND_LIST));
}

/* Loads or stores that cross lines add so much to the time, where these take all of it:
 * without them the next bound holds. */
static void put_split(struct inspect_facts *facts, enum inspect_fact bound, double whole)
{
    const double all = 0.9, cycles = inspect_fact_value(facts, bound);
    double next = whole;
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++)
        if (inspect_bound_list[i] != bound)
            next = fmax(next, inspect_fact_value(facts, inspect_bound_list[i]));
    if (cycles >= all * GET(cycles) && GET(line_splits) > 0)
        PUT(split_cycles, fmax(0, fmin(cycles, GET(cycles)) - next));
}

static void put_splits(struct inspect_facts *facts)
{
    put_split(facts, FACT_store_cycles, bounds_whole_stores(facts, GET(stores)));
    put_split(facts, FACT_load_cycles, GET(whole_load_cycles));
}

static const char no_main_loop[] = "the loop that takes most time has under 30% of the "
                                   "instructions that its windows saw";

/* The reason why the windows of a call cannot stand for all of it, or NULL. */
static const char *why_no_sample(const struct inspect_facts *facts)
{
    const double error = 0.25, share = 0.3;
    const double enter =
        takes(GET(instructions) - known(GET(branches)), GET(rate_instructions));
    return !(GET(sampled) > 0)         ? NULL
           : GET(sample_error) > error ? "the windows of its call contradict each other"
           : GET(loop_share) < share   ? no_main_loop
           : enter > INSPECT_REFUTED * GET(cycles)
               ? "its windows tell of more instructions a cycle than this core takes"
               : NULL;
}

/* Facts of such windows are unknown; calls of other modules are in no loop. */
static void doubt_sample(struct inspect_facts *facts)
{
    const char *const why = why_no_sample(facts);
    for (enum inspect_fact i = 0; why && i < INSPECT_FACTS; i++)
        if (i == FACT_cycles ||
            (inspect_fact_source(i) == INSPECT_TRACE && i != FACT_out_share &&
             i != FACT_out_length && !(i == FACT_loop_share && why == no_main_loop)))
            inspect_fact_set_absent(facts, i, why);
}

void inspect_bounds(struct inspect_facts *facts)
{
    /* The loop takes of the call what it has of all instructions. */
    if (!facts->fact[FACT_cycles].known)
        PUT(cycles, GET(call_cycles) * part(GET(instructions), GET(call_instructions)));
    doubt_sample(facts);
    bounds_put_shares(facts);
    bounds_put_code(facts);
    PUT(calls_cycles, part(GET(calls_order), GET(call_cycles)) * GET(cycles));
    bounds_put_costs(facts);
    put_memory(facts);
    put_faster_way(facts);
    put_conditional_ratios(facts);
    PUT(roof_cycles, GET(roof_share) * GET(cycles));
    refute(facts);
    put_limit(facts);
    bounds_put_inputs(facts);
    put_splits(facts);
}

enum inspect_fact inspect_limiting_bound(const struct inspect_facts *facts)
{
    enum inspect_fact limiting = INSPECT_FACTS;
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++) {
        const enum inspect_fact bound = inspect_bound_list[i];
        if (facts->fact[bound].known &&
            (limiting == INSPECT_FACTS ||
             facts->fact[bound].value > facts->fact[limiting].value))
            limiting = bound;
    }
    return limiting;
}
