/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a loop of placed_loop.h so many times. */
#pragma once

#include "twice.h"

static inline void placed_calls(const struct simdbench_operands *operands,
                                void (*loop)(float *out, const float *in, uint64_t n),
                                int calls)
{
    const float *const in = operands->operand[0]->data;
    float *const out = operands->operand[1]->data;
    for (int i = 0; i < calls; i++)
        loop(out, in, operands->operand[0]->count);
}
