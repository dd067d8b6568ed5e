/* SPDX-License-Identifier: Apache-2.0 */
/* The reasons why the first of two cases is slower than the other, as data. Part of
 * model.h. */
#pragma once

#include <stddef.h>

#include "stats/stats.h"
#include "text/fields.h"

/* A number of each case. */
struct account_row {
    char *name, *unit; /* "instructions", "an operation"; unit: may be NULL */
    double a, b;
    struct interval a_ci, b_ci; /* known only where `ci` is, and of its level */
    double ratio; /* a over b, paired where both were measured in the same rounds */
    struct interval ci;
    bool exact; /* it was counted: there is no interval */
};
struct account_rows {
    struct account_row *row;
    size_t n;
};
struct account {
    char *a, *b;  /* ids of cases; the times of A stand over those of B */
    char *absent; /* facts that the product lacks: "instructions ...", or NULL */
    /* The first, time, is the exact product of the others. */
    struct account_rows factors;
    /* Cycles of an operation, measured at the best place of the code, what its place
     * costs beside that, and the bounds that differ; `unit` tells their share of the
     * difference.
     */
    struct account_rows bounds;
    /* Instructions in loops, of an operation, that differ. */
    struct account_rows classes;
    /* Counted events of an operation, or shares in %, that differ. */
    struct account_rows counters;
    /* Experiments of which the ratios differ. */
    struct account_rows conditions;
};

extern const struct fields account_fields; /* in JSON */

/* The bounds whose differences make up that of the times. */
#define BOUND_BEST_PLACE "at the best place"
#define BOUND_PLACEMENT "placement"
/* The part of a bound in the difference of the times. */
double account_share(const struct account_rows *bounds, const struct account_row *row);
/* NULL: there is none of that name. */
const struct account_row *account_find(const struct account_rows *rows, const char *name);

/* Texts are copied. */
struct account *account_new(const char *a, const char *b);
/* Appends a row with the ratio of both numbers, and returns it. */
struct account_row *account_add(struct account_rows *rows, const char *name,
                                const char *unit, double a, double b);
void account_free(struct account *account); /* NULL is none */
