/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog of what both builds can do, and the plan of what was asked for. */
#include "ab_private.h"

/* A kernel that names no layout in one build may name one in the other. */
static bool same_kernel(const struct offer *a, const struct offer *b)
{
    return a->type == b->type && !strcmp(a->op, b->op) && !strcmp(a->isa, b->isa) &&
           !strcmp(a->variant, b->variant) && text_same(a->semiring, b->semiring) &&
           (!a->layout || !b->layout || !strcmp(a->layout, b->layout));
}

/* The base's kernel that an offer of head's is, or where to put a new one. */
static size_t find_twin(const struct ab *ab, size_t n_base, size_t end,
                        const struct offer *offer)
{
    const struct offer *offers = ab->catalog.offers;
    size_t loose = end;
    for (size_t i = 0; i < n_base; i++) {
        if (ab->kernels[i].number[ARM_HEAD] != NO_KERNEL ||
            !same_kernel(&offers[i], offer))
            continue;
        if (text_same(offers[i].layout, offer->layout))
            return i;
        loose = loose == end ? i : loose;
    }
    return loose;
}

/* Appends the roofs among own kernels, whose memory is never on huge pages here. */
static int add_roofs(struct ab *ab, struct error *error)
{
    struct catalog *catalog = &ab->catalog;
    struct worker *own = catalog->workers[0];
    size_t end = catalog->n_offers;
    const int status = catalog_add_offers(catalog, own, own->description, error);
    for (size_t i = end; i < catalog->n_offers; i++)
        if (catalog->offers[i].is_roof)
            catalog->offers[end++] = catalog->offers[i];
    catalog->n_offers = end;
    return status;
}

/* Plug-ins are opened for ops that no build has. They bring no rows. */
static int share_ops(struct ab *ab, struct error *error)
{
    struct catalog *const catalog = &ab->catalog;
    bool lacks = false;
    int status = 0;
    for (size_t i = 0; i < ab->n_kernels; i++)
        lacks |= !catalog_op_owner(catalog, catalog->offers[i].op);
    if (lacks)
        status = catalog_add_plugins(catalog, ab->request.what, &ab->how, error);
    catalog->n_offers = ab->n_kernels;
    for (size_t i = 0; i < ab->n_kernels; i++)
        for (size_t w = 0; w < ARMS && status == 0; w++)
            if (ab->workers[w])
                status =
                    catalog_share_op(catalog, &catalog->offers[i], ab->workers[w], error);
    return status;
}

static int unite_offers(struct ab *ab, struct error *error)
{
    struct catalog *catalog = &ab->catalog;
    struct worker *own = catalog->workers[0];
    int status =
        catalog_add_offers(catalog, own, catalog->workers[1]->description, error);
    const size_t n_base = catalog->n_offers;
    if (status == 0)
        status =
            catalog_add_offers(catalog, own, catalog->workers[2]->description, error);
    if (status < 0)
        return status;
    ab->kernels = must_have(calloc(catalog->n_offers + 1, sizeof *ab->kernels));
    for (size_t i = 0; i < n_base; i++)
        ab->kernels[i] = (struct ab_kernel){{catalog->offers[i].index, NO_KERNEL}};
    size_t end = n_base;
    for (size_t i = n_base; i < catalog->n_offers; i++) {
        const struct offer offer = catalog->offers[i];
        const size_t at = find_twin(ab, n_base, end, &offer);
        if (at == end) {
            catalog->offers[end] = offer;
            ab->kernels[end++] = (struct ab_kernel){{NO_KERNEL, NO_KERNEL}};
        }
        ab->kernels[at].number[ARM_HEAD] = offer.index;
    }
    catalog->n_offers = ab->n_kernels = end;
    status = share_ops(ab, error);
    if (status < 0)
        return status;
    /* A build's roofs are kernels like others: own roofs limit what is compared. */
    for (size_t i = 0; i < end; i++)
        catalog->offers[i].is_roof = false;
    return ab->request.what->settings.huge_pages ? 0 : add_roofs(ab, error);
}

