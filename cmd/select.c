/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include <errno.h>
#include <string.h>

bool selection_has(const struct text_list *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++) {
        if (!strcmp(list->item[i], text))
            return true;
    }
    return false;
}

static int add_once(struct text_list *list, const char *text)
{
    return selection_has(list, text) ? 0 : text_list_add(list, text);
}

/* "--type=f16: no such element type; did you mean f32? (known: f32, f64)". */
static int unknown(const char *flag, const char *word, const char *noun,
                   const struct text_list *known, struct error *error)
{
    char near[200], all[200] = "";
    text_list_near(known, word, near, sizeof near);
    for (size_t i = 0, length = 0; i < known->n && length < sizeof all; i++)
        length += (size_t)snprintf(all + length, sizeof all - length, "%s%s",
                                   i ? ", " : "", known->item[i]);
    return error_set(error, -EINVAL, "%s%.60s: no such %s%s%s%s (known: %s)", flag, word,
                     noun, near[0] ? "; did you mean " : "", near, near[0] ? "?" : "",
                     all);
}

static bool of_op(const struct selection *selection, const struct offer *offer)
{
    return !strcmp(offer->op, selection->op);
}

static int select_op(struct selection *selection, struct error *error)
{
    struct text_list ops = {.n = 0};
    int status = catalog_ops(selection->catalog, &ops);
    if (status == 0 && !selection_has(&ops, selection->op)) {
        for (const char *const *c =
                 (const char *const[]){"report", "list", "doctor", NULL};
             *c; c++)
            add_once(&ops, *c);
        status = unknown("", selection->op, "command or op", &ops, error);
    }
    text_list_free(&ops);
    return status;
}

static int select_types(struct selection *selection, struct error *error)
{
    struct text_list known = {.n = 0};
    int status = 0;
    for (size_t i = 0; i < selection->catalog->n_offers; i++) {
        const struct offer *offer = &selection->catalog->offers[i];
        if (of_op(selection, offer) && !offer->is_baseline)
            add_once(&known, type_name(offer->type));
    }
    const struct text_list *asked = &selection->options->types;
    struct text_list chosen = {.n = 0};
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        if (!strcmp(asked->item[i], "all")) {
            for (size_t k = 0; k < known.n; k++)
                add_once(&chosen, known.item[k]);
        } else if (selection_has(&known, asked->item[i])) {
            add_once(&chosen, asked->item[i]);
        } else {
            status = unknown("--type=", asked->item[i], "element type", &known, error);
        }
    }
    if (!asked->n && known.n)
        add_once(&chosen, selection_has(&known, "f32") ? "f32" : known.item[0]);
    for (size_t i = 0; i < chosen.n && selection->n_types < ARRAY_LEN(selection->types);
         i++)
        selection->types[selection->n_types++] = type_find(chosen.item[i]);
    if (status == 0 && !selection->n_types)
        status =
            error_set(error, -EINVAL, "op %s: nobody offers a kernel", selection->op);
    text_list_free(&known);
    text_list_free(&chosen);
    return status;
}

static int select_semirings(struct selection *selection, struct error *error)
{
    struct text_list known = {.n = 0};
    int status = 0;
    for (size_t i = 0; i < selection->catalog->n_offers; i++) {
        const struct offer *offer = &selection->catalog->offers[i];
        if (of_op(selection, offer) && !offer->is_baseline && offer->semiring)
            add_once(&known, offer->semiring);
    }
    const struct text_list *asked = &selection->options->semirings;
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        if (!known.n)
            status = error_set(error, -EINVAL, "--semiring=%s: op %s has no semirings",
                               asked->item[i], selection->op);
        else if (!strcmp(asked->item[i], "all"))
            for (size_t k = 0; k < known.n; k++)
                add_once(&selection->semirings, known.item[k]);
        else if (selection_has(&known, asked->item[i]))
            add_once(&selection->semirings, asked->item[i]);
        else
            status = unknown("--semiring=", asked->item[i], "semiring", &known, error);
    }
    if (!asked->n && known.n)
        add_once(&selection->semirings, known.item[0]);
    text_list_free(&known);
    return status;
}

/* The widest available one that has a kernel of this op. */
static const char *best_isa(const struct selection *selection)
{
    for (size_t i = isa_count(); i-- > 0;) {
        for (size_t k = 0; k < selection->catalog->n_offers; k++) {
            const struct offer *offer = &selection->catalog->offers[k];
            if (of_op(selection, offer) && !offer->is_baseline &&
                !strcmp(offer->isa, isa_get(i)->name) && isa_available(i, NULL, 0))
                return offer->isa;
        }
    }
    return "scalar";
}

static int select_isas(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->options->isas;
    selection->isa_auto = !asked->n || selection_has(asked, "auto");
    if (!asked->n)
        return text_list_add(&selection->isas, best_isa(selection));
    for (size_t i = 0; i < asked->n; i++) {
        const char *name = asked->item[i];
        if (!strcmp(name, "auto")) {
            add_once(&selection->isas, best_isa(selection));
        } else if (!strcmp(name, "all")) {
            for (size_t k = 0; k < isa_count(); k++)
                add_once(&selection->isas, isa_get(k)->name);
        } else if (isa_find(name) >= 0) {
            add_once(&selection->isas, name);
        } else {
            struct text_list known = {.n = 0};
            add_once(&known, "auto");
            add_once(&known, "all");
            for (size_t k = 0; k < isa_count(); k++)
                add_once(&known, isa_get(k)->name);
            int status = unknown("--isa=", name, "instruction set", &known, error);
            text_list_free(&known);
            return status;
        }
    }
    return 0;
}

static int check_variants(const struct selection *selection, struct error *error)
{
    struct text_list known = {.n = 0};
    for (size_t i = 0; i < selection->catalog->n_offers; i++) {
        const struct offer *offer = &selection->catalog->offers[i];
        if (of_op(selection, offer) && !offer->is_baseline)
            add_once(&known, offer->variant);
    }
    int status = 0;
    const struct text_list *asked = &selection->options->variants;
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        bool found = false;
        for (size_t k = 0; k < known.n; k++)
            found |= text_glob(asked->item[i], known.item[k]);
        if (!found)
            status = unknown("--variants=", asked->item[i], "variant", &known, error);
    }
    text_list_free(&known);
    return status;
}

static int select_shapes(struct selection *selection, struct error *error)
{
    char text[512];
    if (selection->options->shapes.n) {
        for (size_t i = 0; i < selection->options->shapes.n; i++) {
            int status = add_once(&selection->shapes, selection->options->shapes.item[i]);
            if (status < 0)
                return status;
        }
        return 0;
    }
    int status = catalog_default_shapes(selection->catalog, selection->op, text,
                                        sizeof text, error);
    return status < 0 ? status : sizes_expand(text, &selection->shapes, error);
}

int selection_make(const struct options *options, const struct catalog *catalog,
                   struct selection *selection, struct error *error)
{
    *selection = (struct selection){
        .options = options, .catalog = catalog, .op = options->command};
    int status = select_op(selection, error);
    if (status == 0)
        status = select_types(selection, error);
    if (status == 0)
        status = select_semirings(selection, error);
    if (status == 0)
        status = select_isas(selection, error);
    if (status == 0)
        status = check_variants(selection, error);
    return status < 0 ? status : select_shapes(selection, error);
}

void selection_free(struct selection *selection)
{
    text_list_free(&selection->isas);
    text_list_free(&selection->semirings);
    text_list_free(&selection->shapes);
}
