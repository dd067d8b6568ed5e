/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often gates say what is true: many gates of which the truth is known, counted.
 * docs/gate.md has the rules.
 */
#ifndef SIMDBENCH_SELFTEST_H
#define SIMDBENCH_SELFTEST_H

#include "reports.h"

/* What one gate said. */
struct selftest_gate {
    enum verdict verdict;
    double change, floor, detectable; /* as in struct comparison; NaN if unknown */
    double needed; /* of equal code: the least threshold that it is SAME with; INFINITY if
                      there is none */
    double reach;  /* half the width of its interval: a change has to be that much larger
                      than the threshold; NaN if unknown */
    double seconds;
};

/* Gates of one truth. */
struct selftest_effect {
    double effect; /* head does that much more work: 0.02; 0 is equal code */
    struct selftest_gate *gates;
    size_t n;

    /* derived by selftest_derive() */
    size_t regressed, improved, same, inconclusive, unusable;
    double rate; /* share of gates that are REGRESSED; NaN without gates */
    struct interval rate_ci;
    double change, floor, detectable, seconds; /* medians; NaN if unknown */
};

struct selftest {
    char *tool_version, *tool_commit, *started_at, *cpu, *fingerprint;
    char *case_id;
    uint64_t seed;
    double threshold, call_ns;
    uint32_t processes, rounds;
    struct selftest_effect *effects;
    size_t n_effects;
    double total_seconds;

    /* derived by selftest_derive() */
    double
        recommended; /* threshold; 0: no gates of equal code, INFINITY: none is enough */
    double reliable; /* the least change that is found for sure with it; NaN: unknown */
    const struct selftest_effect *found; /* the least one that was; NULL: none was */
    char *summary;                       /* a line that others cite; NULL: no gates */
};

/* A change counts as found if it is called in this share of gates, and a threshold is
 * recommended with which this share of gates calls equal code SAME. */
#define SELFTEST_SHARE 0.95
#define SELFTEST_THRESHOLD_STEP 0.005

/* 0 or -ENOMEM. */
int selftest_add(struct selftest_effect *effect, const struct comparison *comparison,
                 double seconds);
int selftest_derive(struct selftest *selftest);
/* What the strings and arrays hold, not the struct itself. */
void selftest_clear(struct selftest *selftest);

/* ---- JSON (selftest_json.c) ---- */

enum { SELFTEST_SCHEMA_VERSION = 1 };
int selftest_write_json(const struct selftest *selftest, FILE *file, struct error *error);
/* Takes any bytes. The summary in them, if they are a selftest of that host; else NULL.
 */
char *selftest_cite(const char *bytes, size_t size, const char *fingerprint);

#endif
