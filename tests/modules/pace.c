/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" does WORK times what row "good" does. */
#include "twice.h"

#ifndef WORK
#define WORK 4
#endif

static void paced_run(const struct simdbench_operands *operands, void *state)
{
    for (int i = 0; i < WORK; i++) {
        twice_run(operands, state);
        __asm__ volatile("" ::: "memory");
    }
}

#ifdef ONLY
MODULE_ROWS("pace", ONLY, twice_run, "bad", paced_run)
#else
MODULE("pace", paced_run)
#endif
