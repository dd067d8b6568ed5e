/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "error.h"
#include "stats.h"

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

void stats_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
}

/* NULL if n = 0 or out of memory: then the statistic is unknown. */
static double *sorted_copy(const double *x, size_t n)
{
    double *copy = n ? malloc(n * sizeof *copy) : NULL;

    if (!copy)
        return NULL;
    memcpy(copy, x, n * sizeof *copy);
    stats_sort(copy, n);
    return copy;
}

static double sorted_median(const double *x, size_t n)
{
    return n % 2 ? x[n / 2] : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / 2;
}

double stats_median(const double *x, size_t n)
{
    FREED_BY(free_memory) double *sorted = sorted_copy(x, n);
    return sorted ? sorted_median(sorted, n) : NAN;
}

/* The value of a rank between 1 and n, which need not be whole. */
static double at_rank(const double *sorted, size_t n, double rank)
{
    const size_t below = (size_t)rank;

    return below >= n ? sorted[n - 1]
                      : sorted[below - 1] +
                            (rank - (double)below) * (sorted[below] - sorted[below - 1]);
}

struct quartile stats_quartile(const double *x, size_t n)
{
    const double rank = 1 + 0.25 * ((double)n - 1), deviation = sqrt(0.1875 * (double)n);
    const double lo = fmax(rank - 2.2 * deviation, 1);
    const double hi = fmin(rank + 2.2 * deviation, (double)n);
    FREED_BY(free_memory) double *sorted = sorted_copy(x, n);

    if (!sorted)
        return (struct quartile){NAN, NAN};
    return (struct quartile){.at = at_rank(sorted, n, rank),
                             .error = n < STATS_MIN_SAMPLES ? NAN
                                                            : (at_rank(sorted, n, hi) -
                                                               at_rank(sorted, n, lo)) /
                                                                  (hi - lo) * deviation};
}

double stats_min(const double *x, size_t n)
{
    double min = n ? x[0] : NAN;

    for (size_t i = 1; i < n; i++)
        min = fmin(min, x[i]);
    return min;
}

double stats_mad(const double *x, size_t n)
{
    FREED_BY(free_memory) double *deviation = sorted_copy(x, n);
    double mad = NAN;

    if (deviation) {
        double median = sorted_median(deviation, n);
        for (size_t i = 0; i < n; i++)
            deviation[i] = fabs(deviation[i] - median);
        mad = stats_median(deviation, n);
    }
    return mad;
}

/* Sums P(B = 0), P(B = 1), ... of Binomial(n, 1/2). Terms are carried as mantissa and
 * exponent, because 2^-n underflows beyond n = 1074; up to n = 53 every sum is an exact
 * integer times 2^-n. */
struct binomial {
    size_t n, k;      /* the next term is that of k */
    double term, sum; /* both times 2^(scale - n) */
    int scale;
};

static double scaled(const struct binomial *b, double x)
{
    return ldexp(x, b->scale - (int)b->n);
}

static void next_term(struct binomial *b)
{
    b->sum += b->term;
    b->term = b->term * (double)(b->n - b->k) / (double)(b->k + 1);
    b->k++;
    if (b->term > 0x1p500) {
        b->term = ldexp(b->term, -500);
        b->sum = ldexp(b->sum, -500);
        b->scale += 500;
    }
}

/* Largest k with 2 P(B < k) <= alpha; `tail` gets that probability. */
static size_t sign_tail(size_t n, double alpha, double *tail)
{
    struct binomial b = {.n = n, .term = 1};

    *tail = 0;
    while (b.k < (n + 1) / 2) {
        double next = scaled(&b, 2 * (b.sum + b.term));
        if (next > alpha)
            break;
        *tail = next;
        next_term(&b);
    }
    return b.k;
}

double stats_sign_p(size_t n, size_t successes)
{
    struct binomial b = {.n = n, .term = 1};

    while (b.k + successes <= n)
        next_term(&b);
    return successes ? scaled(&b, b.sum) : 1;
}

struct directions stats_directions(size_t slower, size_t faster)
{
    const size_t more = slower > faster ? slower : faster;
    const double p = 2 * stats_sign_p(slower + faster, more);

    return (struct directions){slower, faster, p < 1 ? p : 1};
}

size_t stats_sign_k(size_t n, double level)
{
    double tail;

    return sign_tail(n, 1 - level, &tail);
}

struct interval stats_median_interval(const double *x, size_t n, double level)
{
    struct interval interval = {.known = false};
    double tail;
    size_t k = n < STATS_MIN_SAMPLES ? 0 : sign_tail(n, 1 - level, &tail);
    FREED_BY(free_memory) double *sorted = k ? sorted_copy(x, n) : NULL;

    if (sorted)
        interval = (struct interval){
            .known = true, .lo = sorted[k - 1], .hi = sorted[n - k], .level = 1 - tail};
    return interval;
}

/* P(Binomial(n, p) <= k) for 0 < p < 1. */
static double binomial_at_most(size_t n, size_t k, double p)
{
    double sum = 0;

    for (size_t i = 0; i <= k; i++)
        sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) -
                   lgamma((double)(n - i) + 1) + (double)i * log(p) +
                   (double)(n - i) * log1p(-p));
    return sum;
}

/* Finds p so that at most k successes have that probability, which falls as p grows. */
static double binomial_invert(size_t n, size_t k, double probability)
{
    double lo = 0, hi = 1;

    for (int i = 0; i < 60; i++) {
        const double p = (lo + hi) / 2;
        if (binomial_at_most(n, k, p) > probability)
            lo = p;
        else
            hi = p;
    }
    return (lo + hi) / 2;
}

struct interval stats_proportion_interval(size_t successes, size_t n, double level)
{
    const double tail = (1 - level) / 2;

    if (!n)
        return (struct interval){.known = false};
    return (struct interval){
        .known = true,
        .lo = successes ? binomial_invert(n, successes - 1, 1 - tail) : 0,
        .hi = successes < n ? binomial_invert(n, successes, tail) : 1,
        .level = level};
}

double stats_ratio(const double *a, const double *b, size_t n, double level,
                   struct interval *interval)
{
    FREED_BY(free_memory) double *logs = n ? malloc(n * sizeof *logs) : NULL;
    double ratio = NAN;

    *interval = (struct interval){.known = false};
    if (!logs)
        return NAN;
    for (size_t i = 0; i < n; i++)
        logs[i] = log(a[i]) - log(b[i]);
    ratio = exp(stats_median(logs, n));
    *interval = stats_median_interval(logs, n, level);
    if (interval->known) {
        interval->lo = exp(interval->lo);
        interval->hi = exp(interval->hi);
    }
    return ratio;
}

double stats_geomean(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0))
            return NAN;
        sum += log(x[i]);
    }
    return n ? exp(sum / (double)n) : NAN;
}
