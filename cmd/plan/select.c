/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include <sys/stat.h>

int selection_unknown(const char *flag, const char *word, const char *noun,
                      const struct text_list *known, struct error *error)
{
    char why[480];
    text_list_unknown(known, word, noun, why, sizeof why);
    return invalid(error, "%s%.60s: %s", flag, word, why);
}

static bool of_op(const struct selection *selection, const struct offer *offer)
{
    return !strcmp(offer->op, selection->op);
}

static int select_op(struct selection *selection, struct error *error)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0};
    int status = 0;
    catalog_ops(selection->catalog, &ops);
    if (!text_list_has(&ops, selection->op)) {
        text_list_add_all(&ops, &selection->request->commands);
        status = selection_unknown(
            "", selection->op, selection->request->commands.n ? "command or op" : "op",
            &ops, error);
        const size_t used = strlen(error->text);
        struct stat facts;
        const bool is_file = stat(selection->op, &facts) == 0 && S_ISREG(facts.st_mode);
        snprintf(error->text + used, sizeof error->text - used,
                 "; --plugin=FILE.so may bring an op%s%s%.80s",
                 is_file ? "; if the file is meant: simdbench "
                 : selection->request->commands.n
                     ? ", and simdbench call LIB.so measures functions of a library"
                     : "",
                 is_file && !strchr(selection->op, '/') ? "./" : "",
                 is_file ? selection->op : "");
    }
    return status;
}

/* The words of kernels, not of libraries, that options are held against. */
static int find_known(struct selection *selection, struct error *error)
{
    FOR_EACH (const struct offer, offer, selection->catalog->offers,
              selection->catalog->n_offers) {
        if (!of_op(selection, offer) || offer->is_baseline)
            continue;
        text_list_add_once(&selection->known_types, type_name(offer->type));
        text_list_add_once(&selection->known_variants, offer->variant);
        if (offer->semiring)
            text_list_add_once(&selection->known_semirings, offer->semiring);
    }
    return 0;
}

/* Appends the known words that were asked for by name or as "all". */
static int choose(const char *flag, const char *noun, const struct text_list *asked,
                  const struct text_list *known, struct text_list *chosen,
                  struct error *error)
{
    for (size_t i = 0; i < asked->n; i++) {
        const bool all = !strcmp(asked->item[i], "all");
        if (!all && !text_list_has(known, asked->item[i]))
            return selection_unknown(flag, asked->item[i], noun, known, error);
        for (size_t k = 0; k < known->n; k++)
            if (all || !strcmp(known->item[k], asked->item[i]))
                text_list_add_once(chosen, known->item[k]);
    }
    return 0;
}

static int select_types(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->request->types;
    const struct text_list *known = &selection->known_types;
    FREED_BY(text_list_free) struct text_list chosen = {.n = 0};
    int status = choose("--type=", "element type", asked, known, &chosen, error);
    if (!asked->n && known->n)
        text_list_add(&chosen, text_list_has(known, "f32") ? "f32" : known->item[0]);
    for (size_t i = 0; i < chosen.n; i++) {
        must_grow(selection->types, selection->n_types);
        selection->types[selection->n_types++] = type_find(chosen.item[i]);
    }
    if (status == 0 && !selection->n_types)
        status = invalid(error, "op %s: nobody offers a kernel", selection->op);
    return status;
}

static int select_semirings(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->request->semirings;
    const struct text_list *known = &selection->known_semirings;
    if (asked->n && !known->n)
        return invalid(error,
                       "--semiring=%s: op %s has no semirings; leave --semiring out",
                       asked->item[0], selection->op);
    if (!asked->n && known->n)
        text_list_add(&selection->semirings, known->item[0]);
    return choose("--semiring=", "semiring", asked, known, &selection->semirings, error);
}

