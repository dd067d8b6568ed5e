/* SPDX-License-Identifier: Apache-2.0 */
/* All causes of a case in order, and the time that they leave unexplained. */
#include "causes.h"

#include <math.h>
#include <string.h>

/* The share that stands for a finding among those that were flipped. A case at its limit
 * can gain no more than the gap: a flip must show half of that to come first. */
static double weight(const struct inspect_facts *facts,
                     const struct inspect_finding *finding)
{
    const double gap = inspect_fact_value(facts, FACT_gap_share);
    return finding->cause == CAUSE_at_limit ? 0.5 * gap : finding->share;
}

/* The value that its evidence has of a fact; 0: none. */
static double evidence_of(const struct inspect_finding *finding, enum inspect_fact fact)
{
    for (size_t i = 0; i < finding->n_evidence; i++)
        if (finding->evidence[i].fact == fact)
            return finding->evidence[i].value;
    return 0;
}

/* The largest bound among its evidence; 0: it has none. */
static double largest_bound(const struct inspect_finding *finding)
{
    double most = 0;
    for (size_t k = 0; k < INSPECT_BOUND_LIST; k++)
        most = fmax(most, evidence_of(finding, inspect_bound_list[k]));
    return most;
}

/* An instruction that is slow in itself: a chain through it counts what it takes once
 * more. */
static bool is_slow(const struct inspect_finding *finding)
{
    return finding->cause == CAUSE_slow_instruction &&
           evidence_of(finding, FACT_dearest_each) >= 3.9;
}

/* The bound that a model rests on; 0: none. */
static double bound_of(const struct inspect_finding *finding)
{
    const double bound =
        is_slow(finding) ? 1.25 * largest_bound(finding) : largest_bound(finding);
    return finding->confidence == INSPECT_MODELLED ? bound : 0;
}

/* The largest bound, apart from `one` and `two`. */
static double largest_but(const struct inspect_facts *facts, enum inspect_fact one,
                          enum inspect_fact two)
{
    double most = 0;
    for (size_t i = 0; i < INSPECT_BOUND_LIST; i++) {
        const enum inspect_fact bound = inspect_bound_list[i];
        if (bound != one && bound != two)
            most = fmax(most, inspect_fact_value(facts, bound));
    }
    return most;
}

/* A chain, or instructions that are slow, that account for nearly all of the time; or
 * divisions without which the code would need a third less, but not where functions of
 * other modules have most instructions. */
static bool is_whole(const struct inspect_facts *facts,
                     const struct inspect_finding *finding)
{
    /* Values that come through memory take longer than is counted. */
    const double nearly_all = finding->cause == CAUSE_memory_chain ? 0.7 : 0.9;
    const bool specific =
        finding->cause == CAUSE_latency_chain || finding->cause == CAUSE_memory_chain ||
        finding->cause == CAUSE_slow_instruction || finding->cause == CAUSE_divider ||
        finding->cause == CAUSE_gathers;
    /* Findings of slow loops rest on the largest bound of the code, which may be this
     * one.
     */
    const double least = is_slow(finding)
                             ? inspect_fact_value(facts, FACT_code_cycles)
                             : nearly_all * inspect_fact_value(facts, FACT_cycles);
    const double other = largest_but(facts, FACT_divide_cycles, FACT_form_cycles);
    const bool alone = finding->cause == CAUSE_divider && other > 0 &&
                       bound_of(finding) >= 1.5 * other &&
                       !(inspect_fact_value(facts, FACT_out_share) >= 0.6);
    return specific && (alone || bound_of(finding) >= least);
}

/* Findings of the instructions come before models, but a model of nearly all of the time
 * before what slow loops of any kind show. */
static int order_of(const struct inspect_facts *facts,
                    const struct inspect_finding *finding, bool has_whole)
{
    const bool general = finding->cause == CAUSE_branch || finding->cause == CAUSE_call ||
                         finding->cause == CAUSE_scalar ||
                         finding->cause == CAUSE_narrow_vectors;
    if (finding->confidence == INSPECT_STRUCTURAL)
        return general && has_whole ? 2 : 0;
    return is_whole(facts, finding) ? 1 : 3;
}

