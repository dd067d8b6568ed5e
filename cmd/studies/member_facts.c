/* SPDX-License-Identifier: Apache-2.0 */
/* A trace tells what a member executes. */
#include "studies/studies_private.h"

/* The facts that need no time. */
static void take_facts(const struct variant_trace *trace, const struct variant *base,
                       const double *rates, struct inspect_facts *facts)
{
    double part;
    const double ops = variant_group(base)->shape.ops;
    const struct inspect_census *const census = &trace->census;
    const size_t hot = variant_hot_loop(census, rates, &part);
    inspect_facts_trace(facts, census, census->n_loops ? &census->loop[hot] : NULL);
    if (!census->whole)
        inspect_fact_set(facts, FACT_call_instructions, trace->instructions_per_op * ops);
    inspect_fact_set(facts, FACT_isa_bits, variant_isa_bits(base));
    inspect_bounds(facts);
}

void member_trace(const struct studying *all, struct member *member)
{
    struct variant_trace trace = {.known = false};
    struct variant base;
    struct error error = {.text = ""};
    variant_begin(&base, &all->options->request, &all->options->how, &member->name);
    int status = variant_open(&base, &error);
    if (status == 0) {
        variant_trace(&member->name, all->rates, &base, &trace);
        if (trace.known)
            take_facts(&trace, &base, all->rates, &member->facts);
        else
            status = error_set(&error, -1, "%s", trace.absent);
    }
    if (status < 0)
        must(string_set(&member->not_traced, error.text));
    inspect_census_free(&trace.census);
    variant_close(&base);
}
