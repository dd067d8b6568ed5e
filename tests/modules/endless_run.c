/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" never returns. */
#include "twice.h"

static volatile int forever = 1;

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    twice_run(operands, state);
    while (forever) {
    }
}

MODULE("endless_run", bad_run)
