/* SPDX-License-Identifier: Apache-2.0 */
/* A program of some 20 ms, which does EXTRA percent more work. Compiled by
 * scripts/bench harness. */
#include <stdint.h>
#include <stdio.h>

#ifndef EXTRA
#define EXTRA 0
#endif

int main(void)
{
    static uint32_t table[4096];
    uint32_t sum = 1;
    for (int i = 0; i < 2000 + 20 * EXTRA; i++)
        for (uint32_t k = 0; k < 4096; k++) {
            sum = (sum ^ k) * 16777619u;
            table[sum % 4096] += k;
        }
    printf("%u\n", (unsigned)table[17]);
    return 0;
}
