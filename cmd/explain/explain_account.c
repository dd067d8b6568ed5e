/* SPDX-License-Identifier: Apache-2.0 */
/* The times of two cases are products: their factors tell why one is slower. */
#include "explain_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number of each case, for an operation, and their ratio. */
struct factor {
    double a, b, times, lo, hi; /* lo NaN: no interval is known */
};

static struct factor exact(double a, double b)
{
    return (struct factor){a, b, a / b, a / b, a / b};
}

/* The intervals of both, as they are not paired. */
static struct factor clocks(const struct result *a, const struct result *b)
{
    struct factor factor = exact(b->ghz, a->ghz);
    const bool known = a->ghz_ci.known && b->ghz_ci.known;
    factor.lo = known ? b->ghz_ci.lo / a->ghz_ci.hi : NAN;
    factor.hi = known ? b->ghz_ci.hi / a->ghz_ci.lo : NAN;
    factor.a = a->ghz;
    factor.b = b->ghz;
    return factor;
}

static struct factor times(const struct result *a, const struct result *b)
{
    struct factor factor = exact(a->median_ns / a->ops, b->median_ns / b->ops);
    struct speedup speedup = {.times = NAN};
    must(result_speedup(b, a, &speedup));
    const double work = b->ops / a->ops;
    factor.times = speedup.times * work;
    factor.lo = speedup.ci.known ? speedup.ci.lo * work : NAN;
    factor.hi = speedup.ci.known ? speedup.ci.hi * work : NAN;
    return factor;
}

/* Cycles are the rest of the time: so the product is exact. Their interval is as wide as
 * those of time and clock together. */
static struct factor cycles(const struct factor *time, const struct factor *instructions,
                            const struct factor *clock)
{
    const double known = instructions->times * clock->times;
    struct factor factor = {.times = time->times / known,
                            .lo = time->lo / instructions->times / clock->hi,
                            .hi = time->hi / instructions->times / clock->lo};
    factor.b = time->b * clock->b / instructions->b;
    factor.a = factor.b * factor.times;
    return factor;
}

static void print_factor(const char *name, const char *unit, const struct factor *factor)
{
    printf("  %-26s %10.4g %10.4g  x%.3f", name, factor->a, factor->b, factor->times);
    if (isfinite(factor->lo) && isfinite(factor->hi) && factor->lo < factor->hi)
        printf(" [%.3f, %.3f]", factor->lo, factor->hi);
    else if (isfinite(factor->lo))
        printf(" exact");
    printf("  %s\n", unit);
}

/* ---- classes of instructions ---- */

/* The sum over all loops, for an operation. */
static double counted(const struct subject *subject, size_t field)
{
    double sum = 0;
    for (size_t i = 0; i < subject->trace.census.n_loops; i++) {
        const struct inspect_loop *const loop = &subject->trace.census.loop[i];
        sum += loop->iterations * *(const double *)((const char *)loop + field);
    }
    /* A sample knows the parts, not the whole. */
    return sum / (double)subject->trace.census.instructions *
           subject->trace.instructions_per_op;
}

static void print_classes(const struct subject *a, const struct subject *b)
{
    static const struct {
        const char *name;
        size_t field;
    } classes[] = {
#define CLASS(name, field) {name, offsetof(struct inspect_loop, field)}
        CLASS("vector", vector),
        CLASS("scalar float", scalar_float),
        CLASS("integer", integer),
        CLASS("arithmetic", float_arithmetic),
        CLASS("loads", loads),
        CLASS("stores", stores),
        CLASS("spills", vector_spills),
        CLASS("reloads", vector_reloads),
        CLASS("copies of registers", copies),
        CLASS("branches", branches),
        CLASS("calls", calls),
        CLASS("divisions", divides),
        CLASS("accesses across lines", line_splits),
        CLASS("failed forwards", failed_forwards),
#undef CLASS
    };
    const double all = a->trace.instructions_per_op + b->trace.instructions_per_op;
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        const double of_a = counted(a, classes[i].field);
        const double of_b = counted(b, classes[i].field);
        if (!(fabs(of_a - of_b) > 0.01 * all))
            continue;
        if (!any)
            printf("  per operation, in loops\n");
        any = true;
        printf("    %-24s %10.4g %10.4g  %+.4g\n", classes[i].name, of_a, of_b,
               of_a - of_b);
    }
}

/* ---- experiments ---- */

/* Less is what processes differ by. */
#define MATTERS 0.05

/* Conditions that matter to one case and not, or less, to the other. */
static void print_ratios(const struct subject *a, const struct subject *b)
{
    for (size_t i = 0; i < a->experiments.n; i++) {
        const struct experiment *const mine = &a->experiments.item[i];
        const struct experiment *const other =
            experiment_find(&b->experiments, mine->name);
        if (!other || !strcmp(mine->name, "control") || !mine->ci.known ||
            !other->ci.known || fabs(log(mine->ratio / other->ratio)) < MATTERS ||
            (mine->ci.lo <= other->ci.hi && other->ci.lo <= mine->ci.hi))
            continue;
        printf("  %-26s x%.2f [%.2f, %.2f] against x%.2f [%.2f, %.2f]\n", mine->name,
               mine->ratio, mine->ci.lo, mine->ci.hi, other->ratio, other->ci.lo,
               other->ci.hi);
    }
}

static const char *id_of(const struct subject *subject, char *text, size_t size)
{
    text_plain(variant_result(&subject->base)->id, text, size);
    return text;
}

void account_print(const struct subject *a, const struct subject *b)
{
    const struct result *const first = variant_result(&a->base);
    const struct result *const second = variant_result(&b->base);
    char text[512];
    printf("\nA %s\n", id_of(a, text, sizeof text));
    printf("B %s\n", id_of(b, text, sizeof text));
    if (!first->n_samples || !second->n_samples) {
        printf("  one of them was not measured\n");
        return;
    }
    const struct factor time = times(first, second);
    const struct factor clock = clocks(first, second);
    const struct factor instructions =
        exact(a->trace.instructions_per_op, b->trace.instructions_per_op);
    printf("  %-26s %10s %10s  A / B\n", "", "A", "B");
    print_factor("time", "ns an operation", &time);
    if (!(instructions.times > 0)) {
        printf("  instructions an operation are not known: %s\n",
               !a->trace.known   ? a->trace.absent
               : !b->trace.known ? b->trace.absent
                                 : "sampled");
    } else {
        const struct factor per_instruction = cycles(&time, &instructions, &clock);
        print_factor("= instructions", "an operation", &instructions);
        print_factor("x cycles", "an instruction", &per_instruction);
    }
    print_factor("x 1 / clock", "GHz", &clock);
    if (instructions.times > 0)
        print_classes(a, b);
    print_ratios(a, b);
}
