/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that rely on their shapes: "steps" on multiples of 32, "large" on 8192 elements
 * at least. Else they die. */
#include "twice.h"

static void steps_run(const struct simdbench_operands *operands, void *state)
{
    if (operands->operand[0]->count % 32)
        abort();
    twice_run(operands, state);
}

static void large_run(const struct simdbench_operands *operands, void *state)
{
    if (operands->operand[0]->count < 8192)
        abort();
    twice_run(operands, state);
}

MODULE_ROWS("no_tails", "steps", steps_run, "large", large_run)
