/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "findings.h"

/* Bounds are of an iteration of the hot loop and never larger than what the core needs:
 * where a count or a width is not known exactly, the faster rate is taken. Arithmetic
 * with what is unknown is NaN, which leaves the result unknown. */

/* Loops as long as this fit in no buffer of decoded instructions, and code of so many
 * bytes in no first cache. */
enum { LONG_LOOP = 4096, LONG_CODE = 65536, LINE_BYTES = 64 };

const enum inspect_fact inspect_bound_list[INSPECT_BOUND_LIST] = {
    FACT_roof_cycles,     FACT_arithmetic_cycles, FACT_memory_cycles,
    FACT_operand_cycles,  FACT_vector_cycles,     FACT_shuffle_cycles,
    FACT_dispatch_cycles, FACT_decode_cycles,     FACT_branch_cycles,
    FACT_load_cycles,     FACT_store_cycles,      FACT_gather_cycles,
    FACT_divide_cycles,   FACT_form_cycles,       FACT_chain_cycles,
    FACT_window_cycles,   FACT_calling_cycles,    FACT_order_cycles};

#define GET(id) inspect_fact_value(facts, FACT_##id)
#define PUT(id, value) inspect_fact_set(facts, FACT_##id, value)

/* The row of a rate for vectors of so many bits: rates stand in the order of widths. */
static enum inspect_fact at_width(enum inspect_fact narrowest, double bits)
{
    return narrowest + (bits >= 512 ? 3 : bits >= 256 ? 2 : bits >= 128 ? 1 : 0);
}

static double rate(const struct inspect_facts *facts, enum inspect_fact narrowest,
                   double bits)
{
    return inspect_fact_value(facts, at_width(narrowest, bits));
}

/* Zero of something takes no time, whatever the rate. */
static double takes(double count, double per_cycle)
{
    return count == 0 ? 0 : count / per_cycle;
}

static double cost(double count, double each)
{
    return count == 0 ? 0 : count * each;
}

static double known(double count)
{
    return count > 0 ? count : 0;
}

static double integers(const struct inspect_facts *facts)
{
    return known(GET(integer_divides));
}

static double part(double some, double all)
{
    return all > 0 ? some / all : (double)NAN;
}

static double access_bits(double bytes, double accesses)
{
    return accesses > 0 ? 8 * bytes / accesses : 64;
}

/* Broadcasts are narrow, but go where vectors go. */
static double load_bits(const struct inspect_facts *facts)
{
    const double bits = access_bits(GET(bytes_loaded), GET(loads));
    return GET(vector) >= 0.5 * GET(instructions) ? fmax(bits, 128) : bits;
}

static double whole_load_cycles(const struct inspect_facts *facts, double loads)
{
    return takes(loads, rate(facts, FACT_rate_loads_64, load_bits(facts)));
}

static double load_cycles(const struct inspect_facts *facts)
{
    const double splits = GET(line_splits) > 0 ? fmin(GET(line_splits), GET(loads)) : 0;
    return whole_load_cycles(facts, GET(loads) - splits) +
           takes(splits, rate(facts, FACT_rate_splits_64, load_bits(facts)));
}

static double store_cycles(const struct inspect_facts *facts)
{
    const double bits = access_bits(GET(bytes_stored), GET(stores));
    return takes(GET(stores), rate(facts, FACT_rate_stores_64, bits));
}

/* One after the other: each takes a core's ports for loads and stores many times. */
static double gather_cycles(const struct inspect_facts *facts)
{
    return takes(GET(gathered), fmax(GET(rate_gathered_256), GET(rate_gathered_512))) +
           takes(GET(scattered), GET(rate_scattered_512));
}

static double decode_cycles(const struct inspect_facts *facts)
{
    const double instructions = GET(instructions), bytes = GET(code_bytes);
    const double decode =
        instructions >= LONG_LOOP ? takes(instructions, GET(rate_decoded)) : (double)NAN;
    return bytes >= LONG_CODE ? fmax(decode, takes(bytes, GET(rate_fetched))) : decode;
}

