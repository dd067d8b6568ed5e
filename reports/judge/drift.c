/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs at different times differ by more than code: the clock, the memory that a
 * process got, neighbours. Libraries and roofs are the same code in both, so their
 * changes show how large that is: their median is what the machine as a whole changed by,
 * and how far they lie from it is what a case changes by without a reason in its code.
 */
#include <math.h>

#include "gate.h"

/* Fewer controls know nothing of rare deviations: runs of a machine that is nearly idle
 * were seen to differ by more than twice this. */
enum { CONTROLS_MIN = 8 };
#define BETWEEN_UNKNOWN 0.03
/* With this reserve and a delta of twice the noise, one of 60 cases beside 24 controls
 * crosses it in less than 1% of runs, even if a third of the deviations are twice as wide
 * as the others. */
#define DEVIATION_SHARE 0.95
#define DEVIATION_RESERVE 2.0

static bool is_control(const struct result *result)
{
    return (result->is_roof || result->is_baseline) && result->status == STATUS_OK &&
           result->summary.median_ns > 0;
}

static bool is_alone(const struct result *result)
{
    return is_control(result) && !result->samples.shared;
}

/* The logarithm of the time; runs of a file without samples have a median. */
static double time_of(const struct result *result)
{
    const double quartile = stored_time(result).at;

    return isnan(quartile) ? log(result->summary.median_ns) : quartile;
}

/* By id, and in order of groups where a roof stands in several. */
static size_t match(struct result *const *base, size_t n, struct result *const *head,
                    size_t m, double *logs)
{
    size_t matched = 0;

    for (size_t i = 0, j = 0; i < n && j < m;) {
        const int order = strcmp(base[i]->id, head[j]->id);
        if (!order && text_same(base[i]->module.version, head[j]->module.version))
            logs[matched++] = time_of(head[j]) - time_of(base[i]);
        i += order <= 0;
        j += order >= 0;
    }
    return matched;
}

struct controls {
    size_t n;
    double drift, between;
};

/* `drift`: the machine's; NaN: their own median is. */
static struct controls controls_find(const struct run *base, const struct run *head,
                                     bool (*wanted)(const struct result *), double drift)
{
    struct controls found = {.n = 0};
    size_t n, m;
    FREED_BY(free_memory) struct result **before = run_by_id(base, wanted, &n);
    FREED_BY(free_memory) struct result **after = run_by_id(head, wanted, &m);
    FREED_BY(free_memory) double *logs =
        must_have(malloc((base->n_results + 1) * sizeof *logs));

    found.n = n = match(before, n, after, m, logs);
    if (!n)
        return found;
    found.drift = isnan(drift) ? stats_median(logs, n) : drift;
    for (size_t i = 0; i < n; i++)
        logs[i] = fabs(logs[i] - found.drift);
    stats_sort(logs, n);
    found.between =
        expm1(DEVIATION_RESERVE * logs[(size_t)ceil(DEVIATION_SHARE * (double)n) - 1]);
    return found;
}

void drift_find(const struct run *base, const struct run *head, struct gate *gate)
{
    const struct controls alone = controls_find(base, head, is_alone, NAN);
    const bool quiet = alone.n >= CONTROLS_MIN;
    const struct controls all =
        controls_find(base, head, is_control, quiet ? alone.drift : NAN);

    gate->controls = (double)(quiet ? alone : all).n;
    gate->between =
        all.n >= CONTROLS_MIN ? all.between : fmax(all.between, BETWEEN_UNKNOWN);
    if (all.n >= CONTROLS_MIN)
        gate->drift = expm1(all.drift);
    if (quiet)
        gate->between = fmax(gate->between, alone.between);
    gate->between_alone = quiet ? alone.between : gate->between;
}
