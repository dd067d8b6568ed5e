/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of all modules, and kernels of one module for the op of another one. */
#include "plan/plan.h"

#include <math.h>

static const cJSON *find_op(const struct worker *worker, const char *name)
{
    const cJSON *op;
    cJSON_ArrayForEach (op, message_get(worker->description, "ops")) {
        const char *text = message_text(op, "name");
        if (text && !strcmp(text, name))
            return op;
    }
    return NULL;
}

struct worker *catalog_op_owner(const struct catalog *catalog, const char *op)
{
    for (size_t i = 0; i < catalog->n_workers; i++) {
        if (find_op(catalog->workers[i], op))
            return catalog->workers[i];
    }
    return NULL;
}

void catalog_ops(const struct catalog *catalog, struct text_list *ops)
{
    for (size_t i = 0; i < catalog->n_workers; i++) {
        const cJSON *op;
        cJSON_ArrayForEach (op, message_get(catalog->workers[i]->description, "ops")) {
            const char *name = message_text(op, "name");
            if (name)
                text_list_add_once(ops, name);
        }
    }
}

uint32_t catalog_op_calls(const struct catalog *catalog, const char *op)
{
    const struct worker *owner = catalog_op_owner(catalog, op);
    const double calls = owner ? message_number(find_op(owner, op), "calls", 0) : 0;
    return (uint32_t)fmax(0, fmin(calls, SETS_MAX));
}

const char *catalog_op_text(const struct catalog *catalog, const char *op,
                            const char *field)
{
    const struct worker *owner = catalog_op_owner(catalog, op);
    return owner ? message_text(find_op(owner, op), field) : NULL;
}

bool catalog_next_list(const struct catalog *catalog, const char *op, size_t *at,
                       struct shape_list *list)
{
    const struct worker *owner = catalog_op_owner(catalog, op);
    const cJSON *const lists = owner ? message_get(find_op(owner, op), "lists") : NULL;
    for (const cJSON *item; (item = cJSON_GetArrayItem(lists, (int)*at));) {
        ++*at;
        *list = (struct shape_list){message_text(item, "name"),
                                    message_text(item, "summary") ?: "",
                                    message_text(item, "shapes")};
        if (list->name && list->shapes)
            return true;
    }
    return false;
}

bool catalog_has_suite(const struct catalog *catalog, const char *op)
{
    struct shape_list list;
    bool has = false;
    for (size_t at = 0; catalog_next_list(catalog, op, &at, &list);)
        has |= !strcmp(list.name, SUITE);
    return has;
}

/* ---- kernels for the op of another module ---- */

static int nobody_has(const struct catalog *catalog, const struct offer *offer,
                      struct error *error)
{
    FREED_BY(text_list_free) struct text_list all = {.n = 0}, theirs = {.n = 0};
    char hint[120], text[120];
    catalog_ops(catalog, &all);
    for (size_t i = 0; i < all.n; i++)
        if (!op_find(all.item[i]))
            text_list_add(&theirs, all.item[i]);
    text_list_hint(&all, offer->op, hint, sizeof hint);
    text_list_join(&theirs, ", ", text, sizeof text);
    return invalid(error,
                   "kernel %.60s computes op '%.60s', which neither simdbench nor a "
                   "module here has%s (ops of modules: %s)",
                   offer->variant, offer->op, hint, theirs.n ? text : "none");
}

/* Operands of a declared op have the types of its prototype, whatever a kernel says. */
static int check_type(const struct offer *offer, const struct worker *owner,
                      struct error *error)
{
    const char *other = NULL;
    const cJSON *kernel;
    if (!owner->info.path || !module_is_declared(owner->info.path))
        return 0;
    cJSON_ArrayForEach (kernel, message_get(owner->description, "kernels"))
        if (text_same(message_text(kernel, "op"), offer->op))
            other = message_text(kernel, "type");
    if (!other || type_find(other) == offer->type)
        return 0;
    return invalid(error, "kernel %.60s is of type %s, and op '%.60s' of %s",
                   offer->variant, type_name(offer->type), offer->op, other);
}

int catalog_share_op(const struct catalog *catalog, const struct offer *offer,
                     struct worker *runs, struct error *error)
{
    FREED_BY(text_list_free) struct text_list layouts = {.n = 0};
    /* A module that brings the op itself needs no other one. */
    struct worker *const owner =
        find_op(runs, offer->op) ? runs : catalog_op_owner(catalog, offer->op);
    if (!owner)
        return nobody_has(catalog, offer, error);
    text_list_split(&layouts, message_text(find_op(owner, offer->op), "layouts"), ", ");
    if (offer->layout && layouts.n && !text_list_has(&layouts, offer->layout))
        return invalid(
            error, "kernel %.60s takes layout '%.60s', which op '%.60s' does not have",
            offer->variant, offer->layout, offer->op);
    const char *const path = owner->info.path;
    if (path && owner != runs && module_is_foreign(path))
        return invalid(error,
                       "kernel %.60s: op '%.60s' is of %.100s, which is no library",
                       offer->variant, offer->op, path);
    const int status = check_type(offer, owner, error);
    return status < 0 || !path || owner == runs ? status
                                                : worker_borrow(runs, owner, error);
}
