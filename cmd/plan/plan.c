/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that filters: what the user asked for, times what is on offer. */
#include "select.h"

#include <math.h>

/* The time to place, fill, check and calibrate a case. */
#define PREPARE_NS 8e6

/* Operands, their check data and the workspace of kernels, each about as large again. */
static int check_memory(const struct selection *selection, const struct plan_group *group,
                        const char *origin, struct error *error)
{
    struct operands_map map = group->shape.map;
    map.sets = group->settings.sets;
    struct error why = {.text = ""};
    int status = operands_offsets(&map, selection->request->settings.align, 0, &why);
    double need = (double)map.bytes * (selection->request->settings.huge_pages ? 3 : 2);
    double have = (double)memory_available();
    if (status < 0)
        return error_set(error, status, "%.200s: '%s' of op %s: %.100s", origin,
                         group->shape.text, group->op, why.text);
    if (have > 0 && need > have)
        return error_set(
            error, -ENOMEM,
            "%.200s: '%s' of op %s needs about %.3g GB of memory, %.3g GB are available",
            origin, group->shape.text, group->op, need * 1e-9, have * 1e-9);
    return 0;
}

/* All groups of one shape, as it was asked for, have this in common. */
struct wanted {
    const struct selection *selection;
    uint32_t type;
    const char *text, *origin;
    struct plan *plan;
};

static bool is_there(const struct plan *plan, const struct plan_group *group)
{
    FOR_EACH (const struct plan_group, other, plan->groups, plan->n_groups) {
        /* Two spellings of one shape ("64" and "64x64x64") are one group. */
        if (!strcmp(other->op, group->op) && other->type == group->type &&
            other->settings.threads == group->settings.threads &&
            !strcmp(other->shape.text, group->shape.text) &&
            !strcmp(other->settings.input ?: "", group->settings.input ?: ""))
            return true;
    }
    return false;
}

/* "conv f32, layout nchw16c: no kernel can run here (this CPU has no AVX-512)". */
static void say_left_out(const struct wanted *wanted, const struct plan_group *group)
{
    char text[256];
    size_t i = 0;
    while (!group->cases[i].skip ||
           wanted->selection->catalog->offers[group->cases[i].offer].is_baseline)
        i++;
    snprintf(text, sizeof text, "%.60s %s%s%s: no kernel can run here (%s)", group->op,
             type_name(group->type), group->shape.layout[0] ? ", layout " : "",
             group->shape.layout, group->cases[i].skip);
    text_list_add_once(&wanted->plan->left_out, text);
}

/* Sets of a group fill at most that share of the cache in which one of them lies. */
#define SETS_SHARE 0.75

/* Calls in several threads have one set: a team belongs to it. */
static int choose_sets(struct plan_group *group, const char *origin, struct error *error)
{
    struct operands_map map = group->shape.map;
    struct error why;
    if (group->settings.sets < 2)
        return 0;
    if (group->settings.threads > 1)
        return invalid(error, "--inputs: with --threads calls have one set");
    if (group->settings.sets != SETS_AUTO)
        return 0;
    const int status = operands_offsets(&map, group->settings.align, 0, &why);
    if (status < 0)
        return error_set(error, status, "%.200s: '%s' of op %s: %.100s", origin,
                         group->shape.text, group->op, why.text);
    const struct memory_levels levels = levels_here();
    const double fit = levels_fit(&levels, (double)operands_set_bytes(&map)) * SETS_SHARE;
    group->settings.sets = (uint32_t)fmin(fmax(fit, 1), SETS_MAX);
    return 0;
}

