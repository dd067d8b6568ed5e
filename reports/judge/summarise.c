/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "judge.h"
#include "metrics.h"

/* A share above this one is more than noise: the limit was measured too low. */
#define LIMIT_TOLERANCE 1.02
/* Rounds may end once an interval of the first level is narrow enough. Then the second
 * one holds the true median in 95% of cases, which test_precision.c simulates. */
#define PRECISE_LEVEL 0.99
#define TIME_LEVEL 0.96
#define STREAM_TOLERANCE 1.25

static bool has_samples(const struct result *result)
{
    return result->samples.n && result->samples.iterations;
}

/* 0 (unknown) where a rate would be infinite. */
static double rate(double work, double ns)
{
    double value = ns > 0 ? work / ns : 0;

    return isfinite(value) ? value : 0;
}

static void summarise_counter(struct counter *counter, const struct result *result)
{
    counter->value = counter->per_element = NAN;
    if (!counter->n || !result->samples.iterations)
        return;
    counter->value = fmax(stats_median(counter->samples, counter->n) /
                                  (double)result->samples.iterations -
                              counter->overhead,
                          0);
    if (result->work.ops > 0)
        counter->per_element = counter->value / result->work.ops;
}

/* The time of a call in each sample, to be freed. */
static double *times_per_call(const struct result *result)
{
    double *const ns = must_have(malloc((result->samples.n + 1) * sizeof *ns));

    for (size_t i = 0; i < result->samples.n; i++)
        ns[i] = result_per_call(result, i);
    return ns;
}

bool result_precise(const struct result *result, double precision)
{
    FREED_BY(free_memory) double *ns = times_per_call(result);
    const size_t n = result->samples.n;
    const struct interval ci = stats_median_interval(ns, n, PRECISE_LEVEL);
    const double median = stats_median(ns, n);

    return ci.known && fmax(ci.hi - median, median - ci.lo) <= precision * median;
}

static void summarise_times(struct result *result)
{
    const size_t n = result->samples.n;
    FREED_BY(free_memory) double *ns = times_per_call(result);
    char reason[96];

    result->summary.median_ns = stats_median(ns, n);
    result->summary.min_ns = stats_min(ns, n);
    result->summary.mad_ns = stats_mad(ns, n);
    result->summary.ci_ns = stats_median_interval(ns, n, TIME_LEVEL);
    result->summary.gops = rate(result->work.ops, result->summary.median_ns);
    result->summary.gbps = rate(result->work.bytes, result->summary.median_ns);
    snprintf(reason, sizeof reason, "%zu valid rounds; an interval needs at least %d", n,
             STATS_MIN_SAMPLES);
    string_set(&result->summary.ci_reason, result->summary.ci_ns.known ? NULL : reason);
}

/* Times that are no longer than what was subtracted from them say nothing. */
static void judge_short(struct result *result)
{
    const struct interval *ci = &result->summary.ci_ns;
    char reason[128];

    if ((ci->known ? ci->lo : result->summary.median_ns) > result->samples.overhead_ns)
        return;
    snprintf(reason, sizeof reason,
             "a call takes %.3g ns, no longer than the loop that times it (%.3g ns)",
             result->summary.median_ns, result->samples.overhead_ns);
    result_set_status(result, STATUS_SHORT, reason);
}

/* The share of its limit that a case has at least, if the share is as low as its interval
 * allows. A mix of instructions is the same in all loops. One stream is not like another.
 */
static bool exceeds(const struct result *result, const struct speedup *speedup,
                    double *least)
{
    const bool stream = result->summary.limit.gbps > 0;

    *least = speedup->ci.lo * result->summary.limit.share / speedup->times;
    return speedup->ci.known && *least > (stream ? STREAM_TOLERANCE : LIMIT_TOLERANCE);
}

static void judge_share(struct result *result, double least)
{
    char reason[512];

    snprintf(reason, sizeof reason,
             "%.1f%% of its limit (%.300s), at least %.1f%%: it does less than it "
             "should, the limit was measured too low, or another roof would fit",
             100 * result->summary.limit.share, result->summary.limit.id, 100 * least);
    result_set_status(result, STATUS_SUSPECT, reason);
}

bool result_same_round(const struct result *a, size_t *i, const struct result *b,
                       size_t *k)
{
    while (*i < a->samples.n && *k < b->samples.n) {
        const uint32_t first = a->samples.rounds[*i], second = b->samples.rounds[*k];
        if (first == second)
            return true;
        ++*(first < second ? i : k);
    }
    return false;
}

