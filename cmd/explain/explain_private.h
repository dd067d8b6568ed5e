/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by explain.c (the command), case_name.c (which cases), variant.c (a case under
 * conditions of its own), smaller_shape.c, experiments.c (which conditions, and what they
 * gain), trace.c, explain_facts.c and explain_result.c (what all that says) and
 * explain_account.c (two cases). */
#pragma once

#include "explain/explain.h"
#include "findings.h"
#include "measure/measure.h"

/* ---- which cases (case_name.c) ---- */

/* A case as its id names it, and what has to be loaded for it. */
struct case_name {
    char *prefix; /* "openblas,coretype=SkylakeX"; NULL: own kernels */
    char *op, *semiring, *type, *isa, *variant, *shape, *layout; /* NULL: none named */
    char *input;
    char *module; /* FILE.so[,option=value...] or a name, for the prefix; NULL */
    uint32_t threads;
    uint64_t align; /* 0: not named */
    bool cold, huge_pages;
};
/* -EINVAL for what is no id of a case. */
int case_name_parse(const char *id, struct case_name *name, struct error *error);
void case_name_free(struct case_name *name);
/* Does a word on the command line name a case, not an op? */
bool case_name_is(const char *word);

/* The cases to explain, in order. */
struct case_list {
    struct case_name *item;
    size_t n;
};
/* Reads the words as cases; an op stands for the cases that its options plan.
 * `why_instead` gets sentences for the user. */
int case_list_make(const struct options *options, struct case_list *list,
                   struct text_list *why_instead, struct error *error);
void case_list_free(struct case_list *list);

/* ---- a case under certain conditions (variant.c) ---- */

/* With workers and memory of its own. It must not move once it is open. */
struct variant {
    struct options options;
    struct catalog catalog;
    struct plan plan; /* of one group: the case first, then its roofs */
    struct run *run;  /* where its results go */
    size_t group;     /* their group there, and the number of the case's own */
    size_t result;
    bool open;
};
/* The options of the user, narrowed to one case. */
void variant_options(const struct options *options, const struct case_name *name,
                     struct options *to);
/* Starts its workers and plans it from variant->options. CPUs must be locked. Workers
 * have the same addresses for stack, heap and libraries, unless the options want random
 * ones. */
int variant_open(struct variant *variant, struct error *error);
/* Adds a stream of memory to the roofs. */
void variant_add_stream(struct variant *variant);
void variant_close(struct variant *variant);
static inline const struct plan_group *variant_group(const struct variant *variant)
{
    return &variant->plan.groups[0];
}
static inline const struct offer *variant_offer(const struct variant *variant)
{
    return &variant->catalog.offers[variant_group(variant)->cases[0].offer];
}
static inline struct result *variant_result(const struct variant *variant)
{
    return &variant->run->results[variant->result];
}

/* A run measures it. Its results begin where those of the run end. */
struct run_arm variant_arm(struct variant *variant);

/* Finds a shape of the op whose operands fit into a cache near the core: its dimensions
 * halved, what is left over by 16 kept. NULL if there is none, and why. The text is the
 * caller's. */
char *smaller_shape(const struct variant *base, const char **why);
/* All shapes on the way there and beyond, each smaller than the one before. */
void smaller_shapes(const struct variant *base, struct text_list *shapes);

/* ---- experiments ---- */

/* One condition that is changed: time of an operation in the variant over that in the
 * base. */
struct experiment {
    const char *name;    /* "huge_pages" */
    const char *reaches; /* "operands only", or NULL */
    char absent[320];    /* why there is no ratio; empty: there is */
    double ratio;
    struct interval ci;
};
enum { EXPERIMENTS_MAX = 24 };
struct experiments {
    struct experiment item[EXPERIMENTS_MAX];
    size_t n;
};
/* A subject is explained: a case, its base with the roofs, and what experiments said. */
struct subject {
    const struct case_name *name;
    struct variant base;
    struct experiments experiments;
    struct inspect_census census;
    size_t hot_loop; /* index: the one that facts are about; 0 if there is none */
    bool traced;
    char not_traced[512]; /* why not */
    double
        instructions_per_op; /* of a trace of a whole call, or of a smaller shape; NaN */
    double seconds;          /* that rounds took */
};
/* Measures the bases of the subjects, which are open, and their experiments in common
 * rounds, and fills the ratios. `cpu`: another core that was locked, or -1. */
int experiments_run(struct subject *subjects, size_t n, int other_cpu,
                    const struct watcher *watcher, struct error *error);
/* ---- what it says ---- */

/* Traces the subject, and if that takes too many steps, a sample of it and a smaller
 * shape. */
void trace_subject(const struct options *options, struct subject *subject);
/* Chooses the hot loop, too. `rates`: core_rate_count() of them. */
void explain_facts(struct subject *subject, const double *rates,
                   struct inspect_facts *facts);
/* Finds the causes, and writes all into the result of the subject. */
void explain_take(const struct subject *subject, const struct inspect_facts *facts,
                  bool all_code);
/* Prints why the first of two subjects is slower than the other (explain_account.c). */
void account_print(const struct subject *a, const struct subject *b);
/* NULL if there is no such experiment. */
const struct experiment *experiment_find(const struct experiments *experiments,
                                         const char *name);
