/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function that no file defines. */
#include "twice.h"

void nobody_defines_this(const struct simdbench_operands *operands);

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    nobody_defines_this(operands);
}

MODULE("undefined", bad_run)
