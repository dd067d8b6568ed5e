/* SPDX-License-Identifier: Apache-2.0 */
/* The times of two cases are products: their factors tell why one is slower. */
#include "explain_private.h"
#include "surgery.h"

#include <math.h>

/* Processes differ by less, of times and of counts. */
#define MATTERS 0.05

/* ---- the product ---- */

static struct interval interval(double lo, double hi, bool known)
{
    return (struct interval){
        .known = known && isfinite(lo) && isfinite(hi),
        .lo = lo,
        .hi = hi,
        .level = STATS_LEVEL,
    };
}

/* An interval of numbers that are not paired. */
static struct interval quotient(const struct interval *a, const struct interval *b)
{
    return interval(a->lo / b->hi, a->hi / b->lo, a->known && b->known);
}

static void set_time(const struct result *a, const struct result *b, double luck,
                     const struct interval *ci, struct account_row *time)
{
    const double work = work_amount(&b->work) / work_amount(&a->work);
    const struct speedup by = result_speedup(b, a);
    time->ratio = luck * by.times * work;
    time->ci = interval(ci->lo * by.ci.lo * work, ci->hi * by.ci.hi * work, by.ci.known);
}

/* Cycles are the rest; their interval is as wide as those of time and clock together. */
static void set_cycles(const struct account_row *time,
                       const struct account_row *instructions,
                       const struct account_row *clock, struct account_row *cycles)
{
    const double known = instructions->ratio;
    cycles->ratio = time->ratio / known / clock->ratio;
    const struct interval both = quotient(&time->ci, &clock->ci);
    cycles->ci = interval(both.lo / known, both.hi / known, both.known);
    cycles->b = time->b * clock->b / instructions->b;
    cycles->a = cycles->b * cycles->ratio;
}

/* Instructions of a whole trace, of a sample that nothing contradicts, or counted. */
static double instructions_of(const struct subject *subject)
{
    const double traced = subject->trace.instructions_per_op;
    return traced > 0 && !subject->doubt
               ? traced
               : measured_metric(variant_result(&subject->base), "instructions");
}

static bool is_exact(const struct subject *subject)
{
    return subject->trace.census.whole && subject->trace.instructions_per_op > 0;
}

static const char *why_no_instructions(const struct subject *subject)
{
    return subject->trace.known ? subject->doubt : subject->trace.absent;
}

static void add_factors(const struct subject *a, const struct subject *b,
                        struct account *account)
{
    const struct result *const first = variant_result(&a->base);
    const struct result *const second = variant_result(&b->base);
    struct account_rows *const factors = &account->factors;
    const double of_a = instructions_of(a), of_b = instructions_of(b);
    struct interval ci_a, ci_b;
    const double luck_a = explain_luck(a, &ci_a), luck_b = explain_luck(b, &ci_b);
    const struct interval luck = quotient(&ci_a, &ci_b);
    const bool known = of_a / of_b > 0, bytes = !(first->work.ops > 0);
    account_add(factors, "time", bytes ? "ns a byte" : "ns an operation",
                luck_a * first->summary.median_ns / work_amount(&first->work),
                luck_b * second->summary.median_ns / work_amount(&second->work));
    if (known) {
        account_add(factors, "instructions", bytes ? "a byte" : "an operation", of_a,
                    of_b)
            ->exact = is_exact(a) && is_exact(b);
        account_add(factors, "cycles", "an instruction", NAN, NAN);
    } else {
        char text[600];
        snprintf(text, sizeof text, "instructions an operation are not known: %s",
                 why_no_instructions(a) ?: why_no_instructions(b) ?: "sampled");
        string_set(&account->absent, text);
    }
    struct account_row *const clock =
        account_add(factors, "1 / clock", "GHz", first->summary.ghz, second->summary.ghz);
    clock->ratio = second->summary.ghz / first->summary.ghz;
    clock->ci = quotient(&second->summary.ghz_ci, &first->summary.ghz_ci);
    set_time(first, second, luck_a / luck_b, &luck, &factors->row[0]);
    if (known)
        set_cycles(&factors->row[0], &factors->row[1], clock, &factors->row[2]);
}

/* ---- bounds ---- */

static double fact(const struct subject *subject, enum inspect_fact name)
{
    return inspect_fact_value(&subject->facts, name);
}

/* Cycles of an operation at the best place of the code. */
static double cycles_of(const struct subject *subject)
{
    return fact(subject, FACT_call_cycles) /
           work_amount(&variant_result(&subject->base)->work);
}

