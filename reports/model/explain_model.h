/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a case is as fast as it is, as data: what one call executed, its loops, bounds,
 * findings, and what experiments said. Texts and numbers alone, so that a file of another
 * machine prints as it did there. Part of model.h.
 */
#pragma once

#include <stddef.h>

#include "error.h"
#include "model/code_proof.h"
#include "stats/stats.h"
#include "text/fields.h"

/* Numbers are of an iteration, by name as in inspect/facts.def: "vector_reloads". */
struct explained_count {
    char *name;
    double value;
};
struct explained_line {
    char *text;                 /* an instruction */
    char *source;               /* "gemm.c:49", or NULL */
    double executed;            /* in the call, or in the windows */
    char *form;                 /* "vaddps zmm, zmm, m512"; NULL: its cost is not known */
    double throughput, latency; /* cycles, the longest latency; 0: not known */
};
struct explained_loop {
    char *where;  /* "simdbench gemm_fma_avx2+0x80" */
    char *source; /* "gemm.c:49", or NULL */
    char *mix;    /* "80 vmaxps  80 vfmadd213ps  40 vbroadcastss", or NULL */
    double share, iterations, trips;
    struct explained_count *counts;
    size_t n_counts;
    struct explained_line *lines; /* none unless asked for */
    size_t n_lines;
};

/* The machine needs at least so many cycles for an iteration of the first loop. */
struct explained_bound {
    char *name, *text; /* "dispatch_cycles" */
    double cycles;
    bool limits;  /* the largest */
    bool refuted; /* the time is shorter: simdbench is wrong about it */
};

/* A fact and the threshold that it met, or did not meet. */
struct explained_evidence {
    char *what, *text, *unit, *source; /* "vector_reloads", ..., "trace" */
    double value, threshold;
    bool at_least; /* the threshold is a least value; else a greatest */
    char *of;      /* the threshold is `factor` times this fact; NULL: a number */
    double factor;
    struct interval ci; /* an experiment's */
};

/* A condition that was changed: time of an operation there over that in the base. */
struct explained_ratio {
    char *name, *text; /* "huge_pages", "operands on pages of 2 MiB" */
    char *reaches;     /* "operands": all that it changes; or NULL */
    char *absent;      /* the reason if it was not tried; NULL: it was */
    double ratio;
    struct interval ci;
};

struct explained_finding {
    char *cause;      /* "page-faults"; docs/explain.md has them all */
    char *text;       /* its meaning */
    char *confidence; /* "flipped", "structural", "modelled" */
    double share;     /* part of the time, as an experiment measured it; NaN: none did */
    struct explained_evidence *evidence, *against; /* found; looked for and not found */
    size_t n_evidence, n_against;
    char *refute;     /* the experiment that refutes it, in words */
    char *experiment; /* its name among the ratios; NULL: none can without other code */
    char *remedy;
};

/* A cause that is not it. */
struct explained_exclusion {
    char *cause;
    bool counter; /* `why` speaks against it; else it is evidence that is missing */
    struct explained_evidence why;
};

/* A cause of which nothing is known. */
struct explained_unknown {
    char *cause, *missing; /* the fact */
    char *why;             /* it is not known, or NULL */
};

struct explanation {
    struct executed executed;
    char *not_traced; /* the reason if nothing is known of the code; NULL: it is */
    double cycles;    /* measured for an iteration of the first loop; NaN: not known */
    struct explained_loop *loops; /* the hottest first */
    size_t n_loops;
    struct explained_bound *bounds;
    size_t n_bounds;
    struct explained_finding *findings; /* the likeliest first */
    size_t n_findings;
    struct explained_exclusion *excluded;
    size_t n_excluded;
    struct explained_unknown *unknown;
    size_t n_unknown;
    struct explained_ratio *ratios;
    size_t n_ratios;
    double residual_cycles, residual_share; /* nothing explains them; NaN: not known */
    double seconds;                         /* experiments took so long */
};

/* In JSON: its member "explanation", and "findings" beside it. */
extern const struct fields explanation_fields, explanation_findings;

struct result;
/* The explanation of a case; a new one, in which no number is known, if there is none. */
struct explanation *result_explanation(struct result *result);
void explanation_free(struct explanation *explanation); /* NULL is none */
/* Its bounds explain its time, but for a part that needs no cause. */
static inline bool explanation_is_whole(const struct explanation *explanation)
{
    return explanation->residual_share < 0.05;
}
/* Append an entry, whose numbers are NaN, and return it. Texts are copied; NULL where
 * there is none. */
struct explained_loop *explanation_add_loop(struct explanation *explanation,
                                            const char *where);
void loop_add_count(struct explained_loop *loop, const char *name, double value);
/* NaN if there is no such count. */
double loop_count(const struct explained_loop *loop, const char *name);
struct explained_bound *explanation_add_bound(struct explanation *explanation,
                                              const char *name);
struct explained_finding *explanation_add_finding(struct explanation *explanation,
                                                  const char *cause);
struct explained_evidence *finding_add_evidence(struct explained_finding *finding,
                                                const char *what);
struct explained_evidence *finding_add_against(struct explained_finding *finding,
                                               const char *what);
struct explained_exclusion *explanation_add_exclusion(struct explanation *explanation,
                                                      const char *cause);
struct explained_ratio *explanation_add_ratio(struct explanation *explanation,
                                              const char *name);
/* NULL if there is none of that name. */
const struct explained_ratio *explanation_ratio(const struct explanation *explanation,
                                                const char *name);
