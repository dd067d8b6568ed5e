/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest_private.h"

#include <math.h>

static void put_percent(struct grid *grid, double x)
{
    if (isfinite(x))
        grid_cell(grid, "%.2f%%", 100 * x);
    else
        GRID_TEXTS(grid, "-");
}

static void put_effect(struct grid *grid, const struct selftest_effect *effect)
{
    const size_t counts[] = {effect->n,       effect->regressed, effect->improved,
                             effect->same,    effect->placed,    effect->inconclusive,
                             effect->unusable};
    grid_cell(grid, "%+.3g%%%s", 100 * effect->effect, effect->as_built ? "*" : " ");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        grid_cell(grid, "%zu", counts[i]);
    if (effect->rate_ci.known)
        grid_cell(grid, "%.0f%% [%.1f, %.1f]", 100 * effect->rate,
                  100 * effect->rate_ci.lo, 100 * effect->rate_ci.hi);
    else
        GRID_TEXTS(grid, "-");
    put_percent(grid, effect->change);
    put_percent(grid, effect->floor);
    put_percent(grid, effect->detectable);
    grid_cell(grid, "%.2f", effect->seconds);
}

static void print_recommendation(const struct selftest *selftest, FILE *file)
{
    if (!isfinite(selftest->recommended))
        fputs("recommended threshold: none: too often gates of equal code have no result "
              "here\n",
              file);
    else if (selftest->recommended > 0)
        fprintf(file,
                "recommended threshold: %.3g%%; with it %.0f%% of the gates of equal "
                "code are SAME, and a change of %+.1f%% is found\n",
                100 * selftest->recommended, 100 * SELFTEST_SHARE,
                100 * selftest->reliable);
}

static void print_directions(const struct directions *equal, FILE *file)
{
    if (!equal->slower && !equal->faster)
        return;
    fprintf(file,
            "equal code seemed slower in %zu gates and faster in %zu: %s (sign test p = "
            "%.2g)\n",
            equal->slower, equal->faster,
            equal->p < DIRECTIONS_P ? "one of both is at a disadvantage here"
                                    : "no direction is preferred",
            equal->p);
}

void selftest_print(const struct selftest *selftest, FILE *file)
{
    struct grid grid = {.at = "r", .columns = 13};
    text_line(file,
              "gates of %s (%.3g us a call) with a threshold of %.3g%%, simdbench "
              "against itself",
              selftest->case_id, selftest->call_ns * 1e-3, 100 * selftest->threshold);
    fputc('\n', file);
    GRID_TEXTS(&grid, "more work", "gates", "REGRESSED", "IMPROVED", "SAME", "PLACED",
               "INCONCLUSIVE", "UNUSABLE", "REGRESSED [95% CI]", "change", "floor",
               "detectable", "s/gate");
    for (size_t i = 0; i < selftest->n_effects; i++)
        put_effect(&grid, &selftest->effects[i]);
    grid_write(&grid, false, 0, file);
    fputs("\nA change of no more than the threshold is not to be called. change, floor, "
          "detectable, s/gate: medians.\n* where its code was built alone, as if its "
          "place there were bad: to be called PLACED\n",
          file);
    if (selftest->found)
        fprintf(file, "found with this threshold: %+.3g%% and more\n",
                100 * selftest->found->effect);
    print_directions(&selftest->equal, file);
    print_recommendation(selftest, file);
    text_line(file, "host: %s, fingerprint %s", selftest->cpu, selftest->fingerprint);
}
