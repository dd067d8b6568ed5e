/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a fleet in words. */
#include <math.h>

#include "fleet.h"

/* Hosts that the answer names, and runs of a host from which on nothing is asked. */
enum { NAMED = 5, ENOUGH_RUNS = 3 };

/* A host's cases with a verdict that is not ALIKE. */
struct outlier {
    const struct fleet_case *worst; /* NULL: there is none */
    const struct fleet_point *point;
    size_t slow, fast, runs;
};

static double distance(const struct fleet_point *point)
{
    return fabs(log(point->ratio));
}

static struct outlier outlier_of(const struct fleet *fleet, size_t host)
{
    struct outlier found = {.runs = fleet->hosts[host].runs};
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        FOR_EACH (const struct fleet_point, point, one->points, one->n) {
            if (point->host != host || point->verdict == FLEET_ALIKE)
                continue;
            found.slow += point->verdict == FLEET_SLOW;
            found.fast += point->verdict == FLEET_FAST;
            if (!found.worst || distance(point) > distance(found.point)) {
                found.worst = one;
                found.point = point;
            }
        }
    return found;
}

/* The outlier that follows `before` by distance and then by place. */
static bool next_outlier(const struct fleet *fleet, struct outlier *at)
{
    struct outlier next = {.worst = NULL};
    for (size_t host = 0; host < fleet->n_hosts; host++) {
        const struct outlier one = outlier_of(fleet, host);
        if (!one.worst)
            continue;
        const double far = distance(one.point),
                     last = at->worst ? distance(at->point) : INFINITY;
        if (far > last || (far == last && one.point->host <= at->point->host))
            continue;
        if (!next.worst || far > distance(next.point))
            next = one;
    }
    *at = next;
    return next.worst;
}

static void outlier_tell(const struct fleet *fleet, const struct outlier *outlier,
                         struct buffer *text)
{
    const double change = outlier->point->ratio - 1;
    const size_t cases = outlier->slow + outlier->fast;
    buffer_plain(text, fleet->hosts[outlier->point->host].node);
    const bool enough = outlier->runs >= ENOUGH_RUNS;
    buffer_format(text, " %s %s: %.1f%% %s in ", enough ? "is" : "may be",
                  !outlier->fast   ? "slow"
                  : !outlier->slow ? "fast"
                                   : "slow and fast",
                  100 * fabs(change), change > 0 ? "more time" : "less time");
    buffer_plain(text, outlier->worst->id);
    if (cases > 1)
        buffer_format(text, ", and in %zu more case%s", cases - 1, cases == 2 ? "" : "s");
    if (!enough)
        buffer_format(text, "; it has %zu run%s, and %d would rule out chance",
                      outlier->runs, outlier->runs == 1 ? "" : "s", ENOUGH_RUNS);
}

static void fleet_tell(const struct fleet *fleet, struct buffer *text)
{
    size_t outliers = 0;
    bool judged = false;
    for (size_t host = 0; host < fleet->n_hosts; host++)
        outliers += outlier_of(fleet, host).worst != NULL;
    FOR_EACH (const struct fleet_case, one, fleet->cases, fleet->n_cases)
        judged |= one->judged;
    buffer_format(text, "%zu host%s, %zu run%s: ", fleet->n_hosts,
                  fleet->n_hosts == 1 ? "" : "s", fleet->runs,
                  fleet->runs == 1 ? "" : "s");
    if (!judged)
        buffer_format(text, "no host is judged, as no kind has %d hosts", FLEET_MIN);
    else if (!outliers)
        buffer_add(text, "no host does otherwise than its kind");
    else
        buffer_format(text, "%zu do%s otherwise than %s kind", outliers,
                      outliers == 1 ? "es" : "", outliers == 1 ? "its" : "their");
}

struct answer fleet_answer(const struct fleet *fleet)
{
    struct answer answer = {.n = 0};
    struct outlier outlier = {.worst = NULL};
    fleet_tell(fleet, &answer.text);
    answer_next(&answer);
    for (int i = 0; i < NAMED && next_outlier(fleet, &outlier); i++) {
        outlier_tell(fleet, &outlier, &answer.text);
        answer_next(&answer);
    }
    return answer;
}
