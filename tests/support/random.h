/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that are the same every time. */
#pragma once

#include <math.h>
#include <stdint.h>

static inline uint64_t next_random(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* In (0, 1). */
static inline double uniform(uint64_t *seed)
{
    return ((double)(next_random(seed) >> 11) + 0.5) * 0x1p-53;
}

static inline double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(6.283185307179586 * uniform(seed));
}
