/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A study: claims about kernels, each a measure over one or two arms and the interval
 * that it is said to lie in, and what a machine says about them. docs/studies.md
 * describes the file, study-schema.json its fields; study_read_json() of json/ reads one.
 * Whoever measures adds points to the checks, and study_judge() derives all verdicts from
 * these. Texts and numbers alone: a saved study prints as the live one did. Nothing here
 * knows a run.
 */
#pragma once

#include <stddef.h>

#include "error.h"
#include "stats/stats.h"
#include "text/fields.h"
#include "text/text.h"

enum { STUDY_VERSION = 1, STUDY_QUOTE_WORDS = 15, STUDY_NAME_MAX = 64 };
/* Readers take no more: claims, shapes in a list, points of all checks, entries of other
 * lists, and bytes of a name. */
enum {
    STUDY_CLAIMS_MAX = 1000,
    STUDY_SHAPES_MAX = 1000,
    STUDY_POINTS_MAX = 10000,
    STUDY_ENTRIES_MAX = 100,
    STUDY_TEXT_MAX = 256
};
enum { STUDY_THREADS_UNSET = 0, STUDY_THREADS_ALL = -1 };

/* ---- the file ---- */

enum study_measure {
    MEASURE_TIME_RATIO,   /* time of of[0] over that of of[1], paired by round */
    MEASURE_THREAD_RATIO, /* time on one thread over that on `threads` */
    MEASURE_LIMIT_SHARE,  /* of the roof that limits the arm */
    MEASURE_METRIC,       /* `what`: a counter or what is derived */
    MEASURE_STATIC,       /* `what`: a fact of the code, by its name in facts.def */
    MEASURE_SLOPE,        /* of log time on log work over `at`; one point without `at` */
    MEASURE_EXPLAINED,    /* count of event `what` times its cost, over the difference of
                             the times of of[0] and of[1] */
    MEASURE_NOISE,        /* `what`: "mad" over the median, or the "floor" of A/A */
    MEASURE_ACCURACY,     /* `what`: "max_ulp", "mean_ulp" */
    MEASURE_ARITHMETIC,   /* `what`: a formula of numbers alone */
    MEASURE_HOST,         /* `what`: a fact of the host */
    STUDY_MEASURES
};
const char *study_measure_name(enum study_measure measure); /* "time_ratio" */
/* -EINVAL if there is no such measure. */
int study_measure_find(const char *name, enum study_measure *measure);

/* The values of two arms become one. */
enum study_as { AS_VALUE, AS_DIFFERENCE, AS_RATIO }; /* of[0] - of[1]; of[0] / of[1] */
/* "value", "difference", "ratio" */
int study_as_find(const char *name, enum study_as *as);

/* A case in part: texts are NULL and numbers 0 where the file says nothing. The reader
 * gives each arm what it leaves to `work`; one of another op gets no semiring, variant,
 * layout and input from there. */
struct study_arm {
    char *name; /* NULL: the work */
    char *is;   /* what its code does, for readers; or NULL */
    char *op, *semiring, *type, *isa, *variant, *layout;
    char *module; /* shipped, a library, or a path; NULL: own kernels */
    char *shape;  /* "+p1q1": letters to set in the shape of the point; or a whole shape;
                     NULL: the shape of the point */
    char *pages;  /* "4k", "2m" */
    char *input;
    char *cache;  /* "warm", "cold" */
    double align; /* bytes */
    int threads;  /* or STUDY_THREADS_* */
};

/* The shape of an arm at a point, to be freed. -EINVAL if letters are to be set in a
 * shape that has none. */
int study_arm_shape(const struct study_arm *arm, const char *at, char **shape,
                    struct error *error);

/* The CPUs of the need "cpus:8", the bytes of "memory:2GB"; NAN for any other text. */
double study_need_number(const char *need);

enum study_verdict {
    STUDY_PENDING, /* has no points yet */
    STUDY_CONFIRMED,
    STUDY_REFUTED,
    STUDY_UNDECIDED,      /* intervals lie across the border */
    STUDY_NOT_MEASURABLE, /* here */
    STUDY_VERDICTS
};
const char *study_verdict_name(enum study_verdict verdict); /* "CONFIRMED" */

/* A value is outside what was expected in one of these ways. */
enum study_how { HOW_NONE, HOW_NO_EFFECT, HOW_SMALLER, HOW_LARGER };
const char *study_how_name(enum study_how how); /* "", "no effect", "smaller", "larger" */

