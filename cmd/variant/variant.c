/* SPDX-License-Identifier: Apache-2.0 */
/* A case with options, workers and memory of its own. */
#include "variant/variant.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/personality.h>

/* Short batches, as in ab: what the machine does changes from one millisecond to the
 * next, and then all variants see the same. */
#define EXPLAIN_BATCH_NS 200000.0
/* Time for the rounds of a case, if calls are short; for everything, if they are long. */
#define EXPLAIN_CASE_NS 12e6
#define EXPLAIN_ROUNDS_NS 8e9

static void add_texts(struct text_list *to, const struct text_list *from)
{
    for (size_t i = 0; i < from->n; i++)
        text_list_add(to, from->item[i]);
}

static void add_text(struct text_list *list, const char *text)
{
    if (text)
        text_list_add(list, text);
}

void variant_options(const struct options *options, const struct case_name *name,
                     struct options *to)
{
    char rest[480], filter[512];
    options_init(to);
    to->command = must_have(strdup(args_op_name(name->op)));
    to->argc = options->argc;
    to->argv = options->argv;
    to->is_op = to->isa_strict = to->all_threads = to->cpus_locked = true;
    if (name->isa && strcmp(name->isa, "lib") != 0)
        text_list_add(&to->isas, name->isa);
    text_list_add(&to->types, name->type);
    add_text(&to->semirings, name->semiring);
    add_text(&to->variants, name->variant);
    text_list_add(&to->shapes, name->shape);
    add_text(&to->layouts, name->layout);
    add_text(&to->inputs, name->settings.input);
    text_list_add(&to->baselines, "none");
    if (name->module)
        text_list_add(&to->plugins, name->module);
    else
        add_texts(&to->plugins, &options->plugins);
    /* Without the name of a module it may be a plug-in's all the same. */
    snprintf(rest, sizeof rest, "%s/%s%s%s/%s/%s@*", name->op,
             name->semiring ? name->semiring : "*", name->semiring ? "-" : "", name->type,
             name->isa ? name->isa : "*", name->variant ? name->variant : "*");
    snprintf(filter, sizeof filter, "*:%s", rest);
    text_list_add(&to->filters, filter);
    if (!name->prefix)
        text_list_add(&to->filters, rest);
    to->threads[0] = name->settings.threads ? name->settings.threads : 1;
    to->cold = name->settings.cold;
    to->huge_pages = name->settings.huge_pages;
    to->align = name->settings.align ? name->settings.align : 64;
    to->most_ulp = name->settings.most_ulp;
    to->seed = options->seed;
    to->timeout_ns = options->timeout_ns;
    to->quiet = true;
    to->cpu = must_have(calloc(options->n_cpu + 1, sizeof *to->cpu));
    to->n_cpu = options->n_cpu;
    if (options->n_cpu)
        memcpy(to->cpu, options->cpu, options->n_cpu * sizeof *to->cpu);
}

/* A shape stands for itself in each layout that kernels take: the one that was named. */
static void choose_group(struct plan *plan, const char *shape)
{
    for (size_t g = 1; g < plan->n_groups; g++) {
        if (strcmp(plan->groups[g].shape.text, shape) != 0)
            continue;
        const struct plan_group named = plan->groups[g];
        plan->groups[g] = plan->groups[0];
        plan->groups[0] = named;
        return;
    }
}

static int expect_one(const struct variant *variant, struct error *error)
{
    const struct plan_group *const group = variant_group(variant);
    size_t cases = 0;
    for (size_t c = 0; c < group->n_cases; c++)
        cases += !strcmp(variant->catalog.offers[group->cases[c].offer].op, group->op);
    return cases == 1 ? 0
                      : error_set(error, -EINVAL, "%.300s: %zu cases have that name",
                                  variant->options.filters.item[0], cases);
}

int variant_check(const struct options *options, const struct case_name *name,
                  struct error *error)
{
    struct variant variant = {.catalog = {.memory_fd = -1}, .open = true};
    variant_options(options, name, &variant.options);
    int status = catalog_make(&variant.options, &variant.catalog, error);
    if (status == 0)
        status = plan_make(&variant.options, &variant.catalog, &variant.plan, error);
    if (status == 0) {
        choose_group(&variant.plan, variant.options.shapes.item[0]);
        status = expect_one(&variant, error);
    }
    variant_close(&variant);
    return status;
}

/* A copy has to write as much as it reads: what writes little is faster. */
static const char *stream_like(const struct operands_map *map)
{
    const double little = 0.125;
    double in = 0, out = 0;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct simdbench_operand *const operand = &map->operand[i];
        *(operand_is_output(operand) ? &out : &in) +=
            (double)operand->count * (double)type_bytes(operand->type);
    }
    return out < little * in ? "read" : "copy";
}

void variant_leave_roofs(struct variant *variant)
{
    struct plan_group *const group = &variant->plan.groups[0];
    plan_cut_group(group, 1);
    free(group->cases[0].limit_id);
    group->cases[0].limit_id = NULL;
}

/* The roofs that the base's bounds need, in its own rounds. */
void variant_add_stream(struct variant *variant)
{
    struct plan_group *const group = &variant->plan.groups[0];
    const size_t before = group->n_cases;
    if (group->shape.map.count)
        plan_add_roof(&variant->options, &variant->catalog, group,
                      stream_like(&group->shape.map));
    for (size_t i = before; i < group->n_cases; i++)
        group->cases[i].team = group->settings.threads;
}

/* Processes that start from now on begin at the same addresses, so that nothing else
 * differs between variants, or at random ones. A sandbox may forbid it. */
static void fix_addresses(bool fixed)
{
    enum { ASK = 0xffffffff };
    const int old = personality(ASK);
    if (old >= 0)
        (void)personality(((unsigned long)old & ~(unsigned long)ADDR_NO_RANDOMIZE) |
                          (fixed ? ADDR_NO_RANDOMIZE : 0));
}

int variant_open(struct variant *variant, struct error *error)
{
    struct plan *const plan = &variant->plan;
    fix_addresses(!variant->options.conditions.layout);
    variant->open = true;
    variant->catalog.memory_fd = -1;
    int status = plan_prepare(&variant->options, &variant->catalog, plan, error);
    /* A worker that breaks starts again with those of the others. */
    fix_addresses(true);
    if (status == 0) {
        choose_group(plan, variant->options.shapes.item[0]);
        status = expect_one(variant, error);
    }
    plan->batch_ns = EXPLAIN_BATCH_NS;
    plan->case_ns = EXPLAIN_CASE_NS;
    plan->rounds_ns = EXPLAIN_ROUNDS_NS;
    plan->precision = 0;
    return status;
}

void variant_close(struct variant *variant)
{
    if (!variant->open)
        return;
    plan_free(&variant->plan);
    catalog_free(&variant->catalog);
    options_free(&variant->options);
    variant->open = false;
}

double variant_isa_bits(const struct variant *variant)
{
    const struct offer *const offer = variant_offer(variant);
    const char *const name =
        strcmp(offer->isa, "lib") ? offer->isa : offer->worker->info.isa ?: "";
    const int isa = isa_find(name);
    if (isa < 0)
        return NAN;
    const uint32_t bits = isa_get((size_t)isa)->bits;
    return bits ? bits : 8 * (double)type_bytes(offer->type);
}

struct run_arm variant_arm(struct variant *variant)
{
    variant->result = variant->run->n_results;
    return (struct run_arm){.options = &variant->options,
                            .catalog = &variant->catalog,
                            .plan = &variant->plan,
                            .run = variant->run,
                            .number = variant->group};
}
