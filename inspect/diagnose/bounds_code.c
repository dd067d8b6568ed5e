/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles of each part of the core that the instructions of an iteration need. */
#include "bounds.h"
#include "inspect.h"

/* Loops as long as this fit in no buffer of decoded instructions. */
enum { LONG_LOOP = 4096 };

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

/* Loads of the same bytes of lines add this on cores that take two of them in place of
 * three others. */
static double banked_cycles(const struct inspect_facts *facts)
{
    const double two_thirds = 0.7, banked = GET(rate_loads_banked);
    const bool fewer =
        banked <= two_thirds * rate(facts, FACT_rate_loads_64, load_bits(facts));
    return fewer ? known(takes(GET(banked), banked)) : 0;
}

/* Those that cross lines take the places of two at most, and may go on beside others:
 * some cores have one unit for them and more ports. */
static double load_cycles(const struct inspect_facts *facts)
{
    const double splits =
        fmin(known(GET(line_splits) - known(GET(split_stores))), GET(loads));
    const double alone =
        takes(splits, rate(facts, FACT_rate_splits_64, load_bits(facts)));
    const double beside = whole_load_cycles(facts, 2 * splits);
    const double others = whole_load_cycles(facts, GET(loads) - splits);
    return beside < alone ? fmax(alone, others + beside) : others + alone;
}

double bounds_whole_stores(const struct inspect_facts *facts, double stores)
{
    const double bits = access_bits(GET(bytes_stored), GET(stores));
    return takes(stores, rate(facts, FACT_rate_stores_64, bits));
}

static double store_cycles(const struct inspect_facts *facts)
{
    const double bits = access_bits(GET(bytes_stored), GET(stores));
    const double splits = fmin(known(GET(split_stores)), GET(stores));
    return bounds_whole_stores(facts, GET(stores) - splits) +
           takes(splits, rate(facts, FACT_rate_split_stores_64, bits));
}

/* One after the other: each takes a core's ports for loads and stores many times. Narrow
 * ones may cost more than their elements do in wide ones. */
static double gather_cycles(const struct inspect_facts *facts)
{
    const double elements =
        takes(GET(gathered), fmax(GET(rate_gathered_256), GET(rate_gathered_512)));
    const double collected = GET(collected);
    const bool holds = collected > 0 && !(collected > INSPECT_REFUTED * GET(cycles));
    return (holds ? fmax(elements, collected) : elements) +
           takes(GET(scattered), GET(rate_scattered_512));
}

static double decode_cycles(const struct inspect_facts *facts)
{
    const double instructions = GET(instructions), bytes = GET(crowded_code);
    const double decode =
        instructions >= LONG_LOOP ? takes(instructions, GET(rate_decoded)) : (double)NAN;
    return bytes > 0 ? fmax(decode, takes(bytes, GET(rate_fetched))) : decode;
}

/* Several instructions count at their mean width: a wide one takes at least as long as a
 * narrow one. Those of 512 bits count alone, too: at least so many are among them. */
static double unit_cycles(const struct inspect_facts *facts, double count, double bits,
                          enum inspect_fact rate_128)
{
    const double all =
        takes(count, inspect_fact_value(facts, rate_128 + (bits >= 256 * count)));
    const double wide = bits / 256 - count;
    return wide > 0 ? fmax(all, takes(wide, inspect_fact_value(facts, rate_128 + 2)))
                    : all;
}

/* Multiplications go where FMAs go, and divisions block these for a part of their time.
 * Integers go where any instruction on vectors goes. */
static double arithmetic_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits), divide = rate(facts, FACT_cost_divide_64, bits);
    const double multiplies =
        takes(GET(multiplies), rate(facts, FACT_rate_fmas_64, bits)) +
        (divide > 0 ? cost(GET(divides) - known(GET(integer_divides)), divide) : 0);
    const double floats = takes(GET(float_arithmetic) - GET(divides),
                                rate(facts, FACT_rate_floats_64, bits));
    const double all =
        unit_cycles(facts, GET(needed), GET(needed_bits), FACT_rate_computed_128);
    return fmax(fmax(multiplies, floats), fmax(all, GET(needed_form)));
}

/* Permutes have at least the bits that all other shuffles cannot have. */
static double shuffle_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(shuffle_bits);
    const double permutes = bits - 512 * (GET(shuffles) - GET(permutes));
    const double all =
        fmax(unit_cycles(facts, GET(shuffles), bits, FACT_rate_shuffles_128),
             unit_cycles(facts, GET(permutes), permutes, FACT_rate_permutes_128));
    return fmax(all, GET(shuffle_form));
}