/* Multiplications go where FMAs go, and divisions block these for a part of their time.
 */
static double arithmetic_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits), divide = rate(facts, FACT_cost_divide_64, bits);
    return fmax(takes(GET(multiplies), rate(facts, FACT_rate_fmas_64, bits)) +
                    (divide > 0 ? cost(GET(divides) - integers(facts), divide) : 0),
                takes(GET(float_arithmetic) - GET(divides),
                      rate(facts, FACT_rate_floats_64, bits)));
}

/* Several instructions count at their mean width: a wide one takes at least as long as a
 * narrow one. */
static double unit_cycles(const struct inspect_facts *facts, double count, double bits,
                          enum inspect_fact rate_128)
{
    const double mean = part(bits, count);
    return takes(count,
                 inspect_fact_value(facts, rate_128 + (mean >= 256) + (mean >= 512)));
}

static double shuffle_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(shuffle_bits);
    const double permutes = part(GET(permutes), GET(shuffles)) * bits;
    return fmax(unit_cycles(facts, GET(shuffles), bits, FACT_rate_shuffles_128),
                unit_cycles(facts, GET(permutes), permutes, FACT_rate_permutes_128));
}

static double divide_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits), doubles = known(GET(divides_f64));
    return takes(GET(divides) - doubles - integers(facts),
                 rate(facts, FACT_rate_divides_64, bits)) +
           takes(doubles, rate(facts, FACT_rate_divides_f64_64, bits)) +
           takes(integers(facts), GET(rate_integer_divides));
}

/* Each time that the loop is entered a chain begins anew, while the last one may still
 * run. If the time refutes that they follow each other, they overlap as far as the
 * largest core looks ahead, in instructions. */
static double chain_cycles(const struct inspect_facts *facts, double chain)
{
    const double ahead = 512;
    const double apart = GET(instructions) * GET(trips) / GET(loop_share);
    return chain > INSPECT_REFUTED * GET(cycles) && apart > 0
               ? chain / (1 + ahead / apart)
               : chain;
}

/* Chains that take all the time fill the scheduler, and some cores are slower then. If
 * the time refutes that, they did not. */
static double longest_chain(const struct inspect_facts *facts)
{
    const double few = chain_cycles(facts, GET(chain));
    const double full = chain_cycles(facts, GET(chain_full));
    return full > few && full <= GET(cycles) ? full : few;
}

static double spill_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits);
    return takes(GET(vector_reloads), rate(facts, FACT_rate_loads_64, bits)) +
           takes(GET(vector_spills), rate(facts, FACT_rate_stores_64, bits));
}

/* If the hot loop moves no more than the operands once, the least that these need of the
 * ports for loads and stores, at full width. */
static double turns(const struct inspect_facts *facts)
{
    return GET(loop_share) * GET(call_instructions) / GET(instructions);
}

