/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two independent samples. Both are sorted; then n + m steps count how many of the n m
 * differences lie below a number, so that samples of any size take n log n steps.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

struct samples {
    double *a, *b; /* sorted; one allocation */
    size_t n, m;
};

static bool samples_make(struct samples *s, const double *a, size_t n, const double *b,
                         size_t m)
{
    double *const room = n && m ? malloc((n + m) * sizeof *room) : NULL;

    if (!room)
        return false;
    *s = (struct samples){.a = room, .b = room + n, .n = n, .m = m};
    memcpy(s->a, a, n * sizeof *a);
    memcpy(s->b, b, m * sizeof *b);
    stats_sort(s->a, n);
    stats_sort(s->b, m);
    return true;
}

/* Counts the differences b - a up to x. */
static double count_up_to(const struct samples *s, double x)
{
    double count = 0;
    size_t i = 0;

    for (size_t j = 0; j < s->m; j++) {
        while (i < s->n && s->b[j] - s->a[i] > x)
            i++;
        count += (double)(s->n - i);
    }
    return count;
}

/* Whole numbers in the order of the doubles. */
static uint64_t rank_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static double of_rank(uint64_t rank)
{
    const uint64_t bits = rank >> 63 ? rank & ~(1ull << 63) : ~rank;
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* The k-th smallest difference, k from 1: k differences are at most this double. */
static double difference(const struct samples *s, double k)
{
    uint64_t lo = rank_of(s->b[0] - s->a[s->n - 1]);
    uint64_t hi = rank_of(s->b[s->m - 1] - s->a[0]);

    while (lo < hi) {
        const uint64_t middle = lo + (hi - lo) / 2;
        if (count_up_to(s, of_rank(middle)) >= k)
            hi = middle;
        else
            lo = middle + 1;
    }
    return of_rank(lo);
}

/* ---- the distribution of U ---- */

enum { U_MAX = STATS_EXACT_MAX * STATS_EXACT_MAX };

struct u_law {
    bool exact;
    double below[U_MAX + 2]; /* exact: P(U < k) */
    double mean, deviation;  /* else */
};

/* The number of arrangements with U = u is the coefficient of q^u in the product over i
 * of (1 - q^(m+i)) / (1 - q^i). Up to 25 values each all are below 2^53. */
static void exact_law(struct u_law *law, size_t n, size_t m)
{
    double count[U_MAX + 1] = {1}, all = 0;
    const size_t top = n * m;

    for (size_t i = 1; i <= n; i++) {
        for (size_t u = top; u >= m + i; u--)
            count[u] -= count[u - m - i];
        for (size_t u = i; u <= top; u++)
            count[u] += count[u - i];
    }
    for (size_t u = 0; u <= top; u++)
        all += count[u];
    law->below[0] = 0;
    for (size_t u = 0; u <= top; u++)
        law->below[u + 1] = law->below[u] + count[u] / all;
}

static void u_law(struct u_law *law, size_t n, size_t m)
{
    const double a = (double)n, b = (double)m;

    law->exact = n <= STATS_EXACT_MAX && m <= STATS_EXACT_MAX;
    law->mean = a * b / 2;
    law->deviation = sqrt(a * b / 12 * (a + b + 1));
    if (law->exact)
        exact_law(law, n, m);
}

/* P(U <= u), with a correction for continuity. */
static double lower_tail(const struct u_law *law, double u)
{
    if (law->exact)
        return law->below[(size_t)floor(u) + 1];
    return erfc((law->mean - u - 0.5) / law->deviation / sqrt(2)) / 2;
}

/* The largest k with P(U < k) <= alpha. */
static double largest_k(const struct u_law *law, double alpha)
{
    double lo = 0, hi = ceil(law->mean);

    while (lo < hi) {
        const double middle = ceil((lo + hi) / 2);
        if (lower_tail(law, middle - 1) <= alpha)
            lo = middle;
        else
            hi = middle - 1;
    }
    return lo;
}

double stats_shift(const double *a, size_t n, const double *b, size_t m, double level,
                   struct interval *interval)
{
    const double pairs = (double)n * (double)m;
    struct samples s;
    struct u_law law;

    *interval = (struct interval){.known = false};
    if (!samples_make(&s, a, n, b, m))
        return NAN;
    u_law(&law, n, m);
    const double k = largest_k(&law, (1 - level) / 2);
    if (k > 0)
        *interval = (struct interval){.known = true,
                                      .lo = difference(&s, k),
                                      .hi = difference(&s, pairs + 1 - k),
                                      .level = 1 - 2 * lower_tail(&law, k - 1)};
    const double lower = difference(&s, floor((pairs + 1) / 2));
    const double upper = difference(&s, ceil((pairs + 1) / 2));
    free(s.a);
    return lower + (upper - lower) / 2;
}
