/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments with other inputs, as far as they tell of branches. */
#include "bounds.h"

/* Cycles are those at the best place of code; inputs were changed at that as built. */
double bounds_cycles_of(const struct inspect_facts *facts, double ratio)
{
    return ratio * GET(cycles) / fmin(1, GET(place));
}

/* The fastest of some experiments; those that take fewer cycles than `least` are none. */
static void take_best(struct inspect_facts *facts, enum inspect_fact to,
                      const enum inspect_fact *list, size_t n, double least)
{
    inspect_fact_set_absent(facts, to, NULL);
    for (size_t i = 0; i < n; i++) {
        const double best = inspect_fact_value(facts, to);
        const double ratio = inspect_fact_value(facts, list[i]);
        if (!(ratio < best || isnan(best)) || (isnan(ratio) && facts->fact[to].absent))
            continue;
        if (!(bounds_cycles_of(facts, ratio) < least))
            facts->fact[to] = facts->fact[list[i]];
        else if (isnan(best))
            inspect_fact_set_absent(facts, to, "other inputs took another way");
    }
}

/* Wrong predictions take no tenth of the time, of the loop or of the call, even if
 * branches are predicted wrong whenever they go their rarer way. */
static bool are_decided(const struct inspect_facts *facts)
{
    return GET(guess_cycles) < 0.1 * GET(cycles) && !(GET(guess_share) >= 0.1);
}

/* Gathers, or a quarter of the accesses go to pages where none was lately, by data, and
 * not all operands lie near the core: constant inputs make the accesses near, which says
 * nothing of branches. Windows see all places and do not tell which ones follow from
 * data; but there sorted inputs do not help, as they would help branches, or no branch is
 * left to help.
 */
static bool reads_by_data(const struct inspect_facts *facts)
{
    const double far = 1 << 20, helps = 0.8, often = 0.25;
    const bool no_branch =
        GET(input_sorted) > helps || GET(guess_cycles) < 0.1 * GET(cycles);
    const bool by_data = GET(places_known) == 0 || (GET(sampled) > 0 && no_branch);
    return ((by_data && GET(page_share) >= often) || GET(gathered) > 0) &&
           GET(call_bytes) > far;
}

/* Repeated inputs are faster by so much that what they leave out was looked for, and
 * other modules do too little to leave out much, as the memory that they give. */
bool bounds_same_work_helps(const struct inspect_facts *facts)
{
    const double helps = 0.8, much = 0.3;
    return fmin(GET(input_repeated), GET(input_keys)) <= helps &&
           !(GET(out_share) >= much);
}

/* The reason why other inputs say nothing of branches, or NULL. `alone`: it has none
 * beside that of the loop. */
static const char *why_not_tame(const struct inspect_facts *facts, bool by_data,
                                bool alone)
{
    return by_data ? "inputs also decide from which pages it reads"
           : alone && !(GET(trips) <= BOUNDS_FEW_TURNS)
               ? "its hot loop has no branch beside its own"
           : are_decided(facts) ? "its branches hardly ever go their rarer way"
           : GET(unweighed) > 0 && !bounds_same_work_helps(facts)
               ? "nobody knows how much work other inputs leave out"
               : NULL;
}

/* Repeated inputs leave the work as it is, and branches learn them by heart: if these
 * gain less than a quarter of what others gain, no wrong predictions went away. */
static bool are_learnt_in_vain(const struct inspect_facts *facts)
{
    const double least = 0.9, quarter = 0.25, gain = 1 - GET(tame_input);
    return facts->fact[FACT_learnt_input].known &&
           facts->fact[FACT_learnt_input].low >= fmax(least, 1 - quarter * gain);
}

/* Inputs are faster for other reasons too: they tell of branches that can profit. */
static void put_tame_input(struct inspect_facts *facts)
{
    static const enum inspect_fact inputs[] = {FACT_input_repeated, FACT_input_keys,
                                               FACT_input_sorted, FACT_input_constant,
                                               FACT_input_zero};
    /* Branches know any number by heart. If zeros alone gain, the work is another one, as
     * that of simple divisions. */
    const double nothing = 0.93;
    const bool zeros =
        !(GET(input_constant) >= nothing &&
          facts->fact[FACT_input_zero].high < facts->fact[FACT_input_constant].low);
    const bool by_data = reads_by_data(facts);
    const bool alone = GET(branches) + known(GET(indirect)) <= 1.01;
    const char *const why = why_not_tame(facts, by_data, alone);
    if (by_data)
        take_best(facts, FACT_near_input, &inputs[3], 2, 0);
    else
        inspect_fact_set_absent(facts, FACT_near_input,
                                "no data decides from which pages it reads");
    /* A loop of few turns may be left by surprise, but other values than repeated ones
     * change how many; and they may leave out work. */
    const bool one = alone || GET(unweighed) > 0;
    if (why)
        inspect_fact_set_absent(facts, FACT_tame_input, why);
    else
        take_best(facts, FACT_tame_input, inputs, one ? 2 : 4 + zeros,
                  0.9 * GET(code_cycles));
    if (!isnan(GET(tame_input)) && are_learnt_in_vain(facts))
        inspect_fact_set_absent(facts, FACT_tame_input,
                                "repeated inputs gain nearly nothing of it");
}

/* Branches that wait for data would be learnt by heart; on few elements all would, if
 * these gain more than what lies near. The time of wrong predictions is added to that of
 * the code: if this takes most of it, they take no more than the rest. */
static void put_unlearnt(struct inspect_facts *facts)
{
    const double as_long = 0.97, helps = 0.8, most = 0.6;
    const bool in_vain = facts->fact[FACT_learnt_input].known &&
                         facts->fact[FACT_learnt_input].low >= as_long &&
                         !(GET(unweighed) > 0) && /* or they do more work */
                         !(GET(few_shape) <= helps * fmin(1, GET(small_shape)));
    const double left = GET(cycles) - GET(code_cycles);
    const bool beyond =
        GET(code_cycles) >= most * GET(cycles) && GET(guess_cycles) > left;
    PUT(unlearnt_cycles, in_vain ? 0 : beyond ? fmax(0, left) : GET(guess_cycles));
}

void bounds_put_inputs(struct inspect_facts *facts)
{
    put_tame_input(facts);
    put_unlearnt(facts);
}
