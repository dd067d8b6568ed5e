/* SPDX-License-Identifier: Apache-2.0 */
/* One call of a case, traced in a worker that nobody times. */
#include "costs/costs.h"
#include "variant/variant.h"

#include <math.h>

#define TRACE_TIMEOUT_NS 20000000000LL
/* Steps of a whole trace: more would take longer than all experiments. */
enum { TRACE_STEPS = 30000 };
/* The largest difference of the shares of arithmetic of two shapes. */
#define ALIKE 1.4

/* `shape` NULL: the case's own. */
static int trace(const struct variant *base, const struct case_name *name,
                 struct costs *costs, struct inspect_window window, const char *shape,
                 struct inspect_census *census, struct work *work, struct error *error)
{
    const struct inspect_options follow = {.max_steps = TRACE_STEPS,
                                           .whole_only = shape != NULL,
                                           .text = true,
                                           .count_turns = true,
                                           .windows = 40,
                                           .window = window,
                                           .costs = costs ? costs_of_code : NULL,
                                           .costs_context = costs,
                                           .seed = base->how.seed};
    struct variant variant;
    variant_begin(&variant, &base->request, &base->how, name);
    if (shape)
        variant_set_shape(&variant, shape);
    variant.run = run_new();
    *census = (struct inspect_census){.whole = false};
    int status = variant_open(&variant, error);
    if (status == 0) {
        const struct run_arm arm = variant_arm(&variant);
        status =
            run_arm_trace(&arm, &follow, clock_patience(TRACE_TIMEOUT_NS), census, error);
        *work = variant_result(&variant)->work;
    }
    variant_close(&variant);
    run_free(variant.run);
    return status;
}

/* Arithmetic of all executed instructions. */
static double arithmetic_share(const struct inspect_census *census)
{
    double sum = 0;
    for (size_t i = 0; i < census->n_loops; i++)
        sum += census->loop[i].iterations * census->loop[i].float_arithmetic;
    return sum / (double)census->instructions;
}

/* Both take the same arithmetic for an operation; what is around it may differ a little.
 * A shape with much more around it says nothing of the large one. */
static double scaled(const struct inspect_census *large,
                     const struct inspect_census *small, double per_op)
{
    const double times = arithmetic_share(small) / arithmetic_share(large);
    return times > 1 / ALIKE && times < ALIKE ? per_op * times : NAN;
}

/* Instructions of an operation, from a whole call of less work: the least
 * that is like it, as large ones take long. A kernel may take none of these shapes. */
static void trace_smaller(const struct case_name *name, const struct variant *base,
                          bool alike, struct variant_trace *to)
{
    FREED_BY(text_list_free) struct text_list shapes = {.n = 0};
    int status = 0;
    smaller_shapes(base, alike, &shapes);
    for (size_t i = shapes.n;
         i > 0 && status != -E2BIG && !interrupted_by && isnan(to->instructions_per_op);
         i--) {
        FREED_BY(inspect_census_free) struct inspect_census small;
        struct error error;
        struct work work = {.ops = 0};
        status = trace(base, name, NULL, (struct inspect_window){0}, shapes.item[i - 1],
                       &small, &work, &error);
        if (status == 0 && work.ops > 0)
            to->instructions_per_op =
                scaled(&to->census, &small, (double)small.instructions / work.ops);
    }
}

double variant_instructions(const struct case_name *name, const struct variant *base,
                            const char *shape)
{
    FREED_BY(inspect_census_free) struct inspect_census census;
    struct error error = {.text = ""};
    struct work work = {.ops = 0};
    const int status = trace(base, name, NULL, (struct inspect_window){0}, shape, &census,
                             &work, &error);
    return status == 0 && census.call_instructions > 0 ? census.call_instructions
                                                       : (double)NAN;
}

static double rate_of(const double *rates, const char *name)
{
    for (size_t i = 0; rates && i < core_rate_count(); i++)
        if (!strcmp(core_rate_name(i), name))
            return rates[i];
    return NAN;
}

static struct inspect_window window_of(const double *rates)
{
    struct inspect_window window =
        inspect_window(rate_of(rates, "rate_instructions"),
                       rate_of(rates, "rate_computed_256"), rate_of(rates, "cost_chain"),
                       rate_of(rates, "cost_behind"), rate_of(rates, "cost_chain_64"));
    window.pass = inspect_pass(rate_of(rates, "cost_pass_64"));
    window.pass_named = inspect_pass(rate_of(rates, "cost_named_64"));
    window.pass_global = inspect_pass(rate_of(rates, "cost_global_64"));
    window.guard = inspect_guard(rate_of(rates, "cost_guard"));
    window.pass_vector = inspect_pass(rate_of(rates, "cost_pass_128"));
    window.string = rate_of(rates, "cost_string");
    window.string_copies = rate_of(rates, "cost_string_copies");
    window.scan = rate_of(rates, "cost_scan");
    window.counted = rate_of(rates, "cost_counted");
    return window;
}

void variant_trace(const struct case_name *name, const double *rates,
                   const struct variant *base, struct variant_trace *to)
{
    struct error error = {.text = ""};
    struct work work = {.ops = 0};
    to->instructions_per_op = NAN;
    struct host host;
    host_read(&host, "");
    struct costs *const costs = costs_open(host.fingerprint);
    to->known =
        trace(base, name, costs, window_of(rates), NULL, &to->census, &work, &error) == 0;
    costs_close(costs);
    if (!to->known)
        snprintf(to->absent, sizeof to->absent, "%s", error.text);
    else if (to->census.call_instructions > 0)
        to->instructions_per_op = to->census.call_instructions / work_amount(&work);
    for (int alike = 1; alike >= 0 && to->known && isnan(to->instructions_per_op);
         alike--)
        trace_smaller(name, base, alike, to);
}
