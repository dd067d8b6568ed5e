/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that know no vectors. */
#include <string.h>

#include "last.h"

/* ---- tax, f64 ---- */

INLINE double tax(double income)
{
    double sum = allowance();
    UNROLL
    for (int k = 0; k < BRACKETS; k++)
        sum += rate(k) * (income > threshold(k) ? income : threshold(k));
    return sum;
}

/* Sound: maxima instead of branches. */
RUN(l31)
{
    const double *const x = F64(0);
    double *const y = F64(1);
#pragma GCC unroll 2
    for (ptrdiff_t i = 0; i < DIM(0); i++)
        y[i] = tax(x[i]);
}

/* A loop that is unrolled far too often. */
RUN(l10)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += CROWD)
        _Pragma("GCC unroll 1024") for (ptrdiff_t j = i; j < i + CROWD; j++) y[j] =
            tax(x[j]);
}

/* The brackets above an income are left out. */
RUN(l01)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    const ptrdiff_t n = DIM(0);
    for (ptrdiff_t i = 0; i < n; i++) {
        const double income = x[i];
        double sum = 0;
        UNROLL
        for (int k = 0; k < BRACKETS; k++) {
            if (income <= threshold(k))
                break;
            sum += rate(k) * (income - threshold(k));
            HIDE_VECTOR(sum);
        }
        y[i] = sum;
    }
}

/* A state that all incomes so far have mixed says which way to go: no other inputs make
 * that regular. */
RUN(l21)
{
    const double *const x = F64(0);
    double *const y = F64(1);
    const ptrdiff_t n = DIM(0);
    uint64_t mixed = 1;
    for (ptrdiff_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mixed = (mixed ^ bits) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        double sum = tax(x[i]);
        if (mixed >> 63)
            HIDE_VECTOR(sum);
        y[i] = sum;
    }
}

/* ---- walk, f64 ---- */

/* Walks `together`, so that each waits beside the others. */
INLINE void walk(const int together, const struct simdbench_operands *operands)
{
    const double *const next = F64(1);
    for (ptrdiff_t i = 0; i < DIM(0); i += together) {
        double place[8];
        UNROLL
        for (int w = 0; w < together; w++)
            place[w] = F64(0)[i + w];
#pragma GCC unroll 1
        for (int hop = 0; hop < HOPS; hop++)
            UNROLL
        for (int w = 0; w < together; w++)
            place[w] = next[(ptrdiff_t)place[w]];
        UNROLL
        for (int w = 0; w < together; w++)
            F64(2)[i + w] = place[w];
    }
}

RUN(l44)
{
    walk(8, operands);
}

/* One walk after the other. */
RUN(l08)
{
    walk(1, operands);
}
