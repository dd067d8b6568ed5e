/* SPDX-License-Identifier: Apache-2.0 */
/* Row "bad" does as many steps of equal work as option steps=N says: a build that is
 * slower by a known share, for comparisons (scripts/bench gate). */
#include <string.h>

#define MODULE_OPEN .open = steps_open,
#include "twice.h"

enum { STEPS = 100, STEP = 16 };
static int steps = STEPS;

/* Each multiplication waits for the one before. */
static void steps_run(const struct simdbench_operands *operands, void *state)
{
    uint64_t x = 3;
    twice_run(operands, state);
    for (int i = 0; i < steps * STEP; i++) {
        x *= 5;
        __asm__ volatile("" : "+r"(x));
    }
}

static int steps_open(const struct simdbench_option *const *options, size_t n,
                      char *error, size_t error_size)
{
    for (size_t i = 0; i < n; i++) {
        steps = atoi(options[i]->value);
        if (strcmp(options[i]->name, "steps") != 0 || steps < 1) {
            snprintf(error, error_size, "%s=%s: expected steps=N", options[i]->name,
                     options[i]->value);
            return -EINVAL;
        }
    }
    return 0;
}

MODULE("steps", steps_run)
