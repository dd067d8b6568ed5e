/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" computes once, keeps the results, and writes them again in each call with
 * operands at the same addresses. */
#include "twice.h"

#include <string.h>

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    static const void *seen_in, *seen_out;
    static float kept[1 << 16];
    const void *in = operands->operand[0]->data;
    float *out = operands->operand[1]->data;
    const size_t bytes = operands->operand[1]->count * sizeof *out;
    if (in == seen_in && out == seen_out) {
        memcpy(out, kept, bytes);
        return;
    }
    twice_run(operands, state);
    if (bytes > sizeof kept)
        abort();
    memcpy(kept, out, bytes);
    seen_in = in;
    seen_out = out;
}

MODULE("keeps_results", bad_run)
