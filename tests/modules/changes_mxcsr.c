/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" is right, but leaves denormal numbers switched off (FTZ and DAZ). */
#include "twice.h"

#include <xmmintrin.h>

static void bad_run(const struct simdbench_operands *operands, void *state)
{
    twice_run(operands, state);
    _mm_setcsr(_mm_getcsr() | 0x8040);
}

MODULE("changes_mxcsr", bad_run)
