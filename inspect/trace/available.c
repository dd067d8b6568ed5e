/* SPDX-License-Identifier: Apache-2.0 */
/* Whether children can be traced here: one is, through a loop of known length. */
#include "inspect.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void be_traced(int start, pid_t parent)
{
    char byte;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    (void)sched_setaffinity(0, sizeof here, &here);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that, and nobody would end this process */
        raise(SIGKILL);
    if (read(start, &byte, 1) == 1)
        inspect_call(known_loop, NULL, NULL, 1);
    for (;;) /* the parent ends it */
        pause();
}

static int trace(pid_t child, int start, double *steps_per_s, struct error *error)
{
    const struct inspect_options options = {
        .step_all = true, .whole_only = true, .timeout_ns = 5000000000};
    struct inspect_census census;
    int status = inspect_attach(child, error);
    if (status < 0)
        return status;
    if (write(start, "", 1) != 1)
        return error_set(error, -EPIPE, "no child to be traced");
    status = inspect_follow(child, &options, &census, error);
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

int inspect_available(double *steps_per_s, struct error *error)
{
    int ends[2], ended;
    if (steps_per_s)
        *steps_per_s = 0;
    if (pipe(ends) < 0)
        return error_set(error, -errno, "pipe: %s", strerror(errno));
    const pid_t self = getpid(), child = fork();
    if (child == 0)
        be_traced(ends[0], self);
    const int status = child < 0 ? error_set(error, -errno, "fork: %s", strerror(errno))
                                 : trace(child, ends[1], steps_per_s, error);
    close(ends[0]);
    close(ends[1]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, &ended, 0);
    }
    return status;
}
