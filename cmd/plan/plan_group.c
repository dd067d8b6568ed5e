/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of a group: kernels, baselines, and the roofs that limit them. */
#include "select.h"

#include <math.h>

static bool listed(const struct text_list *patterns, const char *text)
{
    return !patterns->n || text_list_matches(patterns, text);
}

/* Can it run in this group at all? */
static bool fits(const struct offer *offer, const struct plan_group *group)
{
    const bool registers = offer->flags & SIMDBENCH_REGISTERS;
    return !strcmp(offer->op, group->op) && offer->type == group->type &&
           registers == (group->shape.shape.rank == 0) &&
           (!offer->layout || !group->shape.layout[0] ||
            !strcmp(offer->layout, group->shape.layout));
}

/* A semiring that kernels have was asked for or not; one that libraries alone have
 * (plustimes) is there to be compared with. */
static bool other_semiring(const struct selection *selection, const struct offer *offer)
{
    if (!offer->semiring || text_list_has(&selection->semirings, offer->semiring))
        return false;
    FOR_EACH (const struct offer, other, selection->catalog->offers,
              selection->catalog->n_offers)
        if (!other->is_baseline && !strcmp(other->op, offer->op) && other->semiring &&
            !strcmp(other->semiring, offer->semiring))
            return true;
    return false;
}

/* A module that has a variant that was asked for shows no other one. */
static bool other_variant(const struct selection *selection, const struct offer *offer)
{
    const struct text_list *const asked = &selection->baseline_variants;
    if (!asked->n || listed(asked, offer->variant))
        return false;
    FOR_EACH (const struct offer, other, selection->catalog->offers,
              selection->catalog->n_offers)
        if (other->worker == offer->worker && !strcmp(other->op, offer->op) &&
            listed(asked, other->variant))
            return true;
    return false;
}

/* A library's row for an instruction set of ours is there for our kernels of that set:
 * it stays away from others, unless its module has nothing for them. */
static bool wanted_baseline(const struct selection *selection, const struct offer *offer,
                            const struct plan_group *group)
{
    if (other_semiring(selection, offer) || other_variant(selection, offer) ||
        (!selection->request->baselines.n && !catalog_is_usual(group->op, offer->worker)))
        return false;
    if (!strcmp(offer->isa, "lib") || selection_covers(selection, offer->isa))
        return true;
    FOR_EACH (const struct offer, other, selection->catalog->offers,
              selection->catalog->n_offers)
        if (other->worker == offer->worker && fits(other, group) &&
            selection_covers(selection, other->isa))
            return false;
    return true;
}

/* Does the user want this kernel, but for --filter, which needs the id? */
static bool wanted(const struct selection *selection, const struct offer *offer,
                   const struct plan_group *group)
{
    if (!fits(offer, group))
        return false;
    if (offer->is_baseline)
        return wanted_baseline(selection, offer, group);
    /* A plug-in is there to be measured, whatever is the best of our own. */
    bool any_isa =
        !strcmp(offer->isa, "lib") || (selection->isa_auto && offer->worker->info.path);
    if (!any_isa && !selection_covers(selection, offer->isa))
        return false;
    if (offer->semiring && !text_list_has(&selection->semirings, offer->semiring))
        return false;
    if (!listed(&selection->variants, offer->variant))
        return false;
    if (selection->variants.n > 0)
        return true;
    return !(offer->flags & SIMDBENCH_STUDY) &&
           (!(offer->flags & SIMDBENCH_PATHOLOGY) || selection->request->pathologies);
}

/* Bytes that a roof moves in a call of passes, and those of a short call. */
#define LONG_BYTES (1 << 20)
#define SHORT_BYTES 8192

static char *make_id(const struct offer *offer, const char *shape,
                     const struct plan_group *group)
{
    const struct worker_info *const worker = &offer->worker->info;
    const struct case_name name = {.prefix = worker->path ? worker->name : NULL,
                                   .op = offer->op,
                                   .semiring = offer->semiring,
                                   .type = (char *)(uintptr_t)type_name(offer->type),
                                   .isa = offer->isa,
                                   .variant = offer->variant,
                                   .shape = (char *)(uintptr_t)shape,
                                   .settings = group->settings};
    return case_name_format(&name);
}

