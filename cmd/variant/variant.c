/* SPDX-License-Identifier: Apache-2.0 */
/* A case with a how, workers and memory of its own. */
#include "variant/variant.h"
#include "surgery.h"

#include <math.h>
#include <sys/personality.h>

/* Short batches, as in ab: what the machine does changes from one millisecond to the
 * next, and then all variants see the same. */
#define EXPLAIN_BATCH_NS 200000.0
/* Time for the rounds of a case, if calls are short; for everything, if they are long. */
#define EXPLAIN_CASE_NS 12000000
#define EXPLAIN_ROUNDS_NS 14e9

void variant_begin(struct variant *variant, const struct request *request,
                   const struct how *how, const struct case_name *name)
{
    *variant = (struct variant){.begun = true, .catalog.memory_fd = -1};
    request_init(&variant->request);
    request_case(&variant->request, name, request);
    how_init(&variant->how);
    how_set_cpus(&variant->how, how->cpu, how->n_cpu);
    variant->how.seed = how->seed;
    variant->how.timeout_ns = how->timeout_ns;
    variant->how.all_threads = variant->how.unlocked = variant->how.quiet = true;
    variant->how.batch_ns = EXPLAIN_BATCH_NS;
    variant->how.time_per_case_ns = EXPLAIN_CASE_NS;
    variant->how.rounds_ns = EXPLAIN_ROUNDS_NS;
}

void variant_set_shape(struct variant *variant, const char *shape)
{
    text_list_cut(&variant->request.shapes, 0);
    text_list_add(&variant->request.shapes, shape);
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
                      : invalid(error, "%.300s: %zu cases have that name",
                                variant->request.filters.item[0], cases);
}

/* Chooses the one case of a plan. */
static int choose(struct variant *variant, struct error *error)
{
    choose_group(&variant->plan, variant->request.shapes.item[0]);
    return expect_one(variant, error);
}

/* A plan speaks of options; the user wrote an id. */
static int no_such_case(const struct case_name *name, const struct error *why, int status,
                        struct error *error)
{
    struct error isa = {.text = ""};
    FREED_BY(free_memory) char *id = case_name_format(name);
    const char *const at = strncmp(why->text, "--", 2) ? NULL : strstr(why->text, ": ");
    const bool other = strncmp(why->text, "nothing matches: no kernel", 26) != 0;
    if (name->isa && strcmp(name->isa, "lib") != 0 && isa_check(name->isa, &isa) < 0)
        error_set(error, status, "%.150s: %s", id, isa.text);
    else if (other)
        error_set(error, status, "%.150s: %.300s", id, at ? at + 2 : why->text);
    else
        error_set(error, status,
                  "%.150s: there is no such kernel; simdbench list kernels %.60s/ shows "
                  "those of its op",
                  id, name->op);
    return status;
}

int variant_check(const struct request *request, const struct how *how,
                  const struct case_name *name, struct error *error)
{
    FREED_BY(variant_close) struct variant variant;
    variant_begin(&variant, request, how, name);
    int status = catalog_make(&variant.request, &variant.how, &variant.catalog, error);
    struct error why = {.text = ""};
    if (status == 0) {
        status = plan_make(&variant.request, &variant.how, &variant.catalog,
                           &variant.plan, &why);
        if (status < 0)
            no_such_case(name, &why, status, error);
    }
    return status ?: choose(&variant, error);
}

/* A copy has to write as much as it reads: what writes little is faster. */
static const char *stream_like(const struct operands_map *map)
{
    const double little = 0.125;
    double in = 0, out = 0;
    FOR_EACH (const struct simdbench_operand, operand, map->operand, map->count)
        *(operand_is_output(operand) ? &out : &in) +=
            (double)operand->count * (double)type_bytes(operand->type);
    return out < little * in ? "read" : "copy";
}

void variant_leave_roofs(struct variant *variant)
{
    struct plan_group *const group = &variant->plan.groups[0];
    plan_cut_group(group, 1);
    free(group->cases[0].limit_id);
    group->cases[0].limit_id = NULL;
}

void variant_add_copies(struct variant *variant)
{
    const struct conditions *const conditions = &variant->how.conditions;
    plan_add_copies(&variant->plan.groups[0],
                    conditions->places + SURGERY_EDITS * conditions->edits);
}

/* The roofs that the base's bounds need, in its own rounds. */
void variant_add_stream(struct variant *variant)
{
    struct plan_group *const group = &variant->plan.groups[0];
    const size_t before = group->n_cases;
    if (group->shape.map.count)
        plan_add_roof(&variant->catalog, group, stream_like(&group->shape.map));
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
    fix_addresses(!variant->how.conditions.layout);
    const int status = plan_prepare(&variant->request, &variant->how, &variant->catalog,
                                    &variant->plan, error);
    /* A worker that breaks starts again with those of the others. */
    fix_addresses(true);
    return status < 0 ? status : choose(variant, error);
}

void variant_close(struct variant *variant)
{
    if (!variant->begun)
        return;
    plan_free(&variant->plan);
    catalog_free(&variant->catalog);
    request_free(&variant->request);
    how_free(&variant->how);
    variant->begun = false;
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
    const char *const path = offer->worker->info.path;
    /* The name of a function, as of mix_c, is no reason to be scalar. */
    const bool promised = !path || !module_is_declared(path);
    return bits ? bits : promised ? 8 * (double)type_bytes(offer->type) : (double)NAN;
}

struct run_arm variant_arm(struct variant *variant)
{
    variant->result = variant->run->n_results;
    return (struct run_arm){.how = &variant->how,
                            .catalog = &variant->catalog,
                            .plan = &variant->plan,
                            .run = variant->run,
                            .number = variant->group};
}