static double divide_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits), doubles = known(GET(divides_f64));
    const double integers = known(GET(integer_divides));
    const double floats = takes(GET(divides) - doubles - integers,
                                rate(facts, FACT_rate_divides_64, bits)) +
                          takes(doubles, rate(facts, FACT_rate_divides_f64_64, bits));
    /* Costs of forms are of their own widths, and know roots. */
    return (GET(divided) > 0 ? GET(divided) : floats) +
           takes(integers, GET(rate_integer_divides));
}

/* The part of a chain that is seen if it begins anew each time that the loop is entered,
 * while the last one may still run: at least so much if a core sees as many instructions.
 */
static double entered_chain(const struct inspect_facts *facts, double chain, double sight)
{
    return chain / (1 + sight / (GET(trips) * GET(instructions)));
}

/* Entries count if chains in registers were seen in order to overlap. If the time refutes
 * that they follow each other, they wait as was seen, unless instructions entered hardly
 * faster there. */
static double chain_cycles(const struct inspect_facts *facts, double chain)
{
    const double seen = GET(register_chain);
    const double least = entered_chain(facts, chain, INSPECT_SIGHT);
    if (seen < 0.5 * fmin(chain, GET(kept_chain)) && least > 0)
        return least;
    const bool refuted = chain > INSPECT_REFUTED * GET(cycles);
    return refuted && !(seen < 1.25 * GET(dispatch_cycles)) ? fmin(chain, seen) : chain;
}

/* If the time refutes what was seen, entries overlap, those of calls as well, as far as
 * the core was measured to look ahead, where that hides no more than a third. */
static double overlapped_chain(const struct inspect_facts *facts, double chain)
{
    const double waits = chain_cycles(facts, chain), most = INSPECT_REFUTED * GET(cycles);
    if (!(waits > most) || isnan(GET(register_chain)))
        return waits;
    const unsigned ahead = inspect_window(GET(rate_instructions), GET(rate_computed_256),
                                          NAN, GET(cost_behind), NAN)
                               .results;
    const double least = entered_chain(facts, chain, ahead);
    return ahead && least <= most && 1.5 * least >= chain ? least : waits;
}

/* Chains that take all the time fill the scheduler, and some cores are slower then. If
 * the time refutes that, they did not. */
static double longest_chain(const struct inspect_facts *facts)
{
    const double few = overlapped_chain(facts, GET(chain));
    const double full = overlapped_chain(facts, GET(chain_full));
    return full > few && full <= GET(cycles) ? full : few;
}

/* Microcode takes as long as its values need, which may be less than what was timed: then
 * that is known to be no larger part of the time. */
static double form_cycles(const struct inspect_facts *facts)
{
    const double microcode = 20, less = 1.5;
    const bool by_values = GET(dearest_each) >= microcode &&
                           GET(dearest) > INSPECT_REFUTED * GET(cycles) &&
                           GET(dearest) <= less * GET(cycles);
    return by_values ? GET(cycles) / less : GET(dearest);
}

/* If the time refutes what many calls cost one after the other, they cost what few do. */
static double calling_cycles(const struct inspect_facts *facts)
{
    const double several = cost(GET(calls), GET(cost_call));
    return several > INSPECT_REFUTED * GET(cycles) ? cost(GET(calls), GET(cost_few_calls))
                                                   : several;
}

/* Some cores wait in each such instruction, others where one follows an AVX instruction:
 * two loops tell, one of which has 16 in a row. */
static double mixed_cycles(const struct inspect_facts *facts)
{
    const double row = 16, once = GET(cost_mixed_once);
    if (isnan(once))
        return cost(GET(legacy_sse), GET(cost_mixed));
    const double each = fmax(0, (row * GET(cost_mixed) - once) / (row - 1));
    return cost(GET(legacy_sse), each) + cost(GET(sse_changes), fmax(0, once - each));
}

static double spill_cycles(const struct inspect_facts *facts)
{
    const double bits = GET(widest_bits);
    return takes(GET(vector_reloads), rate(facts, FACT_rate_loads_64, bits)) +
           takes(GET(vector_spills), rate(facts, FACT_rate_stores_64, bits));
}

