/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" forgets the last element, as a loop over whole vectors does. */
#include "twice.h"

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    float *out = operands->operand[1]->data;
    uint64_t count = operands->operand[1]->count;
    twice_run(operands, state);
    if (count > 0)
        out[count - 1] = 0.5f;
}

MODULE("wrong_result", bad_run)
