/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a case: from its times, its trace, its experiments and its counters. */
#include "explain_private.h"

#include <math.h>

#define GET(fact) inspect_fact_value(facts, FACT_##fact)
#define SET(fact, value) inspect_fact_set(facts, FACT_##fact, value)

double explain_clock_share(const struct run *run, const struct result *result)
{
    double most = 0;
    for (size_t i = 0; i < run->n_results; i++)
        if (run->results[i].summary.ghz_ci.known)
            most = fmax(most, run->results[i].summary.ghz_ci.lo);
    return result->summary.ghz_ci.known ? result->summary.ghz_ci.hi / most : NAN;
}

/* Bytes a nanosecond of the fastest stream over operands of this size. */
static double stream_gbps(const struct subject *subject)
{
    const struct plan_group *const group = variant_group(&subject->base);
    double most = NAN;
    for (size_t i = 1; i < group->n_cases; i++)
        most = fmax(
            most, subject->base.run->results[subject->base.result + i].summary.gbps > 0
                      ? subject->base.run->results[subject->base.result + i].summary.gbps
                      : most);
    return most;
}

/* Bytes of the operands that a kernel writes; NaN: it has none. */
static double output_bytes(const struct subject *subject)
{
    const struct operands_map *const map = &variant_group(&subject->base)->shape.map;
    double bytes = 0;
    for (uint32_t i = 0; i < map->count; i++)
        if (operand_is_output(&map->operand[i]))
            bytes += (double)operand_bytes(&map->operand[i]);
    return bytes > 0 ? bytes : NAN;
}

/* Placement apart, all else is compared with the time at the best place. */
double explain_best_place(const struct inspect_facts *facts)
{
    return inspect_fact_faster(facts, FACT_place, INSPECT_PLACED) ? GET(place) : 1;
}

/* Processes differ by chance, as by the pages that they get: two others agree, the one at
 * other addresses if it was tried. */
double explain_luck(const struct subject *subject, struct interval *ci)
{
    const double much = 0.9;
    const struct experiment *const same =
        experiment_find(&subject->experiments, "control");
    const struct experiment *const moved =
        experiment_find(&subject->experiments, "layout");
    const bool agrees = !moved || !moved->ci.known || moved->ci.hi < much;
    const bool differs = agrees && same && same->ci.known && same->ci.hi < much;
    if (ci)
        *ci = differs ? same->ci : (struct interval){.known = true, .lo = 1, .hi = 1};
    return differs ? same->ratio : 1;
}

static void add_times(const struct subject *subject, struct inspect_facts *facts)
{
    const struct result *const base = variant_result(&subject->base);
    const double wall_ns = base->summary.median_ns + base->samples.overhead_ns;
    const double shorter = explain_best_place(facts) * explain_luck(subject, NULL),
                 ns = shorter * base->summary.median_ns;
    SET(call_cycles, base->summary.ghz > 0 ? ns * base->summary.ghz : NAN);
    SET(roof_share, base->summary.limit.id ? base->summary.limit.share / shorter : NAN);
    SET(roof_streams, base->summary.limit.gbps > 0);
    SET(stream_rate,
        base->summary.ghz > 0 ? stream_gbps(subject) / base->summary.ghz : NAN);
    SET(call_bytes, base->work.bytes > 0 ? base->work.bytes : NAN);
    SET(output_bytes, output_bytes(subject));
    SET(clock_share, explain_clock_share(subject->base.run, base));
    SET(shared_samples, base->samples.shared ? fmin(1, (double)base->samples.apart.n /
                                                           (double)base->samples.n)
                                             : 0);
    SET(overhead_share, base->samples.overhead_ns / wall_ns);
    SET(threads, base->threads);
    SET(thread_use,
        measured_counter(base, "task-clock") / base->summary.median_ns / base->threads);
    SET(isa_bits, variant_isa_bits(&subject->base));
}

static void add_counts(const struct subject *subject, struct inspect_facts *facts)
{
    const struct result *const base = variant_result(&subject->base);
    const double iterations = inspect_fact_value(facts, FACT_call_instructions) *
                              inspect_fact_value(facts, FACT_loop_share) /
                              inspect_fact_value(facts, FACT_instructions);
    SET(page_faults, measured_counter(base, "page-faults"));
    SET(mispredicts,
        measured_metric(base, "branch misses") * work_amount(&base->work) / iterations);
    SET(page_walks,
        measured_metric(base, "page walks") * work_amount(&base->work) / iterations);
    SET(frontend_stalls, 0.01 * measured_metric(base, "frontend stall share"));
}

