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
static int prefix(char **text, const char *name, const char *rest)
{
    char *made = NULL;

    if (asprintf(&made, rest ? "%s:%s" : "%s", name, rest) < 0)
        return -ENOMEM;
    free(*text);
    *text = made;
    return 0;
}

/* The name of a file that is merged: "b.json", or "b.json-2" if there is one already. */
static char *make_name(const struct run *into, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    char *name = strdup(file);

    for (size_t i = 2; name && has_source(into, name); i++) {
        free(name);
        if (asprintf(&name, "%s-%zu", file, i) < 0)
            return NULL;
    }
    return name;
}

static int add_source(struct run *into, const char *name, const struct source *from)
{
    struct source *source = NAMED_ADD(into, sources, n_sources, name);

    if (!source || string_set(&source->fingerprint, from->fingerprint) ||
        string_set(&source->cpu, from->cpu) || string_set(&source->node, from->node) ||
        string_set(&source->started_at, from->started_at) ||
        string_set(&source->tool_version, from->tool_version))
        return -ENOMEM;
    return 0;
}

static int add_sources(struct run *into, const struct run *other, const char *name)
{
    struct source source = {.fingerprint = other->fingerprint,
                            .started_at = other->started_at,
                            .cpu = (char *)facts_find_text(&other->host, "cpu"),
                            .node = (char *)facts_find_text(&other->host, "node"),
                            .tool_version = other->tool_version};
    int code = add_source(into, name, &source);

    for (size_t i = 0; i < other->n_sources && !code; i++) {
        FREED_BY(free_memory) char *longer = NULL;
        code = prefix(&longer, name, other->sources[i].name)
                   ?: add_source(into, longer, &other->sources[i]);
    }
    return code;
}

static int rename_result(struct result *result, const char *name)
{
    int code = prefix(&result->id, name, result->id ?: "")
                   ?: prefix(&result->source, name, result->source);

    if (!code && result->limit_id)
        code = prefix(&result->limit_id, name, result->limit_id);
    if (!code && result->summary.limit.id)
        code = prefix(&result->summary.limit.id, name, result->summary.limit.id);
    for (size_t i = 0; i < result->summary.n_ratios && !code; i++)
        code = prefix(&result->summary.ratios[i].baseline, name,
                      result->summary.ratios[i].baseline);
    return code;
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

int results_sort(struct run *run)
{
    size_t n = run->n_results;
    FREED_BY(free_memory) struct order *order = calloc(n + 1, sizeof *order);
    FREED_BY(free_memory) struct result *old = calloc(n + 1, sizeof *old);
    int code = order && old ? 0 : -ENOMEM;

    for (size_t i = 0; i < n && !code; i++) {
        old[i] = run->results[i];
        order[i] = (struct order){old[i].group, i};
    }
    if (!code)
        qsort(order, n, sizeof *order, compare_order);
    for (size_t i = 0; i < n && !code; i++)
        run->results[i] = old[order[i].index];
    return code;
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

int result_move(struct run *into, struct result *result, size_t group, bool baseline)
{
    struct result *moved = run_add_result(into);

    if (!moved)
        return -ENOMEM;
    *moved = *result;
    *result = (struct result){.id = NULL};
    moved->group = group;
    moved->is_baseline |= baseline;
    return 0;
}

static int move_results(struct run *into, struct run *other, const char *name)
{
    size_t n = into->n_results, group = n ? into->results[n - 1].group + 1 : 0;
    int code = 0;

    for (size_t first = 0, end; first < other->n_results && !code; first = end) {
        bool alone = false;
        end = run_group_end(other, first);
        for (size_t i = first; i < end && !code; i++) {
            struct result *result = &other->results[i];
            if (result->is_roof)
                continue;
            const struct result *partner = find_partner(into, n, result);
            alone |= !partner;
            code = rename_result(result, name)
                       ?: result_move(into, result, partner ? partner->group : group,
                                      partner != NULL);
        }
        group += alone;
    }
    return code;
}

int run_merge(struct run *into, struct run *other, const char *path, struct error *error)
{
    FREED_BY(free_memory) char *name = make_name(into, path);
    int code = name ? add_sources(into, other, name) : -ENOMEM;

    results_number(into);
    code = code ?: move_results(into, other, name)
                ?: results_sort(into) ?: run_summarise(into, GROUP_ALL);
    return code ? error_set(error, code, "out of memory") : 0;
}
