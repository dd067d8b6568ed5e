/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of this core in a cycle, and what faults and wrong predictions cost it. */
#include <math.h>

#include "numbers.h"
#include "rates.h"

/* The shortest of some runs: whatever disturbs makes them longer. */
static double turn_ns(rate_loop *loop, struct lines *lines)
{
    enum { RUN_NS = 20000, RUNS = 4 };
    const uint64_t most = UINT64_C(1) << 20;
    double best = INFINITY;
    uint64_t turns = 1;
    for (int run = 0; run < RUNS;) {
        const int64_t begin = clock_now();
        loop(turns, lines);
        const int64_t ns = clock_now() - begin;
        if (ns < RUN_NS && turns < most) {
            turns *= 2;
            continue;
        }
        best = fmin(best, (double)ns / (double)turns);
        run++;
    }
    return best;
}

static bool is_cost(const struct rate *rate)
{
    return !strncmp(rate->name, "cost_", 5);
}

static double rate_of(const struct rate *rate, double turn, double other)
{
    if (!is_cost(rate))
        return rate->per_turn / fmin(turn, other);
    return fmax(0, turn - other) / rate->per_turn;
}

/* A number that is not known yet is worse than any other. */
static double better(const struct rate *rate, double a, double b)
{
    if (!(a > 0))
        return b;
    return is_cost(rate) ? fmin(a, b) : fmax(a, b);
}

/* The store queue tells more than additions do: a wide core gives each of two threads as
 * many of these as they are probed for, while the other one leaves the ports. */
static bool is_alone(void)
{
    const int split = clock_core_split();
    return clock_core_alone(split, split < 0 ? clock_core_share() : 0, 0);
}

/* Times of a turn, the best of all tries; and in how many of them the core was alone. */
struct turns {
    double loop, other;
    int alone;
};

static void try_once(const struct rate *rate, struct lines *lines, struct turns *best)
{
    const bool before = is_alone();
    best->loop = fmin(best->loop, turn_ns(rate->loop, lines));
    if (rate->other)
        best->other = fmin(best->other, turn_ns(rate->other, lines));
    best->alone += before && is_alone();
}

/* The shortest times are those of the highest clock, and what disturbs a probe makes it
 * lower in nearly all cases: the upper quartile counts. */
double rates_clock(double *ghz, size_t n)
{
    qsort(ghz, n, sizeof *ghz, by_double);
    return ghz[n - 1 - n / 4];
}

/* Tries of one loop are far apart, and there are more of them while another thread is on
 * the core: it may leave. */
void core_rates_measure(double *value, bool *alone)
{
    enum { PASSES = 40, PASSES_LEAST = 3, PROBE_NS = 20000 };
    const size_t n = core_rate_count();
    struct lines lines = {{0}};
    struct turns best[RATES_MAX];
    double ghz[PASSES * RATES_MAX];
    size_t probes = 0;
    for (size_t i = 0; i < n; i++)
        best[i] = (struct turns){INFINITY, INFINITY, 0};
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < n; i++) {
            if (!rate_has_isa(core_rates[i].isa) || best[i].alone >= PASSES_LEAST)
                continue;
            ghz[probes++] = clock_ghz(PROBE_NS);
            try_once(&core_rates[i], &lines, &best[i]);
        }
    const double clock = probes ? rates_clock(ghz, probes) : NAN;
    for (size_t i = 0; i < n; i++) {
        alone[i] = best[i].alone >= PASSES_LEAST;
        if (!rate_has_isa(core_rates[i].isa))
            value[i] = NAN;
        else if (!rate_fills_core(&core_rates[i]) || alone[i])
            value[i] = better(
                &core_rates[i], value[i],
                rate_of(&core_rates[i], best[i].loop * clock, best[i].other * clock));
    }
}
