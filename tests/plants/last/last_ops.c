/* SPDX-License-Identifier: Apache-2.0 */
/* The ops of the last plants. */
#include <math.h>
#include <stddef.h>

#include "fresh_op.h"
#include "last.h"

/* Operand 0: where walks start. Operand 1: where each place leads to. */
VALUE(places)
{
    return floor(u * (double)operands->operand[1]->count);
}

AT(worth_at)
{
    const int64_t n = operands->shape->dim[1];
    double sum = 0;
    for (int64_t j = n; j-- > 0;)
        sum = X(i * n + j) + sum / (1 + PERCENT / 100.0);
    return sum;
}
OP(worth, "rows of payments at an interest of 8 percent", 2, "4x768", 0, fresh_positive,
   m *n, {SIMDBENCH_IN, m *n, n, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(tax_at)
{
    double sum = 0;
    for (int k = 0; k < BRACKETS; k++)
        sum += rate(k) * fmax(0, X(i) - threshold(k));
    return sum;
}
OP(tax, "a tax with four brackets", 1, "2048", 0, fresh_both_signs, 2 * BRACKETS * m,
   {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

AT(walk_at)
{
    int64_t place = (int64_t)X(i);
    for (int hop = 0; hop < HOPS; hop++)
        place = (int64_t)Z(place);
    return (double)place;
}
OP(walk, "where walks of 64 hops end", 2, "2048x1048576", SIMDBENCH_JOINT, places,
   HOPS *m, {SIMDBENCH_IN, m, 0, 0}, {SIMDBENCH_CONST, n, 0, 0}, {SIMDBENCH_OUT, m, 0, 0})

const struct simdbench_op *const last_ops[] = {&worth_op, &tax_op, &walk_op, NULL};
