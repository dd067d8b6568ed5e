/* SPDX-License-Identifier: Apache-2.0 */
/* Leaves other than reports return -ENOMEM, and so do workers; the parent has nothing
 * better to do than to end. The files of a run hold what was saved of it. */
#include <sys/auxv.h>
#include <sys/resource.h>

#include "process/process.h"

void memory_out(void)
{
    complain("out of memory");
    exit(EXIT_USAGE);
}

/* The deepest calls of all commands take half of STACK_LEAST. */
enum { STACK_LEAST = 512 << 10, STACK_USUAL = 8 << 20 };

/* Arguments and environment lie at the beginning of the stack, and the name of the
 * program before all of them. */
static rlim_t stack_used(void)
{
    /* A variable may lie elsewhere: sanitizers move it. */
    const uintptr_t first = getauxval(AT_EXECFN);
    const uintptr_t now = (uintptr_t)__builtin_frame_address(0);
    return first > now ? first - now : 0;
}

int stack_claim(struct error *error)
{
    struct rlimit limit;
    const rlim_t needed = stack_used() + STACK_LEAST;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= needed)
        return 0;
    limit.rlim_cur = limit.rlim_max < STACK_USUAL ? limit.rlim_max : STACK_USUAL;
    if (limit.rlim_cur >= needed && setrlimit(RLIMIT_STACK, &limit) == 0)
        return 0;
    return error_set(error, -ENOMEM,
                     "the stack is limited to %llu kB and simdbench needs %llu: "
                     "ulimit -s %llu",
                     (unsigned long long)limit.rlim_cur / 1024,
                     (unsigned long long)(needed + 1023) / 1024,
                     (unsigned long long)(needed + 1023) / 1024);
}
