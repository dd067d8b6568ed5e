/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" says that it does far more than what its roof allows. */
#define MODULE_BAD .roof = "add_max", .work = boasted_work,
#include "twice.h"

static void boasted_work(const struct simdbench_operands *operands, double *ops,
                         double *bytes)
{
    *ops = 1e9;
    *bytes = 0;
}

MODULE("boasts", twice_run)