/* The cost of the place, apart from that. */
static double placement_of(const struct subject *subject)
{
    return cycles_of(subject) * (1 / explain_best_place(&subject->facts) - 1);
}

static double bound_of(const struct subject *subject, enum inspect_fact bound)
{
    return cycles_of(subject) * fact(subject, bound) / fact(subject, FACT_cycles);
}

/* Bounds are of the hot loop: they tell of an operation where that is most of it. */
static bool is_most(const struct subject *subject)
{
    return fact(subject, FACT_loop_share) >= 0.5;
}

/* It waits that instructions enter, which dispatch_cycles tells. */
static bool is_entering(const struct subject *subject, enum inspect_fact bound)
{
    return (bound == FACT_window_cycles || bound == FACT_calls_cycles) &&
           fact(subject, bound) <= 1.25 * fact(subject, FACT_dispatch_cycles);
}

static void add_bound(struct account *account, const char *name, double a, double b,
                      double least)
{
    if (fabs(a - b) > least)
        account_add(&account->bounds, name, NULL, a, b);
}

/* Its hot loops have next to nothing that the experiment could take away. */
static bool lacks(const struct subject *subject, enum inspect_fact experiment)
{
    static const struct {
        enum inspect_fact experiment, takes;
    } needs[] = {
        {FACT_tame_input, FACT_guess_cycles}, {FACT_edit_divide, FACT_divides},
        {FACT_edit_gather, FACT_gathered},    {FACT_edit_forward, FACT_failed_forwards},
        {FACT_edit_vex, FACT_legacy_sse},     {FACT_edit_call, FACT_calls}};
    /* Guesses are cycles, the others are counts. */
    const double few =
        experiment == FACT_tame_input ? 0.01 * fact(subject, FACT_cycles) : 0;
    if (!isnan(fact(subject, experiment)))
        return false;
    for (size_t i = 0; i < ARRAY_LEN(needs); i++)
        if (needs[i].experiment == experiment && fact(subject, needs[i].takes) <= few)
            return true;
    return text_same(subject->facts.fact[experiment].absent, SURGERY_NOTHING);
}

/* Cycles of an operation that an experiment takes away; NaN: it was not tried. */
static double freed_by(const struct subject *subject, enum inspect_fact experiment)
{
    const double left = fact(subject, experiment);
    const double time = cycles_of(subject) + placement_of(subject);
    return left > 1 || lacks(subject, experiment)
               ? 0
               : (1 - left) * time * inspect_flip_base(&subject->facts, experiment);
}

/* A row tells of this cause already, or the bound that stands for the same. */
static bool is_told(const struct account_rows *bounds, enum inspect_cause cause)
{
    static const struct {
        enum inspect_cause cause;
        enum inspect_fact bound;
    } same[] = {{CAUSE_latency_chain, FACT_chain_cycles},
                {CAUSE_latency_chain, FACT_window_cycles},
                {CAUSE_latency_chain, FACT_calls_cycles},
                {CAUSE_memory_chain, FACT_order_cycles},
                {CAUSE_memory_bandwidth, FACT_memory_cycles},
                {CAUSE_divider, FACT_divide_cycles},
                {CAUSE_gathers, FACT_gather_cycles},
                {CAUSE_call, FACT_calling_cycles}};
    bool told = account_find(bounds, inspect_cause_name(cause));
    for (size_t i = 0; i < ARRAY_LEN(same); i++)
        told |= same[i].cause == cause &&
                account_find(bounds, inspect_fact_name(same[i].bound));
    return told;
}

/* Cycles of an operation that events take; NaN: unknown. Those of the hot loop count if
 * it is most of the operation. */
static double cost_of(const struct subject *subject, enum inspect_cause cause)
{
    const bool mixed = cause == CAUSE_mixed_sse_avx;
    const bool counted = is_most(subject) && (mixed || cause == CAUSE_store_forwarding);
    const enum inspect_fact cost = mixed ? FACT_mixed_cycles : FACT_forward_cycles;
    const double of_loop = counted ? bound_of(subject, cost) : (double)NAN;
    const double of_call = mixed ? fact(subject, FACT_mixed_share) : (double)NAN;
    const double cycles = fmax(of_loop, of_call * cycles_of(subject));
    return isnan(cycles) ? cycles : fmin(cycles, cycles_of(subject));
}

