/* SPDX-License-Identifier: Apache-2.0 */
/* In place of the tracer where it cannot be built. */
#include "inspect.h"
#include "never.h"
#include "program.h"

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

struct inspect_window inspect_window(double per_cycle, double computed,
                                     double chain_cycles, double behind_cycles,
                                     double integer_cycles)
{
    return (struct inspect_window){.waiting = 0};
}

double inspect_pass(double cycles)
{
    return 0;
}

double inspect_guard(double cycles)
{
    return 0;
}

int inspect_attach(pid_t child, struct error *error)
{
    return no_tracer(error);
}

int inspect_follow(pid_t child, const struct inspect_options *options,
                   struct inspect_census *census, struct error *error)
{
    *census = (struct inspect_census){.whole = false};
    return no_tracer(error);
}

/* ---- programs ---- */

int program_start(char *const *argv, const struct program_owner *owner,
                  struct program **program, struct error *error)
{
    *program = NULL;
    return no_tracer(error);
}

int program_attach(pid_t pid, const struct program_owner *owner, struct program **program,
                   struct error *error)
{
    *program = NULL;
    return no_tracer(error);
}

void program_close(struct program *program)
{
}

NEVER_CALLED(int, program_run, struct program *program, struct error *error)
NEVER_CALLED(bool, program_ended, const struct program *program, int *status)
NEVER_CALLED(bool, program_watch, struct program *program, struct program_space *space,
             uint64_t address, void *watched)
NEVER_CALLED(void, program_watch_loader, struct program *program,
             struct program_space *space, uint64_t address, uint64_t r_debug)
NEVER_CALLED(void, program_watch_all, struct program *program, const void *watched,
             bool on)
NEVER_CALLED(unsigned, program_layout, const struct program_space *space)
NEVER_CALLED(size_t, program_read, pid_t process, uint64_t address, void *to, size_t n)
NEVER_CALLED(void, program_signal, const struct program *program, int number)
NEVER_CALLED(void, program_kill, struct program *program)
NEVER_CALLED(struct program_cost, program_cost, const struct program *program)
