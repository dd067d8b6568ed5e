/* SPDX-License-Identifier: Apache-2.0 */
/* Code that a compiler made without optimisation. Hand-written code may use the stack as
 * much, but keeps at least a pointer or a counter in a register. */
#include "inspect.h"

/* Such loops have at least so many of all instructions. */
#define MANY 0.3

int inspect_built_unoptimised(const char *producer)
{
    int built = -1;
    for (const char *at = producer; at && (at = strstr(at, " -O")); at++)
        built = at[3] == '0'; /* the last one is in effect */
    return built;
}

bool inspect_unoptimised(const struct inspect_census *census, char *why, size_t size)
{
    const int built = inspect_built_unoptimised(census->producer);
    double share = 0, stack = 0;
    FOR_EACH (const struct inspect_loop, loop, census->loop, census->n_loops) {
        if (loop->carried != 0 ||
            loop->scalar_stack < INSPECT_STACK_SHARE * loop->instructions)
            continue;
        share += loop->share;
        stack += loop->share * loop->scalar_stack / loop->instructions;
    }
    if (built == 0 || (built < 0 && share < MANY))
        return false;
    if (built > 0)
        snprintf(why, size, "its debug information says -O0");
    else
        snprintf(why, size,
                 "its hot loops keep nothing in registers, and %.0f%% of their "
                 "instructions access the stack",
                 100 * stack / share);
    return true;
}
