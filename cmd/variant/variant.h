/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room variant: one case, named by an id, under conditions of its own. It has its own
 * how, workers and memory. The room also traces the code that a case executes, and takes
 * the CPUs for several variants.
 */
#pragma once

#include "findings.h"
#include "measure/measure.h"

/* ---- which cases (case_list.c) ---- */

/* The cases to explain, in order. */
struct case_list {
    struct case_name *item;
    size_t n;
};
/* Reads the words as cases; an op stands for the cases of the request.
 * `why_instead` gets sentences for the user. */
int case_list_make(const struct text_list *words, const struct request *request,
                   const struct how *how, struct case_list *list,
                   struct text_list *why_instead, struct error *error);
void case_list_free(struct case_list *list);

/* ---- a case under certain conditions (variant.c) ---- */

/* It has workers and memory of its own, and must not move once it is open. */
struct variant {
    struct request request;
    struct how how;
    struct catalog catalog;
    struct plan plan; /* of one group: the case first, then its roofs */
    struct run *run;  /* gets its results */
    size_t group;     /* their group there, and the number of the case's own */
    size_t result;
    bool begun;
};
/* Narrows a request to one case, for short batches on the CPUs of `how`. The variant,
 * which is empty, may be changed before it is opened; variant_close() frees it. */
void variant_begin(struct variant *variant, const struct request *request,
                   const struct how *how, const struct case_name *name);
void variant_set_shape(struct variant *variant, const char *shape);
/* Loads the modules of a case, plans it and closes all again. So a case that is not there
 * is known before anybody waits for a CPU. */
int variant_check(const struct request *request, const struct how *how,
                  const struct case_name *name, struct error *error);
/* Starts its workers and plans it from its request. CPUs must be locked. Workers have the
 * same addresses for stack, heap and libraries, unless its how wants random ones. */
int variant_open(struct variant *variant, struct error *error);
/* Removes its roofs from the plan. */
void variant_leave_roofs(struct variant *variant);
/* Adds copies of its code at as many places as its how says, and edited copies. Their
 * results follow that of the case. */
void variant_add_copies(struct variant *variant);
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

/* The operations of a call, or its bytes if operations are not known, as for a function
 * that was declared without work. Both serve to compare calls of one shape. */
static inline double work_amount(const struct work *work)
{
    return work->ops > 0 ? work->ops : work->bytes;
}

/* The bits of a vector of its instruction set; NaN: unknown. */
double variant_isa_bits(const struct variant *variant);

/* The arm with which a run measures it. Its results go behind those of the run. */
struct run_arm variant_arm(struct variant *variant);

/* ---- a smaller one (smaller_shape.c) ---- */

/* Finds a shape of the op whose operands fit into a cache near the core, or have `few`
 * elements, and at which the case is right: its dimensions halved (shape_smaller_alike).
 * NULL if there is none, and why. The text is the caller's. */
char *smaller_shape(const struct variant *base, const struct case_name *name, bool few,
                    struct error *why);
/* All smaller shapes, each smaller than the one before. `alike`: shapes that kernels
 * without tails take; else any shapes. */
void smaller_shapes(const struct variant *base, bool alike, struct text_list *shapes);

/* ---- what it executes (trace.c) ---- */

struct variant_trace {
    struct inspect_census census;
    bool known;
    char absent[512];           /* reason why it is not known */
    double instructions_per_op; /* of a whole call, or of one of a smaller shape; NaN */
};
/* Instructions of a call of the case at another shape; NaN: nothing tells them. */
double variant_instructions(const struct case_name *name, const struct variant *base,
                            const char *shape);
/* Traces a call of the case in workers of its own. If that takes too many steps, traces a
 * part of it and a smaller shape. `rates`: measured_rates(), or NULL. `base` is open. */
void variant_trace(const struct case_name *name, const double *rates,
                   const struct variant *base, struct variant_trace *trace);

/* ---- its hot loop (hot_loop.c) ---- */

/* `rates`: of measured_rates(). */
void variant_set_rates(const double *rates, struct inspect_facts *facts);
/* The index of the loop that needs most cycles by measured rates; `part`: its share of
 * the cycles of all code. 0 and 0: no loop is known to need any. `forwards`: stores that
 * cannot be forwarded cost cycles, as no experiment refuted them. `guesses`: wrong
 * predictions do, as if each branch that goes its rarer way came by surprise. */
size_t variant_hot_loop(const struct inspect_census *census, const double *rates,
                        bool forwards, bool guesses, double *part);

/* ---- what was measured (measured.c): NaN if it is not known ---- */

/* The value of a counter that nothing contradicts; the value of a metric of such
 * counters. */
double measured_counter(const struct result *result, const char *name);
double measured_metric(const struct result *result, const char *name);
/* core_rate_count() numbers, measured on these CPUs, and what earlier runs kept of them
 * (costs.h); this process comes back. The caller's. */
double *measured_rates(const int *cpu, size_t n);

/* ---- CPUs (take_cpus.c) ---- */

struct taken_cpus {
    struct plan plan; /* without cases */
    struct cpu_lock *other;
    int other_cpu; /* one more that is free; -1: none */
};
/* As plan_take_cpus(), unless nothing will be measured. */
int take_cpus(const struct how *how, uint32_t threads, struct taken_cpus *cpus,
              struct error *error);
void give_cpus_back(struct taken_cpus *cpus);
