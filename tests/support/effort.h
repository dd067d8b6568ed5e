/* SPDX-License-Identifier: Apache-2.0 */
/* The number of a test's cases that run: those that differ by numbers alone can be fewer
 * where a program is many times slower: under sanitizers, under valgrind, in an emulator.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/* SIMDBENCH_EFFORT=10 asks for a tenth of them; 1 is all. */
static inline unsigned effort_divisor(void)
{
    const char *const text = getenv("SIMDBENCH_EFFORT");
    const unsigned divisor = text ? (unsigned)strtoul(text, NULL, 10) : 1;
    return divisor ? divisor : 1;
}

/* So many of `all` cases, one at least. */
static inline size_t effort_of(size_t all)
{
    const size_t part = all / effort_divisor();
    return part ? part : 1;
}

/* True once in so many calls. */
static inline bool effort_turn(void)
{
    static unsigned asked;
    return asked++ % effort_divisor() == 0;
}

/* From one size to the next one: odd, so that all remainders modulo a vector's length
 * come. */
static inline unsigned effort_step(void)
{
    return effort_divisor() | 1;
}
