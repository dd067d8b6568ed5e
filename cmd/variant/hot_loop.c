/* SPDX-License-Identifier: Apache-2.0 */
/* One loop of a call matters most. */
#include "variant/variant.h"

void variant_set_rates(const double *rates, struct inspect_facts *facts)
{
    for (size_t i = 0; i < core_rate_count(); i++) {
        const enum inspect_fact fact = inspect_fact_find(core_rate_name(i));
        if (fact != INSPECT_FACTS)
            inspect_fact_set(facts, fact, rates[i]);
    }
}

/* Cycles that all iterations of a loop need at least; 0: not known. */
static double needs(const struct inspect_census *census, const struct inspect_loop *loop,
                    const double *rates, bool forwards, bool guesses)
{
    struct inspect_facts facts = {.fact = {{.known = false}}};
    variant_set_rates(rates, &facts);
    inspect_facts_trace(&facts, census, loop);
    inspect_bounds(&facts);
    const double cycles = inspect_fact_value(&facts, FACT_code_cycles) +
                          forwards * inspect_fact_value(&facts, FACT_forward_cycles);
    const double guessed = guesses ? inspect_fact_value(&facts, FACT_guess_cycles) : 0;
    return cycles > 0 ? loop->iterations * (cycles + (guessed > 0 ? guessed : 0)) : 0;
}

/* The same of what is in no loop. */
static double needs_outside(const struct inspect_census *census, const double *rates)
{
    struct inspect_facts facts = {.fact = {{.known = false}}};
    variant_set_rates(rates, &facts);
    inspect_facts_trace(&facts, census, NULL);
    const double cycles = inspect_fact_value(&facts, FACT_outside_share) *
                          (double)census->instructions /
                          inspect_fact_value(&facts, FACT_rate_instructions);
    return cycles > 0 ? cycles : 0;
}

size_t variant_hot_loop(const struct inspect_census *census, const double *rates,
                        bool forwards, bool guesses, double *part)
{
    double most = 0, sum = needs_outside(census, rates);
    size_t hot = 0;
    for (size_t i = 0; i < census->n_loops; i++) {
        const double cycles = needs(census, &census->loop[i], rates, forwards, guesses);
        sum += cycles;
        if (cycles > most) {
            most = cycles;
            hot = i;
        }
    }
    *part = most > 0 ? most / sum : 0;
    return hot;
}
