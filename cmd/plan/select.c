/* SPDX-License-Identifier: Apache-2.0 */
#include "select.h"

#include <errno.h>
#include <string.h>

int selection_unknown(const char *flag, const char *word, const char *noun,
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
    int status = 0;
    catalog_ops(selection->catalog, &ops);
    if (!text_list_has(&ops, selection->op)) {
        args_commands(&ops);
        status = selection_unknown("", selection->op, "command or op", &ops, error);
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
            text_list_add_once(&known, type_name(offer->type));
    }
    const struct text_list *asked = &selection->options->types;
    struct text_list chosen = {.n = 0};
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        if (!strcmp(asked->item[i], "all")) {
            for (size_t k = 0; k < known.n; k++)
                text_list_add_once(&chosen, known.item[k]);
        } else if (text_list_has(&known, asked->item[i])) {
            text_list_add_once(&chosen, asked->item[i]);
        } else {
            status = selection_unknown("--type=", asked->item[i], "element type", &known,
                                       error);
        }
    }
    if (!asked->n && known.n)
        text_list_add_once(&chosen, text_list_has(&known, "f32") ? "f32" : known.item[0]);
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
            text_list_add_once(&known, offer->semiring);
    }
    const struct text_list *asked = &selection->options->semirings;
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        if (!known.n)
            status = error_set(error, -EINVAL, "--semiring=%s: op %s has no semirings",
                               asked->item[i], selection->op);
        else if (!strcmp(asked->item[i], "all"))
            for (size_t k = 0; k < known.n; k++)
                text_list_add_once(&selection->semirings, known.item[k]);
        else if (text_list_has(&known, asked->item[i]))
            text_list_add_once(&selection->semirings, asked->item[i]);
        else
            status = selection_unknown("--semiring=", asked->item[i], "semiring", &known,
                                       error);
    }
    if (!asked->n && known.n)
        text_list_add_once(&selection->semirings, known.item[0]);
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
        } else if (isa_find(name) >= 0) {
            text_list_add_once(&selection->isas, name);
        } else {
            struct text_list known = {.n = 0};
            text_list_add_once(&known, "auto");
            text_list_add_once(&known, "all");
            for (size_t k = 0; k < isa_count(); k++)
                text_list_add_once(&known, isa_get(k)->name);
            int status =
                selection_unknown("--isa=", name, "instruction set", &known, error);
            text_list_free(&known);
            return status;
        }
    }
    return 0;
}

static int check_variants(struct selection *selection, struct error *error)
{
    struct text_list known = {.n = 0};
    for (size_t i = 0; i < selection->catalog->n_offers; i++) {
        const struct offer *offer = &selection->catalog->offers[i];
        if (of_op(selection, offer) && !offer->is_baseline)
            text_list_add_once(&known, offer->variant);
    }
    int status = 0;
    const struct text_list *asked = &selection->options->variants;
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        bool found = false;
        for (size_t k = 0; k < known.n; k++)
            found |= text_glob(asked->item[i], known.item[k]);
        if (!found)
            status = selection_unknown("--variants=", asked->item[i], "variant", &known,
                                       error);
    }
    text_list_free(&known);
    return status;
}

static int select_layouts(struct selection *selection, struct error *error)
{
    const struct text_list *asked = &selection->options->layouts;
    struct text_list known = {.n = 0};
    int status = 0;
    text_list_split(&known, catalog_op_text(selection->catalog, selection->op, "layouts"),
                    ", ");
    /* Errors are the same in all layouts. */
    const size_t n = selection->options->accuracy && known.n ? 1 : known.n;
    for (size_t i = 0; i < n && !asked->n; i++)
        text_list_add_once(&selection->layouts, known.item[i]);
    for (size_t i = 0; i < asked->n && status == 0; i++) {
        if (!known.n) {
            status = error_set(error, -EINVAL, "--layout=%.60s: op %s has one layout",
                               asked->item[i], selection->op);
        } else if (!strcmp(asked->item[i], "all")) {
            for (size_t k = 0; k < known.n; k++)
                text_list_add_once(&selection->layouts, known.item[k]);
        } else if (text_list_has(&known, asked->item[i])) {
            selection->layouts_named = true;
            text_list_add_once(&selection->layouts, asked->item[i]);
        } else {
            status =
                selection_unknown("--layout=", asked->item[i], "layout", &known, error);
        }
    }
    if (known.n)
        snprintf(selection->default_layout, sizeof selection->default_layout, "%s",
                 known.item[0]);
    text_list_free(&known);
    return status;
}

/* Inputs as fill takes them; empty is the op's default, however it was written. */
static int select_inputs(struct selection *selection, struct error *error)
{
    const struct options *options = selection->options;
    const char *known = catalog_op_text(selection->catalog, selection->op, "inputs");
    const size_t first = known ? strcspn(known, ", ") : 0;
    struct text_list names = {.n = 0};
    (void)error;
    if (options->accuracy && !options->inputs.n)
        text_list_split(
            &names, catalog_op_text(selection->catalog, selection->op, "accuracy_inputs"),
            " ");
    for (size_t i = 0; i < options->inputs.n; i++)
        text_list_add(&names, options->inputs.item[i]);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.item[i];
        const bool is_default =
            first > 0 && strlen(name) == first && memcmp(known, name, first) == 0;
        text_list_add_once(&selection->inputs, is_default ? "" : name);
    }
    if (!names.n)
        text_list_add(&selection->inputs, "");
    text_list_free(&names);
    return 0;
}

/* Whether the op can tell errors at all, if that is what is asked for. */
static int check_accuracy(struct selection *selection, struct error *error)
{
    struct text_list ops = {.n = 0};
    char able[200] = "";
    if (!selection->options->accuracy ||
        catalog_op_text(selection->catalog, selection->op, "accuracy_inputs"))
        return 0;
    catalog_ops(selection->catalog, &ops);
    for (size_t i = 0, length = 0; i < ops.n && length < sizeof able; i++) {
        if (catalog_op_text(selection->catalog, ops.item[i], "accuracy_inputs"))
            length += (size_t)snprintf(able + length, sizeof able - length, "%s%s",
                                       length ? ", " : "", ops.item[i]);
    }
    text_list_free(&ops);
    return error_set(error, -EINVAL,
                     "--accuracy: op %s does not say how far results are from the exact "
                     "ones; ops that do: %s",
                     selection->op, able[0] ? able : "none");
}

int selection_make(const struct options *options, const struct catalog *catalog,
                   const char *op, struct selection *selection, struct error *error)
{
    static int (*const steps[])(struct selection *, struct error *) = {
        select_op,      check_accuracy, select_types,  select_semirings, select_isas,
        check_variants, select_layouts, select_inputs, selection_shapes,
    };
    *selection = (struct selection){.options = options, .catalog = catalog, .op = op};
    int status = 0;
    for (size_t i = 0; i < ARRAY_LEN(steps) && status == 0; i++)
        status = steps[i](selection, error);
    return status;
}

void selection_free(struct selection *selection)
{
    text_list_free(&selection->isas);
    text_list_free(&selection->semirings);
    text_list_free(&selection->layouts);
    text_list_free(&selection->inputs);
    text_list_free(&selection->shapes);
    text_list_free(&selection->origins);
}
