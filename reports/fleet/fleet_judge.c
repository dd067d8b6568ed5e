/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fleet.h"

/* A median absolute deviation of normal values times this is their standard deviation. */
#define MAD_TO_SD 1.4826

const char *fleet_verdict_name(enum fleet_verdict verdict)
{
    static const char *const names[] = {"alike", "slow", "fast"};
    return names[verdict];
}

/* P(|T| > t) of Student's distribution with a whole number of degrees of freedom: the
 * finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double student_beyond(double t, unsigned freedom)
{
    const double angle = atan(t / sqrt(freedom)), c = cos(angle), s = sin(angle);
    double sum = 0, term = freedom % 2 ? c : 1;

    for (unsigned k = freedom % 2 ? 3 : 2; k <= freedom; k += 2) {
        sum += term;
        term *= c * c * (k - 1) / k;
    }
    return 1 - (freedom % 2 ? 2 / acos(-1) * (angle + s * sum) : s * sum);
}

/* Median and deviation of few values are uncertain themselves: the tails of z are about
 * those of Student's distribution, and these degrees of freedom fit fleets that a test
 * draws. */
double fleet_limit(size_t n, double p)
{
    const size_t some = n > 600 ? 600 : n, half = some / 2, third = 2 + some / 3;
    const unsigned freedom = half < 1 ? 1 : (unsigned)(half < third ? half : third);
    double lo = 0, hi = 1e6;

    for (int i = 0; i < 100; i++) {
        const double middle = (lo + hi) / 2;
        *(student_beyond(middle, freedom) > p ? &lo : &hi) = middle;
    }
    return hi;
}

/* A quantile of sorted values, by linear interpolation. */
static double quantile(const double *x, size_t n, double share)
{
    const double at = share * (double)(n - 1);
    const size_t i = (size_t)at;

    return i + 1 < n ? x[i] + (at - (double)i) * (x[i + 1] - x[i]) : x[i];
}

static void describe(struct fleet_case *one, double *logs)
{
    for (size_t i = 0; i < one->n; i++) {
        struct fleet_point *const point = &one->points[i];
        point->median_ns = stats_median(point->ns, point->n);
        logs[i] = log(point->median_ns);
    }
    stats_sort(logs, one->n);
    one->judged = one->n >= FLEET_MIN;
    one->min_ns = exp(logs[0]);
    one->p5_ns = exp(quantile(logs, one->n, 0.05));
    one->median_ns = exp(quantile(logs, one->n, 0.5));
    one->p95_ns = exp(quantile(logs, one->n, 0.95));
    one->max_ns = exp(logs[one->n - 1]);
    one->spread = MAD_TO_SD * stats_mad(logs, one->n);
}

static void judge(struct fleet_case *one, double p)
{
    one->limit = one->judged ? fleet_limit(one->n, p) : NAN;
    FOR_EACH (struct fleet_point, point, one->points, one->n) {
        point->ratio = point->median_ns / one->median_ns;
        point->z = one->spread > 0 ? log(point->ratio) / one->spread : NAN;
        /* Hosts without any spread are off by FLEET_LEAST or are not. */
        const bool far = one->judged && !(fabs(point->z) <= one->limit) &&
                         fabs(log(point->ratio)) > log1p(FLEET_LEAST);
        point->verdict = !far ? FLEET_ALIKE : point->ratio > 1 ? FLEET_SLOW : FLEET_FAST;
    }
}

void fleet_judge(struct fleet *fleet)
{
    FREED_BY(free_memory) double *logs =
        must_have(calloc(fleet->n_hosts + 1, sizeof *logs));
    size_t tests = 0;

    FOR_EACH (struct fleet_case, one, fleet->cases, fleet->n_cases) {
        describe(one, logs);
        tests += one->judged ? one->n : 0;
    }
    FOR_EACH (struct fleet_case, one, fleet->cases, fleet->n_cases)
        judge(one, FLEET_ALARM / (double)(tests ?: 1));
}