static int add_group(const struct wanted *wanted, const struct shape_info *shape,
                     const char *input, uint32_t threads, bool any_layout,
                     struct error *error)
{
    const struct selection *selection = wanted->selection;
    struct plan *plan = wanted->plan;
    struct plan_group group = {
        .op = must_have(strdup(selection->op)),
        .type = wanted->type,
        .shape = *shape,
        .settings = selection->request->settings,
    };
    int status = 0;
    group.settings.threads = threads;
    if (!group.settings.sets && threads <= 1 && !*input)
        group.settings.sets = catalog_op_calls(selection->catalog, selection->op);
    group.settings.input = *input ? must_have(strdup(input)) : NULL;
    status = choose_sets(&group, wanted->origin, error);
    if (status == 0 && !is_there(plan, &group))
        status = plan_fill_group(selection, any_layout, &group, &plan->left_out, error);
    if (status == 0 && group.n_cases)
        status = check_memory(selection, &group, wanted->origin, error);
    if (status < 0 || !group.n_cases) {
        plan_free_group(&group);
        return status;
    }
    if (!plan_group_runs(selection->catalog, &group))
        say_left_out(wanted, &group);
    must_grow(plan->groups, plan->n_groups);
    plan->groups[plan->n_groups++] = group;
    return 0;
}

static int add_inputs(const struct wanted *wanted, const struct shape_info *shape,
                      bool any_layout, struct error *error)
{
    const struct text_list *inputs = &wanted->selection->inputs;
    const struct request *const request = wanted->selection->request;
    const struct text_list *rungs = wanted->selection->rungs;
    int status = 0;
    for (size_t i = 0; i < inputs->n; i++)
        for (size_t k = 0; k < request->n_threads && status == 0; k++)
            if (!rungs || text_list_has(&rungs[k], wanted->text))
                status = add_group(wanted, shape, inputs->item[i], request->threads[k],
                                   any_layout, error);
    return status;
}

static int ask_shape(const struct wanted *wanted, const char *layout,
                     struct shape_info *shape, struct error *error)
{
    struct error why = {.text = ""};
    int status = catalog_shape(wanted->selection->catalog, wanted->selection->op,
                               wanted->type, wanted->text, layout, shape, &why);
    if (status < 0)
        return error_set(error, status, "%.100s: %.400s", wanted->origin, why.text);
    /* A function of a library may be asked for nothing: its dispatcher takes time. Beside
     * other sizes it is an edge that is checked. */
    const struct selection *const selection = wanted->selection;
    const bool alone = selection->shapes.n == 1 && op_find(selection->op) &&
                       !catalog_op_owner(selection->catalog, selection->op)->info.path;
    return alone && shape->shape.rank && !shape->ops && !shape->bytes
               ? invalid(error,
                         "%.100s: '%.100s' leaves op %s nothing to do; write 1 or more",
                         wanted->origin, wanted->text, selection->op)
               : 0;
}

/* A shape with a layout of its own keeps it; any other is tried in all of them. */
static int add_layouts(const struct wanted *wanted, struct error *error)
{
    const struct selection *selection = wanted->selection;
    const struct text_list *layouts = &selection->layouts;
    struct shape_info own, other;
    int status = ask_shape(wanted, NULL, &own, error);
    if (status < 0 || !layouts->n)
        return status < 0 ? status : add_inputs(wanted, &own, true, error);
    if (strcmp(own.layout, selection->default_layout) != 0)
        return text_list_has(layouts, own.layout) ? add_inputs(wanted, &own, true, error)
                                                  : 0;
    for (size_t i = 0; i < layouts->n && status == 0; i++) {
        const char *layout = layouts->item[i];
        const bool is_own = !strcmp(layout, own.layout);
        status = is_own ? 0 : ask_shape(wanted, layout, &other, error);
        if (status == 0)
            status = add_inputs(wanted, is_own ? &own : &other,
                                is_own || selection->layouts_named, error);
        if (status == -ENOTSUP && selection->layouts_named)
            text_list_add(&wanted->plan->left_out, error->text);
        status = status == -ENOTSUP ? 0 : status;
    }
    return status;
}

static int add_groups(const struct selection *selection, struct plan *plan,
                      struct error *error)
{
    int status = 0;
    for (size_t t = 0; t < selection->n_types && status == 0; t++) {
        for (size_t s = 0; s < selection->shapes.n && status == 0; s++) {
            const struct wanted wanted = {
                .selection = selection,
                .type = selection->types[t],
                .text = selection->shapes.item[s],
                .origin = selection->origins.item[s],
                .plan = plan,
            };
            status = add_layouts(&wanted, error);
        }
    }
    return status;
}

