/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics on samples. Nothing here knows what they are of. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- statistics (stats.c) ---- */

/* An interval; `known` is false below STATS_MIN_SAMPLES. */
struct interval {
    bool known;
    double lo, hi;
    double level; /* exact confidence level, at least the one asked for */
};

enum { STATS_MIN_SAMPLES = 6 };
#define STATS_LEVEL 0.95

void stats_sort(double *x, size_t n); /* ascending; none may be NaN */
/* Median (mean of the middle two for even n); NaN for n = 0. `x` is not changed. */
double stats_median(const double *x, size_t n);
double stats_min(const double *x, size_t n);
/* Median absolute deviation from the median, not scaled. */
double stats_mad(const double *x, size_t n);
/* Exact order-statistic interval of the median: [x(k), x(n+1-k)] with the largest k for
 * which 2 P(Binomial(n, 1/2) < k) <= 1 - level. Distribution-free; the same numbers
 * invert the sign test. */
struct interval stats_median_interval(const double *x, size_t n, double level);
/* The k of stats_median_interval(); 0 if there is none. */
size_t stats_sign_k(size_t n, double level);
/* P(Binomial(n, 1/2) >= successes): the exact one-sided sign test. */
double stats_sign_p(size_t n, size_t successes);
/* The number of times that something seemed slower, and that it seemed faster: of equal
 * things as often as not. */
struct directions {
    size_t slower, faster;
    double p; /* the exact two-sided sign test of that; 1 without any */
};
struct directions stats_directions(size_t slower, size_t faster);
/* Below this they are not equal. */
#define DIRECTIONS_P 0.01
/* Exact (Clopper-Pearson) interval of the probability behind that many successes of n. */
struct interval stats_proportion_interval(size_t successes, size_t n, double level);
/* Median and interval of exp(log a - log b) over pairs of positive numbers: how many
 * times faster b is than a. NaN for n = 0. */
double stats_ratio(const double *a, const double *b, size_t n, double level,
                   struct interval *interval);
double stats_geomean(const double *x, size_t n); /* NaN for n = 0 or any x <= 0 */
/* The first quartile, and its standard error by the distance of the order statistics that
 * lie 2.2 standard deviations of its rank around it (McKean and Schrader, 1984; intervals
 * of two exponential samples of 12 miss in 2.5% for 2.2%). NaN for n = 0; the error is
 * NaN below STATS_MIN_SAMPLES. */
struct quartile {
    double at, error;
};
struct quartile stats_quartile(const double *x, size_t n);

/* ---- two independent samples (mann_whitney.c) ---- */

/* Hodges-Lehmann: the median of all differences b - a, and the interval of those that the
 * two-sided Mann-Whitney test does not reject; its level is exact up to
 * STATS_EXACT_MAX values each, else that of the normal approximation. NaN if a sample is
 * empty or memory runs out. */
double stats_shift(const double *a, size_t n, const double *b, size_t m, double level,
                   struct interval *interval);
enum { STATS_EXACT_MAX = 25 };

/* ---- change points of a series (change_point.c) ---- */

/* A change is seen between so many values on each side of it. Of fewer values than
 * CHANGE_VALUES in all not even a step in their middle is. */
enum { CHANGE_SEGMENT = 6, CHANGE_VALUES = 24 };
/* Writes the index of the first value after each change of level to `at`, ascending, and
 * returns how many there are: fewer than n / CHANGE_SEGMENT. Medians of both sides that
 * differ by less than `least` are no change. The same seed gives the same answer. The
 * time grows with the square of n. 0 if memory runs out. */
size_t stats_change_points(const double *x, size_t n, double least, uint64_t seed,
                           size_t *at);
