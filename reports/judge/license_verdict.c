/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "judge.h"

void license_summarise(struct license_scope *scope)
{
    for (size_t i = 0; i < scope->n_classes; i++) {
        struct license_class *const class = &scope->class[i];
        if (class->skip[0])
            continue;
        class->median_ghz = stats_median(class->ghz, scope->rounds);
        class->ghz_ci = stats_median_interval(class->ghz, scope->rounds, STATS_LEVEL);
        class->effect.ratio = stats_ratio(class->ghz, scope->class[0].ghz, scope->rounds,
                                          STATS_LEVEL, &class->effect.ci);
    }
}

const char *license_cost_name(enum license_cost cost)
{
    static const char *const names[] = {[LICENSE_UNKNOWN] = "unknown",
                                        [LICENSE_NONE] = "none",
                                        [LICENSE_LIGHT] = "light",
                                        [LICENSE_HEAVY] = "heavy"};
    return names[cost];
}

/* How far from equal scalar work can be from itself. */
static double deviation(const struct license_scope *scope)
{
    const struct interval *const ci = &scope->class[scope->n_classes - 1].effect.ci;
    return ci->known ? fmax(fabs(1 - ci->lo), fabs(ci->hi - 1)) : INFINITY;
}

/* Do over half of the cycles have one of the licences from `from` to `to`? */
static bool mostly(const struct license_class *class, size_t from, size_t to,
                   size_t rounds)
{
    size_t n = 0, few = 0;
    for (size_t round = 0; round < rounds; round++) {
        double share = 0;
        for (size_t k = from; k <= to; k++)
            share += class->level[k][round];
        n += isfinite(share);
        few += share <= 0.5;
    }
    return few < stats_sign_k(n, STATS_LEVEL);
}

int license_level(const struct license_class *class, size_t rounds)
{
    enum { TOP = LICENSE_LEVELS - 1 };
    if (!class->level[0])
        return -1;
    for (int from = TOP; from > 0; from--)
        if (mostly(class, (size_t)from, TOP, rounds))
            return from;
    return mostly(class, 0, 0, rounds) ? 0 : -1;
}

/* Licences are of a core: where its other thread holds one, scalar work has it too, and
 * the counters tell nothing of this thread. */
static int level_of(const struct license_scope *scope, const struct license_class *class)
{
    return license_level(&scope->class[0], scope->rounds) == 0
               ? license_level(class, scope->rounds)
               : -1;
}

/* Where the clock does not tell, a licence does. It is not heavy if the clock excludes so
 * large a loss. */
static void judge_by_level(const struct license_scope *scope,
                           const struct license_class *class,
                           struct license_verdict *verdict)
{
    const int level = level_of(scope, class);
    const struct interval *const ci = &class->effect.ci;
    const bool small = !class->skip[0] && ci->known && ci->lo > 1 - LICENSE_MUCH;
    char clock[sizeof verdict->reason];
    if (verdict->cost != LICENSE_UNKNOWN || level < 1)
        return;
    snprintf(clock, sizeof clock, "%s", verdict->reason);
    verdict->cost = level == 2 && !small ? LICENSE_HEAVY : LICENSE_LIGHT;
    verdict->by_counters = true;
    snprintf(verdict->reason, sizeof verdict->reason,
             "%s on %s has licence %d, say its counters; the clock does not tell: %.260s",
             class->name, scope->name, level, clock);
}

static void judge_class(const struct license_class *class, double floor,
                        const char *where, struct license_verdict *verdict)
{
    const struct license_effect *const effect = &class->effect;
    const bool costs = effect->ci.known && effect->ci.hi < 1 - floor;
    const bool free = effect->ci.known && effect->ci.lo > 1 - LICENSE_FREE;
    verdict->by_counters = false;
    verdict->reason[0] = '\0';
    if (class->skip[0]) {
        verdict->cost = LICENSE_UNKNOWN;
        snprintf(verdict->reason, sizeof verdict->reason, "%s on %s: %.240s", class->name,
                 where, class->skip);
    } else if (costs) {
        verdict->cost = effect->ratio < 1 - LICENSE_MUCH ? LICENSE_HEAVY : LICENSE_LIGHT;
        snprintf(verdict->reason, sizeof verdict->reason,
                 "%s on %s runs at %.1f%% of the scalar clock", class->name, where,
                 100 * effect->ratio);
    } else if (free && floor <= LICENSE_FREE) {
        verdict->cost = LICENSE_NONE;
    } else {
        verdict->cost = LICENSE_UNKNOWN;
        if (!effect->ci.known)
            snprintf(verdict->reason, sizeof verdict->reason,
                     "too few rounds on %s were undisturbed", where);
        else if (floor > LICENSE_FREE)
            snprintf(verdict->reason, sizeof verdict->reason,
                     "on %s scalar work differs from itself by up to %.1f%%", where,
                     100 * floor);
        else
            snprintf(verdict->reason, sizeof verdict->reason,
                     "%s on %s: %.1f%% to %.1f%% of the scalar clock tells no loss from "
                     "none",
                     class->name, where, 100 * effect->ci.lo, 100 * effect->ci.hi);
    }
}