void bounds_put_shares(struct inspect_facts *facts)
{
    const double instructions = GET(instructions), accesses = GET(loads) + GET(stores);
    PUT(vector_share, part(GET(vector), instructions));
    PUT(integer_share, part(GET(integer), instructions));
    /* A check and what computes with data are work. */
    PUT(address_share,
        part(GET(alu) + GET(branches) - known(GET(checks)) - known(GET(work)),
             instructions));
    /* Sums have one for each load; a loop that stores has one for each store, but no more
     * than it loads, as it may store a result in parts. */
    const double done = GET(stores) >= 0.5 ? fmin(GET(stores), GET(loads)) : GET(loads);
    /* A loop that looks at one place again and again waits for others, or for what it
     * stored there, or in its stack frame, as the rounds of a cipher do. */
    const bool polls = GET(loads) > 0 && 0.9 * GET(loads) <= GET(fixed) &&
                       (GET(stores) < 0.5 || GET(forwards) >= 0.5 * GET(loads) ||
                        known(GET(scalar_stack)) >= 0.9 * accesses);
    PUT(elements, isnan(done) ? done : polls ? 0 : fmax(1, done));
    PUT(outside_instructions, GET(outside_share) * GET(call_instructions));
    PUT(called_share, part(GET(called), instructions));
    PUT(copy_share, part(GET(copies), instructions));
    PUT(crossing_share, part(GET(crossings), instructions));
    PUT(spill_share, part(GET(vector_reloads) + GET(vector_spills), instructions));
    PUT(scalar_stack_share, part(GET(scalar_stack), instructions));
    /* One that loads and computes counts twice, so that it seems to be more; what is
     * loaded from one place each time could be kept. A loop counts its turns, and goes
     * back. */
    PUT(useful, accesses - known(GET(fixed)) + fmax(GET(needed), GET(computed)) +
                    known(GET(work)) + 2 * fmin(1, known(GET(branches))));
    PUT(decisions, GET(branches) - known(GET(checks)));
    PUT(choices, GET(branches) - known(GET(checks)) - fmax(0, known(GET(guards)) - 1));
    PUT(branch_share, part(GET(branches), GET(vector) + GET(scalar_float)));
    PUT(split_share, part(GET(line_splits), accesses));
    if (known(GET(gathered)) + known(GET(scattered)) > 0)
        inspect_fact_set_absent(facts, FACT_page_share,
                                "a trace does not tell the pages of gathers");
    else
        PUT(page_share, accesses == 0 ? 0 : part(GET(page_changes), accesses));
    PUT(crowded_share, part(GET(crowded), accesses));
}

void bounds_put_code(struct inspect_facts *facts)
{
    const double instructions = GET(instructions);
    PUT(vector_cycles,
        unit_cycles(facts, fmax(GET(computed), GET(steps)),
                    fmax(GET(computed_bits), GET(steps_bits)), FACT_rate_computed_128));
    PUT(arithmetic_cycles, arithmetic_cycles(facts));
    PUT(shuffle_cycles, shuffle_cycles(facts));
    /* A branch goes with the comparison before it, as cores fuse them: it takes no place
     * among instructions, and the comparison none of an integer unit. */
    PUT(integer_cycles,
        fmax(takes(GET(alu) - fmin(known(GET(branches)), GET(alu)), GET(rate_integers)),
             GET(products)));
    PUT(dispatch_cycles,
        takes(instructions - known(GET(branches)), GET(rate_instructions)));
    PUT(decode_cycles, decode_cycles(facts));
    PUT(branch_cycles, fmax(takes(GET(branches), GET(rate_branches)),
                            takes(GET(taken), GET(rate_taken))));
    PUT(load_cycles, load_cycles(facts) + banked_cycles(facts));
    PUT(whole_load_cycles, whole_load_cycles(facts, GET(loads)) + banked_cycles(facts));
    PUT(store_cycles, store_cycles(facts));
    PUT(gather_cycles, gather_cycles(facts));
    PUT(divide_cycles, divide_cycles(facts));
    PUT(form_cycles, form_cycles(facts));
    /* Other bounds say it where memory hands on nothing of weight. */
    PUT(order_cycles,
        GET(memory_chain) >= 1.1 * GET(register_chain) ? GET(memory_chain) : (double)NAN);
    PUT(chain_cycles, longest_chain(facts));
    PUT(window_cycles, chain_cycles(facts, GET(window_chain)));
    PUT(calling_cycles, calling_cycles(facts));
}

void bounds_put_costs(struct inspect_facts *facts)
{
    PUT(forward_cycles, cost(GET(failed_forwards), GET(cost_forward)));
    PUT(masked_cycles, cost(GET(masked_forwards), GET(cost_masked)));
    PUT(spill_cycles, spill_cycles(facts));
    PUT(mixed_cycles, mixed_cycles(facts));
    PUT(mispredict_cycles, cost(GET(mispredicts), GET(cost_mispredict)));
    PUT(guess_cycles, cost(GET(undecided), GET(cost_mispredict)));
    PUT(mixed_share,
        part(cost(GET(share_changes) * GET(call_instructions), GET(cost_mixed_once)),
             GET(call_cycles)));
    PUT(guess_share,
        part(cost(GET(share_undecided) * GET(call_instructions), GET(cost_mispredict)),
             GET(call_cycles)));
    PUT(fault_share, part(cost(GET(page_faults), GET(cost_fault)), GET(call_cycles)));
    PUT(cpuid_share, part(cost(GET(cpuids), GET(cost_cpuid)), GET(call_cycles)));
}
