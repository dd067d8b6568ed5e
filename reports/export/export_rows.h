/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Private to export/, shared by the writers of formats that other programs read
 * (docs/formats.md): the cases of a run under names that are safe and unique, and the
 * times of each.
 */
#pragma once

#include "judge/judge.h"
#include "model/model.h"
#include "text/text.h"

struct export_row {
    const struct result *result;
    char *name;      /* its id, UTF-8 without control characters; unique in the run */
    unsigned repeat; /* number among those with this id, from 0 */
};

/* In plan order: kernels and baselines, no limits, nothing pending. */
struct export_rows {
    struct export_row *row;
    size_t n;
};
void export_rows_make(const struct run *run, struct export_rows *rows);
void export_rows_free(struct export_rows *rows);

/* Selects the times of a case: those of head, which is the only build unless builds are
 * compared, or those of base. */
enum export_arm { EXPORT_HEAD, EXPORT_BASE };
const char *export_arm_name(enum export_arm arm);

/* Nanoseconds per call: one of each batch, or in a comparison one of each process, since
 * rounds of one process are not independent. */
struct series {
    double *ns;
    size_t n; /* never 0 */
    double median_ns;
    struct interval ci_ns;
    double iterations; /* calls a batch */
};
/* False: the case has no times that can be trusted. */
bool series_make(const struct result *result, enum export_arm arm, struct series *series);
void series_free(struct series *series);
/* Calls `each` for the cases that have such times. */
typedef void export_case(const struct export_row *row, const struct series *series,
                         void *context);
void export_each(const struct run *run, enum export_arm arm, export_case *each,
                 void *context);
/* Writes a document and frees it. */
void export_json(struct json *json, const char *before, const char *after, FILE *file);
/* Adds a number, or nothing if it is not finite. */
void export_number(struct json *json, struct cJSON *parent, const char *name,
                   double value);
/* Operations per nanosecond, or bytes if the case has no operations; and the unit. */
double export_rate(const struct result *result, double ns);
const char *export_rate_unit(const struct result *result);

/* True if builds are compared in this case. */
bool export_compares(const struct result *result);
/* True if a case has times that are rounds of one process: no test of two samples may
 * take them for independent. */
bool export_of_one_process(const struct run *run);
#define EXPORT_NOT_INDEPENDENT \
    "rounds of one process, not independent: p is too small; simdbench ab compares"

/* True if the case makes the gate fail: the exit status of the run says so too. */
bool export_fails(const struct run *run, const struct result *result);
/* Its verdict, "CODE WORSE" if times did not find it REGRESSED, or its status. */
const char *export_word(const struct result *result);
/* Adds a sentence about a case: "4.3% slower [3.1%, 5.2%]: 3.2 us, now 3.4 us", its time,
 * or the reason why it has none. */
void export_tell(struct buffer *buffer, const struct result *result);
/* Adds a sentence about a claim: "spilling registers: their number 3.3x, here 1.60x
 * [1.55, 1.66], CONFIRMED; ..." */
void export_claim_tell(struct buffer *buffer, const struct study_claim *claim);