static double operand_cycles(const struct inspect_facts *facts)
{
    const double once = 1.1, bits = GET(isa_bits);
    const double loaded = GET(bytes_loaded), stored = GET(bytes_stored);
    if (!((loaded + stored) * turns(facts) <= once * GET(call_bytes)))
        return NAN;
    return fmax(takes(8 * loaded / bits, rate(facts, FACT_rate_loads_64, bits)),
                takes(8 * stored / bits, rate(facts, FACT_rate_stores_64, bits)));
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

static void put_shares(struct inspect_facts *facts)
{
    const double instructions = GET(instructions), accesses = GET(loads) + GET(stores);
    PUT(vector_share, part(GET(vector), instructions));
    PUT(integer_share, part(GET(integer), instructions));
    PUT(copy_share, part(GET(copies), instructions));
    PUT(crossing_share, part(GET(crossings), instructions));
    PUT(spill_share, part(GET(vector_reloads) + GET(vector_spills), instructions));
    PUT(scalar_stack_share, part(GET(scalar_stack), instructions));
    PUT(branch_share, part(GET(branches), GET(vector) + GET(scalar_float)));
    PUT(split_share, part(GET(line_splits), accesses));
    PUT(page_share, part(GET(page_changes), accesses));
    PUT(crowded_share, part(GET(crowded), accesses));
}

static void put_code(struct inspect_facts *facts)
{
    const double instructions = GET(instructions);
    PUT(arithmetic_cycles, arithmetic_cycles(facts));
    PUT(vector_cycles,
        unit_cycles(facts, GET(computed), GET(computed_bits), FACT_rate_computed_128));
    PUT(shuffle_cycles, shuffle_cycles(facts));
    /* A comparison and its branch count as one: cores fuse them. */
    PUT(dispatch_cycles,
        takes(instructions - known(GET(branches)), GET(rate_instructions)));
    PUT(decode_cycles, decode_cycles(facts));
    PUT(branch_cycles, fmax(takes(GET(branches), GET(rate_branches)),
                            takes(GET(taken), GET(rate_taken))));
    PUT(load_cycles, load_cycles(facts));
    PUT(whole_load_cycles, whole_load_cycles(facts, GET(loads)));
    PUT(store_cycles, store_cycles(facts));
    PUT(gather_cycles, gather_cycles(facts));
    PUT(divide_cycles, divide_cycles(facts));
    PUT(form_cycles, GET(dearest));
    /* Other bounds say it where memory hands on nothing of weight. */
    PUT(order_cycles,
        GET(memory_chain) >= 1.1 * GET(register_chain) ? GET(memory_chain) : (double)NAN);
    PUT(chain_cycles, longest_chain(facts));
    PUT(window_cycles, chain_cycles(facts, GET(window_chain)));
    PUT(calling_cycles, cost(GET(calls), GET(cost_call)));
}

static void put_costs(struct inspect_facts *facts)
{
    PUT(forward_cycles, cost(GET(failed_forwards), GET(cost_forward)));
    PUT(spill_cycles, spill_cycles(facts));
    PUT(mixed_cycles, cost(GET(legacy_sse), GET(cost_mixed)));
    PUT(mispredict_cycles, cost(GET(mispredicts), GET(cost_mispredict)));
    PUT(guess_cycles, cost(GET(undecided), GET(cost_mispredict)));
    PUT(fault_share, part(cost(GET(page_faults), GET(cost_fault)), GET(call_cycles)));
    PUT(cpuid_share, part(cost(GET(cpuids), GET(cost_cpuid)), GET(call_cycles)));
}

/* Loads of the width of the row, in bytes. */
static double loaded_per_cycle(const struct inspect_facts *facts)
{
    const double bits = GET(isa_bits);
    return rate(facts, FACT_rate_loads_64, bits) * bits / 8;
}

/* A measured rate may be so much too low. */
static const double beaten = 1.3;

/* The stream roof or such loads. A roof that the case beats is of other bytes. */
static double bytes_per_cycle(const struct inspect_facts *facts)
{
    const double stream = GET(stream_rate), loads = loaded_per_cycle(facts);
    const bool credible = GET(call_bytes) / stream < beaten * GET(call_cycles);
    return credible ? fmin(stream, loads) : loads;
}

static void put_memory(struct inspect_facts *facts)
{
    const double bytes = GET(bytes_loaded) + GET(bytes_stored);
    const double per_cycle = bytes_per_cycle(facts), loads = loaded_per_cycle(facts);
    const double far = 0.35;
    const double share = part(takes(GET(call_bytes), per_cycle), GET(call_cycles));
    /* Faster than that: it does not touch all bytes. */
    PUT(memory_share, share < beaten ? share : (double)NAN);
    PUT(memory_cycles, GET(memory_share) * GET(cycles));
    if (per_cycle > 0 && loads > 0)
        PUT(far_share, per_cycle <= far * loads ? GET(memory_share) : 0);
    PUT(traffic_cycles, takes(bytes, per_cycle));
    PUT(operand_cycles, operand_cycles(facts));
    PUT(line_uses,
        part((GET(loads) + GET(stores)) * LINE_BYTES * turns(facts), GET(call_bytes)));
    PUT(stored_twice, part(GET(bytes_stored) * turns(facts), GET(output_bytes)));
}

/* The fastest of some experiments. */
static void take_best(struct inspect_facts *facts, enum inspect_fact to,
                      const enum inspect_fact *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double best = inspect_fact_value(facts, to);
        const double ratio = inspect_fact_value(facts, list[i]);
        if (ratio < best || isnan(best))
            facts->fact[to] = facts->fact[list[i]];
    }
}

