/* SPDX-License-Identifier: Apache-2.0 */
/* Values of checks, from what was measured. */
#include "studies/studies_private.h"

#include <math.h>

void no_value(const struct asking *asking, const char *reason)
{
    if (!asking->point->reason)
        string_set(&asking->point->reason, reason);
}

/* More time gets it. */
static void take_longer(const struct asking *asking, const char *reason)
{
    no_value(asking, reason);
    string_set(&asking->point->type,
               asking->all->settings.quick
                   ? "the same without --quick"
                   : "scripts/quiet.sh before the same command, or a machine with "
                     "less load");
}

void take_estimate(const struct asking *asking, const struct estimate *estimate)
{
    asking->point->value = estimate->value;
    asking->point->ci = estimate->ci;
    if (isnan(estimate->value) || !estimate->ci.known)
        take_longer(asking, "too few rounds for an interval");
}

/* An arm that was disturbed, or for which no time was left, needs more; no time helps one
 * that was skipped for another reason. */
static void not_measured(const struct asking *asking, const struct member *member)
{
    const struct result *const result = member ? member_result(member) : NULL;
    const char *const reason =
        member && member->absent ? member->absent : "it was not measured";
    if ((result && result->status == STATUS_NOISY) || strstr(reason, NO_TIME_LEFT))
        take_longer(asking, reason);
    else
        no_value(asking, reason);
}

const struct member *asked_member(const struct asking *asking, size_t i, uint32_t threads)
{
    const struct study_arm *const arm =
        study_find_arm(asking->all->study, asking->check->of[i]);
    const struct member *const member = set_find(
        asking->set, arm->name,
        threads ? threads : threads_of(arm->threads, &asking->all->settings), false);
    const struct result *const result = member ? member_result(member) : NULL;
    if (!member || member->absent ||
        (!result && asking->check->measure != MEASURE_STATIC)) {
        not_measured(asking, member);
        return NULL;
    }
    if (result && i < 2)
        string_set(&asking->point->cases[i], result->id);
    return member;
}

/* ---- times ---- */

/* The distance of the arm from itself once more, 0.01: the most, with an interval from
 * the least; not known: NaN. */
static struct estimate equal_arms(const struct round_set *set,
                                  const struct member *member, double level)
{
    const struct member *const again =
        set_find(set, member->arm->name, member->name.settings.threads, true);
    if (!again)
        return (struct estimate){.value = NAN};
    const struct series *const pair[] = {&again->series, &member->series};
    const struct estimate equal = series_estimate(pair, 2, level, rule_ratio, NULL);
    if (!equal.ci.known)
        return (struct estimate){.value = NAN};
    const double most = fmax(equal.ci.hi, 1 / equal.ci.lo) - 1,
                 least = fmax(fmax(equal.ci.lo, 1 / equal.ci.hi) - 1, 0);
    return (struct estimate){most,
                             {.known = true, .lo = least, .hi = most, .level = level}};
}

/* The largest difference of equals in these rounds: 0.01; 0: there are none. */
static double set_floor(const struct round_set *set, double level)
{
    double floor = 0;
    for (size_t i = 0; i < set->n; i++)
        if (!set->member[i].duplicate)
            floor = fmax(floor, equal_arms(set, &set->member[i], level).value);
    return floor;
}

/* The time of `a` over that of `b`, if both are there. */
static void take_ratio(const struct asking *asking, const struct member *a,
                       const struct member *b)
{
    if (!a || !b)
        return;
    const struct series *const pair[] = {&a->series, &b->series};
    const struct estimate ratio =
        series_estimate(pair, 2, asking->level, rule_ratio, NULL);
    take_estimate(asking, &ratio);
    asking->point->floor = set_floor(asking->set, asking->level);
}

static void time_ratio(const struct asking *asking)
{
    take_ratio(asking, asked_member(asking, 0, 0), asked_member(asking, 1, 0));
}

static void thread_ratio(const struct asking *asking)
{
    const uint32_t threads = threads_of(asking->check->threads, &asking->all->settings);
    const struct member *const one = asked_member(asking, 0, 1);
    const struct member *const many = asked_member(asking, 0, threads);
    if (one && many && threads < 2)
        no_value(asking, "there is one CPU");
    take_ratio(asking, one, many);
}

/* Shares of a limit are rates: each has work of its own. */
static double rule_share(const double *ns, const void *context)
{
    const double *const work = context;
    return work[0] / ns[0] / (work[1] / ns[1]);
}

static struct estimate limit_share(const struct asking *asking,
                                   const struct member *member)
{
    const struct series *const pair[] = {&member->series, &member->limit};
    return series_estimate(pair, 2, asking->level, rule_share, member->limit_work);
}

static double rule_deviation(const double *ns, const void *context)
{
    const double *const median = context;
    return fabs(ns[0] / *median - 1);
}

static struct estimate noise_of(const struct asking *asking, const struct member *member)
{
    const double median = stats_median(member->series.ns, member->series.n);
    const struct series *const alone[] = {&member->series};
    if (!asking->check->what || strcmp(asking->check->what, "floor") != 0)
        return series_estimate(alone, 1, asking->level, rule_deviation, &median);
    return equal_arms(asking->set, member, asking->level);
}

