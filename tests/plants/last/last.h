/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last set of kernels that are slow for one known reason each, beside sound twins:
 * what no rule has been derived on. last.json has the causes, last_ops.c what each op
 * computes. Shapes that would need a tail are refused by prepare.
 */
#pragma once

#include "fresh.h"

enum {
    PERCENT = 8,  /* of worth, for each element */
    BRACKETS = 4, /* of tax */
    HOPS = 64,    /* of walk */
    CROWD = 1024, /* incomes of tax that are unrolled */
};

extern const struct simdbench_op *const last_ops[];

#define PLANT(name, op, type, isa, prepare, release) RUN(name);
#include "last.def"
#undef PLANT

/* 1 / (1 + interest) to the power of n. */
INLINE double discount(int n)
{
    double factor = 1;
    UNROLL
    for (int i = 0; i < n; i++)
        factor /= 1 + PERCENT / 100.0;
    return factor;
}

/* The rate of a bracket, and where it begins. */
INLINE double rate(int bracket)
{
    return (const double[]){0.1, 0.1, 0.2, 0.3}[bracket];
}

INLINE double threshold(int bracket)
{
    return (const double[]){-0.5, 0, 0.25, 0.5}[bracket];
}

/* tax is the sum of rate * max(x, threshold), and this. */
INLINE double allowance(void)
{
    double sum = 0;
    UNROLL
    for (int k = 0; k < BRACKETS; k++)
        sum -= rate(k) * threshold(k);
    return sum;
}