static bool goes_before(const struct inspect_facts *facts,
                        const struct inspect_finding *a, const struct inspect_finding *b,
                        bool has_whole)
{
    const double share_a = weight(facts, a), share_b = weight(facts, b);
    if (isnan(share_a) || isnan(share_b))
        return isnan(share_b) && !isnan(share_a)   ? true
               : isnan(share_a) && !isnan(share_b) ? false
               : order_of(facts, a, has_whole) != order_of(facts, b, has_whole)
                   ? order_of(facts, a, has_whole) < order_of(facts, b, has_whole)
                   : bound_of(a) > bound_of(b);
    return share_a > share_b;
}

/* Stable: equals stay in the order of the table. */
static void sort(const struct inspect_facts *facts, struct inspect_finding *finding,
                 size_t n)
{
    bool has_whole = false;
    for (size_t i = 0; i < n; i++)
        has_whole |= is_whole(facts, &finding[i]);
    for (size_t i = 1; i < n; i++)
        for (size_t k = i;
             k > 0 && goes_before(facts, &finding[k], &finding[k - 1], has_whole); k--) {
            const struct inspect_finding swap = finding[k];
            finding[k] = finding[k - 1];
            finding[k - 1] = swap;
        }
}

/* The share of the time that a finding accounts for beyond the limit of the work: what an
 * experiment measured, or what is modelled against the gap; 0: it gives none. */
static double accounts_for(const struct inspect_facts *facts,
                           const struct inspect_finding *finding)
{
    if (!isnan(finding->share))
        return finding->share;
    for (size_t i = 0; i < finding->n_evidence; i++) {
        const struct inspect_evidence *const evidence = &finding->evidence[i];
        if (evidence->of == FACT_gap_share)
            return evidence->value;
        if (evidence->of == FACT_gap_cycles)
            return evidence->value / inspect_fact_value(facts, FACT_cycles);
    }
    return 0;
}

/* The same of bounds: what they are beyond the limit of the work. */
static double beyond_limit(const struct inspect_facts *facts,
                           const struct inspect_finding *finding, double bound)
{
    const double limit = inspect_fact_value(facts, FACT_limit_cycles);
    const double share =
        (bound - (limit > 0 ? limit : 0)) / inspect_fact_value(facts, FACT_cycles);
    return fmax(accounts_for(facts, finding), share);
}

/* The share that a finding has, beside another place of the same code: all that the code
 * takes beyond the limit; of instructions that are not needed at least half of what it
 * takes, as the limit has them too. */
static double beside_place(const struct inspect_facts *facts,
                           const struct inspect_finding *finding)
{
    const double code =
        fmax(largest_bound(finding), evidence_of(finding, FACT_code_cycles));
    const double half = finding->confidence == INSPECT_STRUCTURAL
                            ? code / 2 / inspect_fact_value(facts, FACT_cycles)
                            : 0;
    return fmax(beyond_limit(facts, finding, code), half);
}

/* The first finding that no experiment flipped stands before flips that gained less than
 * half of what it accounts for: of a bound, or of functions of other modules that execute
 * most instructions, if it rests on these. */
static void move_small_flips(const struct inspect_facts *facts,
                             struct inspect_finding *finding, size_t n)
{
    size_t first = 0;
    while (first < n && !isnan(weight(facts, &finding[first])))
        first++;
    if (first == n)
        return;
    const struct inspect_finding moved = finding[first];
    for (; first > 0; first--) {
        const struct inspect_finding *const before = &finding[first - 1];
        const double accounts = before->cause == CAUSE_placement
                                    ? beside_place(facts, &moved)
                                    : beyond_limit(facts, &moved, largest_bound(&moved));
        if (before->cause == CAUSE_at_limit ||
            2 * before->share >= fmax(accounts, evidence_of(&moved, FACT_out_share)))
            break;
        finding[first] = *before;
    }
    finding[first] = moved;
}

/* Other data of the same code that gains about as much as an edit stands before it: the
 * edit may have taken away the work on these data. */
static void move_data(struct inspect_finding *finding, size_t n)
{
    const double about = 0.9;
    for (size_t i = 1; i < n; i++) {
        struct inspect_finding *const before = &finding[i - 1], moved = finding[i];
        if (before->confidence != INSPECT_FLIPPED ||
            moved.confidence != INSPECT_FLIPPED ||
            !inspect_fact_is_code(before->experiment) ||
            inspect_fact_is_code(moved.experiment) ||
            !(moved.share >= about * before->share))
            continue;
        finding[i] = *before;
        *before = moved;
    }
}

/* A called function keeps its values in memory. Where most instructions are of such
 * functions, a chain through memory is that of the call. One that reads the same text
 * again and again meets what the loop just stored there. Where most wrong predictions are
 * of functions of other modules, nobody but these can change their branches. */