static struct plan_case *add_case(struct plan_group *group, size_t offer, char *id,
                                  const char *shape)
{
    must_grow(group->cases, group->n_cases);
    group->cases[group->n_cases] =
        (struct plan_case){.id = id, .shape = must_have(strdup(shape)), .offer = offer};
    return &group->cases[group->n_cases++];
}

/* A kernel may be limited by a row that does a part of its work, in the same group. */
static bool limit_by_part(struct plan_group *group, size_t number,
                          const struct catalog *catalog)
{
    const struct offer *offer = &catalog->offers[group->cases[number].offer];
    for (size_t k = 0; k < group->n_cases; k++) {
        const struct offer *part = &catalog->offers[group->cases[k].offer];
        if (part->flags & SIMDBENCH_PARTIAL && part->worker == offer->worker &&
            !strcmp(part->op, offer->op) && !strcmp(part->isa, offer->isa) &&
            !strcmp(part->variant, offer->roof) &&
            !strcmp(part->semiring ?: "", offer->semiring ?: "")) {
            group->cases[number].limit_id = must_have(strdup(group->cases[k].id));
            return true;
        }
    }
    return false;
}

/* Streams are of bytes: those of floats do for all types. */
static uint32_t stream_type(uint32_t type)
{
    return type_bytes(type) == 8 ? SIMDBENCH_F64 : SIMDBENCH_F32;
}

/* Is the roof of that type, or a stream for elements of types that roofs do not have? */
static bool roof_is_for(const struct offer *roof, uint32_t type)
{
    return roof->type == type ||
           (roof->type == stream_type(type) && !(roof->flags & SIMDBENCH_REGISTERS));
}

/* The number of a row of op roof that is of that name and type, and of the kernel's ISA
 * (a library's, and of declared C code that a compiler may have vectorised: the best
 * here). Number n_offers: there is none. */
static size_t find_roof(const struct catalog *catalog, const struct offer *offer,
                        uint32_t type, const char *name)
{
    const char *const path = offer->worker->info.path;
    const bool any = !strcmp(offer->isa, "lib") ||
                     (path && module_is_declared(path) && !strcmp(offer->isa, "scalar"));
    const char *isa = any ? isa_get(isa_best())->name : offer->isa;
    size_t i = 0;
    for (; i < catalog->n_offers; i++) {
        const struct offer *roof = &catalog->offers[i];
        if (roof->is_roof && roof_is_for(roof, type) &&
            isa_find(roof->isa) == isa_find(isa) && !strcmp(roof->variant, name))
            break;
    }
    return i;
}

/* Short streams are slower than the cache, and shorter than what it costs to begin and to
 * end them. So a call of a roof has as many passes as make it long. Operands that are
 * cold or others in each call have no limit of that kind, nor have calls without any:
 * false. */
static bool roof_shape(const struct plan_group *group, char *text, size_t text_size)
{
    const double bytes = 8 * ceil(group->shape.bytes / 8); /* whole words */
    const bool hot = !group->settings.cold && group->settings.sets < 2;
    double passes = 1;
    while (hot && bytes > 0 && passes * bytes < LONG_BYTES)
        passes *= 2;
    snprintf(text, text_size, passes > 1 ? "%.0fx%.0f" : "%.0f", bytes, passes);
    return bytes > 0 && (hot || bytes >= SHORT_BYTES);
}

/* Adds a roof to the group if it is not there yet; its id is the caller's. NULL: none. */
static char *add_roof(const struct catalog *catalog, struct plan_group *group,
                      const struct offer *offer, uint32_t type, const char *name)
{
    const size_t i = name ? find_roof(catalog, offer, type, name) : catalog->n_offers;
    if (i == catalog->n_offers)
        return NULL;
    const struct offer *roof = &catalog->offers[i];
    char text[64];
    const bool registers = roof->flags & SIMDBENCH_REGISTERS;
    if (!roof_shape(group, text, sizeof text) && !registers)
        return NULL;
    const char *const shape = registers ? "registers" : text;
    char *id = make_id(roof, shape, group);
    for (size_t k = 0; k < group->n_cases; k++)
        if (!strcmp(group->cases[k].id, id))
            return id;
    add_case(group, i, must_have(strdup(id)), shape);
    return id;
}

