/* SPDX-License-Identifier: Apache-2.0 */
/* From a request to groups: names resolved (select.c), shapes collected
 * (select_shapes.c); plan.c makes groups of it and plan_group.c their cases. */
#pragma once

#include "plan/plan.h"

struct selection {
    const struct request *request;
    const struct how *how;
    const struct catalog *catalog;
    const char *op;
    struct text_list known_types, known_semirings, known_variants; /* of own kernels */
    struct text_list isas, semirings;
    struct text_list variants;          /* of --variants, what kernels have; empty: all */
    struct text_list baseline_variants; /* of --variants, what baselines alone have */
    bool isa_auto;
    char instead[200];        /* note: kernels stand in for others that this CPU lacks */
    struct text_list layouts; /* empty: the op has one and no name for it */
    bool layouts_named;       /* by the user, one by one */
    char default_layout[64];
    struct text_list inputs;          /* at least one; empty text: the op's default */
    struct text_list shapes, origins; /* each with what to blame it on: "--sizes" */
    struct text_list *rungs; /* of a ladder: shapes for each of request->threads, the only
                                ones with so many; NULL: all shapes are for all */
    uint32_t *types;
    size_t n_types;
};

/* -EINVAL names the flag, the word and near matches. */
int selection_make(const struct request *request, const struct how *how,
                   const struct catalog *catalog, const char *op,
                   struct selection *selection, struct error *error);
void selection_free(struct selection *selection);
/* Was the instruction set of a row asked for? */
bool selection_covers(const struct selection *selection, const char *isa);
/* Collects the shapes that were asked for, or the op's own. */
int selection_shapes(struct selection *selection, struct error *error);

/* Fills a group, whose shape and input are set, with its cases. It stays without any if
 * no own kernel belongs there; kernels that take any layout are enough for that if
 * `any_layout`. `left_out` gets a line about rows that are not exact enough. */
int plan_fill_group(const struct selection *selection, bool any_layout,
                    struct plan_group *group, struct text_list *left_out,
                    struct error *error);
/* Can any kernel of our own or of a plug-in run here? */
bool plan_group_runs(const struct catalog *catalog, const struct plan_group *group);
void plan_free_group(struct plan_group *group);

/* ---- instruction sets that are missing (lacking.c) ---- */

/* Are there kernels for instruction sets, in groups from `first` on, of which this CPU
 * has none? */
bool all_lacking(const struct catalog *catalog, const struct plan *plan, size_t first);
/* True of a set that was asked for, and that neither this build nor this CPU has. */
bool asks_for_none(const struct selection *selection);
/* "this build has no SSE2 or AVX-512 kernels (Meson's option isas)": of sets that were
 * asked for and that this CPU has. 0: none is missing. */
size_t say_not_built(const struct selection *selection, char *text, size_t size);
/* Fills `instead`: "this CPU has no AVX-512: measured avx2, its widest, instead". */
void say_instead(struct selection *selection, const char *isa, bool widest);
