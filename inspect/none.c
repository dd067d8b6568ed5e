/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the tracer where it cannot be built. */
#include "inspect.h"

#include <errno.h>

static int no_tracer(struct error *error)
{
    return error_set(error, -ENOTSUP, "%s",
#ifdef __x86_64__
                     "this simdbench was built without Zydis, which decodes instructions "
                     "(package libzydis-dev)"
#else
                     "instructions can be traced on x86-64 alone"
#endif
    );
}

int inspect_available(double *steps_per_s, struct error *error)
{
    if (steps_per_s)
        *steps_per_s = 0;
    return no_tracer(error);
}

struct inspect_window inspect_window(double per_cycle, double chain_cycles,
                                     double behind_cycles)
{
    (void)per_cycle;
    (void)chain_cycles;
    (void)behind_cycles;
    return (struct inspect_window){.waiting = 0};
}

int inspect_attach(pid_t child, struct error *error)
{
    (void)child;
    return no_tracer(error);
}

int inspect_follow(pid_t child, const struct inspect_options *options,
                   struct inspect_census *census, struct error *error)
{
    (void)child;
    (void)options;
    *census = (struct inspect_census){.whole = false};
    return no_tracer(error);
}
