/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by explain.c (the command), experiments.c (which conditions, and what they
 * gain), explain_facts.c, siblings.c and explain_result.c (what all that says) and
 * explain_account.c (two cases). */
#pragma once

#include "explain/explain.h"
#include "variant/variant.h"

/* ---- experiments ---- */

/* One condition that is changed: time of an operation in the variant over that in the
 * base. */
struct experiment {
    const char *name;    /* "huge_pages" */
    const char *reaches; /* "operands only", or NULL */
    char absent[320];    /* reason why there is no ratio; empty: there is */
    double ratio;
    struct interval ci;
};
enum { EXPERIMENTS_MAX = 40 };
struct experiments {
    struct experiment item[EXPERIMENTS_MAX];
    size_t n;
    bool unweighed; /* nobody knows how much less work some faster inputs are */
};
/* A subject is explained: a case, its base with the roofs, and what experiments said. */
struct subject {
    const struct case_name *name;
    struct variant base;
    struct experiments experiments;
    struct variant_trace trace;
    struct inspect_facts facts;
    const char *doubt;   /* reason why its trace cannot be believed, or NULL */
    unsigned best_shift; /* bytes from the code as built to the best place, modulo 64 */
    size_t hot_loop;     /* index: the one that facts are about; 0 if there is none */
    double seconds;      /* time of the rounds */
};
/* Measures the bases of the subjects, which are open, and their experiments in common
 * rounds, and fills the ratios. `cpu`: another core that was locked, or -1. */
int experiments_run(struct subject *subjects, size_t n, int other_cpu,
                    const struct watcher *watcher, struct error *error);
/* ---- what it says ---- */

/* Chooses the hot loop, too. `rates`: core_rate_count() of them. */
void explain_facts(struct subject *subject, const double *rates);
/* The clock beside a result over the highest of the run: the most that it may be, by the
 * intervals of both; NaN: unknown. */
double explain_clock_share(const struct run *run, const struct result *result);
/* The time at the best place of the code over that as built; 1: no place is better. */
double explain_best_place(const struct inspect_facts *facts);
/* The time of the case in another process, over that of its base, if that is much less:
 * the base was unlucky. 1: it was not, or nobody knows. `ci`: its interval, or NULL. */
double explain_luck(const struct subject *subject, struct interval *ci);
/* True if two cases are the same but for kernel and module. (siblings.c) */
bool is_sibling(const struct case_name *a, const struct case_name *b);
/* Adds to the facts of a subject what its siblings among `n` subjects took. */
void explain_siblings(struct subject *subject, const struct subject *others, size_t n);
/* Finds the causes, and writes all into the result of the subject. */
void explain_take(const struct subject *subject, bool all_code);
/* The reason why the first of two subjects is slower than the other; the caller's
 * (explain_account.c). */
struct account *explain_account(const struct subject *a, const struct subject *b);
/* Names the form of finding slow-instruction, the function of finding call, and what to
 * do (explain_slow.c). */
void explain_slow(const struct subject *subject, struct explanation *explanation);
/* Names instructions that do the work of a slow form; NULL: none are known
 * (explain_advice.c). */
const char *explain_advice(const char *form);
/* The same for instructions of a loop that one newer does together. */
const char *explain_newer(const struct inspect_line *line, size_t n);
/* NULL if there is no such experiment. */
const struct experiment *experiment_find(const struct experiments *experiments,
                                         const char *name);