/* A point is what was measured at one shape. */
struct study_point {
    char *at;           /* shape; NULL: the measure has none */
    char *cases[2];     /* ids of the cases that it was formed from; or NULL */
    double value;       /* NaN: not known, and `reason` tells why */
    struct interval ci; /* of the value; study_point_exact() makes that of an exact one */
    double floor;       /* difference of equal arms in the same rounds: 0.01; 0: none;
                           study_judge() raises that of a ratio of times */
    char *reason;       /* reason why the value is not known; NULL: it is */
    char *type;         /* command that gets it, or NULL */

    /* derived by study_judge() */
    enum study_verdict verdict;
    enum study_how how;
};

/* A measure and where it is said to lie. */
struct study_check {
    enum study_measure measure;
    enum study_as as;
    char **of; /* names of arms */
    size_t n_of;
    double lo, hi; /* expect; -INFINITY and INFINITY where it is open */
    char **at;     /* shapes; the reader fills in those of the work */
    size_t n_at;
    char **quick; /* the same with --quick; likewise */
    size_t n_quick;
    char *what;   /* as the measure says; NULL: it needs none */
    int threads;  /* of thread_ratio */
    char *why;    /* or NULL */
    char **needs; /* "cpus:8" */
    size_t n_needs;

    /* Results: one for each shape, in their order. */
    struct study_point *points;
    size_t n_points;
    /* The reason why the verdict is NOT MEASURABLE, and what to type. A check without
     * points has what was set here; else study_judge() derives it. */
    char *reason, *type;

    /* derived by study_judge() */
    enum study_verdict verdict;
    enum study_how how;
    size_t decided_by; /* the point that the verdict is due to, and that tables show */
};

struct study_claim {
    char *id;
    char *quote; /* the source's words; NULL: the claim is our own, and `text` says it */
    char *text;  /* or NULL */
    char *kind;  /* "P" performance, "C" cause, "F" fix, "T" table, "S" statement */
    char *their; /* their number, as text: "3.3x"; or NULL */
    char *note;  /* or NULL */
    char *instead; /* id of a weaker stand-in, or NULL */
    /* The lesson of each outcome, a sentence each; or NULL. */
    char *confirms, *refutes;
    bool by_construction; /* one outcome alone is possible: arms were built for it */
    bool learned;         /* its sentence opens the report of the study */
    char **confounders;
    size_t n_confounders;
    struct study_check check;
    struct study_check *evidence; /* decides nothing: confirmed is "+", refuted "-" */
    size_t n_evidence;

    /* derived by study_judge() */
    bool contested; /* confirmed, and evidence speaks against it */
};

/* A factor of an account: the time of of[0] over that of of[1]. */
struct study_pair {
    char *of[2]; /* names of arms */
};
struct study_pairs {
    struct study_pair *pair;
    size_t n;
};
struct study_factor {
    double value; /* NaN: not known */
    struct interval ci;
};
/* The account at one shape. Residuals are factors: total over the product of the parts,
 * formed in each round. */
struct study_sum {
    char *at; /* or NULL */
    struct study_factor total, residual, reverse_residual;
    struct study_factor *parts, *reverse; /* as many as the account has */
    char *reason, *type;                  /* as of a point */
};
struct study_account {
    struct study_pair total; /* of[0] NULL: the study has no account */
    struct study_pairs parts, reverse;
    char **at, **quick; /* as of a check */
    size_t n_at, n_quick;
    struct study_sum *sums; /* results, one for each shape */
    size_t n_sums;
};

struct study {
    char *name, *title;
    struct {
        char *title, *file, *sha256, *machine; /* or NULL */
    } source;
    struct study_arm work;  /* defaults of all arms */
    char **shapes, **quick; /* of the work; no quick ones: the same */
    size_t n_shapes, n_quick;
    struct study_arm *arms;
    size_t n_arms;
    struct study_claim *claims;
    size_t n_claims;
    struct study_account account;

    /* results */
    bool is_quick;  /* measured with --quick */
    double level;   /* confidence level of the intervals: study_level() */
    double seconds; /* it took so long; 0: nothing was measured */
};

/* Members in JSON. */
extern const struct fields study_arm_fields; /* op ... threads: of an arm, or the work */
extern const struct fields study_source_fields;  /* title, file, sha256, machine */
extern const struct fields study_fields;         /* name, title, source, arms */
extern const struct fields study_run_fields;     /* is_quick, level, seconds */
extern const struct fields study_claim_fields;   /* all but id, quote and checks */
extern const struct fields study_check_fields;   /* measure, of, as */
extern const struct fields study_needs_fields;   /* threads, at, quick, needs, why */
extern const struct fields study_results_fields; /* verdict, how, reason, type, points */

