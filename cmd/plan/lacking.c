/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

bool all_lacking(const struct catalog *catalog, const struct plan *plan, size_t first)
{
    bool lacking = false;
    for (size_t g = first; g < plan->n_groups; g++) {
        const struct plan_group *group = &plan->groups[g];
        for (size_t i = 0; i < group->n_cases; i++) {
            const struct offer *offer = &catalog->offers[group->cases[i].offer];
            if (offer->is_baseline || strcmp(offer->op, group->op) != 0 ||
                isa_find(offer->isa) < 0)
                continue;
            if (!group->cases[i].skip)
                return false;
            lacking = true;
        }
    }
    return lacking;
}

bool asks_for_none(const struct selection *selection)
{
    bool none = false;
    for (size_t i = 0; i < selection->isas.n; i++) {
        const int isa = isa_find(selection->isas.item[i]);
        none |= isa >= 0 && !isa_get((size_t)isa)->built &&
                !isa_available((size_t)isa, NULL, 0);
    }
    return none;
}

static bool has_rows(const struct selection *selection, const char *isa)
{
    FOR_EACH (const struct offer, offer, selection->catalog->offers,
              selection->catalog->n_offers)
        if (!strcmp(offer->op, selection->op) && !offer->is_baseline &&
            isa_covers(isa, offer->isa))
            return true;
    return false;
}

size_t say_not_built(const struct selection *selection, char *text, size_t size)
{
    const bool own = !catalog_op_owner(selection->catalog, selection->op)->info.path;
    const int widest =
        selection->isa_auto ? isa_find(selection->isas.item[0]) : (int)isa_count();
    size_t n = 0;
    for (size_t i = 0; i < isa_count() && own && n < size; i++) {
        const struct isa *const isa = isa_get(i);
        if (!isa->built && ((int)i > widest || selection_covers(selection, isa->name)) &&
            isa_available(i, NULL, 0) && !has_rows(selection, isa->name))
            n += (size_t)snprintf(text + n, size - n, "%s%s",
                                  n ? " or " : "this build has no ", isa->title);
    }
    if (n && n < size)
        n += (size_t)snprintf(text + n, size - n, " kernels (Meson's option isas)");
    return n;
}

void say_instead(struct selection *selection, const char *isa, bool widest)
{
    const size_t size = sizeof selection->instead;
    size_t n = say_not_built(selection, selection->instead, size);
    const bool built = n == 0;
    const char *separator = built ? "" : " or ";
    if (built)
        n = (size_t)snprintf(selection->instead, size, "this CPU has no ");
    for (size_t i = 0; i < selection->isas.n && n < size && built; i++) {
        const char *const asked = selection->isas.item[i];
        if (isa_runs(asked, NULL, 0))
            continue;
        n += (size_t)snprintf(
            selection->instead + n, size - n, "%s%s", separator,
            strchr(asked, '+') ? asked : isa_get((size_t)isa_find(asked))->title);
        separator = " or ";
    }
    if (!*separator && n < size)
        n +=
            (size_t)snprintf(selection->instead + n, size - n, "addition that they need");
    if (n < size)
        snprintf(selection->instead + n, size - n, ": measured %s, its widest%s, instead",
                 isa, widest ? "" : " with such kernels");
}
