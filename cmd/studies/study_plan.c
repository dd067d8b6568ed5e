/* SPDX-License-Identifier: Apache-2.0 */
/* The output of `study --dry-run`: the cases, and the programs and modules that they
 * need, because a study runs the code of its author. */
#include "studies/studies_private.h"

#include <inttypes.h>

static size_t count_members(const struct set_list *sets)
{
    size_t n = 0;
    for (size_t s = 0; s < sets->n; s++)
        n += sets->set[s].n;
    return n;
}

static void print_member(const struct member *member)
{
    static char any_isa[] = "auto", any_variant[] = "*";
    struct case_name shown = member->name;
    shown.settings.threads = shown.settings.threads ?: 1;
    shown.isa = shown.isa ?: any_isa;
    shown.variant = shown.variant ?: any_variant;
    FREED_BY(free_memory) char *id = case_name_format(&shown);
    text_line(stdout, "    %-16s %s%s%s", member->arm->name, id,
              member->duplicate ? "  once more" : "",
              member->absent ? "  cannot run" : "");
}

static void print_sets(const struct set_list *sets)
{
    for (size_t s = 0; s < sets->n; s++) {
        const struct round_set *const set = &sets->set[s];
        text_line(stdout, "  %s%s", set->at, set->slope ? " and more, for a slope" : "");
        for (size_t i = 0; i < set->n; i++)
            print_member(&set->member[i]);
    }
}

/* Modules as arms name them, and where they are. Members have those of the study's
 * folder. */
static void print_modules(const struct set_list *sets)
{
    FREED_BY(text_list_free) struct text_list seen = {.n = 0};
    for (size_t s = 0; s < sets->n; s++)
        for (size_t i = 0; i < sets->set[s].n; i++) {
            const struct case_name *const name = &sets->set[s].member[i].name;
            if (name->module && !text_list_has(&seen, name->module)) {
                text_list_add(&seen, name->module);
                text_list_add(&seen, name->prefix);
            }
        }
    text_line(stdout, seen.n ? "  would start:" : "  would start nothing but simdbench");
    for (size_t i = 0; i < seen.n; i += 2) {
        struct error error = {.text = ""};
        char path[4096], *real = NULL;
        FREED_BY(free_memory) char *file = must_have(strdup(seen.item[i]));
        file[strcspn(file, ",")] = '\0';
        if (module_find(file, path, sizeof path, &error) == 0)
            real = realpath(path, NULL);
        text_line(stdout, "    %-16s %s%s", seen.item[i + 1],
                  !real                     ? "not here: "
                  : module_is_foreign(path) ? "the program "
                                            : "the module ",
                  real ?: error.text);
        free(real);
    }
}

static void print_needs(const struct study *study)
{
    for (size_t i = 0; i < study->n_claims; i++)
        if (study->claims[i].check.reason)
            text_line(stdout, "  claim %s cannot be measured here: %s",
                      study->claims[i].id, study->claims[i].check.reason);
}

void study_print_plan(const struct studying *all)
{
    text_line(stdout, "%s: %zu claims, %zu cases in %zu sets of rounds, seed %" PRIu64,
              all->study->name, all->study->n_claims, count_members(&all->sets),
              all->sets.n, all->options->how.seed);
    print_modules(&all->sets);
    print_sets(&all->sets);
    print_needs(all->study);
}
