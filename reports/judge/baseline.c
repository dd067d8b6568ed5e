/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

size_t id_label(const char *id, const char *op)
{
    size_t length = strlen(op);

    /* Option values may hold ':' too: the label ends where ":op/" begins. */
    for (const char *colon = strchr(id, ':'); colon; colon = strchr(colon + 1, ':'))
        if (!strncmp(colon + 1, op, length) && colon[1 + length] == '/')
            return (size_t)(colon - id);
    return 0;
}

size_t baseline_label(const struct result *result)
{
    return id_label(result->id ?: "", result->op ?: "");
}

bool result_meets_own(const struct result *result, const struct result *own)
{
    return result->module.name && !result->is_baseline && !result->is_roof &&
           !own->module.name && !own->is_baseline && !own->is_roof &&
           result->group == own->group && text_same(result->type, own->type);
}

bool run_meets_own(const struct run *run)
{
    for (size_t first = 0, end; first < run->n_results; first = end) {
        end = run_group_end(run, first);
        for (size_t i = first; i < end; i++)
            for (size_t k = first; k < end && run->results[i].module.name; k++)
                if (result_meets_own(&run->results[i], &run->results[k]))
                    return true;
    }
    return false;
}

static const struct result *find_baseline(const struct run *run,
                                          const struct result *result, const char *id)
{
    size_t at = (size_t)(result - run->results), first = at;

    while (first && run->results[first - 1].group == result->group)
        first--;
    for (size_t i = first; i < run->n_results; i++) {
        const struct result *other = &run->results[i];
        if (other->group != result->group)
            break;
        if (other->is_baseline && other->id && !strcmp(other->id, id))
            return other;
    }
    return NULL;
}

static struct versus find_ratio(const struct run *run, const struct result *result,
                                const struct ratio *ratios, size_t n, const char *label,
                                size_t length)
{
    struct versus found = {.ratio = NULL};

    /* Rows of one library are no opponents of each other. */
    if (result->is_baseline && baseline_label(result) == length &&
        !strncmp(result->id, label, length))
        return found;
    FOR_EACH (const struct ratio, ratio, ratios, n) {
        const struct result *baseline;
        bool ranked;
        if (!ratio->baseline || strncmp(ratio->baseline, label, length) ||
            id_label(ratio->baseline, result->op ?: "") != length)
            continue;
        baseline = find_baseline(run, result, ratio->baseline);
        ranked = !(baseline && baseline->unranked);
        if (found.ratio &&
            (found.ranked == ranked ? ratio->speedup >= found.ratio->speedup : !ranked))
            continue;
        found = (struct versus){.ratio = ratio, .ranked = ranked};
    }
    return found;
}

struct versus baseline_ratio(const struct run *run, const struct result *result,
                             const char *label, size_t length)
{
    return find_ratio(run, result, result->summary.ratios, result->summary.n_ratios,
                      label, length);
}

struct versus baseline_ratio_before(const struct run *run, const struct result *result,
                                    const char *label, size_t length)
{
    const struct comparison *const c = result->comparison;

    return find_ratio(run, result, c ? c->base_ratios : NULL, c ? c->n_base_ratios : 0,
                      label, length);
}

/* ---- the row that a run names ---- */

static bool is_named(const struct result *result, const char *name)
{
    const size_t isa = strlen(result->isa ?: "");
    return text_same(result->isa, name) || text_same(result->variant, name) ||
           (isa && !strncmp(name, result->isa, isa) && name[isa] == '/' &&
            text_same(result->variant, name + isa + 1));
}

const struct result *relative_base(const struct run *run, const struct result *result)
{
    const char *const name = facts_find_text(&run->settings, "relative_to");
    const struct result *best = NULL;
    if (!name || result->is_roof)
        return NULL;
    FOR_EACH (const struct result, other, run->results, run->n_results)
        if (other->group == result->group && other->status == STATUS_OK &&
            !other->is_roof && result_has_summary(other) && is_named(other, name) &&
            text_same(other->type, result->type) &&
            text_same(other->source, result->source) &&
            (!best || other->summary.median_ns < best->summary.median_ns))
            best = other;
    return best == result ? NULL : best;
}