/* Wrong predictions take no tenth of the time, even if branches are predicted wrong
 * whenever they go their rarer way. */
static bool are_decided(const struct inspect_facts *facts)
{
    return GET(guess_cycles) < 0.1 * GET(cycles);
}

/* Most accesses go to other pages than the last ones, by data, and not all operands lie
 * near the core: constant inputs make the accesses near, which says nothing of branches.
 * Windows see all places and do not tell which ones follow from data; but there sorted
 * inputs do not help, as they would help branches, or no branch is left to help. */
static bool reads_by_data(const struct inspect_facts *facts)
{
    const double far = 1 << 20, helps = 0.8;
    const bool no_branch = GET(input_sorted) > helps || are_decided(facts);
    const bool by_data = GET(places_known) == 0 || (GET(sampled) > 0 && no_branch);
    return by_data && GET(page_share) >= 0.5 && GET(call_bytes) > far;
}

/* Such inputs are faster for other reasons too, so branches must be able to profit: there
 * are some beside that of the loop, or nobody knows. If no input is known, it is unknown
 * for the same reason. */
static void put_tame_input(struct inspect_facts *facts)
{
    static const enum inspect_fact inputs[] = {FACT_input_zero, FACT_input_constant,
                                               FACT_input_sorted};
    if (reads_by_data(facts)) {
        take_best(facts, FACT_near_input, inputs, 2);
        inspect_fact_set_absent(facts, FACT_tame_input,
                                "inputs also decide from which pages it reads");
        return;
    }
    inspect_fact_set_absent(facts, FACT_near_input,
                            "no data decides from which pages it reads");
    if (GET(branches) + known(GET(indirect)) <= 1.01) {
        inspect_fact_set_absent(facts, FACT_tame_input,
                                "its hot loop has no branch beside its own");
        return;
    }
    if (are_decided(facts)) {
        inspect_fact_set_absent(facts, FACT_tame_input,
                                "its branches hardly ever go their rarer way");
        return;
    }
    take_best(facts, FACT_tame_input, inputs, sizeof inputs / sizeof *inputs);
}

/* Bounds, and the fact that is unknown with each. */
static const struct {
    enum inspect_fact bound, too;
} twins[] = {
    {FACT_roof_cycles, FACT_roof_share},     {FACT_memory_cycles, FACT_memory_share},
    {FACT_memory_cycles, FACT_far_share},    {FACT_load_cycles, FACT_whole_load_cycles},
    {FACT_chain_cycles, FACT_chain},         {FACT_form_cycles, FACT_dearest},
    {FACT_window_cycles, FACT_window_chain}, {FACT_order_cycles, FACT_memory_chain}};

/* No machine is faster than it can be: a bound that the time refutes was derived from a
 * count, a latency or a rate that is wrong, and is evidence of nothing. */
static void refute(struct inspect_facts *facts)
{
    static const char why[] = "the time refutes it";
    const double most = INSPECT_REFUTED * GET(cycles);
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++) {
        const enum inspect_fact bound = inspect_bound_list[i];
        if (!(inspect_fact_value(facts, bound) > most))
            continue;
        inspect_fact_set_absent(facts, bound, why);
        facts->fact[bound].refuted = true;
        for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
            if (twins[k].bound == bound)
                inspect_fact_set_absent(facts, twins[k].too, why);
    }
}

/* Experiments that do the same work in another way tell of it as other cases do. A way is
 * faster for sure if its whole interval is below 1. */