/* Causes of one of them: what an experiment takes away from both, once, or such costs. */
static void add_causes(const struct subject *a, const struct subject *b,
                       const struct subject *of, bool *told, struct account *account)
{
    const double least = MATTERS * fmax(cycles_of(a), cycles_of(b));
    FREED_BY(free_memory) struct inspect_findings *found =
        must_have(calloc(1, sizeof *found));
    inspect_find(&of->facts, found);
    FOR_EACH (const struct inspect_finding, finding, found->finding, found->n) {
        const enum inspect_fact experiment = finding->experiment;
        const bool flipped = finding->confidence == INSPECT_FLIPPED;
        if (is_told(&account->bounds, finding->cause) ||
            (flipped && (told[experiment] || finding->cause == CAUSE_placement)))
            continue;
        if (flipped)
            told[experiment] = true;
        add_bound(account, inspect_cause_name(finding->cause),
                  flipped ? freed_by(a, experiment) : cost_of(a, finding->cause),
                  flipped ? freed_by(b, experiment) : cost_of(b, finding->cause), least);
    }
}

/* The bound, and the place of the code apart, that tell why one takes longer; each with
 * its share of the difference of the times. */
static void add_bounds(const struct subject *a, const struct subject *b,
                       struct account *account)
{
    const double of_a = cycles_of(a), of_b = cycles_of(b);
    const double place_a = placement_of(a), place_b = placement_of(b);
    const double least = MATTERS * fmax(of_a, of_b);
    bool told[INSPECT_FACTS] = {false};
    if (!(fabs(of_a + place_a - of_b - place_b) > least))
        return;
    add_bound(account, BOUND_BEST_PLACE, of_a, of_b, 0);
    add_bound(account, BOUND_PLACEMENT, place_a, place_b, 0);
    for (size_t i = 0; i < INSPECT_BOUND_LIST && is_most(a) && is_most(b); i++) {
        const enum inspect_fact bound = inspect_bound_list[i];
        if (!is_entering(a, bound) || !is_entering(b, bound))
            add_bound(account, inspect_fact_name(bound), bound_of(a, bound),
                      bound_of(b, bound), least);
    }
    const struct subject *const slower = of_a + place_a > of_b + place_b ? a : b;
    add_causes(a, b, slower, told, account);
    add_causes(a, b, slower == a ? b : a, told, account);
    FOR_EACH (struct account_row, row, account->bounds.row, account->bounds.n) {
        char unit[64];
        snprintf(unit, sizeof unit, "%.0f%% of the difference",
                 100 * account_share(&account->bounds, row));
        string_set(&row->unit, unit);
    }
}

/* ---- classes of instructions ---- */

/* The sum over all loops, for an operation. */
static double counted(const struct subject *subject, size_t field)
{
    double sum = 0;
    FOR_EACH (const struct inspect_loop, loop, subject->trace.census.loop,
              subject->trace.census.n_loops)
        sum += loop->iterations * *(const double *)((const char *)loop + field);
    /* A sample knows the parts, not the whole. */
    return sum / (double)subject->trace.census.instructions * instructions_of(subject);
}

static void add_classes(const struct subject *a, const struct subject *b,
                        struct account *account)
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
    const double all = instructions_of(a) + instructions_of(b);
    for (size_t i = 0; i < ARRAY_LEN(classes); i++) {
        const double of_a = counted(a, classes[i].field);
        const double of_b = counted(b, classes[i].field);
        if (fabs(of_a - of_b) > 0.01 * all)
            account_add(&account->classes, classes[i].name, NULL, of_a, of_b);
    }
}

/* ---- forms of instructions ---- */

/* A name with the kinds of its operands, and how often an operation executes it. */
struct form {
    char text[48];
    double times[2];
};
enum { FORMS_MAX = 512, FORMS_SHOWN = 8 };

/* "vpcompressd [zmmword ptr [rdi]] {k1}, zmm0" is "vpcompressd [], zmm": registers lose
 * their numbers, general ones are r, and addresses what is in them. */
static void form_of(const char *text, char *form, size_t size)
{
    size_t n = strcspn(text, " "), at = 0;
    at += (size_t)snprintf(form, size, "%.*s", (int)n, text);
    for (text += n; *text && at + 8 < size; text += *text == ',') {
        const size_t length = strcspn(text, ",");
        const char *const word = text + strspn(text, " ");
        const char *const kind = memchr(text, '[', length)      ? "[]"
                                 : !strncmp(word, "zmm", 3)     ? "zmm"
                                 : !strncmp(word, "ymm", 3)     ? "ymm"
                                 : !strncmp(word, "xmm", 3)     ? "xmm"
                                 : *word == 'k'                 ? "k"
                                 : *word >= 'a' && *word <= 'z' ? "r"
                                                                : "n";
        at += (size_t)snprintf(form + at, size - at, "%s%s", at == n ? " " : ", ", kind);
        text += length;
    }
}

