/* SPDX-License-Identifier: Apache-2.0 */
/* How many of a test's cases run: those that differ by numbers alone can be fewer where a
 * program is many times slower, under valgrind or in an emulator of another CPU. */
#pragma once

#include <stdlib.h>

/* SIMDBENCH_EFFORT=10 asks for a tenth of them; 1 is all. */
static inline unsigned effort_divisor(void)
{
    const char *const text = getenv("SIMDBENCH_EFFORT");
    const unsigned divisor = text ? (unsigned)strtoul(text, NULL, 10) : 1;
    return divisor ? divisor : 1;
}