static void put_faster_way(struct inspect_facts *facts)
{
    static const enum inspect_fact ways[] = {
        FACT_other_isa,   FACT_place,      FACT_edit_chain,   FACT_edit_gather,
        FACT_edit_divide, FACT_edit_spill, FACT_edit_forward, FACT_edit_call,
        FACT_edit_vex,    FACT_edit_cached};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (facts->fact[ways[i]].known && facts->fact[ways[i]].high < 1)
            inspect_fact_faster_way(facts, inspect_fact_value(facts, ways[i]));
}

/* The edit cuts chains of vectors: it says nothing of others. */
static void put_unchained(struct inspect_facts *facts)
{
    const double nearly_all = 0.9;
    if (GET(vector_chain) >= nearly_all * GET(chain))
        facts->fact[FACT_unchained] = facts->fact[FACT_edit_chain];
    else
        inspect_fact_set_absent(facts, FACT_unchained,
                                "the longest chain is not one of vectors alone");
}

static void put_limit(struct inspect_facts *facts)
{
    static const enum inspect_fact work[] = {FACT_roof_cycles, FACT_arithmetic_cycles,
                                             FACT_memory_cycles, FACT_operand_cycles};
    const double limit = largest(facts, work, sizeof work / sizeof *work);
    const double gap = GET(cycles) - limit;
    const double share = isnan(gap) ? GET(roof_share) : limit / GET(cycles);
    PUT(limit_cycles, limit);
    if (GET(faster_way) <= INSPECT_FASTER)
        inspect_fact_set_absent(facts, FACT_limit_share, "another way is faster");
    else
        PUT(limit_share, limit / GET(cycles));
    PUT(gap_cycles, gap < 0 ? 0 : gap);
    PUT(gap_share, isnan(share) ? 1 : fmax(0, 1 - share));
    PUT(code_cycles, largest(facts, inspect_bound_list, INSPECT_BOUND_LIST));
}

/* Loads that cross lines add so much to the time, where loads take all of it: without
 * them the next bound holds. */
static void put_splits(struct inspect_facts *facts)
{
    const double all = 0.9;
    double next = GET(whole_load_cycles);
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++)
        if (inspect_bound_list[i] != FACT_load_cycles)
            next = fmax(next, inspect_fact_value(facts, inspect_bound_list[i]));
    if (GET(load_cycles) >= all * GET(cycles) && GET(line_splits) > 0)
        PUT(split_cycles, fmax(0, fmin(GET(load_cycles), GET(cycles)) - next));
}

/* The reason why the windows of a call cannot stand for all of it, or NULL. */
static const char *why_no_sample(const struct inspect_facts *facts)
{
    const double error = 0.25, share = 0.3;
    const double enter =
        takes(GET(instructions) - known(GET(branches)), GET(rate_instructions));
    return !(GET(sampled) > 0) ? NULL
           : GET(loop_share) < share
               ? "the loop that takes most time has under 30% of the "
                 "instructions that its windows saw"
           : GET(sample_error) > error ? "the windows of its call contradict each other"
           : enter > INSPECT_REFUTED * GET(cycles)
               ? "its windows tell of more instructions a cycle than this core takes"
               : NULL;
}

/* Facts of such windows are unknown. */
static void doubt_sample(struct inspect_facts *facts)
{
    const char *const why = why_no_sample(facts);
    for (enum inspect_fact i = 0; why && i < INSPECT_FACTS; i++)
        if (i == FACT_cycles || inspect_fact_source(i) == INSPECT_TRACE)
            inspect_fact_set_absent(facts, i, why);
}

void inspect_bounds(struct inspect_facts *facts)
{
    /* The loop takes of the call what it has of all instructions. */
    if (!facts->fact[FACT_cycles].known)
        PUT(cycles, GET(call_cycles) * part(GET(instructions), GET(call_instructions)));
    doubt_sample(facts);
    put_shares(facts);
    put_code(facts);
    put_costs(facts);
    put_memory(facts);
    put_tame_input(facts);
    put_faster_way(facts);
    put_unchained(facts);
    PUT(roof_cycles, GET(roof_share) * GET(cycles));
    refute(facts);
    put_limit(facts);
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
