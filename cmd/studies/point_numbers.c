/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no times: counts, errors, facts of the code and of the host. */
#include "studies/studies_private.h"

#include <math.h>

/* A number of one case. */
static struct estimate exact(double value)
{
    return (struct estimate){
        value, {.known = isfinite(value), .lo = value, .hi = value, .level = 1}};
}

static struct estimate sampled(const double *values, size_t n, double level)
{
    return (struct estimate){stats_median(values, n),
                             stats_median_interval(values, n, level)};
}

static double rule_rate(const double *ns, const void *context)
{
    const double *const work = context;
    return *work / ns[0];
}

static double rule_per_op(const double *ns, const void *context)
{
    const double *const ops = context;
    return ns[0] / *ops;
}

static struct estimate counted(const struct result *result, const char *name,
                               double level)
{
    const double value = measured_counter(result, name);
    for (size_t i = 0; i < result->samples.n_counters && !isnan(value); i++) {
        const struct counter *const counter = &result->samples.counters[i];
        if (strcmp(counter->name, name) != 0)
            continue;
        struct estimate raw = sampled(counter->samples, counter->n, level);
        raw.value = value;
        raw.ci.lo =
            fmax(raw.ci.lo / (double)result->samples.iterations - counter->overhead, 0);
        raw.ci.hi =
            fmax(raw.ci.hi / (double)result->samples.iterations - counter->overhead, 0);
        return raw;
    }
    return exact(measured_metric(result, name));
}

struct estimate metric_of(const struct asking *asking, const struct member *member)
{
    const char *const what = asking->check->what;
    const struct result *const result = member_result(member);
    const struct series *const alone[] = {&member->series};
    if (!strcmp(what, "workspace_bytes"))
        return exact(result->samples.workspace_bytes);
    if (!strcmp(what, "threads_used"))
        return exact(result->threads_used ? result->threads_used : NAN);
    if (!strcmp(what, "ghz"))
        return sampled(result->samples.clock_ghz, result->samples.n_clock, asking->level);
    if (!strcmp(what, "gops"))
        return series_estimate(alone, 1, asking->level, rule_rate, &result->work.ops);
    if (!strcmp(what, "gbs"))
        return series_estimate(alone, 1, asking->level, rule_rate, &result->work.bytes);
    if (!strcmp(what, "ns_per_op"))
        return series_estimate(alone, 1, asking->level, rule_per_op, &result->work.ops);
    return counted(result, what, asking->level);
}

struct estimate accuracy_of(const struct asking *asking, const struct member *member)
{
    const struct result *const result = member_result(member);
    const bool mean = asking->check->what && !strcmp(asking->check->what, "mean_ulp");
    return exact(!result->accuracy.known ? NAN
                 : mean                  ? result->accuracy.mean_ulp
                                         : result->accuracy.max_ulp);
}

/* A fact, or one over another: "branches/fma". */
struct estimate fact_of(const struct asking *asking, const struct member *member)
{
    char name[128];
    const char *const what = asking->check->what;
    const char *const below = strchr(what, '/');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(what, "/"), what);
    const enum inspect_fact fact = inspect_fact_find(name);
    const enum inspect_fact other = below ? inspect_fact_find(below + 1) : INSPECT_FACTS;
    if (fact == INSPECT_FACTS || (below && other == INSPECT_FACTS))
        no_value(asking, "there is no fact of that name");
    else if (member->not_traced)
        no_value(asking, member->not_traced);
    else
        return exact(inspect_fact_value(&member->facts, fact) /
                     (below ? inspect_fact_value(&member->facts, other) : 1));
    return exact(NAN);
}

/* Two numbers become one; their samples are not paired, so neither is the interval. */
static struct estimate join(const struct estimate *a, const struct estimate *b,
                            enum study_as as)
{
    const bool ratio = as == AS_RATIO;
    struct estimate both = {.value = ratio ? a->value / b->value : a->value - b->value};
    both.ci = (struct interval){.known = a->ci.known && b->ci.known,
                                .lo = ratio ? a->ci.lo / b->ci.hi : a->ci.lo - b->ci.hi,
                                .hi = ratio ? a->ci.hi / b->ci.lo : a->ci.hi - b->ci.lo,
                                .level = fmin(a->ci.level, b->ci.level)};
    return both;
}

void point_number(const struct asking *asking, number_of *of, const char *unknown)
{
    struct estimate value[2] = {{.value = NAN}};
    const size_t n = asking->check->n_of < 2 ? 1 : 2;
    for (size_t i = 0; i < n; i++) {
        const struct member *const member = asked_member(asking, i, 0);
        if (!member)
            return;
        value[i] = of(asking, member);
        if (isnan(value[i].value)) {
            no_value(asking, unknown);
            return;
        }
    }
    const struct estimate whole =
        n == 2 ? join(&value[0], &value[1], asking->check->as) : value[0];
    take_estimate(asking, &whole);
}

/* ---- the host ---- */

static double host_value(const struct run *run, const char *what)
{
    char name[64];
    if (isa_find(what) >= 0)
        return isa_runs(what, NULL, 0);
    const double number = facts_find_number(&run->host, what);
    if (!isnan(number))
        return number;
    /* "l2_bytes": of data. */
    for (const char *kind = "du"; *kind && strlen(what) > 3; kind++) {
        snprintf(name, sizeof name, "%.2s%c%s", what, *kind, what + 2);
        if (!isnan(facts_find_number(&run->host, name)))
            return facts_find_number(&run->host, name);
    }
    return NAN;
}

void point_host(const struct asking *asking)
{
    const double value = host_value(asking->all->run, asking->check->what);
    if (isnan(value))
        no_value(asking, "this host does not tell");
    else
        study_point_exact(asking->point, value);
}