static void move_call(const struct inspect_facts *facts, struct inspect_finding *finding,
                      size_t n)
{
    const bool most = inspect_fact_value(facts, FACT_called_share) >= 0.6;
    const bool theirs = inspect_fact_value(facts, FACT_out_share) >= 0.6 &&
                        inspect_fact_value(facts, FACT_out_undecided) >=
                            0.6 * inspect_fact_value(facts, FACT_share_undecided);
    for (size_t i = 1; i < n; i++) {
        struct inspect_finding *const before = &finding[i - 1], moved = finding[i];
        const bool again = evidence_of(&moved, FACT_read_again) > 0;
        const bool of_call = (most && before->cause == CAUSE_memory_chain) ||
                             (again && before->cause == CAUSE_store_forwarding);
        const bool guesses = theirs && before->cause == CAUSE_mispredicts;
        if (moved.cause != CAUSE_call ||
            !(guesses || (of_call && before->confidence != INSPECT_FLIPPED)))
            continue;
        finding[i] = *before;
        *before = moved;
    }
}

static double known_or(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}

/* The share of the time that remains without a cause, as far as something tells it. The
 * variant that lacks it executes the same code, unless it is another row, or other
 * numbers take another way. */
static double remains(const struct inspect_facts *facts,
                      const struct inspect_finding *finding, double limit)
{
    const bool same_code = !isnan(finding->share) &&
                           finding->experiment != FACT_other_isa &&
                           finding->experiment != FACT_tame_input;
    /* Bounds of the code hold wherever its operands lie. */
    const double core = largest_but(facts, FACT_roof_cycles, FACT_memory_cycles) /
                        inspect_fact_value(facts, FACT_cycles);
    return same_code ? fmax(limit, fmin(known_or(core, 0), 1 - finding->share)) : limit;
}

/* Bounds tell why the time is not shorter. Beyond them the finding that accounts for most
 * counts alone: causes overlap. */
static void find_residual(const struct inspect_facts *facts,
                          struct inspect_findings *findings)
{
    const double cycles = inspect_fact_value(facts, FACT_cycles);
    const double code = inspect_fact_value(facts, FACT_code_cycles) / cycles;
    const double limit = 1 - known_or(inspect_fact_value(facts, FACT_gap_share), 1);
    double most = fmax(known_or(code, 0), limit), place = 1;
    for (size_t i = 0; i < findings->n; i++) {
        const double share = accounts_for(facts, &findings->finding[i]);
        if (findings->finding[i].cause == CAUSE_placement)
            place = 1 - share; /* cycles are those at the best place */
        else if (share > 0)
            most = fmax(most, share + remains(facts, &findings->finding[i], limit));
    }
    findings->residual_share = findings->residual_cycles = NAN;
    if (isnan(code) && !(most > 0))
        return;
    findings->residual_cycles = fmax(0, 1 - most) * cycles;
    findings->residual_share = fmax(0, 1 - most) * place;
}

/* The share of a place or a clock, which are there beside any cause; of others infinite.
 */
static double least_share(const struct inspect_facts *facts,
                          const struct inspect_finding *finding)
{
    return finding->cause == CAUSE_placement ? finding->share
           : finding->cause == CAUSE_clock
               ? 1 - inspect_fact_value(facts, FACT_clock_share)
               : (double)INFINITY;
}

void inspect_find(const struct inspect_facts *facts, struct inspect_findings *findings)
{
    /* More than a quarter of the time: what was found is not the whole story. */
    const double much = 0.25;
    memset(findings, 0, sizeof *findings);
    for (enum inspect_cause cause = 0; cause < CAUSE_unexplained; cause++)
        cause_test(facts, cause, findings);
    sort(facts, findings->finding, findings->n);
    move_small_flips(facts, findings->finding, findings->n);
    move_data(findings->finding, findings->n);
    move_call(facts, findings->finding, findings->n);
    find_residual(facts, findings);
    struct inspect_finding *const first = findings->finding;
    const bool before =
        findings->n == 1 && 2 * least_share(facts, first) < findings->residual_share;
    if (findings->n > 0 && !before && !(findings->residual_share > much))
        return;
    const size_t last = findings->n++;
    if (before)
        first[1] = first[0];
    first[before ? 0 : last] = (struct inspect_finding){.cause = CAUSE_unexplained,
                                                        .confidence = INSPECT_MODELLED,
                                                        .share = NAN,
                                                        .experiment = INSPECT_FACTS};
}
