/* SPDX-License-Identifier: Apache-2.0 */
/* A run that was read is believed where its parts agree. */
#include <math.h>

#include "json_value.h"

/* Writers round nothing; others may. */
#define TOLERANCE 1e-6
enum { ID_MAX = 16 * MODEL_NAME_MAX };

static int check_length(const struct value *entry, const char *name, const char *text,
                        size_t most)
{
    const struct value value = value_member(entry, name);
    const size_t length = text ? strlen(text) : 0;

    return length > most
               ? VALUE_FAIL(&value, "%zu bytes; a name has at most %zu", length, most)
               : 0;
}

static int check_names(const struct value *entry, const struct result *result)
{
    const char *const names[][2] = {
        {"op", result->op},
        {"type", result->type},
        {"isa", result->isa},
        {"variant", result->variant},
        {"shape", result->shape},
        {"layout", result->layout},
        {"module", result->module.name},
    };
    int code = check_length(entry, "id", result->id, ID_MAX);

    for (size_t i = 0; i < ARRAY_LEN(names) && !code; i++)
        code = check_length(entry, names[i][0], names[i][1], MODEL_NAME_MAX);
    return code;
}

/* `said` is NaN where it is not known. */
static int check_number(const struct value *summary, const char *name, double said,
                        double found)
{
    const struct value value = value_member(summary, name);
    const bool both = isfinite(said) && isfinite(found);

    return both && fabs(said - found) > TOLERANCE * fmax(said, found)
               ? VALUE_FAIL(&value, "%.10g, but samples_ns give %.10g", said, found)
               : 0;
}

/* The same order statistics have the same level. */
static int check_interval(const struct value *summary, const struct interval *said,
                          const double *ns, size_t n)
{
    const struct interval found =
        stats_median_interval(ns, n, said->known ? said->level - 1e-9 : 1);

    if (!said->known || !found.known)
        return 0;
    return check_number(summary, "ci_ns", said->lo, found.lo)
               ?: check_number(summary, "ci_ns", said->hi, found.hi);
}

static int check_summary(const struct value *entry, const struct result *result)
{
    const struct value summary = value_member(entry, "summary");
    const size_t n = result->samples.n;

    if (!n || !result->samples.iterations || !result_has_summary(result))
        return 0;
    if (value_absent(&summary))
        return VALUE_FAIL(&summary, "missing, but there are samples_ns");
    FREED_BY(free_memory) double *ns = must_have(malloc(n * sizeof *ns));
    for (size_t i = 0; i < n; i++)
        ns[i] = result_per_call(result, i);
    return check_number(&summary, "median_ns", result->summary.median_ns,
                                  stats_median(ns, n))
                         ?: check_number(&summary, "min_ns", result->summary.min_ns,
                                         stats_min(ns, n))
                         ?: check_interval(&summary, &result->summary.ci_ns, ns, n);
}

static int check_source(const struct value *entry, const struct run *run,
                        const char *source)
{
    const struct value value = value_member(entry, "source");

    for (size_t i = 0; source && i < run->n_sources; i++)
        if (!strcmp(run->sources[i].name, source))
            return 0;
    return source ? VALUE_FAIL(&value, "'sources' has none of this name") : 0;
}

int json_plausible_result(const struct value *entry, const struct run *run,
                          const struct result *result)
{
    return check_names(entry, result)
               ?: check_source(entry, run, result->source)
               ?: check_summary(entry, result);
}

/* ---- ids ---- */

/* A roof stands once in each group that it limits, and a case of its own may measure it.
 * An arm of a study stands in each group of arms that take turns with it. */
static bool may_share(const struct run *run, const struct result *a,
                      const struct result *b)
{
    return (a->is_roof || b->is_roof || run->n_studies) && a->group != b->group;
}

int json_plausible_run(const struct run *run, struct error *error)
{
    size_t n;
    FREED_BY(free_memory) struct result **list = run_by_id(run, NULL, &n);
    int code = 0;

    for (size_t i = 1; i < n && !code; i++) {
        if (strcmp(list[i - 1]->id, list[i]->id) != 0 ||
            may_share(run, list[i - 1], list[i]))
            continue;
        const struct place results = {.key = "results"};
        const struct place entry = {.parent = &results,
                                    .index = (size_t)(list[i] - run->results)};
        const struct place id = {.parent = &entry, .key = "id"};
        code = place_error(&id, error, -EINVAL, "results[%zu] has this id already",
                           (size_t)(list[i - 1] - run->results));
    }
    return code;
}