void plan_add_roof(const struct catalog *catalog, struct plan_group *group,
                   const char *name)
{
    const struct offer *widest = &catalog->offers[group->cases[0].offer];
    for (size_t i = 1; i < group->n_cases; i++) {
        const struct offer *const offer = &catalog->offers[group->cases[i].offer];
        if (!group->cases[i].skip && isa_find(offer->isa) > isa_find(widest->isa))
            widest = offer;
    }
    free(add_roof(catalog, group, widest, stream_type(widest->type), name));
}

void plan_add_copies(struct plan_group *group, uint64_t n)
{
    for (uint64_t i = 1; i <= n; i++) {
        const struct plan_case of = group->cases[0];
        struct plan_case *const copy =
            add_case(group, of.offer, must_have(strdup(of.id)), of.shape);
        copy->threads = of.threads;
        copy->team = of.team;
        copy->copy = i;
    }
}

/* A kernel of a plug-in's own op that names no roof is held against a stream of all that
 * it has: what reads and writes each operand once can be no faster. */
static const char *default_roof(const struct offer *offer)
{
    return offer->worker->info.path && !offer->is_baseline && !op_find(offer->op)
               ? "streams"
               : NULL;
}

/* Streams take a part of a short call to begin and to end. They accuse nobody but a
 * plug-in that names them. */
static bool is_guess(const struct offer *offer)
{
    return !offer->roof ||
           (!offer->worker->info.path && strcmp(offer->roof, "streams") == 0);
}

/* The roofs that may limit a kernel; once it is prepared, it may choose the other one. */
static void add_limit(const struct selection *selection, struct plan_group *group,
                      size_t number)
{
    const struct offer *offer = &selection->catalog->offers[group->cases[number].offer];
    const char *const roof = offer->roof ?: default_roof(offer);
    if (!roof || group->cases[number].skip || !strcmp(offer->op, "roof") ||
        (offer->roof && limit_by_part(group, number, selection->catalog)))
        return;
    const struct catalog *const catalog = selection->catalog;
    char *id = add_roof(catalog, group, offer, offer->type, roof);
    group->cases[number].limit_id = id;
    group->cases[number].limit_guessed = id && is_guess(offer);
    free(add_roof(catalog, group, offer, offer->type, offer->other_roof));
}

void plan_cut_group(struct plan_group *group, size_t cases)
{
    while (group->n_cases > cases) {
        struct plan_case *const last = &group->cases[--group->n_cases];
        FREE_EACH(last->id, last->shape, last->skip, last->limit_id);
        text_list_free(&last->notes);
    }
}

void plan_free_group(struct plan_group *group)
{
    plan_cut_group(group, 0);
    FREE_EACH(group->cases, group->settings.input, group->op);
    *group = (struct plan_group){.n_cases = 0};
}

static bool states_within(const struct offer *offer, double most_ulp)
{
    return offer->max_ulp > 0 && offer->max_ulp <= most_ulp;
}

/* Is there such a row that this one may run? */
static bool adapts_to(const struct catalog *catalog, const struct offer *offer,
                      double most_ulp)
{
    if (!(offer->flags & SIMDBENCH_ADAPTS))
        return false;
    FOR_EACH (const struct offer, other, catalog->offers, catalog->n_offers) {
        if (other->worker == offer->worker && !strcmp(other->op, offer->op) &&
            !strcmp(other->semiring ?: "", offer->semiring ?: "") &&
            other->type == offer->type && !strcmp(other->isa, offer->isa) &&
            !other->flags && states_within(other, most_ulp))
            return true;
    }
    return false;
}

static bool exact_enough(const struct selection *selection, const struct offer *offer)
{
    const double most_ulp = selection->request->settings.most_ulp;
    return most_ulp <= 0 || states_within(offer, most_ulp) ||
           adapts_to(selection->catalog, offer, most_ulp);
}

