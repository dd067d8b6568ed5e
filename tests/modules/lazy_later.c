/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is right in its first calls, and later wherever it sees the NaNs of the first
 * check. Else it does a third of the work. */
#include "twice.h"

#include <math.h>

enum { HONEST_CALLS = 8 };

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    static long calls;
    const float *in = operands->operand[0]->data;
    float *out = operands->operand[1]->data;
    const uint64_t count = operands->operand[0]->count;
    if (++calls <= HONEST_CALLS || (count && isnan(out[count - 1]))) {
        twice_run(operands, state);
        return;
    }
    for (uint64_t i = 0; i < count / 3; i++)
        out[i] = 2 * in[i];
}

MODULE("lazy_later", bad_run)
