/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the tracer where it cannot be built. */
#include "inspect.h"
#include "program.h"

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

double inspect_pass(double cycles)
{
    (void)cycles;
    return 0;
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

/* ---- programs ---- */

int program_start(char *const *argv, const struct program_owner *owner,
                  struct program **program, struct error *error)
{
    (void)argv;
    (void)owner;
    *program = NULL;
    return no_tracer(error);
}

int program_attach(pid_t pid, const struct program_owner *owner, struct program **program,
                   struct error *error)
{
    (void)pid;
    (void)owner;
    *program = NULL;
    return no_tracer(error);
}

int program_run(struct program *program, struct error *error)
{
    (void)program;
    return no_tracer(error);
}

bool program_ended(const struct program *program, int *status)
{
    (void)program;
    *status = -1;
    return true;
}

void program_close(struct program *program)
{
    (void)program;
}

bool program_watch(struct program *program, struct program_space *space, uint64_t address,
                   void *watched)
{
    (void)program;
    (void)space;
    (void)address;
    (void)watched;
    return false;
}

void program_watch_loader(struct program *program, struct program_space *space,
                          uint64_t address, uint64_t r_debug)
{
    (void)program;
    (void)space;
    (void)address;
    (void)r_debug;
}

void program_watch_all(struct program *program, const void *watched, bool on)
{
    (void)program;
    (void)watched;
    (void)on;
}

size_t program_read(pid_t process, uint64_t address, void *to, size_t n)
{
    (void)process;
    (void)address;
    (void)to;
    (void)n;
    return 0;
}

void program_signal(const struct program *program, int number)
{
    (void)program;
    (void)number;
}

struct program_cost program_cost(const struct program *program)
{
    (void)program;
    return (struct program_cost){.stops = 0};
}