/* Drops all but the first. */
static void plan_cut(struct plan *plan, size_t groups, size_t left_out)
{
    while (plan->n_groups > groups)
        plan_free_group(&plan->groups[--plan->n_groups]);
    text_list_cut(&plan->left_out, left_out);
}

/* Makes the groups from `first` on anew, as if the widest set whose kernels run here had
 * been asked for too. Without such a set they become what they were. */
static int fall_back(struct selection *selection, size_t first, size_t left_out,
                     struct plan *plan, struct error *error)
{
    const size_t asked = selection->isas.n;
    bool widest = true;
    for (size_t i = isa_count(); i-- > 0;) {
        const char *const isa = isa_get(i)->name;
        if (!isa_available(i, NULL, 0))
            continue;
        say_instead(selection, isa, widest);
        widest = false;
        plan_cut(plan, first, left_out);
        text_list_add_once(&selection->isas, isa);
        const int status = add_groups(selection, plan, error);
        if (status < 0)
            return status;
        if (plan->n_groups > first && !all_lacking(selection->catalog, plan, first)) {
            text_list_add_once(&plan->isas_instead, isa);
            text_list_add_once(&plan->why_instead, selection->instead);
            return 0;
        }
        text_list_cut(&selection->isas, asked);
    }
    plan_cut(plan, first, left_out);
    return add_groups(selection, plan, error);
}

static int add_op(const struct request *request, const struct how *how,
                  const struct catalog *catalog, const char *op, struct plan *plan,
                  struct error *error)
{
    const size_t groups = plan->n_groups, left_out = plan->left_out.n;
    FREED_BY(selection_free) struct selection selection;
    int status = selection_make(request, how, catalog, op, &selection, error)
                     ?: add_groups(&selection, plan, error);
    char text[sizeof selection.instead];
    const bool built = status < 0 || !say_not_built(&selection, text, sizeof text);
    const bool lacking = plan->n_groups > groups ? all_lacking(catalog, plan, groups)
                                                 : !built || asks_for_none(&selection);
    if (!built && plan->n_groups > groups)
        text_list_add_once(&plan->left_out, text);
    if (status == 0 && !request->isa_strict && !selection.isa_auto && lacking)
        status = fall_back(&selection, groups, left_out, plan, error);
    const bool none = status == 0 && plan->n_groups == groups;
    if (none && !built && !selection.isa_auto)
        status = invalid(error, "%s", text);
    else if (none && plan->left_out.n > left_out && request->settings.most_ulp > 0)
        status = error_set(error, -ENOENT, "nothing matches: %.480s",
                           plan->left_out.item[left_out]);
    else if (none && plan->left_out.n > left_out)
        status = invalid(error, "%s", plan->left_out.item[left_out]);
    else if (none)
        status =
            error_set(error, -ENOENT,
                      "nothing matches: no kernel of op %s has these --isa, --semiring, "
                      "--type, --variants%s and --filter%s (see: simdbench list kernels)",
                      selection.op, selection.layouts.n ? ", --layout" : "",
                      request->filters.n && !strpbrk(request->filters.item[0], "*?[@/")
                          ? ", which is of the whole name, as in --filter='*max*'"
                          : "");
    return status;
}

/* An op that has nothing of what was asked for (f64, a layout) is left out; one that
 * --filter leaves out is not worth a word. */
static int add_suite(const struct request *request, const struct how *how,
                     const struct catalog *catalog, struct plan *plan,
                     struct error *error)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0};
    int status = 0;
    catalog_ops(catalog, &ops);
    for (size_t i = 0; i < ops.n && status == 0; i++) {
        struct error why = {.text = ""};
        if (catalog_has_suite(catalog, ops.item[i]))
            status = add_op(request, how, catalog, ops.item[i], plan, &why);
        if (status == -EINVAL || (status == -ENOENT && !request->filters.n)) {
            char text[sizeof why.text + 64];
            snprintf(text, sizeof text, "%.60s: %s", ops.item[i], why.text);
            text_list_add(&plan->left_out, text);
            status = 0;
        } else if (status == -ENOENT) {
            status = 0;
        } else if (status < 0) {
            error_set(error, status, "%s", why.text);
        }
    }
    if (status == 0 && !plan->n_groups)
        status = error_set(error, -ENOENT, "%.400s",
                           plan->left_out.n ? plan->left_out.item[0]
                                            : "nothing matches: no case of the suite has "
                                              "this --filter (see: simdbench all "
                                              "--dry-run)");
    return status;
}