/* Nothing, or "all", was said of it. */
static bool is_all(const struct text_list *list)
{
    return !list->n || text_list_has(list, "all");
}

/* An op without semirings has none to be named. */
static void ask_for_all(struct text_list *list, bool some)
{
    static char word[] = "all";
    static char *words[] = {word};
    if (is_all(list))
        *list = (struct text_list){.item = words, .n = some};
}

static bool has_semirings(const struct ab *ab, const char *op)
{
    for (size_t i = 0; i < ab->n_kernels; i++)
        if (!strcmp(ab->catalog.offers[i].op, op) && ab->catalog.offers[i].semiring)
            return true;
    return false;
}

/* Appends the groups of one op: of all instruction sets, types and semirings, unless some
 * are named. */
static int plan_op(struct ab *ab, const char *op, bool suite, struct error *error)
{
    struct request request = *ab->request.what;
    struct catalog catalog = ab->catalog;
    char suite_name[] = "suite", *lists[] = {suite_name};
    request.op = (char *)(uintptr_t)op;
    request.isa_strict = true;
    ask_for_all(&request.isas, true);
    ask_for_all(&request.types, true);
    ask_for_all(&request.semirings, has_semirings(ab, op));
    if (suite && catalog_has_suite(&catalog, op) && !request.sizes.n &&
        !request.shapes.n && !request.shape_lists.n)
        request.shape_lists = (struct text_list){.item = lists, .n = 1};
    if (!strcmp(op, "roof")) /* the builds' own */
        catalog.n_offers = ab->n_kernels;
    struct plan more;
    int status = plan_make(&request, &ab->how, &catalog, &more, error);
    if (status < 0)
        return status;
    struct plan *plan = &ab->plan;
    plan->groups = must_have(
        realloc(plan->groups, (plan->n_groups + more.n_groups) * sizeof *plan->groups));
    memcpy(plan->groups + plan->n_groups, more.groups,
           more.n_groups * sizeof *plan->groups);
    plan->n_groups += more.n_groups;
    text_list_add_all(&plan->left_out, &more.left_out);
    text_list_free(&more.left_out);
    free(more.groups);
    return 0;
}

static void offered_ops(const struct ab *ab, struct text_list *ops)
{
    for (size_t i = 0; i < ab->n_kernels; i++)
        text_list_add_once(ops, ab->catalog.offers[i].op);
}

static int plan_one(struct ab *ab, const char *op, struct error *error)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0};
    offered_ops(ab, &ops);
    return text_list_has(&ops, op)
               ? plan_op(ab, op, false, error)
               : selection_unknown("", op, "op in BASE or HEAD", &ops, error);
}

/* One op that cannot be had does not keep the others away. */
static int plan_all(struct ab *ab, struct error *error)
{
    struct text_list ops = {.n = 0};
    int status = 0;
    offered_ops(ab, &ops);
    for (size_t i = 0; i < ops.n && status == 0; i++) {
        struct error why = {.text = ""};
        if (!strcmp(ops.item[i], "roof"))
            continue;
        status = plan_op(ab, ops.item[i], true, &why);
        const bool expected =
            ab->request.what->filters.n > 0; /* it leaves out most of them */
        if (status < 0 && status != -EINTR && !expected)
            text_list_add(&ab->plan.left_out, why.text);
        status = status == -EINTR ? status : 0;
    }
    text_list_free(&ops);
    if (status < 0)
        return error_set(error, status, "interrupted");
    if (!ab->plan.n_groups)
        return error_set(error, -EINVAL, "nothing to compare: %s",
                         ab->plan.left_out.n ? ab->plan.left_out.item[0]
                         : ab->request.what->filters.n
                             ? "no kernel of BASE and HEAD matches --filter"
                             : "the builds offer no kernels");
    return 0;
}

/* ---- what is not compared ---- */

static bool is_lacking(const struct offer *offer)
{
    const int isa = isa_find(offer->isa);
    return isa >= 0 && !isa_available((size_t)isa, NULL, 0);
}

