/* SPDX-License-Identifier: Apache-2.0 */
#include "merge.h"

static bool same(const char *a, const char *b)
{
    return !strcmp(a ?: "", b ?: "");
}

/* Older files have the layout in the shape alone. */
static bool same_work(const struct result *a, const struct result *b)
{
    if (!same(a->op, b->op) || !same(a->shape, b->shape) ||
        !same(result_element(a), result_element(b)) || a->n_settings != b->n_settings ||
        (a->layout && b->layout && !same(a->layout, b->layout)))
        return false;
    for (size_t i = 0; i < a->n_settings; i++)
        if (!same(a->settings[i].name, b->settings[i].name) ||
            !same(a->settings[i].value, b->settings[i].value))
            return false;
    return true;
}

/* The result among the first `n` whose group does the same work, or NULL. */
static const struct result *find_partner(const struct run *run, size_t n,
                                         const struct result *result)
{
    for (size_t i = 0; i < n; i++)
        if (!run->results[i].is_roof && same_work(&run->results[i], result))
            return &run->results[i];
    return NULL;
}

static bool has_source(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->n_sources; i++)
        if (same(run->sources[i].name, name))
            return true;
    return false;
}

/* Sets the text to "NAME:REST", or to the name alone: a result that was merged before
 * keeps its source behind the new name. */
static void prefix(char **text, const char *name, const char *rest)
{
    char *made;

    must(asprintf(&made, rest ? "%s:%s" : "%s", name, rest));
    free(*text);
    *text = made;
}

/* The name of a file that is merged: "b.json", or "b.json-2" if there is one already. */
static char *make_name(const struct run *into, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char *name = copy_text(file);

    for (size_t i = 2; has_source(into, name); i++) {
        free(name);
        must(asprintf(&name, "%s-%zu", file, i));
    }
    return name;
}

static void add_source(struct run *into, const char *name, const struct source *from)
{
    struct source *source = NAMED_ADD(into, sources, n_sources, name);

    source->fingerprint = copy_text(from->fingerprint);
    source->cpu = copy_text(from->cpu);
    source->node = copy_text(from->node);
    source->started_at = copy_text(from->started_at);
    source->tool_version = copy_text(from->tool_version);
}

static void add_sources(struct run *into, const struct run *other, const char *name)
{
    struct source source = {.fingerprint = other->fingerprint,
                            .started_at = other->started_at,
                            .cpu = (char *)facts_find_text(&other->host, "cpu"),
                            .node = (char *)facts_find_text(&other->host, "node"),
                            .tool_version = other->tool_version};

    add_source(into, name, &source);
    for (size_t i = 0; i < other->n_sources; i++) {
        FREED_BY(free_memory) char *longer = NULL;
        prefix(&longer, name, other->sources[i].name);
        add_source(into, longer, &other->sources[i]);
    }
}

static void rename_result(struct result *result, const char *name)
{
    prefix(&result->id, name, result->id ?: "");
    prefix(&result->source, name, result->source);
    if (result->limit_id)
        prefix(&result->limit_id, name, result->limit_id);
    if (result->summary.limit.id)
        prefix(&result->summary.limit.id, name, result->summary.limit.id);
    for (size_t i = 0; i < result->summary.n_ratios; i++)
        prefix(&result->summary.ratios[i].baseline, name,
               result->summary.ratios[i].baseline);
}

struct order {
    size_t group, index;
};

static int compare_order(const void *left, const void *right)
{
    const struct order *a = left, *b = right;

    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

void results_sort(struct run *run)
{
    size_t n = run->n_results;
    FREED_BY(free_memory) struct order *order = must_have(calloc(n + 1, sizeof *order));
    FREED_BY(free_memory) struct result *old = must_have(calloc(n + 1, sizeof *old));

    for (size_t i = 0; i < n; i++) {
        old[i] = run->results[i];
        order[i] = (struct order){old[i].group, i};
    }
    qsort(order, n, sizeof *order, compare_order);
    for (size_t i = 0; i < n; i++)
        run->results[i] = old[order[i].index];
}

void results_number(struct run *run)
{
    size_t group = 0;

    for (size_t first = 0, end; first < run->n_results; first = end, group++) {
        end = run_group_end(run, first);
        for (size_t i = first; i < end; i++)
            run->results[i].group = group;
    }
}

void result_move(struct run *into, struct result *result, size_t group, bool baseline)
{
    struct result *moved = run_add_result(into);

    *moved = *result;
    *result = (struct result){.id = NULL};
    moved->group = group;
    moved->is_baseline |= baseline;
}

static void move_results(struct run *into, struct run *other, const char *name)
{
    size_t n = into->n_results, group = n ? into->results[n - 1].group + 1 : 0;

    for (size_t first = 0, end; first < other->n_results; first = end) {
        bool alone = false;
        end = run_group_end(other, first);
        for (size_t i = first; i < end; i++) {
            struct result *result = &other->results[i];
            if (result->is_roof)
                continue;
            const struct result *partner = find_partner(into, n, result);
            alone |= !partner;
            rename_result(result, name);
            result_move(into, result, partner ? partner->group : group, partner != NULL);
        }
        group += alone;
    }
}

void run_merge(struct run *into, struct run *other, const char *path)
{
    FREED_BY(free_memory) char *name = make_name(into, path);

    add_sources(into, other, name);
    results_number(into);
    move_results(into, other, name);
    results_sort(into);
    run_summarise(into, GROUP_ALL);
}
