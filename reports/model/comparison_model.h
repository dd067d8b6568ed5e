/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The comparison of two builds: verdicts, trials, places and the gate. comparison.c makes
 * them, gate.c judges them.
 */
#pragma once

#include <stddef.h>

#include "stats/stats.h"
#include "text/fields.h"

struct code_change;
struct ratio;

enum verdict {
    VERDICT_SAME,         /* the whole interval lies within the threshold */
    VERDICT_IMPROVED,     /* faster by more than the threshold */
    VERDICT_REGRESSED,    /* slower by more than the threshold */
    VERDICT_PLACED,       /* slower as built, by the places of its code alone */
    VERDICT_INCONCLUSIVE, /* none of these can be said */
    VERDICT_UNUSABLE,     /* nothing can be said: too noisy, or a build failed */
    VERDICT_NEW,          /* only head has the case */
    VERDICT_GONE,         /* only base has it */
    VERDICTS
};
const char *verdict_name(enum verdict verdict); /* "SAME", ... */

/* A batch of each build, one after the other, with the same number of calls; nanoseconds
 * per call, at the best place of each. `control` is a second copy of base; 0 without one.
 */
struct trial {
    uint32_t process; /* rounds of one process share their addresses; ascending */
    double base_ns, head_ns, control_ns;
    double built_base_ns, built_head_ns; /* as built; 0: the other times are */
};

/* The effect of the place of its code on a case, and whether the code is the same. */
enum code_equality { EQUALITY_UNKNOWN, EQUALITY_SAME, EQUALITY_NEARLY, EQUALITY_OTHER };
struct placement {
    char *unmoved; /* reason why it is judged as built; NULL: at the best places */
    enum code_equality equality;
    bool same_data;      /* the same code has the same constants, variables, options and
                            libraries, and all of it was seen */
    double by_place;     /* the share of the time in code that is the same, and lies
                            elsewhere, where places may change it; 0: not known */
    double instructions; /* nearly: so many differ */
    char *where;         /* nearly: the first of them */
    char *source; /* "src/mix.c:49", from the root of its repository: head's hottest loop;
                     NULL: not known */
    /* Offset of the hottest loop in a line of 64 bytes; NaN: not known. */
    double base_offset, head_offset, base_loop, head_loop;

    /* derived by run_judge(), as built; 0 and NaN if `unmoved` */
    double base_ns, head_ns, change;
    struct interval ci;
    double least_change;
};

/* The comparison of base and head in one case. Changes are t(head) / t(base) - 1: 0.02 is
 * 2% slower. */
struct comparison {
    struct trial *trials; /* valid rounds, in the order in which they ran */
    size_t n_trials;
    uint32_t voided; /* rounds thrown away on evidence */
    double rounding; /* the last digit of printed times, as a part of them; 0: unknown */

    /* derived by run_judge() or run_compare() */
    enum verdict verdict;
    char *reason; /* NULL for SAME, IMPROVED and REGRESSED by time */
    uint32_t processes;
    double base_ns; /* median over processes of the process's; of two files: quartile */
    double head_ns; /* measured together: that with the change */
    double change;
    struct interval change_ci;
    double least_change; /* of the shortest trials, the witness */
    double control_change;
    struct interval control_ci;
    double floor; /* change that equal code seems to have in this run */
    double delta; /* a change must exceed it: the threshold, or more if it is noisy */
    double detectable; /* the smallest change that this run could have called */
    double p;          /* one-sided, that the change does not exceed delta */
    bool significant;  /* after Holm's correction over all cases of the run */

    /* of two stored runs: what base's run said of the case */
    double base_share; /* of its limit; NaN: unknown */
    struct ratio *base_ratios;
    size_t n_base_ratios;

    struct placement *placement; /* NULL: nobody moved code */

    /* derived by run_judge_code(), whatever the times say; NULL: nobody asked */
    struct code_change *code;
};

/* One build of a comparison. */
struct arm {
    char *name; /* "base", "head", "control" */
    char *path;
    char *build_id;         /* in hex; NULL: it has none */
    char *version, *commit; /* of an executable or module that tells; or NULL */
    char *label;            /* the user's word for a stored run; or NULL */
    char *started_at;       /* of a stored run; or NULL */
    char *host;             /* of a stored run: CPU and fingerprint; or NULL */
    char **objects; /* libraries that it loads, or its plug-ins: "PATH BUILD-ID" each */
    size_t n_objects;
};

/* A gate: a run has one if it compares builds. It tells how they are compared and counts
 * the verdicts. */
struct gate {
    char *kind;         /* "paired": measured together; "stored": two runs from files */
    char *refused;      /* reason why times cannot gate (another machine), or NULL */
    double threshold;   /* asked for: 0.02 */
    bool strict;        /* inconclusive and unusable cases fail */
    bool own_processes; /* each build had a worker of its own */
    bool code;          /* cases whose code is worse fail */
    bool placement;     /* cases that are PLACED fail */
    char *left_out;     /* cases of both builds that options leave out; or NULL */
    char *lacking;      /* its cases that this CPU cannot run; or NULL */
    struct arm *arms;
    size_t n_arms;
    char *selftest;  /* error rates of this machine, a line; or NULL */
    char *settings;  /* of a comparison by files: "--strict from FILE"; NULL: none */
    char *harness;   /* both builds are programs of it: "google-benchmark"; NULL: ours */
    char *functions; /* file that declares functions of both libraries; NULL: none */
    char *remark;    /* on how it was measured; NULL: none */
    double seconds;
    /* Both builds have the same build-ids: what differs is noise. Both programs of a
     * harness load the same bytes and have the same arguments. */
    bool equal;

    /* of two stored runs, from code that is the same in both: libraries and roofs */
    double drift;         /* the machine's change, their median; NaN: unknown */
    double between;       /* change of equal code beside the drift; NaN: unknown */
    double between_alone; /* the same of cases without a neighbour on the core */
    double controls;      /* number of them */

    /* derived by run_judge() */
    /* Baselines do not count. */
    double geomean_change; /* over usable cases; NaN: there is none */
    union {
        size_t verdicts[VERDICTS]; /* by enum verdict: the counts below, and two more */
        struct {
            size_t same, improved, regressed, placed, inconclusive, unusable;
        };
    };
    size_t only_one; /* NEW or GONE */
};
/* In JSON; those of a comparison are all but its trials. */
extern const struct fields gate_fields, gate_arms, comparison_fields, ratio_fields;