struct slope {
    size_t n;
    double log_work[SERIES_MOST];
};

static double rule_slope(const double *ns, const void *context)
{
    const struct slope *const slope = context;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < slope->n; i++) {
        x += slope->log_work[i] / (double)slope->n;
        y += log(ns[i]) / (double)slope->n;
    }
    for (size_t i = 0; i < slope->n; i++) {
        xx += (slope->log_work[i] - x) * (slope->log_work[i] - x);
        xy += (slope->log_work[i] - x) * (log(ns[i]) - y);
    }
    return xy / xx;
}

static void slope(const struct asking *asking)
{
    struct slope of = {.n = 0};
    const struct series *series[SERIES_MOST];
    for (size_t i = 0; asking->set && i < asking->set->n; i++) {
        const struct member *const member = &asking->set->member[i];
        const struct result *const result = member_result(member);
        if (member->absent || !result) {
            not_measured(asking, member);
            return;
        }
        of.log_work[of.n] =
            log(result->work.ops > 0 ? result->work.ops : result->work.bytes);
        series[of.n++] = &member->series;
    }
    const struct estimate estimate =
        series_estimate(series, of.n, asking->level, rule_slope, &of);
    take_estimate(asking, &estimate);
}

/* ---- counts ---- */

/* Cycles that one of them costs, by what this core was measured to do. */
static double unit_cycles(const struct studying *all, const char *event)
{
    static const struct {
        const char *event, *rate;
    } costs[] = {{"page-faults", "cost_fault"},
                 {"branch-misses", "cost_mispredict"},
                 {"branch misses", "cost_mispredict"}};
    for (size_t i = 0; i < ARRAY_LEN(costs) && all->rates; i++)
        for (size_t k = 0; k < core_rate_count() && !strcmp(event, costs[i].event); k++)
            if (!strcmp(core_rate_name(k), costs[i].rate))
                return all->rates[k];
    return NAN;
}

static double rule_explained(const double *ns, const void *context)
{
    const double *const explained_ns = context;
    return *explained_ns / (ns[0] - ns[1]);
}

static void explained(const struct asking *asking)
{
    const char *const event = asking->check->what;
    const struct member *const a = asked_member(asking, 0, 0);
    const struct member *const b = asked_member(asking, 1, 0);
    if (!a || !b)
        return;
    const double cycles = unit_cycles(asking->all, event);
    const double count = measured_counter(member_result(a), event) -
                         measured_counter(member_result(b), event);
    const double explained_ns = count * cycles / member_result(a)->summary.ghz;
    if (!(cycles > 0))
        no_value(asking, "the cost of one such event is not measured");
    else if (!isfinite(explained_ns))
        no_value(asking, "the event could not be counted");
    const struct series *const pair[] = {&a->series, &b->series};
    const struct estimate share =
        series_estimate(pair, 2, asking->level, rule_explained, &explained_ns);
    take_estimate(asking, &share);
}

/* ---- all of them ---- */

/* A rule, or what point_number() takes. */
static const struct {
    point_rule *fill;
    number_of *of;
    const char *unknown;
} rules[STUDY_MEASURES] = {
    [MEASURE_TIME_RATIO] = {.fill = time_ratio},
    [MEASURE_THREAD_RATIO] = {.fill = thread_ratio},
    [MEASURE_SLOPE] = {.fill = slope},
    [MEASURE_EXPLAINED] = {.fill = explained},
    [MEASURE_HOST] = {.fill = point_host},
    [MEASURE_LIMIT_SHARE] = {NULL, limit_share, "it has no limit that was measured"},
    [MEASURE_NOISE] = {NULL, noise_of, "too few rounds"},
    [MEASURE_METRIC] = {NULL, metric_of, "it could not be counted here"},
    [MEASURE_ACCURACY] = {NULL, accuracy_of, "its errors are not known"},
    [MEASURE_STATIC] = {NULL, fact_of, "its trace does not tell"},
};

void points_fill(struct study_check *check, void *context)
{
    const struct studying *const all = context;
    char **at;
    size_t n;
    if (check->reason || check->measure == MEASURE_ARITHMETIC)
        return;
    points_of(check, all->settings.quick, &at, &n);
    const bool is_slope = check->measure == MEASURE_SLOPE;
    const bool alone = is_slope || check->measure == MEASURE_HOST;
    for (size_t i = 0; i < (alone ? 1 : n); i++) {
        struct study_point *const point = study_add_point(check, alone ? NULL : at[i]);
        const struct asking asking = {
            .all = all,
            .check = check,
            .set = n ? sets_find(&all->sets, at[i], is_slope ? check : NULL) : NULL,
            .point = point,
            .level = all->study->level};
        if (rules[check->measure].fill)
            rules[check->measure].fill(&asking);
        else
            point_number(&asking, rules[check->measure].of,
                         rules[check->measure].unknown);
        /* A reason is told in place of a value. */
        if (point->reason)
            point->value = NAN;
    }
}
