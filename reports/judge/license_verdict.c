/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of wide SIMD: what it gains net, the answer in words, and the verdict. */
#include <math.h>

#include "judge.h"
#include "judge/answer_kinds.h"

/* ---- the net gain ---- */

static const struct result *fastest(const struct run *run, size_t group, const char *isa)
{
    const struct result *best = NULL;
    FOR_EACH (const struct result, result, run->results, run->n_results)
        if (result->group == group && !result->is_roof && result->status == STATUS_OK &&
            strcmp(result->isa, isa) == 0 &&
            (!best || result->summary.median_ns < best->summary.median_ns))
            best = result;
    return best;
}

void license_take_net(const char *wide, const char *narrow, struct license_net *net)
{
    const struct run *const run = net->run;
    const size_t groups = run->n_results ? run->results[run->n_results - 1].group + 1 : 0;
    for (size_t g = 0; g < groups && net->n_points < ARRAY_LEN(net->point); g++) {
        const struct result *const one = fastest(run, g, wide);
        const struct result *const other = fastest(run, g, narrow);
        if (!one || !other)
            continue;
        const struct speedup speedup = result_speedup(one, other);
        net->point[net->n_points++] = (struct license_point){
            one->shape, one->id, other->id, speedup.times, speedup.ci};
    }
    if (net->n_points == 0)
        snprintf(net->skip, sizeof net->skip, "no shape was measured undisturbed");
}

size_t license_wins_from(const struct license_net *net)
{
    size_t from = net->n_points;
    while (from > 0) {
        const struct interval *const ci = &net->point[from - 1].ci;
        if (!ci->known || ci->lo < 1 - LICENSE_FREE)
            break;
        from--;
    }
    return from;
}

/* ---- the answer in words ---- */

static const char *cost_sentence(enum license_cost cost)
{
    static const char *const sentences[] = {
        [LICENSE_UNKNOWN] =
            "It is not known whether wide SIMD costs clock on this machine",
        [LICENSE_NONE] = "Wide SIMD costs no clock on this machine",
        [LICENSE_LIGHT] = "Wide SIMD costs some clock on this machine",
        [LICENSE_HEAVY] = "Wide SIMD costs much clock on this machine"};
    return sentences[cost];
}

/* The net gain of one op, work and clock together. */
static void net_tell(const struct license_net *net, struct buffer *text)
{
    const size_t from = license_wins_from(net);
    buffer_add(text, net->op);
    if (from == 0)
        buffer_add(text, " at any size");
    else if (from < net->n_points)
        buffer_tell(text, " from %s on", net->point[from].shape);
    else
        buffer_add(text, " at no size for certain");
}

static void nets_tell(const struct license *license, struct buffer *text)
{
    const char *separator = "With that clock avx512 is not slower than narrower sets: ";
    FOR_EACH (const struct license_net, net, license->net, license->n_nets)
        if (!net->skip[0] && net->n_points) {
            buffer_add(text, separator);
            net_tell(net, text);
            separator = ", ";
        }
}

struct answer license_answer(const struct license *license)
{
    struct answer answer = {.n = 0};
    struct buffer *const text = &answer.text;
    buffer_add(text, cost_sentence(license->verdict.cost));
    buffer_tell(text, ": %s", license->verdict.reason);
    answer_next(&answer);
    nets_tell(license, text);
    answer_next(&answer);
    if (license->verdict.cost == LICENSE_UNKNOWN)
        buffer_add(text, "More rounds on a quieter machine may tell: "
                         "scripts/quiet.sh simdbench license --rounds=100");
    answer_next(&answer);
    return answer;
}

/* ---- the verdict ---- */

void license_summarise(struct license_scope *scope)
{
    FOR_EACH (struct license_class, class, scope->class, scope->n_classes) {
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

/* The distance that equal scalar work can have from itself. */
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

size_t license_levels(const struct license_class *class)
{
    size_t n = 0;
    while (n < LICENSE_LEVELS && class->level[n])
        n++;
    return n;
}

int license_level(const struct license_class *class, size_t rounds)
{
    const size_t n = license_levels(class);
    if (!n)
        return -1;
    for (size_t from = n - 1; from > 0; from--)
        if (mostly(class, from, n - 1, rounds))
            return (int)from;
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

__attribute__((format(printf, 2, 3))) static struct license_verdict
verdict_of(enum license_cost cost, const char *format, ...)
{
    struct license_verdict verdict = {.cost = cost};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(verdict.reason, sizeof verdict.reason, format, arguments);
    va_end(arguments);
    return verdict;
}

/* If the clock does not decide, a licence does. It is not heavy if the clock excludes so
 * large a loss. */
static void judge_by_level(const struct license_scope *scope,
                           const struct license_class *class,
                           struct license_verdict *verdict)
{
    const int level = level_of(scope, class);
    const struct interval *const ci = &class->effect.ci;
    const bool small = !class->skip[0] && ci->known && ci->lo > 1 - LICENSE_MUCH;
    if (verdict->cost != LICENSE_UNKNOWN || level < 1)
        return;
    *verdict = verdict_of(
        level + 1 == (int)license_levels(class) && !small ? LICENSE_HEAVY : LICENSE_LIGHT,
        "%s on %s has licence %d, say its counters; the clock does not tell: %.260s",
        class->name, scope->name, level, verdict->reason);
    verdict->by_counters = true;
}

static struct license_verdict judge_class(const struct license_class *class, double floor,
                                          const char *where)
{
    const struct license_effect *const effect = &class->effect;
    const struct interval *const ci = &effect->ci;

    if (class->skip[0])
        return verdict_of(LICENSE_UNKNOWN, "%s on %s: %.240s", class->name, where,
                          class->skip);
    if (!ci->known)
        return verdict_of(LICENSE_UNKNOWN, "too few rounds on %s were undisturbed",
                          where);
    if (ci->hi < 1 - floor)
        return verdict_of(effect->ratio < 1 - LICENSE_MUCH ? LICENSE_HEAVY
                                                           : LICENSE_LIGHT,
                          "%s on %s runs at %.1f%% of the scalar clock", class->name,
                          where, 100 * effect->ratio);
    if (floor > LICENSE_FREE)
        return verdict_of(LICENSE_UNKNOWN,
                          "on %s scalar work differs from itself by up to %.1f%%", where,
                          100 * floor);
    if (ci->lo > 1 - LICENSE_FREE)
        return (struct license_verdict){.cost = LICENSE_NONE};
    return verdict_of(LICENSE_UNKNOWN,
                      "%s on %s: %.1f%% to %.1f%% of the scalar clock tells no loss from "
                      "none",
                      class->name, where, 100 * ci->lo, 100 * ci->hi);
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
    FOR_EACH (const struct license_scope, scope, scopes, n) {
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
    FOR_EACH (const struct license_scope, scope, scopes, n) {
        if (scope->skip[0] || !scope->n_classes)
            continue;
        const double floor = fmax(LICENSE_FREE, deviation(scope));
        FOR_EACH (const struct license_class, class, scope->class, scope->n_classes) {
            if (class->lacking || class->control || !class->bits)
                continue;
            struct license_verdict one = judge_class(class, floor, scope->name);
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