static void count_forms(const struct subject *subject, int side, struct form *forms,
                        size_t *n)
{
    const struct inspect_census *const census = &subject->trace.census;
    const double each = instructions_of(subject) / (double)census->instructions;
    for (size_t i = 0; i < census->n_lines; i++) {
        struct form form = {.text = ""};
        size_t k = 0;
        if (!census->line[i].text)
            continue;
        form_of(census->line[i].text, form.text, sizeof form.text);
        while (k < *n && strcmp(forms[k].text, form.text) != 0)
            k++;
        if (k == FORMS_MAX)
            continue;
        if (k == *n)
            forms[(*n)++] = form;
        forms[k].times[side] += each * (double)census->line[i].executed;
    }
}

static int more_apart(const void *a, const void *b)
{
    const struct form *const x = a, *const y = b;
    const double of_x = fabs(x->times[0] - x->times[1]);
    const double of_y = fabs(y->times[0] - y->times[1]);
    return of_x < of_y ? 1 : of_x > of_y ? -1 : strcmp(x->text, y->text);
}

/* The forms that differ most: what one build has in place of the other's. */
static void add_forms(const struct subject *a, const struct subject *b,
                      struct account *account)
{
    FREED_BY(free_memory) struct form *forms =
        must_have(calloc(FORMS_MAX, sizeof *forms));
    const double all = instructions_of(a) + instructions_of(b);
    size_t n = 0;
    count_forms(a, 0, forms, &n);
    count_forms(b, 1, forms, &n);
    qsort(forms, n, sizeof *forms, more_apart);
    for (size_t i = 0; i < n && i < FORMS_SHOWN; i++)
        if (fabs(forms[i].times[0] - forms[i].times[1]) > 0.01 * all)
            account_add(&account->classes, forms[i].text, NULL, forms[i].times[0],
                        forms[i].times[1]);
}

/* ---- counters ---- */

/* Events of an operation, or a share; rates and clocks follow from the factors. Only what
 * proved itself counts; less than one event a call, or 1%, is noise. */
static void add_counters(const struct result *a, const struct result *b,
                         struct account *account)
{
    FOR_EACH (const struct metric, metric, a->metrics, a->n_metrics) {
        const bool share = text_same(metric->unit, "%");
        const bool of_call = text_same(metric->unit, "per call");
        if (!share && !of_call && !text_same(metric->unit, "per element"))
            continue;
        const double of_a =
            measured_metric(a, metric->name) / (of_call ? work_amount(&a->work) : 1);
        const double of_b =
            measured_metric(b, metric->name) / (of_call ? work_amount(&b->work) : 1);
        const double most =
            share ? fmax(of_a, of_b)
                  : fmax(of_a * work_amount(&a->work), of_b * work_amount(&b->work));
        if (most >= 1 && fabs(of_a - of_b) > MATTERS * fmax(of_a, of_b))
            account_add(&account->counters, metric->name, share ? "%" : NULL, of_a, of_b);
    }
}

/* ---- experiments ---- */

/* Conditions that matter to one case and not, or less, to the other. */
static void add_conditions(const struct subject *a, const struct subject *b,
                           struct account *account)
{
    FOR_EACH (const struct experiment, mine, a->experiments.item, a->experiments.n) {
        const struct experiment *const other =
            experiment_find(&b->experiments, mine->name);
        if (!other || !strcmp(mine->name, "control") || !mine->ci.known ||
            !other->ci.known || fabs(log(mine->ratio / other->ratio)) < MATTERS ||
            (mine->ci.lo <= other->ci.hi && other->ci.lo <= mine->ci.hi))
            continue;
        struct account_row *const row = account_add(&account->conditions, mine->name,
                                                    NULL, mine->ratio, other->ratio);
        row->a_ci = mine->ci;
        row->b_ci = other->ci;
        row->ci = quotient(&mine->ci, &other->ci);
    }
}

struct account *explain_account(const struct subject *a, const struct subject *b)
{
    const struct result *const first = variant_result(&a->base);
    const struct result *const second = variant_result(&b->base);
    struct account *const account = account_new(first->id, second->id);
    if (!first->samples.n || !second->samples.n) {
        string_set(&account->absent, "one of them was not measured");
        return account;
    }
    add_factors(a, b, account);
    add_bounds(a, b, account);
    add_classes(a, b, account);
    add_forms(a, b, account);
    add_counters(first, second, account);
    add_conditions(a, b, account);
    return account;
}
