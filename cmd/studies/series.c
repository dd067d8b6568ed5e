/* SPDX-License-Identifier: Apache-2.0 */
#include "studies/studies_private.h"

#include <math.h>

/* A pass has less rounds. */
#define PASS_ROUNDS (1ULL << 32)

void series_take(struct series *to, const struct result *result, uint64_t pass)
{
    const size_t room = to->n + result->samples.n + 1;
    to->round = must_have(realloc(to->round, room * sizeof *to->round));
    to->ns = must_have(realloc(to->ns, room * sizeof *to->ns));
    for (size_t i = 0; i < result->samples.n; i++) {
        const double ns = result_per_call(result, i);
        if (!(ns > 0))
            continue;
        to->round[to->n] = pass * PASS_ROUNDS + result->samples.rounds[i];
        to->ns[to->n++] = ns;
    }
}

void series_clear(struct series *series)
{
    FREE_EACH(series->round, series->ns);
    *series = (struct series){.n = 0};
}

double rule_ratio(const double *ns, const void *context)
{
    return ns[0] / ns[1];
}

/* The times of the next round that all have, from `at` on; false at the end. */
static bool next_round(const struct series *const *series, size_t n, size_t *at,
                       uint64_t *round, double *ns)
{
    *round = 0;
    for (size_t i = 0, equal = 0; equal < n; i = (i + 1) % n) {
        while (at[i] < series[i]->n && series[i]->round[at[i]] < *round)
            at[i]++;
        if (at[i] == series[i]->n)
            return false;
        equal = series[i]->round[at[i]] == *round ? equal + 1 : 1;
        *round = series[i]->round[at[i]];
    }
    for (size_t i = 0; i < n; i++)
        ns[i] = series[i]->ns[at[i]++];
    return true;
}

static size_t common_values(const struct series *const *series, size_t n,
                            series_rule *rule, const void *context, uint64_t *rounds,
                            double *values)
{
    size_t at[SERIES_MOST] = {0}, found = 0;
    double ns[SERIES_MOST];
    while (next_round(series, n, at, &rounds[found], ns)) {
        values[found] = rule(ns, context);
        found += isfinite(values[found]);
    }
    return found;
}

/* Widens the interval to the medians of all passes. */
static void hold_passes(const uint64_t *rounds, const double *values, size_t n,
                        struct interval *ci)
{
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first;
             end < n && rounds[end] / PASS_ROUNDS == rounds[first] / PASS_ROUNDS;)
            end++;
        const double median = stats_median(values + first, end - first);
        ci->lo = fmin(ci->lo, median);
        ci->hi = fmax(ci->hi, median);
    }
}

struct estimate series_estimate(const struct series *const *series, size_t n,
                                double level, series_rule *rule, const void *context)
{
    struct estimate estimate = {.value = NAN};
    const size_t most = n && n <= SERIES_MOST ? series[0]->n : 0;
    FREED_BY(free_memory) double *values = must_have(calloc(most + 1, sizeof *values));
    FREED_BY(free_memory) uint64_t *rounds = must_have(calloc(most + 1, sizeof *rounds));
    const size_t found =
        most ? common_values(series, n, rule, context, rounds, values) : 0;
    if (found) {
        estimate.value = stats_median(values, found);
        estimate.ci = stats_median_interval(values, found, level);
        hold_passes(rounds, values, found, &estimate.ci);
    }
    return estimate;
}
