/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From facts to findings: which causes a case has, by facts about its hottest loop, this
 * core and its experiments. The tables are facts.def and causes.def. Everything here is a
 * pure function; facts that are not known are never guessed.
 *
 * In order: inspect_facts_trace() fills what the census of a call knows; the caller fills
 * times, rates, ratios and counts; inspect_bounds() derives bounds from these; then
 * inspect_find() judges.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* ---- facts ---- */

/* clang-format off */
enum inspect_fact {
#define FACT(id, ...) FACT_##id,
#include "facts.def"
    INSPECT_FACTS
};
/* clang-format on */

/* A fact is from one of these: the second column of facts.def. */
enum inspect_source {
    INSPECT_TIME,
    INSPECT_TRACE,
    INSPECT_LOOP = INSPECT_TRACE,
    INSPECT_RATE,
    INSPECT_BOUND,
    INSPECT_RATIO,
    INSPECT_COUNT
};

struct inspect_facts {
    struct {
        double value, low,
            high; /* the interval: equal to the value where there is none */
        bool known;
        bool refuted;       /* a bound that the time refutes; its value is still there */
        const char *absent; /* the reason if it is not known, or NULL; borrowed */
    } fact[INSPECT_FACTS];
};

/* Numbers that are not finite leave the fact unknown. */
void inspect_fact_set(struct inspect_facts *facts, enum inspect_fact fact, double value);
void inspect_fact_set_interval(struct inspect_facts *facts, enum inspect_fact fact,
                               double value, double low, double high);
void inspect_fact_set_absent(struct inspect_facts *facts, enum inspect_fact fact,
                             const char *why);
/* Another way to do the same work takes so many times as long: the least of all that were
 * told is FACT_faster_way. A case is not at its limit beside one of INSPECT_FASTER. */
void inspect_fact_faster_way(struct inspect_facts *facts, double times);
#define INSPECT_FASTER 0.95
/* True if it is the ratio of an experiment on the code, which copies it. */
bool inspect_fact_is_code(enum inspect_fact fact);
/* True if a variant takes at most so many times as long, beyond what nothing changes. */
bool inspect_fact_faster(const struct inspect_facts *facts, enum inspect_fact ratio,
                         double times);
/* The code is slower than at the best place by more than this. */
#define INSPECT_PLACED 0.97
/* The part of the time in which an experiment gains: edits change the code at its best
 * place, without subnormal numbers. */
double inspect_flip_base(const struct inspect_facts *facts, enum inspect_fact ratio);
/* NaN if it is unknown. */
double inspect_fact_value(const struct inspect_facts *facts, enum inspect_fact fact);
/* INSPECT_FACTS if there is no such name. */
enum inspect_fact inspect_fact_find(const char *name);
const char *inspect_fact_name(enum inspect_fact fact); /* "vector_reloads" */
const char *inspect_fact_unit(enum inspect_fact fact); /* "/iteration"; may be empty */
const char *inspect_fact_text(enum inspect_fact fact); /* for people */
enum inspect_source inspect_fact_source(enum inspect_fact fact);
const char *inspect_source_name(enum inspect_source source); /* "trace" */

struct inspect_census;
struct inspect_loop;
/* Sets all that the census tells; `loop`: the hottest of its loops that matters. */
void inspect_facts_trace(struct inspect_facts *facts, const struct inspect_census *census,
                         const struct inspect_loop *loop);

/* Derives the facts of source BOUND, `cycles` and the ratios that count under a condition
 * alone, as `tame_input`, from those that are known: a bound whose rate or count is
 * unknown stays unknown. A bound of more than INSPECT_REFUTED times the measured cycles
 * becomes unknown, and so do all facts of the trace if windows of a call told them that
 * cannot stand for all of it. */
#define INSPECT_REFUTED 1.1
void inspect_bounds(struct inspect_facts *facts);
/* The bounds that a table shows, in its order, and the largest of those that are known;
 * INSPECT_FACTS if none is. */
enum { INSPECT_BOUND_LIST = 20 };
extern const enum inspect_fact inspect_bound_list[INSPECT_BOUND_LIST];
enum inspect_fact inspect_limiting_bound(const struct inspect_facts *facts);

/* ---- causes ---- */

/* clang-format off */
enum inspect_cause {
#define CAUSE(id, ...) CAUSE_##id,
#include "causes.def"
    INSPECT_CAUSES
};
/* clang-format on */

/* A finding is known in one of these ways, the strongest first. */
enum inspect_confidence {
    INSPECT_FLIPPED,    /* an experiment makes it vanish */
    INSPECT_STRUCTURAL, /* the executed instructions show it */
    INSPECT_MODELLED    /* measured rates and costs account for the time */
};
const char *inspect_confidence_name(enum inspect_confidence confidence); /* "flipped" */

/* One condition of causes.def with the number that it met. */
struct inspect_evidence {
    enum inspect_fact fact;
    double value;
    bool at_least;    /* the value is (or is not) at least the threshold; else at most */
    double threshold; /* in the unit of the fact */
    double factor;    /* the threshold is so many times `of`, */
    enum inspect_fact of; /* or a plain number: INSPECT_FACTS */
};
enum { INSPECT_EVIDENCE_MAX = 12 };

struct inspect_finding {
    enum inspect_cause cause;
    enum inspect_confidence confidence;
    double share; /* part of the time, by the experiment that flipped it; NaN: none */
    struct inspect_evidence evidence[INSPECT_EVIDENCE_MAX]; /* all hold */
    size_t n_evidence;
    struct inspect_evidence against[INSPECT_EVIDENCE_MAX]; /* looked for; none holds */
    size_t n_against;
    enum inspect_fact experiment; /* a fact of source RATIO refutes it; INSPECT_FACTS:
                                     none can without a change of the code */
};

/* A cause that the facts speak against. */
struct inspect_exclusion {
    enum inspect_cause cause;
    struct inspect_evidence why; /* evidence that is missing, or counter-evidence */
    bool counter;                /* the latter: it holds; else it does not */
};

/* A cause for or against which nothing is known. */
struct inspect_unknown {
    enum inspect_cause cause;
    enum inspect_fact missing;
};

struct inspect_findings {
    struct inspect_finding finding[INSPECT_CAUSES]; /* the first is the likeliest; never
                                                       empty: `unexplained` at least */
    size_t n;
    struct inspect_exclusion excluded[INSPECT_CAUSES];
    size_t n_excluded;
    struct inspect_unknown unknown[INSPECT_CAUSES];
    size_t n_unknown;
    double residual_cycles, residual_share; /* nothing explains them; NaN: not known */
};

void inspect_find(const struct inspect_facts *facts, struct inspect_findings *findings);

const char *inspect_cause_name(enum inspect_cause cause);   /* "page-faults" */
const char *inspect_cause_text(enum inspect_cause cause);   /* its meaning */
const char *inspect_cause_refute(enum inspect_cause cause); /* the experiment in words */
const char *inspect_cause_remedy(enum inspect_cause cause); /* things to try */