/* All ops that plug-ins bring. */
static int add_brought(const struct request *request, const struct how *how,
                       const struct catalog *catalog, struct plan *plan,
                       struct error *error)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0};
    int status = 0;
    catalog_ops(catalog, &ops);
    for (size_t i = 0; i < ops.n && status == 0; i++)
        if (catalog_op_owner(catalog, ops.item[i])->info.path)
            status = add_op(request, how, catalog, ops.item[i], plan, error);
    return status;
}

int plan_make(const struct request *request, const struct how *how,
              const struct catalog *catalog, struct plan *plan, struct error *error)
{
    *plan = (struct plan){.n_groups = 0};
    const int status = request->suite ? add_suite(request, how, catalog, plan, error)
                       : !request->op
                           ? add_brought(request, how, catalog, plan, error)
                           : add_op(request, how, catalog, request->op, plan, error);
    for (size_t g = 0; g < plan->n_groups && status == 0 && request->streams; g++)
        if (strcmp(plan->groups[g].op, "roof") != 0)
            plan_add_roof(catalog, &plan->groups[g], "load");
    if (status < 0)
        plan_free(plan);
    return status;
}

void plan_free(struct plan *plan)
{
    plan_cut(plan, 0, 0);
    free(plan->groups);
    text_list_free(&plan->left_out);
    text_list_free(&plan->isas_instead);
    text_list_free(&plan->why_instead);
    cpu_lock_free(plan->lock);
    *plan = (struct plan){.n_groups = 0};
}

void plan_print(const struct plan *plan, FILE *file)
{
    size_t cases = 0;
    for (size_t g = 0; g < plan->n_groups; g++) {
        const struct plan_group *group = &plan->groups[g];
        char threads[32] = "";
        const char *const input = group->settings.input;
        if (group->settings.threads > 1)
            snprintf(threads, sizeof threads, ", %u threads", group->settings.threads);
        text_line(file, "group %zu: %s %s %s%s%s%s%s%s, %.6g operations, %.6g bytes",
                  g + 1, group->op, type_name(group->type), group->shape.text,
                  group->shape.layout[0] ? ", layout " : "", group->shape.layout,
                  input ? ", input " : "", input ? input : "", threads, group->shape.ops,
                  group->shape.bytes);
        for (size_t i = 0; i < group->n_cases; i++, cases++) {
            const struct plan_case *entry = &group->cases[i];
            text_line(file, "  %s%s%s", entry->id, entry->skip ? "  skipped: " : "",
                      entry->skip ? entry->skip : "");
        }
    }
    text_line(file, "%zu case%s in %zu group%s", cases, cases == 1 ? "" : "s",
              plan->n_groups, plan->n_groups == 1 ? "" : "s");
}

/* Rounds as group_measure() chooses them, if calls ran at 50 Gop/s and 10 GB/s and the
 * precision is reached soon. */
static double case_seconds(const struct how *how, const struct plan *plan,
                           const struct shape_info *shape)
{
    const double call_ns = shape->ops / 50 + shape->bytes / 10;
    const double turn_ns = fmax(1.1 * BATCH_NS, call_ns) + call_ns;
    const double most = plan->precision > 0 ? 4 * ROUNDS_MIN : ROUNDS_MAX;
    const double wanted = fmin(plan->case_ns / turn_ns, most);
    const double rounds = how->rounds ? how->rounds : fmax(wanted, ROUNDS_MIN);
    return (rounds * turn_ns + PREPARE_NS + shape->bytes / 2) * 1e-9;
}

double plan_seconds(const struct how *how, const struct plan *plan)
{
    double seconds = 0;
    FOR_EACH (const struct plan_group, group, plan->groups, plan->n_groups)
        seconds += (double)group->n_cases * case_seconds(how, plan, &group->shape);
    return seconds;
}