/* The widest available one that has a kernel of this op. */
static const char *best_isa(const struct selection *selection)
{
    for (size_t i = isa_count(); i-- > 0;) {
        FOR_EACH (const struct offer, offer, selection->catalog->offers,
                  selection->catalog->n_offers)
            if (of_op(selection, offer) && !offer->is_baseline &&
                isa_covers(isa_get(i)->name, offer->isa) && isa_runs(offer->isa, NULL, 0))
                return isa_get(i)->name;
    }
    return "scalar";
}

/* The names are known: --isa takes no others. */
static int select_isas(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->request->isas;
    selection->isa_auto = !asked->n || text_list_has(asked, "auto");
    if (!asked->n)
        text_list_add(&selection->isas, best_isa(selection));
    for (size_t i = 0; i < asked->n; i++) {
        const char *name = asked->item[i];
        if (!strcmp(name, "auto")) {
            text_list_add_once(&selection->isas, best_isa(selection));
        } else if (!strcmp(name, "all")) {
            for (size_t k = 0; k < isa_count(); k++)
                text_list_add_once(&selection->isas, isa_get(k)->name);
        } else {
            text_list_add_once(&selection->isas, name);
        }
    }
    return 0;
}

bool selection_covers(const struct selection *selection, const char *isa)
{
    for (size_t i = 0; i < selection->isas.n; i++)
        if (isa_covers(selection->isas.item[i], isa))
            return true;
    return false;
}

static bool any_matches(const char *pattern, const struct text_list *names)
{
    for (size_t i = 0; i < names->n; i++)
        if (text_glob(pattern, names->item[i]))
            return true;
    return false;
}

static bool is_of_suite(const struct selection *selection, const char *word)
{
    bool is = false;
    for (size_t i = 0; i < selection->catalog->n_offers; i++)
        is |= text_glob(word, selection->catalog->offers[i].variant);
    return is && selection->request->suite;
}

/* A word is for kernels if one of them has that variant, or else for baselines. Where all
 * ops are asked for, it is for those that have it. */
static int select_variants(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->request->variants;
    const struct text_list *own = &selection->known_variants;
    FREED_BY(text_list_free) struct text_list all = {.n = 0};
    int status = 0;
    text_list_add_all(&all, own);
    for (size_t i = 0; i < selection->catalog->n_offers; i++)
        if (of_op(selection, &selection->catalog->offers[i]))
            text_list_add_once(&all, selection->catalog->offers[i].variant);
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        const char *const word = asked->item[i];
        if (any_matches(word, own))
            text_list_add(&selection->variants, word);
        else if (any_matches(word, &all))
            text_list_add(&selection->baseline_variants, word);
        else if (!is_of_suite(selection, word))
            status = selection_unknown("--variants=", word, "variant", &all, error);
    }
    if (status == 0 && asked->n && !selection->variants.n &&
        !selection->baseline_variants.n)
        status = selection_unknown("--variants=", asked->item[0], "variant", &all, error);
    return status;
}

static int select_layouts(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->request->layouts;
    FREED_BY(text_list_free) struct text_list known = {.n = 0};
    text_list_split(&known, catalog_op_text(selection->catalog, selection->op, "layouts"),
                    ", ");
    /* Errors are the same in all layouts. */
    const size_t n = selection->how->accuracy && known.n ? 1 : known.n;
    for (size_t i = 0; i < n && !asked->n; i++)
        text_list_add_once(&selection->layouts, known.item[i]);
    for (size_t i = 0; i < asked->n; i++)
        selection->layouts_named |= strcmp(asked->item[i], "all") != 0;
    const int status =
        asked->n && !known.n
            ? invalid(error, "--layout=%.60s: op %s has one layout; leave --layout out",
                      asked->item[0], selection->op)
            : choose("--layout=", "layout", asked, &known, &selection->layouts, error);
    if (known.n)
        snprintf(selection->default_layout, sizeof selection->default_layout, "%s",
                 known.item[0]);
    return status;
}

