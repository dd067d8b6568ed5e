/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that filters: what the user asked for, times what is on offer. */
#include "select.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool listed(const struct text_list *patterns, const char *text)
{
    for (size_t i = 0; i < patterns->n; i++) {
        if (text_glob(patterns->item[i], text))
            return true;
    }
    return patterns->n == 0;
}

/* Does the user want this kernel, but for --filter, which needs the id? */
static bool wanted(const struct selection *selection, const struct offer *offer,
                   uint32_t type, const struct shape_info *shape)
{
    const struct options *options = selection->options;
    bool registers = offer->flags & SIMDBENCH_REGISTERS;
    if (strcmp(offer->op, selection->op) || offer->type != type ||
        registers != (shape->shape.rank == 0))
        return false;
    if (offer->is_baseline)
        return true;
    /* A plug-in is there to be measured, whatever is the best of our own. */
    bool any_isa = !strcmp(offer->isa, "lib") ||
                   (selection->isa_auto && worker_info(offer->worker)->path);
    if (!any_isa && !selection_has(&selection->isas, offer->isa))
        return false;
    if (offer->semiring && !selection_has(&selection->semirings, offer->semiring))
        return false;
    if (!listed(&options->variants, offer->variant))
        return false;
    return !(offer->flags & SIMDBENCH_PATHOLOGY) || options->pathologies ||
           options->variants.n > 0;
}

/* [module[,option=value]...:]op/[semiring-]type/isa/variant@shape[;setting=value]... */
static char *make_id(const struct options *options, const struct offer *offer,
                     const char *shape)
{
    char settings[256] = "";
    int n = 0;
    if (options->threads > 1)
        n += snprintf(settings + n, sizeof settings - (size_t)n, ";threads=%u",
                      options->threads);
    if (options->cold)
        n += snprintf(settings + n, sizeof settings - (size_t)n, ";cache=cold");
    if (options->huge_pages)
        n += snprintf(settings + n, sizeof settings - (size_t)n, ";pages=2m");
    if (options->align != 64)
        n += snprintf(settings + n, sizeof settings - (size_t)n, ";align=%" PRIu64,
                      options->align);
    if (options->input)
        n += snprintf(settings + n, sizeof settings - (size_t)n, ";input=%.64s",
                      options->input);
    const struct worker_info *worker = worker_info(offer->worker);
    char *id = NULL;
    if (asprintf(&id, "%s%s%s/%s%s%s/%s/%s@%s%s", worker->path ? worker->name : "",
                 worker->path ? ":" : "", offer->op,
                 offer->semiring ? offer->semiring : "", offer->semiring ? "-" : "",
                 type_name(offer->type), offer->isa, offer->variant, shape, settings) < 0)
        return NULL;
    return id;
}

static struct plan_case *add_case(struct plan_group *group, size_t offer, char *id)
{
    struct plan_case *cases =
        id ? realloc(group->cases, (group->n_cases + 1) * sizeof *cases) : NULL;
    if (!cases) {
        free(id);
        return NULL;
    }
    group->cases = cases;
    cases[group->n_cases] = (struct plan_case){.id = id, .offer = offer};
    return &cases[group->n_cases++];
}

/* The roof that limits a kernel: same type, its mix, its ISA (a library's: the best
 * here). */
static int add_limit(const struct selection *selection, struct plan_group *group,
                     size_t number)
{
    const struct catalog *catalog = selection->catalog;
    const struct offer *offer = &catalog->offers[group->cases[number].offer];
    if (!offer->roof || group->cases[number].skip || !strcmp(offer->op, "roof"))
        return 0;
    const char *isa = strcmp(offer->isa, "lib") ? offer->isa : isa_get(isa_best())->name;
    for (size_t i = 0; i < catalog->n_offers; i++) {
        const struct offer *roof = &catalog->offers[i];
        if (!roof->is_roof || roof->type != offer->type || strcmp(roof->isa, isa) ||
            strcmp(roof->variant, offer->roof))
            continue;
        char bytes[32];
        snprintf(bytes, sizeof bytes, "%.0f", group->shape.bytes);
        char *id = make_id(selection->options, roof,
                           roof->flags & SIMDBENCH_REGISTERS ? "registers" : bytes);
        if (!id)
            return -ENOMEM;
        group->cases[number].limit_id = strdup(id);
        for (size_t k = 0; k < group->n_cases; k++) {
            if (!strcmp(group->cases[k].id, id)) {
                free(id);
                return 0;
            }
        }
        return add_case(group, i, id) ? 0 : -ENOMEM;
    }
    return 0;
}

static void group_free(struct plan_group *group)
{
    for (size_t i = 0; i < group->n_cases; i++) {
        free(group->cases[i].id);
        free(group->cases[i].skip);
        free(group->cases[i].limit_id);
    }
    free(group->cases);
    free(group->op);
}

