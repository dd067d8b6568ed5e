/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions that are changed one at a time, each in processes of its own. */
#include "conditions.h"

#include <limits.h>

static const struct variant *base_of(const struct situation *at)
{
    return &at->subject->base;
}

/* The parent cannot tell whether another program does what it is asked. */
static bool is_foreign(const struct situation *at)
{
    const char *const path = variant_offer(base_of(at))->worker->info.path;
    return path && module_is_foreign(path);
}

#define FOREIGN "its worker is another program"

static bool has_role(const struct situation *at, uint32_t role, uint64_t count,
                     uint64_t bytes)
{
    const struct operands_map *const map = &variant_group(base_of(at))->shape.map;
    for (uint32_t i = 0; i < map->count; i++)
        if (map->operand[i].role == role && map->operand[i].count >= count &&
            map->operand[i].count * type_bytes(map->operand[i].type) >= bytes)
            return true;
    return false;
}

static const char *same(struct variant *variant, const struct situation *at)
{
    return NULL;
}

static const char *take_shape(struct variant *variant, const struct situation *at,
                              int few)
{
    if (at->smaller[few])
        variant_set_shape(variant, at->smaller[few]);
    return at->smaller[few] ? NULL : at->why_not_smaller[few].text;
}

static const char *smaller(struct variant *variant, const struct situation *at)
{
    return take_shape(variant, at, 0);
}

static const char *few(struct variant *variant, const struct situation *at)
{
    return at->smaller[1] || at->why_not_smaller[1].text[0] ? take_shape(variant, at, 1)
           : at->subject->trace.known ? "hardly any branch goes both ways"
                                      : "nobody knows its branches";
}

static const char *huge_pages(struct variant *variant, const struct situation *at)
{
    enum { PAGES_FEW = 32 };
    if (variant->request.settings.huge_pages)
        return "the base has them";
    if (is_foreign(at))
        return FOREIGN;
    variant->request.settings.huge_pages = true;
    return variant_group(base_of(at))->shape.bytes < PAGES_FEW * OPERANDS_PAGE
               ? "its operands lie on few pages"
               : NULL;
}

static const char *page_offset(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.spread = true;
    return variant_group(base_of(at))->shape.map.count < 2 ? "it has no two operands"
           : variant->request.settings.align != 64
               ? "the base has an alignment of its own"
               : NULL;
}

static const char *alignment(struct variant *variant, const struct situation *at)
{
    const bool aligned = variant->request.settings.align >= 64;
    variant->request.settings.align = 64;
    return aligned ? "the operands of the base are aligned" : NULL;
}

static const char *flush_denormals(struct variant *variant, const struct situation *at)
{
    const uint32_t type = variant_group(base_of(at))->type;
    variant->how.conditions.flush_denormals = true;
    return type != SIMDBENCH_F32 && type != SIMDBENCH_F64 ? "integers have none"
           : variant->request.threads[0] > 1 ? "it reaches the calling thread only"
           : is_foreign(at)                  ? FOREIGN
                                             : NULL;
}

/* The name of the condition says which values they have. */
static const char *values(struct variant *variant, const struct situation *at)
{
    return has_role(at, SIMDBENCH_IN, 1, 1) ? NULL : "it has no inputs";
}

static const char *repeated(struct variant *variant, const struct situation *at)
{
    const char *const why = values(variant, at);
    return why || has_role(at, SIMDBENCH_IN, OPERANDS_REPEATED_LEAST, 1)
               ? why
               : "no input has 1024 elements";
}

static const char *fresh_output(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.fresh_output = true;
    return !has_role(at, SIMDBENCH_OUT, 1, 2 * OPERANDS_PAGE)
               ? "its output is smaller than two pages"
           : variant->request.settings.cold || variant->request.settings.huge_pages
               ? "the base has pages or caches of its own"
           : is_foreign(at) ? FOREIGN
                            : NULL;
}

static const char *kept_heap(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.keep_heap = true;
    return is_foreign(at) ? FOREIGN : NULL;
}

static const char *cold_caches(struct variant *variant, const struct situation *at)
{
    const bool cold = variant->request.settings.cold;
    variant->request.settings.cold = true;
    return cold ? "the caches of the base are cold" : is_foreign(at) ? FOREIGN : NULL;
}

static const char *one_thread(struct variant *variant, const struct situation *at)
{
    const bool one = variant->request.threads[0] == 1;
    variant->request.threads[0] = 1;
    return one ? "the base has one" : NULL;
}