struct speedup result_speedup(const struct result *result, const struct result *other)
{
    struct speedup speedup;
    size_t room =
        result->samples.n < other->samples.n ? result->samples.n : other->samples.n;
    FREED_BY(free_memory) double *theirs =
        must_have(calloc(2 * room + 1, sizeof *theirs));
    size_t n = 0;

    double *const ours = theirs + room;
    for (size_t i = 0, k = 0; result_same_round(result, &i, other, &k); i++, k++) {
        theirs[n] = result_per_call(other, k);
        ours[n] = result_per_call(result, i);
        n += theirs[n] > 0 && ours[n] > 0;
    }
    speedup.rounds = n;
    speedup.times = stats_ratio(theirs, ours, n, STATS_LEVEL, &speedup.ci);
    return speedup;
}

/* The passes of a roof over its operands: its shape is BYTES or BYTESxPASSES. */
static double roof_passes(const struct result *roof)
{
    const char *const passes = roof->shape ? strchr(roof->shape, 'x') : NULL;
    return passes ? strtod(passes + 1, NULL) : 1;
}

/* The share of its time that a call has for itself. The loop around it, whose cost is
 * subtracted from times, runs beside the end of a call and the begin of the next one; so
 * a limit may take all of the time. */
static double share_of_loop(const struct result *result)
{
    return result->summary.median_ns /
           (result->summary.median_ns + result->samples.overhead_ns);
}

/* Row `streams` reads and writes the very operands of the kernel, whatever bytes its op
 * says: times alone count. */
static bool moves_the_same(const struct result *roof)
{
    return text_same(roof->variant, "streams");
}

/* Pairs the rounds for the share too: a core that slows down for a while slows down both.
 */
static void summarise_limit(struct result *result, const struct result *group, size_t n,
                            bool emulated)
{
    const struct result *roof = NULL;
    double least;

    /* The roof of a merged result stayed behind in its file. */
    if (result->source)
        return;
    free(result->summary.limit.id);
    result->summary.limit = (struct limit){.guessed = result->summary.limit.guessed};
    if ((result->status != STATUS_OK && result->status != STATUS_UNCHECKED) ||
        !result->limit_id)
        return;
    for (size_t i = 0; i < n && !roof; i++)
        if (group[i].status == STATUS_OK && group[i].id &&
            !strcmp(group[i].id, result->limit_id))
            roof = &group[i];
    if (!roof)
        return;
    const bool gops = roof->summary.gops > 0 && result->summary.gops > 0;
    const bool same = moves_the_same(roof);
    if (!gops && !same && !(roof->summary.gbps > 0 && result->summary.gbps > 0))
        return;
    const struct speedup speedup = result_speedup(result, roof);
    result->summary.limit.gops = gops ? roof->summary.gops : 0;
    result->summary.limit.gbps = gops ? 0 : roof->summary.gbps;
    const double times = speedup.rounds
                             ? speedup.times
                             : roof->summary.median_ns / result->summary.median_ns;
    const double work = same   ? 1 / roof_passes(roof)
                        : gops ? result->work.ops / roof->work.ops
                               : result->work.bytes / roof->work.bytes;
    result->summary.limit.share = times * work * share_of_loop(result);
    if (result->summary.limit.guessed && result->summary.limit.share > STREAM_TOLERANCE) {
        result->summary.limit = (struct limit){.guessed = true};
        return;
    }
    result->summary.limit.too_low = result->summary.limit.share > LIMIT_TOLERANCE;
    string_set(&result->summary.limit.id, roof->id);
    if (!emulated && exceeds(result, &speedup, &least))
        judge_share(result, least);
}

static void add_ratio(struct result *result, const struct result *baseline)
{
    bool unpaired = !text_same(result->source, baseline->source) ||
                    !has_samples(result) || !has_samples(baseline);
    struct speedup speedup = {
        .times = rate(baseline->summary.median_ns, result->summary.median_ns)};

    if (!unpaired)
        speedup = result_speedup(result, baseline);
    if (!(unpaired ? speedup.times > 0 : speedup.rounds > 0))
        return;
    struct ratio *ratio = NAMED_ADD(&result->summary, ratios, n_ratios, baseline->id);
    ratio->speedup = speedup.times;
    ratio->ci = speedup.ci;
    ratio->unpaired = unpaired;
}