/* "tanh/f32/avx2/exp (1.724 ulp)" */
static void add_inexact(const struct offer *offer, const char *id, struct text_list *list)
{
    char ulp[40] = "states no error";
    FREED_BY(free_memory) char *text = NULL;
    if (offer->max_ulp > 0)
        snprintf(ulp, sizeof ulp, "%.4g ulp", offer->max_ulp);
    must(asprintf(&text, "%.*s (%s)", (int)strcspn(id, "@"), id, ulp));
    text_list_add(list, text);
}

/* Adds the case of an offer, or nothing if --filter leaves it out, or --accuracy-at-most,
 * which is noted in `inexact`. */
static bool add_offer(const struct selection *selection, struct plan_group *group,
                      size_t number, struct text_list *inexact)
{
    const struct offer *offer = &selection->catalog->offers[number];
    char *id = make_id(offer, group->shape.text, group);
    const bool matches = offer->is_baseline || listed(&selection->request->filters, id);
    const bool exact = exact_enough(selection, offer);
    if (matches && !exact)
        add_inexact(offer, id, inexact);
    if (!matches || !exact) {
        free(id);
        return false;
    }
    struct plan_case *entry = add_case(group, number, id, group->shape.text);
    char reason[256];
    const bool bundle = isa_find(offer->isa) >= 0;
    if (bundle && !isa_runs(offer->isa, reason, sizeof reason))
        entry->skip = must_have(strdup(reason));
    else if (bundle && !offer->is_baseline && selection->instead[0])
        text_list_add(&entry->notes, selection->instead);
    const char *const path = offer->worker->info.path;
    if (!entry->skip && group->settings.sets > 1 && path && module_is_foreign(path))
        entry->skip = must_have(strdup("a foreign worker has one set of operands"));
    return true;
}

bool plan_group_runs(const struct catalog *catalog, const struct plan_group *group)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (!catalog->offers[group->cases[i].offer].is_baseline && !group->cases[i].skip)
            return true;
    return false;
}

/* Baselines alone are nothing to compare. */
static void skip_baselines(const struct plan_group *group)
{
    for (size_t i = 0; i < group->n_cases; i++)
        if (!group->cases[i].skip)
            group->cases[i].skip =
                must_have(strdup("no kernel to compare it with can run here"));
}

static int finish_group(const struct selection *selection, struct plan_group *group,
                        struct error *error)
{
    const size_t n = group->n_cases;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(group->cases[i].id, group->cases[k].id))
                return error_set(error, -EEXIST, "two cases are called %s",
                                 group->cases[i].id);
        }
    }
    if (!plan_group_runs(selection->catalog, group))
        skip_baselines(group);
    for (size_t i = 0; i < n && !selection->how->accuracy; i++)
        add_limit(selection, group, i);
    return 0;
}

/* "not within --accuracy-at-most=1: tanh/f32/avx2/exp (1.724 ulp)": the same for all
 * shapes. */
static void say_inexact(const struct selection *selection, struct text_list *inexact,
                        struct text_list *left_out)
{
    char rows[4096], *text;
    if (inexact->n) {
        text_list_join(inexact, ", ", rows, sizeof rows);
        must(asprintf(&text, "not within --accuracy-at-most=%g: %s",
                      selection->request->settings.most_ulp, rows));
        text_list_add_once(left_out, text);
        free(text);
    }
    text_list_free(inexact);
}

int plan_fill_group(const struct selection *selection, bool any_layout,
                    struct plan_group *group, struct text_list *left_out,
                    struct error *error)
{
    const struct catalog *catalog = selection->catalog;
    struct text_list inexact = {.n = 0};
    bool belongs = false;
    for (int baselines = 0; baselines < 2; baselines++) {
        for (size_t i = 0; i < catalog->n_offers; i++) {
            const struct offer *offer = &catalog->offers[i];
            if (offer->is_baseline != baselines || !wanted(selection, offer, group))
                continue;
            const bool added = add_offer(selection, group, i, &inexact);
            belongs |= added && !offer->is_baseline && (offer->layout || any_layout);
        }
        if (!belongs)
            break;
    }
    say_inexact(selection, &inexact, left_out);
    if (belongs)
        return finish_group(selection, group, error);
    plan_free_group(group);
    return 0;
}
