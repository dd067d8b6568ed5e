/* SPDX-License-Identifier: Apache-2.0 */
/* The times of two stored runs. */
#include <math.h>

#include "gate.h"

/* A normal variable lies farther from its mean in GATE_ERROR. */
#define NORMAL_99 2.2904

struct quartile stored_time(const struct result *result)
{
    const size_t n = result->samples.iterations ? result->samples.n : 0;
    FREED_BY(free_memory) double *logs = must_have(calloc(n + 1, sizeof *logs));

    for (size_t i = 0; i < n; i++)
        if (!isfinite(logs[i] = log(result_per_call(result, i))))
            return (struct quartile){NAN, NAN};
    return stats_quartile(logs, n);
}

struct shift {
    struct quartile base, head;
    double log, error, half_width; /* of the interval */
    struct interval ci;            /* as a change */
};

static struct shift shift_find(const struct result *base, const struct result *head)
{
    struct shift shift = {.base = stored_time(base), .head = stored_time(head)};

    shift.log = shift.head.at - shift.base.at;
    shift.error = hypot(shift.base.error, shift.head.error);
    shift.half_width = NORMAL_99 * shift.error;
    shift.ci = interval_as_change((struct interval){.known = isfinite(shift.half_width),
                                                    .lo = shift.log - shift.half_width,
                                                    .hi = shift.log + shift.half_width,
                                                    .level = 1 - GATE_ERROR});
    return shift;
}

/* The probability of a shift as large, if it truly is no more than delta. */
static double shift_p(double shift, double error, double delta)
{
    if (!(error > 0))
        return shift > delta ? 0 : 1;
    return erfc((shift - delta) / error / sqrt(2)) / 2;
}

/* Finds the roof with that id (NULL: any) in a group, or else in the run. */
static const struct result *find_roof(const struct run *run, size_t group, const char *id)
{
    const struct result *found = NULL;

    FOR_EACH (const struct result, roof, run->results, run->n_results) {
        if (!roof->is_roof || !roof->samples.n || (id && !text_same(roof->id, id)))
            continue;
        if (roof->group == group)
            return roof;
        found = found ? found : roof;
    }
    return found;
}

double stored_machine(const struct gate *gate)
{
    return isfinite(gate->drift) ? log1p(gate->drift) : 0;
}

/* The floor is what the control changed by beside the machine as a whole. */
static void control_find(const struct pair *pair, const struct gate *gate,
                         struct comparison *c)
{
    const struct result *const own = pair->head;
    const struct result *head = find_roof(pair->head_run, own->group, own->limit_id);

    if (!head)
        head = find_roof(pair->head_run, own->group, NULL);
    const struct result *const base =
        head ? find_roof(pair->base_run, pair->base->group, head->id) : NULL;

    c->control_change = c->floor = NAN;
    if (!base)
        return;
    const struct shift shift = shift_find(base, head);
    c->control_change = expm1(shift.log);
    c->control_ci = shift.ci;
    if (shift.ci.known)
        c->floor = expm1(fmax(shift.half_width, fabs(shift.log - stored_machine(gate))));
}

/* The distance of the ends of the middle half of the faster half, as a logarithm. Sorts.
 */
static double middle_half(double *ns, size_t n)
{
    if (n < STATS_MIN_SAMPLES)
        return 0;
    stats_sort(ns, n);
    return ns[n / 8] > 0 ? log(ns[3 * n / 8] / ns[n / 8]) : 0;
}

/* By how much a case may move from run to run, as its own run shows, as a logarithm: what
 * the quartiles of the thirds of its samples lie apart, or the ends of the middle of its
 * faster half, whichever is more. 0 if there are too few. */
static double drift_within(const struct result *result)
{
    enum { PARTS = 3 };
    const size_t n = result->samples.iterations ? result->samples.n : 0;
    FREED_BY(free_memory) double *ns = must_have(calloc(n + 1, sizeof *ns));
    double least = INFINITY, most = 0;

    for (size_t i = 0; i < n; i++)
        ns[i] = result_per_call(result, i);
    for (size_t part = 0; part < PARTS; part++) {
        const size_t first = part * n / PARTS, end = (part + 1) * n / PARTS;
        if (end - first < STATS_MIN_SAMPLES)
            break;
        const double quartile = stats_quartile(ns + first, end - first).at;
        least = fmin(least, quartile);
        most = fmax(most, quartile);
    }
    const double moved = least > 0 && least <= most ? log(most / least) : 0;
    return fmax(moved, middle_half(ns, n));
}

/* A case that moves within a run moves between runs too. */
static double moved(const struct pair *pair)
{
    return expm1(fmax(drift_within(pair->base), drift_within(pair->head)));
}

void stored_times(const struct pair *pair, const struct gate *gate)
{
    struct comparison *const c = pair->head->comparison;
    const struct shift shift = shift_find(pair->base, pair->head);
    const bool known = !isnan(shift.log);

    control_find(pair, gate, c);
    c->base_ns = known ? exp(shift.base.at) : pair->base->summary.median_ns;
    c->head_ns = known ? exp(shift.head.at) : pair->head->summary.median_ns;
    c->least_change = pair->head->summary.min_ns / pair->base->summary.min_ns - 1;
    c->change = c->head_ns / c->base_ns - 1;
    c->change_ci = shift.ci;
    c->floor = fmax(c->floor, moved(pair));
    const bool shared = pair->base->samples.shared || pair->head->samples.shared;
    const double between = shared ? gate->between : gate->between_alone;
    c->delta = fmax(gate->threshold, 2 * fmax(c->floor, between));
    c->detectable = expm1(log1p(c->delta) + shift.half_width);
    const double beside = shift.log - stored_machine(gate);
    c->p = shift.ci.known ? shift_p(fabs(beside), shift.error, log1p(c->delta)) : 1;
}
