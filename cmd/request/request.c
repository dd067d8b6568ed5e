/* SPDX-License-Identifier: Apache-2.0 */
#include "request/request.h"

#include "kernels.h"

static const size_t request_lists[] = {
    offsetof(struct request, commands), offsetof(struct request, isas),
    offsetof(struct request, types),    offsetof(struct request, semirings),
    offsetof(struct request, variants), offsetof(struct request, filters),
    offsetof(struct request, sizes),    offsetof(struct request, shapes),
    offsetof(struct request, layouts),  offsetof(struct request, shape_lists),
    offsetof(struct request, inputs),   offsetof(struct request, baselines),
    offsetof(struct request, plugins),
};

static struct text_list *list_at(struct request *request, size_t i)
{
    return (struct text_list *)((char *)request + request_lists[i]);
}

static void copy_list(const struct text_list *from, struct text_list *to)
{
    *to = (struct text_list){.n = 0};
    text_list_add_all(to, from);
}

void request_init(struct request *request)
{
    *request = (struct request){.threads = {1}, .n_threads = 1, .settings.align = 64};
}

void request_copy(const struct request *from, struct request *to)
{
    struct request source = *from;
    *to = *from;
    to->op = copy_text(from->op);
    for (size_t i = 0; i < ARRAY_LEN(request_lists); i++)
        copy_list(list_at(&source, i), list_at(to, i));
}

void request_free(struct request *request)
{
    for (size_t i = 0; i < ARRAY_LEN(request_lists); i++)
        text_list_free(list_at(request, i));
    free(request->op);
    *request = (struct request){.op = NULL};
}

static void add_text(struct text_list *list, const char *text)
{
    if (text)
        text_list_add(list, text);
}

void request_case(struct request *request, const struct case_name *name,
                  const struct request *of)
{
    char rest[480], filter[512];
    request->op = must_have(strdup(request_op_name(name->op)));
    request->isa_strict = true;
    copy_list(&of->commands, &request->commands);
    if (name->isa && strcmp(name->isa, "lib") != 0)
        text_list_add(&request->isas, name->isa);
    text_list_add(&request->types, name->type);
    add_text(&request->semirings, name->semiring);
    add_text(&request->variants, name->variant);
    text_list_add(&request->shapes, name->shape);
    add_text(&request->layouts, name->layout);
    add_text(&request->inputs, name->settings.input);
    text_list_add(&request->baselines, "none");
    if (name->module)
        text_list_add(&request->plugins, name->module);
    else
        copy_list(&of->plugins, &request->plugins);
    request->plugins_are_words = name->module || of->plugins_are_words;
    /* Without the name of a module it may be a plug-in's all the same. */
    snprintf(rest, sizeof rest, "%s/%s%s%s/%s/%s@*", name->op,
             name->semiring ? name->semiring : "*", name->semiring ? "-" : "", name->type,
             name->isa ? name->isa : "*", name->variant ? name->variant : "*");
    snprintf(filter, sizeof filter, "*:%s", rest);
    text_list_add(&request->filters, filter);
    if (!name->prefix)
        text_list_add(&request->filters, rest);
    request->threads[0] = name->settings.threads ? name->settings.threads : 1;
    request->settings = name->settings;
    request->settings.align = name->settings.align ? name->settings.align : 64;
    request->settings.input = NULL;
}

const char *request_op_name(const char *word)
{
    for (const struct simdbench_op *const *op = op_list(); *op; op++) {
        size_t i = 0;
        while (word[i] && (*op)->name[i] == (word[i] == '-' ? '_' : word[i]))
            i++;
        if (!word[i] && !(*op)->name[i])
            return (*op)->name;
    }
    return word;
}

void how_init(struct how *how)
{
    *how = (struct how){.timeout_ns = 60000000000, .wait_ns = WAIT_FOREVER};
}

void how_copy(const struct how *from, struct how *to)
{
    *to = *from;
    to->cpu = NULL;
    how_set_cpus(to, from->cpu, from->n_cpu);
    copy_list(&from->events, &to->events);
    copy_list(&from->counters, &to->counters);
}

void how_free(struct how *how)
{
    text_list_free(&how->events);
    text_list_free(&how->counters);
    free(how->cpu);
    *how = (struct how){.n_cpu = 0};
}

void how_set_cpus(struct how *how, const int *cpu, size_t n)
{
    int *const copy = must_have(calloc(n + 1, sizeof *copy));
    if (n)
        memcpy(copy, cpu, n * sizeof *copy);
    free(how->cpu);
    how->cpu = copy;
    how->n_cpu = n;
}