/* All are over the base, but edits, which run in a process of their own. */
static void add_ratios(const struct subject *subject, struct inspect_facts *facts)
{
    const double luck = explain_luck(subject, NULL);
    FOR_EACH (const struct experiment, experiment, subject->experiments.item,
              subject->experiments.n) {
        const enum inspect_fact fact = inspect_fact_find(experiment->name);
        if (fact == INSPECT_FACTS)
            continue;
        if (experiment->absent[0])
            inspect_fact_set_absent(facts, fact, experiment->absent);
        else if (experiment->ci.known) {
            const double by = inspect_fact_is_code(fact) ? 1 : luck;
            inspect_fact_set_interval(facts, fact, experiment->ratio / by,
                                      experiment->ci.lo / by, experiment->ci.hi / by);
        } else
            inspect_fact_set_absent(facts, fact, "too few rounds for an interval");
    }
    SET(unweighed, subject->experiments.unweighed);
}

/* Batches with the core alone against those beside another thread: not paired, so the
 * interval is that of both. */
static void add_alone(const struct subject *subject, struct inspect_facts *facts)
{
    const struct result *const base = variant_result(&subject->base);
    const struct apart *const apart = &base->samples.apart;
    if (base->samples.shared || base->samples.n < STATS_MIN_SAMPLES ||
        apart->n < STATS_MIN_SAMPLES)
        return;
    const struct interval a =
        stats_median_interval(base->samples.ns, base->samples.n, STATS_LEVEL);
    const struct interval b =
        stats_median_interval(apart->samples_ns, apart->n, STATS_LEVEL);
    inspect_fact_set_interval(facts, FACT_alone,
                              stats_median(base->samples.ns, base->samples.n) /
                                  stats_median(apart->samples_ns, apart->n),
                              a.lo / b.hi, a.hi / b.lo);
}

/* A sample of a large call knows its loops; how many instructions an operation takes is
 * known from a smaller shape, or counted. */
static double call_instructions(const struct subject *subject)
{
    const struct result *const base = variant_result(&subject->base);
    const double counted = measured_counter(base, "instructions");
    return counted > 0 ? counted
                       : subject->trace.instructions_per_op * work_amount(&base->work);
}

/* Other values, a counter, or the time tell that guesses cost less. */
static bool guesses_are_told(const struct subject *subject,
                             const struct inspect_facts *facts)
{
    static const enum inspect_fact inputs[] = {FACT_input_repeated, FACT_input_keys,
                                               FACT_input_constant, FACT_input_sorted,
                                               FACT_input_zero};
    const struct inspect_census *const census = &subject->trace.census;
    const double most = 1.2, guesses = census->share_undecided *
                                       (double)census->instructions *
                                       GET(cost_mispredict);
    bool told =
        !isnan(measured_metric(variant_result(&subject->base), "branch misses")) ||
        (census->whole && guesses > most * GET(call_cycles));
    for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
        told |= facts->fact[inputs[i]].known;
    return told;
}

/* The hot loop has its part of the call by the cycles that it needs, so that instructions
 * that wait count for more. */
static void add_hot_loop(struct subject *subject, const double *rates,
                         struct inspect_facts *facts)
{
    const struct inspect_census *const census = &subject->trace.census;
    double part = 0;
    subject->hot_loop =
        variant_hot_loop(census, rates, !(GET(edit_forward) >= INSPECT_PLACED),
                         !guesses_are_told(subject, facts), &part);
    const struct inspect_loop *const loop =
        census->n_loops ? &census->loop[subject->hot_loop] : NULL;
    inspect_facts_trace(facts, census, loop);
    if (!census->whole)
        SET(call_instructions, call_instructions(subject));
    /* As many calls as were seen. */
    const double calls = (double)census->instructions / GET(call_instructions);
    if (loop && part > 0)
        SET(cycles, GET(call_cycles) * calls / loop->iterations * part);
}

void explain_facts(struct subject *subject, const double *rates)
{
    struct inspect_facts *const facts = &subject->facts;
    *facts = (struct inspect_facts){.fact = {{.known = false}}};
    add_ratios(subject, facts);
    add_times(subject, facts);
    variant_set_rates(rates, facts);
    add_alone(subject, facts);
    if (subject->trace.known)
        add_hot_loop(subject, rates, facts);
    add_counts(subject, facts);
    inspect_bounds(facts);
    subject->doubt = subject->trace.known ? facts->fact[FACT_sampled].absent : NULL;
}
