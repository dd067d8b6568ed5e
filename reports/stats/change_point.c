/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Change points by E-divisive means: Matteson and James, "A Nonparametric Approach for
 * Multiple Change Point Analysis of Multivariate Data", JASA 109 (2014). It splits a
 * series where the energy distance between both sides is largest, if a permutation test
 * finds it significant, and goes on in each part. Two things differ from the paper:
 *  - It works on ranks, so that single values, however far out, weigh no more than
 * others. Few ranks do not tell a large step from a small one. So it then works on the
 * values where both sides lie apart; a value far from both levels is replaced by the
 * farthest usual one.
 *  - Machines have moods that last for several runs, and then neighbours are alike, which
 *    a permutation forgets. Here the shuffled series are as alike from one value to the
 * next as the residuals of the split, at the upper end of what they may be: values take
 * the order of an autoregressive process of that correlation (Theiler et al., "Testing
 * for nonlinearity in time series", Physica D 58, 1992, algorithm II). Without
 * correlation these are plain permutations.
 */
#include <math.h>

#include "error.h"
#include "numbers.h"
#include "stats.h"

/* Up to two in so many series of equal values seem to change, one by each test; standard
 * errors that are added to the correlation. */
enum { SHUFFLES = 3999, CAUTION = 2 };
#define CORRELATION_MOST 0.95
/* Median distances from the level: three standard deviations. Levels that are apart
 * differ by more than so many times as much. */
#define USUAL 4.45
#define APART 1.5

struct place {
    double key;
    size_t index;
};

struct series {
    const double *x;
    uint64_t seed;
    double least;
    double *value, *sorted, *shuffled; /* room for all values */
    struct place *place;
    size_t *at, n;
};

static void find_ranks(const double *x, size_t n, double *rank)
{
    for (size_t i = 0; i < n; i++) {
        rank[i] = 0;
        for (size_t j = 0; j < n; j++)
            rank[i] += x[j] < x[i] ? 1 : x[j] == x[i] ? 0.5 : 0;
    }
}

/* Sum of the distances of one value to others. */
static double distances(const double *x, size_t from, size_t to, double value)
{
    double sum = 0;
    for (size_t i = from; i < to; i++)
        sum += fabs(x[i] - value);
    return sum;
}

/* The largest energy statistic of all splits, and where that is. */
static double best_split(const double *x, size_t n, size_t *at)
{
    double left = 0, across = 0, right = 0, best = -INFINITY;

    for (size_t i = 1; i < n; i++)
        right += distances(x, 0, i, x[i]);
    for (size_t i = 0; i + CHANGE_SEGMENT < n; i++) {
        const double to_left = distances(x, 0, i, x[i]);
        const double to_right = distances(x, i + 1, n, x[i]);
        const double l = (double)i + 1, r = (double)n - l;
        left += to_left;
        right -= to_right;
        across += to_right - to_left;
        const double energy =
            2 * (across / (l * r) - left / (l * (l - 1)) - right / (r * (r - 1)));
        if (i + 1 >= CHANGE_SEGMENT && energy * l * r / (l + r) > best) {
            best = energy * l * r / (l + r);
            *at = i + 1;
        }
    }
    return best;
}

/* Values that are farther from the levels of both sides than is usual come nearer. False:
 * the levels are hardly farther apart than that. */
static bool clip(const double *x, size_t n, size_t at, double *value)
{
    const double level[] = {stats_median(x, at), stats_median(x + at, n - at)};
    for (size_t i = 0; i < n; i++)
        value[i] = fabs(x[i] - level[i >= at]);
    const double usual = USUAL * stats_median(value, n);
    const double lo = fmin(level[0], level[1]) - usual;
    const double hi = fmax(level[0], level[1]) + usual;
    for (size_t i = 0; i < n; i++)
        value[i] = fmin(fmax(x[i], lo), hi);
    return hi - lo > (APART + 2) * usual;
}

/* The correlation of neighbours, of the values around the medians of both sides: its
 * upper end. The split takes a part of it away. */
static double correlation(const double *x, size_t n, size_t at)
{
    const double level[] = {stats_median(x, at), stats_median(x + at, n - at)};
    double products = 0, squares = 0;

    for (size_t i = 0; i < n; i++) {
        const double here = x[i] - level[i >= at];
        squares += here * here;
        if (i > 0 && i != at)
            products += here * (x[i - 1] - level[i >= at]);
    }
    double rho = squares > 0 ? products / squares : 0;
    rho += 2 * (1 + 3 * rho) / (double)n;
    rho += CAUTION * sqrt(fmax(0, 1 - rho * rho) / (double)n);
    return fmin(fmax(rho, 0), CORRELATION_MOST);
}

/* Nearly normal, with a variance of 1: the sum of twelve uniform numbers. */
static double next_normal(uint64_t *seed)
{
    uint32_t sum = 0;

    for (int i = 0; i < 3; i++) {
        const uint64_t bits = random_next(seed);
        for (int shift = 0; shift < 64; shift += 16)
            sum += bits >> shift & 0xffff;
    }
    return (double)sum / 0x10000 - 6;
}

static int compare_places(const void *left, const void *right)
{
    const double a = ((const struct place *)left)->key;
    const double b = ((const struct place *)right)->key;

    return (a > b) - (a < b);
}

/* The sorted values in the order of a process of that correlation. */
static void shuffle(struct series *series, size_t n, double rho)
{
    const double fresh = sqrt(1 - rho * rho);
    double state = next_normal(&series->seed);

    for (size_t i = 0; i < n; i++) {
        series->place[i] = (struct place){state, i};
        state = rho * state + fresh * next_normal(&series->seed);
    }
    qsort(series->place, n, sizeof *series->place, compare_places);
    for (size_t i = 0; i < n; i++)
        series->shuffled[series->place[i].index] = series->sorted[i];
}

/* The first shuffled series that splits as well ends the test: no change. */
static bool is_change(struct series *series, const double *x, size_t n, size_t *at)
{
    const double seen = best_split(series->value, n, at);
    const double rho = correlation(series->value, n, *at);
    size_t other;

    if (!(fabs(stats_median(x + *at, n - *at) - stats_median(x, *at)) >= series->least))
        return false;
    memcpy(series->sorted, series->value, n * sizeof *series->value);
    stats_sort(series->sorted, n);
    for (int i = 0; i < SHUFFLES; i++) {
        shuffle(series, n, rho);
        if (best_split(series->shuffled, n, &other) >= seen)
            return false;
    }
    return true;
}

/* By ranks, or by clipped values. */
static bool find_change(struct series *series, const double *x, size_t n, size_t *at)
{
    find_ranks(x, n, series->value);
    if (is_change(series, x, n, at))
        return true;
    return clip(x, n, *at, series->value) && is_change(series, x, n, at);
}

/* The values [from, to), and the parts that they fall into. */
static void divide(struct series *series, size_t from, size_t to)
{
    size_t at = 0;

    if (to - from < 2 * CHANGE_SEGMENT ||
        !find_change(series, series->x + from, to - from, &at))
        return;
    divide(series, from, from + at);
    series->at[series->n++] = from + at;
    divide(series, from + at, to);
}

size_t stats_change_points(const double *x, size_t n, double least, uint64_t seed,
                           size_t *at)
{
    FREED_BY(free_memory) double *room = malloc((3 * n + 1) * sizeof *room);
    FREED_BY(free_memory) struct place *place = malloc((n + 1) * sizeof *place);
    struct series series = {.x = x,
                            .seed = seed,
                            .least = least,
                            .value = room,
                            .sorted = room + n,
                            .shuffled = room + 2 * n,
                            .place = place,
                            .at = at};

    if (room && place)
        divide(&series, 0, n);
    return series.n;
}
