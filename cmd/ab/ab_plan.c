/* SPDX-License-Identifier: Apache-2.0 */
/* The catalog of what both builds can do, and the plan of what was asked for. */
#include "ab_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* A kernel that names no layout in one build may name one in the other. */
static bool same_kernel(const struct offer *a, const struct offer *b)
{
    return a->type == b->type && !strcmp(a->op, b->op) && !strcmp(a->isa, b->isa) &&
           !strcmp(a->variant, b->variant) && same_text(a->semiring, b->semiring) &&
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
        if (same_text(offers[i].layout, offer->layout))
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
    for (size_t i = end; i < catalog->n_offers; i++) {
        if (catalog->offers[i].is_roof)
            catalog->offers[end++] = catalog->offers[i];
        else
            offer_free(&catalog->offers[i]);
    }
    catalog->n_offers = end;
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
        if (at < end) {
            offer_free(&offer);
        } else {
            catalog->offers[end] = offer;
            ab->kernels[end++] = (struct ab_kernel){{NO_KERNEL, NO_KERNEL}};
        }
        ab->kernels[at].number[ARM_HEAD] = offer.index;
    }
    catalog->n_offers = ab->n_kernels = end;
    /* A build's roofs are kernels like others: own roofs limit what is compared. */
    for (size_t i = 0; i < end; i++)
        catalog->offers[i].is_roof = false;
    return ab->request.what->settings.huge_pages ? 0 : add_roofs(ab, error);
}

static void see_suite(const char *name, const char *summary, const char *shapes,
                      void *context)
{
    (void)summary;
    (void)shapes;
    *(bool *)context |= !strcmp(name, "suite");
}

/* Appends the groups of one op. */
static int plan_op(struct ab *ab, const char *op, bool suite, struct error *error)
{
    struct request request = *ab->request.what;
    struct catalog catalog = ab->catalog;
    char suite_name[] = "suite", *lists[] = {suite_name};
    bool has_suite = false;
    catalog_each_list(&ab->catalog, op, see_suite, &has_suite);
    request.op = (char *)(uintptr_t)op;
    request.isa_strict = true;
    if (suite && has_suite && !request.sizes.n && !request.shapes.n &&
        !request.shape_lists.n)
        request.shape_lists = (struct text_list){.item = lists, .n = 1};
    if (!strcmp(op, "roof")) /* that of the builds */
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
    for (size_t i = 0; i < more.left_out.n; i++)
        text_list_add(&plan->left_out, more.left_out.item[i]);
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
    struct text_list ops = {.n = 0};
    offered_ops(ab, &ops);
    const int status = text_list_has(&ops, op)
                           ? plan_op(ab, op, false, error)
                           : selection_unknown("", op, "op in BASE or HEAD", &ops, error);
    text_list_free(&ops);
    return status;
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

int ab_plan_make(struct ab *ab, struct error *error)
{
    const struct request *const what = ab->request.what;
    struct error why = {.text = ""};
    int status = unite_offers(ab, &why);
    if (status < 0)
        return error_set(error, status, "BASE or HEAD: %.400s", why.text);
    status = what->op ? plan_one(ab, what->op, error) : plan_all(ab, error);
    for (size_t g = 0; g < ab->plan.n_groups && status == 0; g++)
        if (ab->plan.groups[g].n_cases > GROUP_CASES_MAX)
            status = error_set(error, -E2BIG, "more than %d cases in one group",
                               GROUP_CASES_MAX);
    return status < 0 ? status
                      : plan_settle(what, &ab->how, &ab->catalog, &ab->plan, error);
}
