/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is right, but uses the last element of its input as scratch memory. */
#include "twice.h"

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    float *in = operands->operand[0]->data;
    uint64_t count = operands->operand[0]->count;
    twice_run(operands, state);
    if (count > 0)
        in[count - 1] = -1;
}

MODULE("writes_input", bad_run)
