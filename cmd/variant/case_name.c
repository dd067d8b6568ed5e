/* SPDX-License-Identifier: Apache-2.0 */
/* Words on the command line become cases. */
#include "variant/variant.h"

#include <errno.h>
#include <string.h>

bool case_name_is(const char *word)
{
    return strchr(word, '@') || strchr(word, '/');
}

static char *copy_n(const char *text, size_t n)
{
    return n ? must_have(strndup(text, n)) : NULL;
}

/* Takes the last part of [text, *end) after that character; the end moves before it. */
static char *take_last(const char *text, const char **end, char separator)
{
    const char *at = *end;
    while (at > text && at[-1] != separator)
        at--;
    char *const part = copy_n(at, (size_t)(*end - at));
    *end = at > text ? at - 1 : text;
    return part;
}

static int read_setting(const char *text, size_t length, struct case_name *name)
{
    char word[256];
    const char *value = memchr(text, '=', length);
    if (!value || length >= sizeof word)
        return -EINVAL;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    value = word + (value + 1 - text);
    if (!strncmp(word, "threads=", 8))
        name->threads = (uint32_t)strtoul(value, NULL, 10);
    else if (!strncmp(word, "align=", 6))
        name->align = strtoull(value, NULL, 10);
    else if (!strncmp(word, "input=", 6))
        name->input = must_have(strdup(value));
    else if (!strncmp(word, "accuracy-at-most=", 17))
        name->most_ulp = strtod(value, NULL);
    else if (!strcmp(word, "cache=cold"))
        name->cold = true;
    else if (!strcmp(word, "pages=2m"))
        name->huge_pages = true;
    else
        return -EINVAL;
    return 0;
}

int case_name_parse(const char *id, struct case_name *name, struct error *error)
{
    const char *const at = strchr(id, '@');
    const char *end = at;
    *name = (struct case_name){.threads = 0};
    if (at) {
        const char *settings = at + 1 + strcspn(at + 1, ";");
        name->shape = copy_n(at + 1, (size_t)(settings - at - 1));
        name->variant = take_last(id, &end, '/');
        name->isa = take_last(id, &end, '/');
        char *const type = take_last(id, &end, '/');
        const char *const word = type;
        const char *rest = type ? type + strlen(type) : NULL;
        name->type = type ? take_last(word, &rest, '-') : NULL;
        name->semiring = type ? copy_n(word, (size_t)(rest - word)) : NULL;
        free(type);
        name->op = take_last(id, &end, ':');
        name->prefix = copy_n(id, (size_t)(end - id));
        int status = 0;
        while (*settings && status == 0) {
            const size_t length = strcspn(settings + 1, ";");
            status = read_setting(settings + 1, length, name);
            settings += 1 + length;
        }
        if (status == 0 && name->shape && name->variant && name->isa && name->type &&
            name->op)
            return 0;
    }
    case_name_free(name);
    return error_set(error, -EINVAL,
                     "%.200s: no id of a case; as in relu/f32/avx2/max@2048, see the ids "
                     "that --dry-run prints",
                     id);
}

void case_name_tell(const struct case_name *name, struct buffer *id)
{
    buffer_format(id, "%s%s%s/%s%s%s/%s/%s@%s", name->prefix ?: "",
                  name->prefix ? ":" : "", name->op ?: "?", name->semiring ?: "",
                  name->semiring ? "-" : "", name->type ?: "?", name->isa ?: "auto",
                  name->variant ?: "*", name->shape ?: "?");
}

void case_name_free(struct case_name *name)
{
    char *const texts[] = {name->prefix, name->op,      name->semiring, name->type,
                           name->isa,    name->variant, name->shape,    name->layout,
                           name->input,  name->module};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        free(texts[i]);
    *name = (struct case_name){.op = NULL};
}

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
    struct text_list words = {.n = 0};
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
    text_list_free(&words);
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

/* An op stands for all that its options would measure; of libraries, those that were
 * named. */
static int add_op(const struct options *options, const char *op, struct case_list *list,
                  struct text_list *why_instead, struct error *error)
{
    struct options of_op = *options;
    struct catalog catalog = {.memory_fd = -1};
    struct plan plan = {.n_groups = 0};
    struct text_list none = {.n = 0};
    text_list_add(&none, "none");
    of_op.command = (char *)(uintptr_t)args_op_name(op);
    of_op.is_op = true;
    if (!options->baselines.n)
        of_op.baselines = none;
    int status = catalog_make(&of_op, &catalog, error);
    if (status == 0)
        status = plan_make(&of_op, &catalog, &plan, error);
    for (size_t i = 0; i < plan.why_instead.n; i++)
        text_list_add_once(why_instead, plan.why_instead.item[i]);
    const size_t before = list->n;
    if (status == 0)
        status = add_planned(&catalog, &plan, list, error);
    if (status == 0 && list->n == before)
        status = error_set(error, -ENOENT, "%.60s: no case of it can run here", op);
    plan_free(&plan);
    catalog_free(&catalog);
    text_list_free(&none);
    return status;
}

/* A module that an id names without a --plugin is a library that is installed. */
static int add_case(const struct options *options, const char *id, struct case_list *list,
                    struct error *error)
{
    struct case_name *const name = add_name(list);
    const int status = case_name_parse(id, name, error);
    if (status == 0 && name->prefix && !options->plugins.n)
        name->module = must_have(strdup(name->prefix));
    return status;
}

int case_list_make(const struct options *options, struct case_list *list,
                   struct text_list *why_instead, struct error *error)
{
    int status = 0;
    *list = (struct case_list){.n = 0};
    for (size_t i = 0; i < options->files.n && status == 0; i++) {
        const char *const word = options->files.item[i];
        status = case_name_is(word) ? add_case(options, word, list, error)
                                    : add_op(options, word, list, why_instead, error);
    }
    return status;
}
