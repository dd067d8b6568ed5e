/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fleet: runs of many machines, added one at a time, of which medians alone are kept.
 * Per case it tells how hosts are distributed and which stand out, and what they differ
 * in. Hosts are compared with hosts of their fingerprint alone, their kind.
 */
#pragma once

#include "model/model.h"
#include "text/text.h"

struct fleet_host {
    char *node, *fingerprint;
    size_t runs, bad; /* bad: results that were wrong or failed */
    struct facts is;  /* texts that hosts may differ in, of its first run */
};

enum fleet_verdict { FLEET_ALIKE, FLEET_SLOW, FLEET_FAST };
const char *fleet_verdict_name(enum fleet_verdict verdict); /* "alike", "slow", "fast" */

/* One host in one case. */
struct fleet_point {
    size_t host;
    double *ns; /* median of each run */
    size_t n;

    /* derived by fleet_judge() */
    double median_ns; /* over its runs */
    double ratio;     /* to the median over hosts */
    double z;         /* log of the ratio in robust standard deviations; NaN: unknown */
    enum fleet_verdict verdict;
};

/* A case on all hosts of a kind; "cycle" is the clock, as the length of a cycle. */
struct fleet_case {
    char *id, *fingerprint;
    struct fleet_point *points;
    size_t n;

    /* derived by fleet_judge(), over hosts */
    bool judged; /* there are FLEET_MIN hosts or more */
    double min_ns, p5_ns, median_ns, p95_ns, max_ns;
    double spread; /* 1.4826 times the median absolute deviation of the logs */
    double limit;  /* of |z| */
};

/* A run that was added, by its content. */
struct fleet_seen {
    char *name;
    uint64_t hash;
};

struct fleet {
    struct fleet_seen *seen; /* as many as runs */
    struct fleet_host *hosts;
    size_t n_hosts;
    struct fleet_case *cases;
    size_t n_cases, runs;
    size_t cursor; /* behind the case that was added last: runs have the same order */
};

/* A host stands out if its z is beyond what one of FLEET_ALARM of all fleets of equal,
 * normally distributed hosts reaches in any case, and it is off by FLEET_LEAST or more.
 */
#define FLEET_ALARM 0.01
#define FLEET_LEAST 0.05
enum { FLEET_MIN = 5 };

/* Keeps what it needs of a run; `name` is that of a host without a node. 0, or -EEXIST
 * for a run that was added before under the name *twin. */
int fleet_add(struct fleet *fleet, const struct run *run, const char *name,
              const char **twin);
void fleet_judge(struct fleet *fleet);
void fleet_free(struct fleet *fleet); /* all but the struct itself */

/* The |z| that one of `n` values exceeds with the probability n * p if all are of one
 * normal distribution, and z is in units of their median absolute deviation. */
double fleet_limit(size_t n, double p);

/* The answer in words: how many hosts do otherwise than their kind, and the worst of them
 * by name (fleet_answer.c). */
struct answer fleet_answer(const struct fleet *fleet);

/* As tables for a terminal, or as Markdown. */
void fleet_write_text(const struct fleet *fleet, const struct text_page *page);
void fleet_write_csv(const struct fleet *fleet, FILE *file);
void fleet_json(const struct fleet *fleet, struct json *json);
