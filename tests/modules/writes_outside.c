/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is right, but writes one element behind its output. */
#include "twice.h"

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    float *out = operands->operand[1]->data;
    twice_run(operands, state);
    out[operands->operand[1]->count] = 0;
}

MODULE("writes_outside", bad_run)
