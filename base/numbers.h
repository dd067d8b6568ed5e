/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in order, alone or as the first member of structs, and numbers at random. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The order of qsort(): the smallest first. */
static inline int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline int by_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Returns how many of n numbers in that order, `stride` bytes from one to the next, lie
 * below. */
static inline size_t count_below(const void *numbers, size_t n, size_t stride,
                                 uint64_t number)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (*(const uint64_t *)((const char *)numbers + middle * stride) < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Draws the next number of a state (splitmix64), which any number can begin. */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
