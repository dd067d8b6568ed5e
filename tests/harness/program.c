/* SPDX-License-Identifier: Apache-2.0 */
/* A program of some 20 ms, which does EXTRA percent more work behind PAD bytes. Compiled
 * by scripts/bench harness. */
#include <stdint.h>
#include <stdio.h>

#include "planted.h"

/* The optimiser knows no argument of it. */
static __attribute__((noinline)) uint32_t work(uint32_t sum, int rounds)
{
    static uint32_t table[4096];
    for (int i = 0; i < rounds * (100 + EXTRA); i++)
        for (uint32_t k = 0; k < 4096; k++) {
            sum = (sum ^ k) * 16777619u;
            table[sum % 4096] += k;
        }
    return table[17];
}

int main(int argc, char **argv)
{
    printf("%s %u\n", argc > 9 ? argv[9] : TEXT, (unsigned)work((uint32_t)argc, 20));
    return 0;
}