/* The row of another instruction set that is the widest below `limit`. */
static const struct offer *other_row(const struct variant *base, int limit)
{
    const struct offer *const mine = variant_offer(base), *best = NULL;
    FOR_EACH (const struct offer, other, base->catalog.offers, base->catalog.n_offers) {
        const int isa = isa_find(other->isa);
        if (other->worker != mine->worker || strcmp(other->op, mine->op) != 0 ||
            other->type != mine->type || strcmp(other->variant, mine->variant) != 0 ||
            strcmp(other->semiring ?: "", mine->semiring ?: "") != 0 ||
            strcmp(other->layout ?: "", mine->layout ?: "") != 0 || isa < 0 ||
            isa >= limit || !strcmp(other->isa, mine->isa) ||
            !isa_runs(other->isa, NULL, 0))
            continue;
        if (!best || isa > isa_find(best->isa))
            best = other;
    }
    return best;
}

static const char *take_row(struct variant *variant, const struct situation *at,
                            const struct offer *other)
{
    struct case_name name = *at->subject->name;
    if (!other)
        return "no row of another instruction set can run here";
    name.isa = other->isa;
    variant_close(variant);
    variant_begin(variant, &base_of(at)->request, &base_of(at)->how, &name);
    return NULL;
}

static const char *widest_isa(struct variant *variant, const struct situation *at)
{
    return take_row(variant, at, other_row(base_of(at), INT_MAX));
}

static const char *next_isa(struct variant *variant, const struct situation *at)
{
    const struct offer *const widest = other_row(base_of(at), INT_MAX);
    return take_row(variant, at,
                    widest ? other_row(base_of(at), isa_find(widest->isa)) : NULL);
}

/* Operands lie elsewhere, and all else at random addresses. */
static const char *layout(struct variant *variant, const struct situation *at)
{
    variant->how.conditions.layout++;
    return NULL;
}

/* Copies of its code, beside the code as built. */
static const char *place(struct variant *variant, const struct situation *at)
{
    struct conditions *const conditions = &variant->how.conditions;
    conditions->places = PLACES;
    conditions->edits = EDIT_PLACES;
    /* Subnormal numbers that edits make must not matter. */
    conditions->flush_denormals = true;
    return is_foreign(at)                    ? FOREIGN
           : variant->request.threads[0] > 1 ? "its code is copied for one thread alone"
                                             : NULL;
}

static const char *other_core(struct variant *variant, const struct situation *at)
{
    if (at->other_cpu < 0 || variant->request.threads[0] > 1)
        return "there is no other core that is free";
    how_set_cpus(&variant->how, &at->other_cpu, 1);
    return NULL;
}

#define OPERANDS_ONLY "operands"
#define THREAD_ONLY "the calling thread"

const struct condition condition_table[CONDITIONS] = {
    {"control", same, NULL, OF_OTHER},
    {"small_shape", smaller, NULL, OF_OTHER},
    {"flush_denormals", flush_denormals, THREAD_ONLY, OF_OTHER},
    {"few_shape", few, NULL, OF_OTHER},
    {"huge_pages", huge_pages, OPERANDS_ONLY, OF_OTHER},
    {"input_repeated", repeated, OPERANDS_ONLY, OF_INPUTS},
    {"input_keys", repeated, OPERANDS_ONLY, OF_INPUTS},
    {"input_zero", values, OPERANDS_ONLY, OF_INPUTS},
    {"kept_heap", kept_heap, "memory of malloc", OF_OTHER},
    {"place", place, CODE_ONLY, OF_COPIES},
    {"fresh_output", fresh_output, OPERANDS_ONLY, OF_OTHER},
    {"input_constant", values, OPERANDS_ONLY, OF_INPUTS},
    {"alignment", alignment, OPERANDS_ONLY, OF_OTHER},
    {"page_offset", page_offset, OPERANDS_ONLY, OF_OTHER},
    {"one_thread", one_thread, NULL, OF_OTHER},
    {"other_isa", widest_isa, NULL, OF_OTHER},
    {"other_isa", next_isa, NULL, OF_OTHER},
    {"layout", layout, NULL, OF_LAYOUT},
    {"other_core", other_core, NULL, OF_OTHER},
    {"input_sorted", values, OPERANDS_ONLY, OF_INPUTS},
    {"cold_caches", cold_caches, OPERANDS_ONLY, OF_OTHER},
    {"layout", layout, NULL, OF_LAYOUT},
    {"layout", layout, NULL, OF_LAYOUT},
};
