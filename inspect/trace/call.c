/* SPDX-License-Identifier: Apache-2.0 */
/* A call between two markers, which a tracer follows, and a child that makes it. */
#include "inspect.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

pid_t inspect_told(pid_t process, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    const int told = file_told("", path, name);
    return told < 0 ? 0 : told;
}

#ifdef __x86_64__

/* Nothing but the call stands between the markers; rbx counts the calls that may still
 * come, and the tracer sets it to 1 to have no more of them. */
_Static_assert(offsetof(struct inspect_calls, function) == 0 &&
                   offsetof(struct inspect_calls, a) == 8 &&
                   offsetof(struct inspect_calls, b) == 16 &&
                   offsetof(struct inspect_calls, before) == 24 &&
                   offsetof(struct inspect_calls, of) == 32,
               "marked() reads them there");
__attribute__((naked, noinline)) static void
marked(__attribute__((unused)) const struct inspect_calls *of,
       __attribute__((unused)) uint64_t calls)
{
    __asm__("pushq %rbx; pushq %r12; subq $8, %rsp\n"
            "movq %rdi, %r12; movq %rsi, %rbx\n"
            "1: movq 32(%r12), %rdi; callq *24(%r12)\n"
            "movq 8(%r12), %rdi; movq 16(%r12), %rsi; movq (%r12), %rax\n"
            "int3; callq *%rax; int3\n"
            "decq %rbx; jnz 1b\n"
            "addq $8, %rsp; popq %r12; popq %rbx; retq");
}

static void change_nothing(const void *of)
{
}
#endif

int inspect_call(const struct inspect_calls *of, uint64_t calls)
{
#ifdef __x86_64__
    struct inspect_calls all = *of;
    /* The process would die of a marker. */
    if (!inspect_told(getpid(), "TracerPid"))
        return -EPERM;
    all.before = of->before ? of->before : change_nothing;
    marked(&all, calls);
    return 0;
#else
    return -ENOTSUP;
#endif
}

static void be_traced(int start, pid_t parent, void (*body)(const void *context),
                      const void *context)
{
    char byte;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before that, and nobody would end this process */
        raise(SIGKILL);
    if (read(start, &byte, 1) == 1)
        body(context);
    for (;;) /* the parent ends it */
        pause();
}

int inspect_fork(void (*body)(const void *context), const void *context,
                 const struct inspect_options *options, struct inspect_census *census,
                 struct error *error)
{
    int ends[2];
    if (pipe(ends) < 0)
        return error_set(error, -errno, "pipe: %s", strerror(errno));
    const pid_t self = getpid(), child = fork();
    if (child == 0)
        be_traced(ends[0], self, body, context);
    int status = child < 0 ? error_set(error, -errno, "fork: %s", strerror(errno))
                           : inspect_attach(child, error);
    if (status == 0 && write(ends[1], "", 1) != 1)
        status = error_set(error, -EPIPE, "no child to be traced");
    status = status ?: inspect_follow(child, options, census, error);
    close(ends[0]);
    close(ends[1]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    return status;
}
