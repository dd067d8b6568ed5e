/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" dies of an illegal instruction. */
#include "twice.h"

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    twice_run(operands, state);
    __builtin_trap();
}

MODULE("crash_run", bad_run)