/* Rows of sets that nobody named are no rows: a line tells of them. */
static void drop_lacking(struct ab *ab)
{
    FOR_EACH (struct plan_group, group, ab->plan.groups, ab->plan.n_groups) {
        for (size_t c = group->n_cases; c-- > 0;) {
            const struct plan_case entry = group->cases[c];
            if (!is_lacking(&ab->catalog.offers[entry.offer]))
                continue;
            memmove(&group->cases[c], &group->cases[c + 1],
                    (group->n_cases - c - 1) * sizeof entry);
            group->cases[group->n_cases - 1] = entry;
            plan_cut_group(group, group->n_cases - 1);
        }
    }
}

static bool is_planned(const struct ab *ab, size_t offer)
{
    for (size_t g = 0; g < ab->plan.n_groups; g++)
        for (size_t c = 0; c < ab->plan.groups[g].n_cases; c++)
            if (ab->plan.groups[g].cases[c].offer == offer)
                return true;
    return false;
}

/* Kernels that are slow on purpose, and roofs, are not there to be compared. */
static bool is_to_be_compared(const struct ab *ab, size_t i)
{
    const struct offer *const offer = &ab->catalog.offers[i];
    return ab->kernels[i].number[0] != NO_KERNEL &&
           ab->kernels[i].number[1] != NO_KERNEL &&
           !(offer->flags & (SIMDBENCH_STUDY | SIMDBENCH_PATHOLOGY)) &&
           strcmp(offer->op, "roof");
}

static void name_options(const struct request *what, char *text, size_t size)
{
    const struct {
        const char *name;
        bool given;
    } options[] = {{"OP", what->op},
                   {"--isa", !is_all(&what->isas)},
                   {"--type", !is_all(&what->types)},
                   {"--semiring", !is_all(&what->semirings)},
                   {"--variants", what->variants.n},
                   {"--layout", what->layouts.n},
                   {"--filter", what->filters.n},
                   {"--accuracy-at-most", what->settings.most_ulp > 0}};
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    for (size_t i = 0; i < ARRAY_LEN(options); i++)
        if (options[i].given)
            text_list_add(&names, options[i].name);
    text_list_join(&names, ", ", text, size);
}

/* "6 of 14 kernels that both builds have, by OP, --isa"; NULL: none. */
static void tell_left_out(struct ab *ab)
{
    FREED_BY(text_list_free) struct text_list isas = {.n = 0};
    size_t all = 0, lacking = 0, left = 0;
    char options[160], text[240];
    for (size_t i = 0; i < ab->n_kernels; i++) {
        if (!is_to_be_compared(ab, i))
            continue;
        all++;
        if (is_lacking(&ab->catalog.offers[i])) {
            text_list_add_once(&isas, ab->catalog.offers[i].isa);
            lacking++;
        } else {
            left += !is_planned(ab, i);
        }
    }
    name_options(ab->request.what, options, sizeof options);
    snprintf(text, sizeof text, "%zu of %zu kernels that both builds have%s%s", left, all,
             *options ? ", by " : "", options);
    string_set(&ab->left_out, left ? text : NULL);
    text_list_join(&isas, ", ", options, sizeof options);
    snprintf(text, sizeof text, "%zu of %zu kernels that both builds have, of %s",
             lacking, all, options);
    string_set(&ab->lacking, lacking ? text : NULL);
}

int ab_plan_make(struct ab *ab, struct error *error)
{
    const struct request *const what = ab->request.what;
    struct error why = {.text = ""};
    int status = unite_offers(ab, &why);
    if (status < 0)
        return error_set(error, status, "BASE or HEAD: %.400s", why.text);
    status = what->op ? plan_one(ab, what->op, error) : plan_all(ab, error);
    if (status == 0) {
        tell_left_out(ab);
        if (is_all(&what->isas))
            drop_lacking(ab);
    }
    for (size_t g = 0; g < ab->plan.n_groups && status == 0; g++)
        if (ab->plan.groups[g].n_cases > GROUP_CASES_MAX)
            status = error_set(error, -E2BIG, "more than %d cases in one group",
                               GROUP_CASES_MAX);
    return status < 0 ? status
                      : plan_settle(what, &ab->how, &ab->catalog, &ab->plan, error);
}
