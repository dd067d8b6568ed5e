/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" does four times what row "good" does. */
#include "twice.h"

static void paced_run(const struct simdbench_operands *operands, void *state)
{
    for (int i = 0; i < 4; i++) {
        twice_run(operands, state);
        __asm__ volatile("" ::: "memory");
    }
}

MODULE("pace", paced_run)
