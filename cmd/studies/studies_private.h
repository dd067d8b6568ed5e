/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by studies.c (the command), brought.c (studies of the program itself), sets.c
 * (what is measured together), measure_set.c (doing so), series.c
 * (what paired times come to), points.c, point_numbers.c and account.c (values of
 * checks), study_plan.c (--dry-run) and needs.c (what a machine lacks). */
#pragma once

#include "studies/studies.h"
#include "variant/variant.h"

/* ---- brought.c ---- */

struct brought {
    const char *name, *text;
};
extern const struct brought brought_studies[]; /* ends with a row without a name */
/* Reads a study by its name, or from a file that ends in .json or has a '/' in its name.
 * -EINVAL tells the path of the field. `folder`: of modules that it names; the caller's.
 * `trust`: what the user said of these bytes. */
int study_open(const char *word, struct study *study, char **folder, enum trust *trust,
               struct error *error);
/* A user who names a study on the command line also trusts the modules in its folder.
 * -EPERM: the study names a module that lies elsewhere. */
int study_modules_inside(const struct study *study, const char *folder, const char *word,
                         struct error *error);

/* ---- times by round (series.c) ---- */

struct series {
    uint64_t *round; /* ascending */
    double *ns;      /* of a call */
    size_t n;
};
/* Appends the times of a result; rounds of different passes are different rounds. */
void series_take(struct series *to, const struct result *result, uint64_t pass);
void series_clear(struct series *series);

struct estimate {
    double value; /* NaN: no common round */
    struct interval ci;
};
/* Computes one number from the times of one round. */
typedef double series_rule(const double *ns, const void *context);
enum { SERIES_MOST = 32 };
/* The median over the rounds that all series have. Its interval is the exact one, and
 * holds the medians of all passes too: other processes are other places in memory. */
struct estimate series_estimate(const struct series *const *series, size_t n,
                                double level, series_rule *rule, const void *context);
/* ns[0] / ns[1] */
series_rule rule_ratio;

/* ---- what is measured together (sets.c) ---- */

/* An arm at a point. */
struct member {
    const struct study_arm *arm;
    struct case_name name;
    bool timed, roofs, traced, floor; /* parts that are wanted of it */
    bool duplicate;                   /* equal to another one: shows the noise */

    char *absent;                /* reason why it was not measured; NULL: it was */
    struct run *run;             /* of its result; NULL: there is none */
    struct run *aside;           /* this run, if it is its own */
    size_t result;               /* of the first pass */
    struct series series, limit; /* of all passes */
    double limit_work[2]; /* of a call of both, as rates of them compare: ops or bytes */
    struct inspect_facts facts;
    char *not_traced;
};
static inline const struct result *member_result(const struct member *member)
{
    return member->run ? &member->run->results[member->result] : NULL;
}
/* All of them take turns in common rounds. */
struct round_set {
    char *at;                        /* shape; the first one of a slope */
    const struct study_check *slope; /* NULL: arms at one point */
    struct member *member;
    size_t n;
};
struct set_list {
    struct round_set *set;
    size_t n;
    size_t last; /* found: checks mostly have the same shapes in the same order */
};
struct set_settings {
    bool quick;
    uint32_t cpus;      /* number that "all" threads stands for */
    const char *folder; /* of modules with a '/' in their names */
};
/* Lists all members that the checks and the account of a study need. An arm that is no
 * possible case is absent, with the reason. */
void sets_make(const struct study *study, const struct set_settings *settings,
               struct set_list *list);
void sets_free(struct set_list *list);
/* A module as an arm names it, by a path from here if it has one; to be freed. */
char *study_module(const char *module, const struct set_settings *settings);
/* NULL if there is none. */
struct round_set *sets_find(const struct set_list *list, const char *at,
                            const struct study_check *slope);
/* `threads` 0: those of the arm. */
struct member *set_find(const struct round_set *set, const char *arm, uint32_t threads,
                        bool duplicate);
/* Calls `each` for the check of each claim, and for those of its evidence (studies.c). */
typedef void check_visitor(struct study_check *check, void *context);
void each_check(const struct study *study, check_visitor *each, const void *context);
/* The number of threads for a number of the file: all CPUs for STUDY_THREADS_ALL. */
uint32_t threads_of(int threads, const struct set_settings *settings);
static inline void points_of(const struct study_check *check, bool quick, char ***at,
                             size_t *n)
{
    *at = quick && check->n_quick ? check->quick : check->at;
    *n = quick && check->n_quick ? check->n_quick : check->n_at;
}

/* ---- measuring (measure_set.c) ---- */

struct studying {
    const struct options *options; /* with the CPUs that are locked */
    struct study *study;
    struct set_settings settings;
    struct set_list sets;
    struct run *run;
    const struct watcher *watcher;
    struct text_list events, counters; /* names that metrics need */
    bool by_rates;                     /* a check needs them */
    double *rates;                     /* of this core; or NULL */
    double left_ns;                    /* time for what is not measured yet */
    size_t groups;                     /* of the run, so far */
    size_t at;                         /* number of the set that is measured */
};
/* Measures all members, some passes of a set one after the other, each in processes of
 * its own. 0, -EINTR, -ENOMEM. */
int sets_measure(struct studying *all, struct error *error);

/* Prints the plan for --dry-run (study_plan.c). */
void study_print_plan(const struct studying *all);

/* ---- values ---- */

/* If this machine lacks something that a check needs, gives the check the reason, and
 * perhaps a command to type; `context` is the run. */
check_visitor meet_needs;
/* A check at a shape, and the point to be filled. */
struct asking {
    const struct studying *all;
    const struct study_check *check;
    const struct round_set *set;
    struct study_point *point;
    double level;
};
/* The first reason why there is no value stays. */
void no_value(const struct asking *asking, const char *reason);
void take_estimate(const struct asking *asking, const struct estimate *estimate);
/* The arm number `i` as it was measured, with the arm's own threads if they are 0; NULL
 * and the reason. */
const struct member *asked_member(const struct asking *asking, size_t i,
                                  uint32_t threads);
/* Fill a point each (point_numbers.c). */
typedef void point_rule(const struct asking *asking);
/* The number of one arm, or the difference or ratio of two. `unknown`: the reason. */
typedef struct estimate number_of(const struct asking *asking,
                                  const struct member *member);
void point_number(const struct asking *asking, number_of *of, const char *unknown);
number_of metric_of, accuracy_of, fact_of;
point_rule point_host;
/* Adds the points of a check that is none of arithmetic; `context`: struct studying. */
check_visitor points_fill;
/* Adds the sums of the account (account.c). */
void account_fill(const struct studying *all);
