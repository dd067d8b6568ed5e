/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" does its work twice on the node $SLOW_NODE of Slurm, and once on all others.
 * Nearly all of that work is a chain of products, which a neighbour on the same core
 * hardly slows. */
#define MODULE_BAD .prepare = node_prepare,
#include "twice.h"

#include <string.h>

static int node_prepare(const struct simdbench_operands *operands, void **state,
                        char *error, size_t error_size)
{
    static int again = 1;
    const char *const slow = getenv("SLOW_NODE"), *const here = getenv("SLURMD_NODENAME");
    if (slow && here && !strcmp(slow, here))
        *state = &again;
    return 0;
}

static void chain_run(const struct simdbench_operands *operands, void *state)
{
    uint64_t product = 1;
    for (int i = 0; i < 4000; i++) {
        product *= 0x9e3779b97f4a7c15;
        __asm__ volatile("" : "+r"(product));
    }
    twice_run(operands, NULL);
    if (state)
        chain_run(operands, NULL);
}

MODULE_ROWS("slow_node", "good", chain_run, "bad", chain_run)
