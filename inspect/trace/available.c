/* SPDX-License-Identifier: Apache-2.0 */
/* It finds out if children can be traced here: one is, through a loop of known length. */
#include "inspect.h"

#include <sched.h>

enum { TURNS = 100, INSTRUCTIONS = 2 * TURNS + 2 };

__attribute__((naked, noinline)) static void
known_loop(__attribute__((unused)) const void *a, __attribute__((unused)) void *b)
{
    __asm__("movl $100, %eax\n"
            "1:\n\t"
            "decl %eax\n\t"
            "jnz 1b\n\t"
            "retq");
}

/* Both processes on one CPU take turns faster. */
static void run_loop(const void *context)
{
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    (void)sched_setaffinity(0, sizeof here, &here);
    inspect_call(&(struct inspect_calls){.function = known_loop}, 1);
}

int inspect_available(double *steps_per_s, struct error *error)
{
    const struct inspect_options options = {
        .step_all = true, .whole_only = true, .timeout_ns = 5000000000};
    struct inspect_census census;
    if (steps_per_s)
        *steps_per_s = 0;
    int status = inspect_fork(run_loop, NULL, &options, &census, error);
    if (status < 0)
        return status;
    if (census.instructions != INSTRUCTIONS)
        status =
            error_set(error, -EIO, "%llu instructions were counted where there are %d",
                      (unsigned long long)census.instructions, INSTRUCTIONS);
    if (steps_per_s)
        *steps_per_s = (double)census.steps / census.seconds;
    inspect_census_free(&census);
    return status;
}