/* A loss outweighs doubt, doubt outweighs none; of two losses the larger is told, and one
 * of the clock before one of which only the licence is known. */
static bool worse(const struct license_verdict *a, double ratio_a,
                  const struct license_verdict *b, double ratio_b)
{
    static const int rank[] = {[LICENSE_NONE] = 0,
                               [LICENSE_UNKNOWN] = 1,
                               [LICENSE_LIGHT] = 2,
                               [LICENSE_HEAVY] = 3};
    if (rank[a->cost] != rank[b->cost])
        return rank[a->cost] > rank[b->cost];
    if (a->cost < LICENSE_LIGHT || a->by_counters)
        return false;
    return b->by_counters || ratio_a < ratio_b;
}

/* The clock decides; what the counters say against it is told. */
static void tell_contradiction(const struct license_scope *scopes, size_t n,
                               const struct license_class *worst,
                               struct license_verdict *verdict)
{
    const size_t length = strlen(verdict->reason);
    char *const end = verdict->reason + length;
    const size_t left = sizeof verdict->reason - length;
    const struct license_class *licensed = NULL;
    int most = 0;
    for (size_t s = 0; s < n; s++) {
        const struct license_scope *const scope = &scopes[s];
        for (size_t i = 0; i < scope->n_classes && !scope->skip[0]; i++) {
            const struct license_class *const class = &scope->class[i];
            const int level = level_of(scope, class);
            if (class == worst && verdict->cost >= LICENSE_LIGHT && level == 0)
                snprintf(end, left,
                         "; the licence counters contradict: it has none, so power, heat "
                         "or others hold the clock down");
            if (level > most) {
                most = level;
                licensed = class;
            }
        }
    }
    if (verdict->cost == LICENSE_NONE && licensed)
        snprintf(end, left,
                 "; the licence counters contradict: %s has licence %d, though it costs "
                 "no clock here",
                 licensed->name, most);
}

void license_judge(const struct license_scope *scopes, size_t n,
                   struct license_verdict *verdict)
{
    const struct license_class *worst = NULL;
    int widest = 0;
    *verdict = (struct license_verdict){.cost = LICENSE_UNKNOWN};
    for (size_t s = 0; s < n; s++) {
        const struct license_scope *const scope = &scopes[s];
        if (scope->skip[0] || !scope->n_classes)
            continue;
        const double floor = fmax(LICENSE_FREE, deviation(scope));
        for (size_t i = 0; i < scope->n_classes; i++) {
            const struct license_class *const class = &scope->class[i];
            struct license_verdict one;
            if (class->lacking || class->control || !class->bits)
                continue;
            judge_class(class, floor, scope->name, &one);
            judge_by_level(scope, class, &one);
            if (!worst ||
                worse(&one, class->effect.ratio, verdict, worst->effect.ratio)) {
                worst = class;
                *verdict = one;
            }
            if (class->bits > widest)
                widest = class->bits;
        }
    }
    if (!worst)
        snprintf(verdict->reason, sizeof verdict->reason, "nothing could be measured");
    else if (verdict->cost == LICENSE_NONE)
        snprintf(verdict->reason, sizeof verdict->reason,
                 "work of up to %d bit keeps over %.0f%% of the scalar clock", widest,
                 100 * (1 - LICENSE_FREE));
    if (worst && !verdict->by_counters)
        tell_contradiction(scopes, n, worst, verdict);
}