/* Inputs as fill takes them; empty is the op's default, however it was written. */
static int select_inputs(struct selection *selection, struct error *error)
{
    const struct text_list *const asked = &selection->request->inputs;
    const bool accuracy = selection->how->accuracy;
    const char *known = catalog_op_text(selection->catalog, selection->op, "inputs");
    const size_t first = known ? strcspn(known, ", ") : 0;
    FREED_BY(text_list_free) struct text_list names = {.n = 0};
    if (accuracy && !asked->n)
        text_list_split(
            &names, catalog_op_text(selection->catalog, selection->op, "accuracy_inputs"),
            " ");
    text_list_add_all(&names, asked);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.item[i];
        const bool is_default =
            first > 0 && strlen(name) == first && memcmp(known, name, first) == 0;
        text_list_add_once(&selection->inputs, is_default ? "" : name);
    }
    if (!names.n)
        text_list_add(&selection->inputs, "");
    return 0;
}

static bool tells_errors(const struct catalog *catalog, const char *op)
{
    return catalog_op_text(catalog, op, "accuracy_inputs");
}

static bool states_errors(const struct catalog *catalog, const char *op)
{
    for (size_t i = 0; i < catalog->n_offers; i++)
        if (!strcmp(catalog->offers[i].op, op) && catalog->offers[i].max_ulp > 0)
            return true;
    return false;
}

/* "tanh, third", of all ops that can. */
static void able_ops(const struct catalog *catalog,
                     bool (*can)(const struct catalog *, const char *), char *names,
                     size_t size)
{
    FREED_BY(text_list_free) struct text_list ops = {.n = 0}, able = {.n = 0};
    catalog_ops(catalog, &ops);
    for (size_t i = 0; i < ops.n; i++)
        if (can(catalog, ops.item[i]))
            text_list_add(&able, ops.item[i]);
    text_list_join(&able, ", ", names, size);
    if (!able.n)
        snprintf(names, size, "none");
}

/* Whether the op can tell errors at all, or its rows state them, if that is what is asked
 * for. */
static int check_accuracy(struct selection *selection, struct error *error)
{
    const double most_ulp = selection->request->settings.most_ulp;
    const struct catalog *const catalog = selection->catalog;
    char names[200];
    if (selection->how->accuracy && !tells_errors(catalog, selection->op)) {
        able_ops(catalog, tells_errors, names, sizeof names);
        return invalid(error,
                       "--accuracy: op %s does not say how far results are from the "
                       "exact ones; ops that do: %s",
                       selection->op, names);
    }
    if (most_ulp > 0 && !states_errors(catalog, selection->op)) {
        able_ops(catalog, states_errors, names, sizeof names);
        return invalid(error,
                       "--accuracy-at-most=%g: op %s has no errors to bound, as no row "
                       "of it states one; ops with such rows: %s",
                       most_ulp, selection->op, names);
    }
    return 0;
}

int selection_make(const struct request *request, const struct how *how,
                   const struct catalog *catalog, const char *op,
                   struct selection *selection, struct error *error)
{
    static int (*const steps[])(struct selection *, struct error *) = {
        select_op,   check_accuracy,  find_known,     select_types,  select_semirings,
        select_isas, select_variants, select_layouts, select_inputs, selection_shapes,
    };
    *selection =
        (struct selection){.request = request, .how = how, .catalog = catalog, .op = op};
    int status = 0;
    for (size_t i = 0; i < ARRAY_LEN(steps) && status == 0; i++)
        status = steps[i](selection, error);
    return status;
}

void selection_free(struct selection *selection)
{
    struct text_list *const lists[] = {
        &selection->known_types,
        &selection->known_semirings,
        &selection->known_variants,
        &selection->variants,
        &selection->baseline_variants,
        &selection->isas,
        &selection->semirings,
        &selection->layouts,
        &selection->inputs,
        &selection->shapes,
        &selection->origins,
    };
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        text_list_free(lists[i]);
    for (size_t i = 0; selection->rungs && i < selection->request->n_threads; i++)
        text_list_free(&selection->rungs[i]);
    FREE_EACH(selection->rungs, selection->types);
}
