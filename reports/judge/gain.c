/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <math.h>

bool gain_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->samples.n;
}

struct gain gain_between(const struct result *one, const struct result *many)
{
    const struct speedup speedup = result_speedup(many, one);
    struct gain gain = {.times = NAN};
    /* Register mixes run whole in each thread: more work in the same time. */
    const double more =
        one->work.ops > 0 && many->work.ops > 0 ? many->work.ops / one->work.ops : 1;
    if (speedup.rounds)
        gain = (struct gain){.times = more * speedup.times,
                             .ci = {.known = speedup.ci.known,
                                    .lo = more * speedup.ci.lo,
                                    .hi = more * speedup.ci.hi,
                                    .level = speedup.ci.level}};
    return gain;
}

static bool same_settings(const struct setting *a, size_t n_a, const struct setting *b,
                          size_t n_b)
{
    bool same = n_a == n_b;
    for (size_t i = 0; i < n_a && same; i++)
        same = !strcmp(a[i].name, b[i].name) && !strcmp(a[i].value, b[i].value);
    return same;
}

/* The setting stands first. */
static size_t tells_threads(const struct result *result)
{
    return result->n_settings && !strcmp(result->settings[0].name, "threads");
}

static bool same_but_threads(const struct result *a, const struct result *b)
{
    const size_t skip_a = tells_threads(a), skip_b = tells_threads(b);
    return a->group == b->group && text_same(a->module.name, b->module.name) &&
           text_same(a->op, b->op) && text_same(a->type, b->type) &&
           text_same(a->isa, b->isa) && text_same(a->variant, b->variant) &&
           text_same(a->shape, b->shape) &&
           same_settings(a->module.options, a->module.n_options, b->module.options,
                         b->module.n_options) &&
           same_settings(
               skip_a ? a->settings + skip_a : a->settings, a->n_settings - skip_a,
               skip_b ? b->settings + skip_b : b->settings, b->n_settings - skip_b);
}

/* The same work with that many threads. */
const struct result *gain_partner(const struct run *run, const struct result *one,
                                  uint32_t threads)
{
    FOR_EACH (const struct result, many, run->results, run->n_results)
        if (many->threads == (int)threads && same_but_threads(one, many))
            return many;
    return NULL;
}

static bool is_pair(const struct result *one, const struct result *many)
{
    return many && gain_measured(one) && gain_measured(many);
}

/* The gain of a group by more threads, the geometric mean of its kernels; 0 if one kernel
 * is certainly slower, NaN if nothing was measured, or none is certainly faster. Some
 * cannot gain, as one thread of them takes all there is of the memory. */
static double group_gain(const struct run *run, size_t group, uint32_t threads)
{
    double logs = 0;
    size_t n = 0;
    bool sure = false;
    FOR_EACH (const struct result, one, run->results, run->n_results) {
        if (one->group != group || one->is_roof || one->threads > 1)
            continue;
        const struct result *const many = gain_partner(run, one, threads);
        if (!is_pair(one, many))
            continue;
        const struct gain gain = gain_between(one, many);
        if (!gain.ci.known || gain.ci.hi < 1)
            return 0;
        logs += log(gain.times);
        sure |= gain.ci.lo > 1;
        n++;
    }
    return n && (sure || logs <= 0) ? exp(logs / (double)n) : NAN;
}

double gain_least_work(const struct run *run, uint32_t threads, const char **shape)
{
    double worst = -1, least = INFINITY;
    bool any = false;
    for (int pass = 0; pass < 2; pass++)
        FOR_EACH (const struct result, one, run->results, run->n_results) {
            if (one->is_roof || one->threads > 1)
                continue;
            any |= is_pair(one, gain_partner(run, one, threads));
            if (one->work.ops <= worst)
                continue;
            const double gain = group_gain(run, one->group, threads);
            if (pass == 0 && gain <= 1)
                worst = one->work.ops;
            if (pass == 1 && gain > 1 && one->work.ops < least) {
                least = one->work.ops;
                *shape = one->shape;
            }
        }
    return any ? least : NAN;
}