static int fill_group(const struct selection *selection, struct plan_group *group,
                      struct error *error)
{
    const struct catalog *catalog = selection->catalog;
    size_t kernels = 0;
    for (int baselines = 0; baselines < 2; baselines++) {
        for (size_t i = 0; i < catalog->n_offers; i++) {
            const struct offer *offer = &catalog->offers[i];
            if (offer->is_baseline != baselines ||
                !wanted(selection, offer, group->type, &group->shape))
                continue;
            char *id = make_id(selection->options, offer, group->shape.text);
            if (id && !offer->is_baseline && !listed(&selection->options->filters, id)) {
                free(id);
                continue;
            }
            struct plan_case *entry = add_case(group, i, id);
            if (!entry)
                return error_set(error, -ENOMEM, "out of memory");
            kernels += !offer->is_baseline;
            char reason[256];
            int isa = isa_find(offer->isa);
            if (isa >= 0 && !isa_available((size_t)isa, reason, sizeof reason))
                entry->skip = strdup(reason);
        }
    }
    if (!kernels) {
        group_free(group);
        *group = (struct plan_group){.n_cases = 0};
        return 0;
    }
    size_t n = group->n_cases;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(group->cases[i].id, group->cases[k].id))
                return error_set(error, -EEXIST, "two cases are called %s",
                                 group->cases[i].id);
        }
        if (add_limit(selection, group, i) < 0)
            return error_set(error, -ENOMEM, "out of memory");
    }
    return 0;
}

/* Operands, their check data and the workspace of kernels, each about as large again. */
static int check_memory(const struct selection *selection, const struct plan_group *group,
                        struct error *error)
{
    struct operands_map map = group->shape.map;
    struct error why = {.text = ""};
    int status = operands_offsets(&map, selection->options->align, 0, &why);
    double need = (double)map.bytes * (selection->options->huge_pages ? 3 : 2);
    double have = (double)memory_available();
    if (status < 0)
        return error_set(error, status, "--sizes: '%s' of op %s: %s", group->shape.text,
                         group->op, why.text);
    if (have > 0 && need > have)
        return error_set(
            error, -ENOMEM,
            "--sizes: '%s' of op %s needs about %.3g GB of memory, %.3g GB are "
            "available",
            group->shape.text, group->op, need * 1e-9, have * 1e-9);
    return 0;
}

static int add_group(const struct selection *selection, uint32_t type, const char *text,
                     struct plan *plan, struct error *error)
{
    struct plan_group group = {.op = strdup(selection->op), .type = type};
    int status =
        catalog_shape(selection->catalog, selection->op, type, text, &group.shape, error);
    for (size_t i = 0; i < plan->n_groups && status == 0; i++) {
        /* Two spellings of one shape ("64" and "64x64x64") are one group. */
        if (plan->groups[i].type == type &&
            !strcmp(plan->groups[i].shape.text, group.shape.text)) {
            group_free(&group);
            return 0;
        }
    }
    if (status == 0)
        status = check_memory(selection, &group, error);
    if (status == 0)
        status = fill_group(selection, &group, error);
    if (status == 0 && group.n_cases) {
        struct plan_group *groups =
            realloc(plan->groups, (plan->n_groups + 1) * sizeof *groups);
        if (groups) {
            plan->groups = groups;
            plan->groups[plan->n_groups++] = group;
            return 0;
        }
        status = error_set(error, -ENOMEM, "out of memory");
    }
    group_free(&group);
    return status;
}

int plan_make(const struct options *options, const struct catalog *catalog,
              struct plan *plan, struct error *error)
{
    *plan = (struct plan){.n_groups = 0};
    struct selection selection;
    int status = selection_make(options, catalog, &selection, error);
    for (size_t t = 0; t < selection.n_types && status == 0; t++) {
        for (size_t s = 0; s < selection.shapes.n && status == 0; s++)
            status = add_group(&selection, selection.types[t], selection.shapes.item[s],
                               plan, error);
    }
    if (status == 0 && !plan->n_groups)
        status =
            error_set(error, -EINVAL,
                      "nothing matches: no kernel of op %s has these --isa, --semiring, "
                      "--type, --variants and --filter (see: simdbench list kernels)",
                      selection.op);
    selection_free(&selection);
    if (status < 0)
        plan_free(plan);
    return status;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_groups; i++)
        group_free(&plan->groups[i]);
    free(plan->groups);
    *plan = (struct plan){.n_groups = 0};
}

void plan_print(const struct plan *plan, FILE *file)
{
    size_t cases = 0;
    for (size_t g = 0; g < plan->n_groups; g++) {
        const struct plan_group *group = &plan->groups[g];
        fprintf(file, "group %zu: %s %s %s, %.6g operations, %.6g bytes\n", g + 1,
                group->op, type_name(group->type), group->shape.text, group->shape.ops,
                group->shape.bytes);
        for (size_t i = 0; i < group->n_cases; i++, cases++) {
            const struct plan_case *entry = &group->cases[i];
            char id[512];
            text_plain(entry->id, id, sizeof id);
            fprintf(file, "  %s%s%s\n", id, entry->skip ? "  skipped: " : "",
                    entry->skip ? entry->skip : "");
        }
    }
    fprintf(file, "%zu cases in %zu groups\n", cases, plan->n_groups);
}
