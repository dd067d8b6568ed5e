/* SPDX-License-Identifier: Apache-2.0 */
/* Words on the command line become cases. */
#include "variant/variant.h"

void case_list_free(struct case_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        case_name_free(&list->item[i]);
    free(list->item);
    *list = (struct case_list){.n = 0};
}

static struct case_name *add_name(struct case_list *list)
{
    must_grow(list->item, list->n);
    list->item[list->n] = (struct case_name){.op = NULL};
    return &list->item[list->n++];
}

/* FILE[,option=value...] of a module as it can be loaded again. */
static char *module_text(const struct worker_info *worker)
{
    FREED_BY(text_list_free) struct text_list words = {.n = 0};
    char text[8192], option[4096];
    if (!worker->path)
        return NULL;
    text_list_add(&words, worker->path);
    for (size_t i = 0; i < worker->n_options; i++) {
        snprintf(option, sizeof option, "%s=%s", worker->options[i].name,
                 worker->options[i].value);
        text_list_add(&words, option);
    }
    snprintf(option, sizeof option, "as=%s", worker->name);
    if (worker->renamed)
        text_list_add(&words, option);
    text_list_join(&words, ",", text, sizeof text);
    return must_have(strdup(text));
}

static int add_planned(const struct catalog *catalog, const struct plan *plan,
                       struct case_list *list, struct error *error)
{
    int status = 0;
    for (size_t g = 0; g < plan->n_groups && status == 0; g++) {
        const struct plan_group *const group = &plan->groups[g];
        for (size_t c = 0; c < group->n_cases && status == 0; c++) {
            const struct plan_case *const entry = &group->cases[c];
            const struct offer *const offer = &catalog->offers[entry->offer];
            if (entry->skip || strcmp(offer->op, group->op) != 0)
                continue;
            struct case_name *const name = add_name(list);
            status = case_name_parse(entry->id, name, error);
            if (status == 0 && group->shape.layout[0])
                name->layout = must_have(strdup(group->shape.layout));
            name->module = module_text(&offer->worker->info);
        }
    }
    return status;
}

/* An op stands for all that the request would measure; of libraries, those that were
 * named. */
static int add_op(const struct request *request, const struct how *how, const char *op,
                  struct case_list *list, struct text_list *why_instead,
                  struct error *error)
{
    struct request of_op = *request;
    FREED_BY(catalog_free) struct catalog catalog = {.memory_fd = -1};
    FREED_BY(plan_free) struct plan plan = {.n_groups = 0};
    FREED_BY(text_list_free) struct text_list none = {.n = 0};
    text_list_add(&none, "none");
    of_op.op = (char *)(uintptr_t)request_op_name(op);
    if (!request->baselines.n)
        of_op.baselines = none;
    int status = catalog_make(&of_op, how, &catalog, error)
                     ?: plan_make(&of_op, how, &catalog, &plan, error);
    for (size_t i = 0; i < plan.why_instead.n; i++)
        text_list_add_once(why_instead, plan.why_instead.item[i]);
    const size_t before = list->n;
    if (status == 0)
        status = add_planned(&catalog, &plan, list, error);
    if (status == 0 && list->n == before)
        status = error_set(error, -ENOENT, "%.60s: no case of it can run here", op);
    return status;
}

/* A module that an id names without a --plugin is a library that is installed. */
static int add_case(const struct request *request, const char *id, struct case_list *list,
                    struct error *error)
{
    struct case_name *const name = add_name(list);
    const int status = case_name_parse(id, name, error);
    if (status == 0 && name->prefix && !request->plugins.n)
        name->module = must_have(strdup(name->prefix));
    return status;
}

int case_list_make(const struct text_list *words, const struct request *request,
                   const struct how *how, struct case_list *list,
                   struct text_list *why_instead, struct error *error)
{
    int status = 0;
    *list = (struct case_list){.n = 0};
    for (size_t i = 0; i < words->n && status == 0; i++) {
        const char *const word = words->item[i];
        status = case_name_is(word)
                     ? add_case(request, word, list, error)
                     : add_op(request, how, word, list, why_instead, error);
    }
    return status;
}