/* Frees what it points to, and empties it. */
void study_clear(struct study *study);
/* NULL if there is none of that name. */
const struct study_arm *study_find_arm(const struct study *study, const char *name);
struct study_claim *study_find_claim(const struct study *study, const char *id);

/* Each appends an entry, empty but for its name, and returns it. Texts are copied. */
struct study_claim *study_add_claim(struct study *study, const char *id);
struct study_check *study_add_evidence(struct study_claim *claim);
void study_add_pair(struct study_pairs *pairs, const char *first, const char *second);
/* Drops all claims but those, and the account. No claim can be added any more. */
void study_keep_claims(struct study *study, char *const *ids, size_t n);
/* A check without a measure made yet: anything may lie between -INFINITY and INFINITY. */
void study_check_begin(struct study_check *check);

/* ---- results ---- */

/* The level that all intervals together need to be right 19 times of 20. */
double study_level(const struct study *study);
/* Appends a point whose value is not known. */
struct study_point *study_add_point(struct study_check *check, const char *at);
/* The same with a reason and what to type (or NULL). */
void study_add_absent(struct study_check *check, const char *at, const char *reason,
                      const char *type);
/* Gives a point a value without error: a count, a fact. */
void study_point_exact(struct study_point *point, double value);
/* Appends an entry whose factors are not known. */
struct study_sum *study_add_sum(struct study_account *account, const char *at);

/* Evaluates the formulas of all arithmetic checks (claims and evidence); a formula that
 * has no value is absent. */
void study_calculate(struct study *study);

/* The verdict of one point of a check: inside `expect` with its whole interval, outside
 * by more than the floor, or neither. A claim of an effect, which expects a ratio of
 * times or counts above 1, from exactly 1 on without end, or below 1, must beat the floor
 * too; an interval that lies within the floor of 1 refutes it. */
enum study_verdict study_point_verdict(const struct study_check *check,
                                       const struct study_point *point,
                                       enum study_how *how);
/* A difference between two times that is smaller is no effect: code at another address
 * makes as much. */
#define STUDY_LEAST_FLOOR 0.005
/* An interval that lies further from 1 does not show that there is no effect, whatever
 * the floor. */
#define STUDY_MOST_FLOOR 0.02

/* Derives the verdicts of all checks. A check is refuted if any of its points is, else
 * not measurable if a point has no value, else confirmed if all are. */
void study_judge(struct study *study);
/* Claims with that verdict; contested ones count as confirmed. */
size_t study_count(const struct study *study, enum study_verdict verdict);
/* Exit status of `--expect=confirmed`: 1 if a claim is refuted or contested, 3 if
 * `strict` and one is undecided, not measurable or pending, else 0. */
int study_expect_confirmed(const struct study *study, bool strict);

/* ---- words (study_words.c) ---- */

/* Each adds text that is safe to print. */

/* "burn-conv: 11 claims: 4 confirmed (1 contested), 3 refuted, 4 not measurable here" */
void study_tell(const struct study *study, struct buffer *out);
/* The source's words or our own: "spilling registers". */
void study_claim_tell(const struct study_claim *claim, struct buffer *out);
/* Their number, or else what is expected: "39.7x", "over 1.05x", "1.5x to 2x". */
void study_their_tell(const struct study_claim *claim, struct buffer *out);
/* "1.60x" and "[1.55, 1.66]" of the point that decides, or "-". */
void study_value_tell(const struct study_check *check, struct buffer *out);
void study_interval_tell(const struct study_check *check, struct buffer *out);
/* The sentence of the outcome, with the number: "On this CPU wide SIMD costs no clock:
 * 1.000x.". Without a sentence in the file, or an outcome, nothing. */
void study_sentence_tell(const struct study_claim *claim, struct buffer *out);
/* The reason that a claim has no outcome, or the command that measures it for longer;
 * with an outcome nothing. */
void study_unlearned_tell(const struct study *study, const struct study_claim *claim,
                          struct buffer *out);
/* "REFUTED, no effect", "CONFIRMED, contested", "NOT MEASURABLE here" */
void study_verdict_tell(const struct study_claim *claim, struct buffer *out);
/* The shape if there are several, the formula, the reason and what to type, evidence:
 * "+ stack_vector_stores 909  - wide20/wide 1.31x". Two blanks part them. May add
 * nothing. */
void study_notes_tell(const struct study_claim *claim, struct buffer *out);
/* "spill+column/clean 3.10x = spill/clean 1.60x * column/clean 1.70x, residual +14% [+9%,
 * +18%]: unexplained" of one shape; `reverse`: of causes that were mended. */
void study_account_tell(const struct study_account *account, const struct study_sum *sum,
                        bool reverse, struct buffer *out);
