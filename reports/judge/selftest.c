/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <math.h>

/* The least threshold that makes a gate of equal code SAME: twice the floor, so that the
 * threshold decides, and the whole interval within it. */
static double needed(const struct comparison *c)
{
    if (!c->change_ci.known || !isfinite(c->floor))
        return INFINITY;
    const double up = c->change_ci.hi, down = 1 / (1 + c->change_ci.lo) - 1;
    return fmax(2 * c->floor, fmax(up, down));
}

void selftest_add(struct selftest_effect *effect, const struct comparison *c,
                  double seconds)
{
    struct selftest_outcome *const outcome = LIST_ADD(effect, outcomes, n);
    *outcome = (struct selftest_outcome){
        .verdict = c->verdict,
        .change = c->change_ci.known ? c->change : NAN,
        .floor = c->change_ci.known ? c->floor : NAN,
        .detectable = c->change_ci.known ? c->detectable : NAN,
        .needed = needed(c),
        .reach = c->change_ci.known ? (1 + c->detectable) / (1 + c->delta) - 1 : NAN,
        .seconds = seconds};
}

/* Sorts the known values of one member of each gate; returns their number. */
static size_t collect(const struct selftest_effect *effect, size_t member, double *out)
{
    size_t n = 0;

    for (size_t i = 0; i < effect->n; i++) {
        const double x = *(const double *)((const char *)&effect->outcomes[i] + member);
        if (!isnan(x))
            out[n++] = x;
    }
    stats_sort(out, n);
    return n;
}

#define MEDIAN(effect, member, room) \
    stats_median(room, collect(effect, offsetof(struct selftest_outcome, member), room))

static void derive_effect(struct selftest_effect *effect, double *room)
{
    memset(effect->verdicts, 0, sizeof effect->verdicts);
    for (size_t i = 0; i < effect->n; i++)
        effect->verdicts[effect->outcomes[i].verdict]++;
    effect->unusable += effect->verdicts[VERDICT_NEW] + effect->verdicts[VERDICT_GONE];
    effect->rate = effect->n ? (double)effect->regressed / (double)effect->n : NAN;
    effect->rate_ci =
        stats_proportion_interval(effect->regressed, effect->n, STATS_LEVEL);
    effect->change = MEDIAN(effect, change, room);
    effect->floor = MEDIAN(effect, floor, room);
    effect->detectable = MEDIAN(effect, detectable, room);
    effect->seconds = MEDIAN(effect, seconds, room);
}

/* The least value that SELFTEST_SHARE of the gates do not exceed. */
static double quantile(const struct selftest_effect *effect, size_t member, double *room)
{
    const size_t n = collect(effect, member, room);
    const size_t rank = (size_t)ceil(SELFTEST_SHARE * (double)n - 1e-9);

    return n ? room[rank ? rank - 1 : 0] : NAN;
}

static void recommend(struct selftest *selftest, const struct selftest_effect *equal,
                      double *room)
{
    if (!equal->n)
        return;
    const double least = quantile(equal, offsetof(struct selftest_outcome, needed), room);
    const double steps = fmax(1, ceil(least / SELFTEST_THRESHOLD_STEP - 1e-9));
    selftest->recommended = steps * SELFTEST_THRESHOLD_STEP;
    if (isfinite(selftest->recommended))
        selftest->reliable =
            (1 + selftest->recommended) *
                (1 + quantile(equal, offsetof(struct selftest_outcome, reach), room)) -
            1;
}

static struct directions directions_of(const struct selftest_effect *equal)
{
    size_t slower = 0, faster = 0;

    FOR_EACH (const struct selftest_outcome, outcome, equal->outcomes, equal->n) {
        slower += outcome->change > 0;
        faster += outcome->change < 0;
    }
    return stats_directions(slower, faster);
}

static const struct selftest_effect *find_equal(const struct selftest *selftest)
{
    FOR_EACH (const struct selftest_effect, e, selftest->effects, selftest->n_effects)
        if (!(e->effect > 0) && !e->as_built)
            return e;
    return NULL;
}

/* The least effect above `above` that has gates, or the largest one. */
static const struct selftest_effect *find_effect(const struct selftest *selftest,
                                                 double above, bool largest)
{
    const struct selftest_effect *found = NULL;

    FOR_EACH (const struct selftest_effect, e, selftest->effects, selftest->n_effects)
        if (e->n && !e->as_built && e->effect > above &&
            (!found || (largest ? e->effect > found->effect : e->effect < found->effect)))
            found = e;
    return found;
}

/* The least effect that was found, if all larger ones were too. */
static const struct selftest_effect *find_found(const struct selftest *selftest)
{
    double missed = 0;

    FOR_EACH (const struct selftest_effect, e, selftest->effects, selftest->n_effects)
        if (e->n && !e->as_built && !(e->rate >= SELFTEST_SHARE))
            missed = fmax(missed, e->effect);
    return find_effect(selftest, missed, false);
}

static void summarise(struct selftest *selftest)
{
    const struct selftest_effect *const equal = find_equal(selftest);
    const struct selftest_effect *const power =
        selftest->found ?: find_effect(selftest, 0, true);
    FREED_BY(buffer_free) struct buffer text = {0};

    buffer_format(&text, "%.10s, threshold %.3g%%", selftest->started_at ?: "",
                  100 * selftest->threshold);
    const char *before = ": ";
    if (equal && equal->n) {
        buffer_format(&text, "%s%zu of %zu false alarms", before, equal->regressed,
                      equal->n);
        before = ", ";
    }
    if (power)
        buffer_format(&text, "%s+%.3g%% found in %zu of %zu", before, 100 * power->effect,
                      power->regressed, power->n);
    FOR_EACH (const struct selftest_effect, e, selftest->effects, selftest->n_effects)
        if (e->n && e->as_built)
            buffer_format(&text, ", places of code told from it in %zu of %zu", e->placed,
                          e->n);
    string_set(&selftest->summary,
               power || (equal && equal->n) ? buffer_text(&text) : NULL);
}

void selftest_derive(struct selftest *selftest)
{
    size_t most = 1;

    for (size_t i = 0; i < selftest->n_effects; i++)
        most = selftest->effects[i].n > most ? selftest->effects[i].n : most;
    FREED_BY(free_memory) double *room = must_have(malloc(most * sizeof *room));
    selftest->recommended = 0;
    selftest->reliable = NAN;
    for (size_t i = 0; i < selftest->n_effects; i++)
        derive_effect(&selftest->effects[i], room);
    const struct selftest_effect *const equal = find_equal(selftest);
    selftest->equal = equal ? directions_of(equal) : stats_directions(0, 0);
    if (equal)
        recommend(selftest, equal, room);
    selftest->found = find_found(selftest);
    summarise(selftest);
}

void selftest_clear(struct selftest *selftest)
{
    for (size_t i = 0; i < selftest->n_effects; i++)
        free(selftest->effects[i].outcomes);
    free(selftest->effects);
    FREE_EACH(selftest->tool_version, selftest->tool_commit, selftest->started_at,
              selftest->cpu, selftest->fingerprint, selftest->case_id, selftest->summary);
    *selftest = (struct selftest){0};
}