/* The instruction set that runs, or NULL if the library does not say. */
static const char *real_isa(const struct result *result)
{
    return !result->isa || !strcmp(result->isa, "lib") ? result->module.isa : result->isa;
}

/* The same bundle, whatever additions to it. */
static bool same_bundle(const char *a, const char *b)
{
    const size_t length = strcspn(a, "+");
    return length == strcspn(b, "+") && strncmp(a, b, length) == 0;
}

static bool fits_isa(const struct result *result, const struct result *baseline)
{
    const char *isa = real_isa(result);

    return !baseline->isa || !strcmp(baseline->isa, "lib") || !isa ||
           same_bundle(baseline->isa, isa);
}

/* A library with rows for several semirings is compared within each of them; one without
 * a row for the semiring at hand (BLAS) is compared with all. */
static bool fits_type(const struct result *result, const struct result *baseline,
                      const struct result *group, size_t n)
{
    if (text_same(result->type, baseline->type))
        return true;
    for (size_t i = 0; i < n; i++)
        if (group[i].is_baseline &&
            text_same(group[i].module.name, baseline->module.name) &&
            text_same(group[i].type, result->type))
            return false;
    return true;
}

/* A row that does a part of the others' work is their limit. */
static bool is_part(const struct result *own, const struct result *group, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (group[i].limit_id && !strcmp(group[i].limit_id, own->id))
            return true;
    return false;
}

static bool is_usable(const struct result *result, const struct result *baseline,
                      const struct result *group, size_t n)
{
    return baseline != result && baseline->status == STATUS_OK &&
           result_has_summary(baseline) &&
           (baseline->is_baseline ||
            (result_meets_own(result, baseline) && !is_part(baseline, group, n)));
}

/* A library with a row for each instruction set is compared within each. All rows of a
 * file from another machine, and all own ones, are opponents if none is for the set at
 * hand. */
static bool is_opponent(const struct result *result, const struct result *baseline,
                        const struct result *group, size_t n)
{
    const bool own = !baseline->is_baseline;

    if (!is_usable(result, baseline, group, n) || !fits_type(result, baseline, group, n))
        return false;
    if (fits_isa(result, baseline))
        return true;
    if (!own && text_same(result->source, baseline->source))
        return false;
    for (size_t i = 0; i < n; i++)
        if (is_usable(result, &group[i], group, n) && fits_isa(result, &group[i]) &&
            group[i].is_baseline == !own && text_same(group[i].source, baseline->source))
            return false;
    return true;
}

static void summarise_ratios(struct result *result, const struct result *group, size_t n)
{
    result_clear_ratios(result);
    if (result->status != STATUS_OK || result->is_roof || !result_has_summary(result))
        return;
    for (size_t i = 0; i < n; i++)
        if (is_opponent(result, &group[i], group, n))
            add_ratio(result, &group[i]);
}

/* Its status follows from its samples, which are still there. */
static bool is_judged(const struct result *result)
{
    return (result->status == STATUS_SHORT || result->status == STATUS_SUSPECT) &&
           has_samples(result) && !result->source;
}

static void summarise_group(const struct run *run, struct result *group, size_t n)
{
    FOR_EACH (struct result, result, group, n) {
        if (is_judged(result))
            result_set_status(result, STATUS_OK, NULL);
        if (result->samples.n_clock) {
            result->summary.ghz =
                stats_median(result->samples.clock_ghz, result->samples.n_clock);
            result->summary.ghz_ci = stats_median_interval(
                result->samples.clock_ghz, result->samples.n_clock, STATS_LEVEL);
        }
        for (size_t c = 0; c < result->samples.n_counters; c++)
            summarise_counter(&result->samples.counters[c], result);
        if (has_samples(result) && result_has_summary(result))
            summarise_times(result);
        if (has_samples(result) &&
            (result->status == STATUS_OK || result->status == STATUS_UNCHECKED))
            judge_short(result);
        metrics_derive(run, result);
    }
    for (size_t i = 0; i < n; i++)
        summarise_limit(&group[i], group, n, run_is_emulated(run));
    /* By now it is known which of them are no opponents. */
    for (size_t i = 0; i < n; i++)
        summarise_ratios(&group[i], group, n);
}

void run_summarise(struct run *run, size_t group)
{
    for (size_t first = 0, end; first < run->n_results; first = end) {
        end = run_group_end(run, first);
        if (group == GROUP_ALL || group == run->results[first].group)
            summarise_group(run, &run->results[first], end - first);
    }
}
