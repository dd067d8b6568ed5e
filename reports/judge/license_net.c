/* SPDX-License-Identifier: Apache-2.0 */
/* The net effect of wide SIMD: a wide kernel against the fastest narrower one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

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

static int compare(const struct result *wide, const struct result *narrow,
                   struct license_point *point)
{
    struct speedup speedup;
    if (result_speedup(wide, narrow, &speedup) < 0)
        return -ENOMEM;
    *point = (struct license_point){.shape = strdup(wide->shape),
                                    .wide = strdup(wide->id),
                                    .narrow = strdup(narrow->id),
                                    .speedup = speedup.times,
                                    .ci = speedup.ci};
    return point->shape && point->wide && point->narrow ? 0 : -ENOMEM;
}

int license_take_net(const struct run *run, const char *wide, const char *narrow,
                     struct license_net *net)
{
    const size_t groups = run->n_results ? run->results[run->n_results - 1].group + 1 : 0;
    int rc = 0;
    for (size_t g = 0; g < groups && net->n_points < ARRAY_LEN(net->point); g++) {
        const struct result *const one = fastest(run, g, wide);
        const struct result *const other = fastest(run, g, narrow);
        if (one && other && rc == 0)
            rc = compare(one, other, &net->point[net->n_points++]);
    }
    if (net->n_points == 0)
        snprintf(net->skip, sizeof net->skip, "no shape was measured undisturbed");
    return rc;
}

size_t license_wins_from(const struct license_net *net)
{
    size_t from = net->n_points;
    while (from > 0) {
        const struct interval *const ci = &net->point[from - 1].ci;
        if (!ci->known || ci->hi < 1)
            break;
        from--;
    }
    return from;
}

void license_net_free(struct license_net *net)
{
    FOR_EACH (const struct license_point, point, net->point, net->n_points)
        FREE_EACH(point->shape, point->wide, point->narrow);
}
