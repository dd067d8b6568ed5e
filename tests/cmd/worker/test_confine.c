/* SPDX-License-Identifier: Apache-2.0 */
/* A worker cannot harm its parent, and its group ends with it. */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "forbid_call.h"
#include "worker/service/confine.h"

enum { OTHER_FAILURE = 100 };

/* A number of a call that was not refused, 0 if all are. */
static int try_all(pid_t parent)
{
    const struct rlimit limit = {0, 0};
    const siginfo_t info = {.si_code = SI_QUEUE};
    char byte = 0;
    const struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)try_all, 1};
    int number = 0;
    /* Signal 0 would only ask whether it may be sent. */
#define REFUSED(call)                  \
    number++;                          \
    if ((call) == 0 || errno != EPERM) \
    return number
    REFUSED(ptrace(PTRACE_SEIZE, parent, NULL, NULL));
    REFUSED(ptrace(PTRACE_ATTACH, parent, NULL, NULL));
    REFUSED(kill(parent, 0));
    REFUSED(kill(-getpgid(parent), 0));
    REFUSED(kill(-1, 0));
    REFUSED(syscall(SYS_tkill, parent, 0));
    REFUSED(syscall(SYS_tgkill, parent, parent, 0));
    REFUSED(syscall(SYS_rt_sigqueueinfo, parent, 0, &info));
    REFUSED(syscall(SYS_rt_tgsigqueueinfo, parent, parent, 0, &info));
    REFUSED(syscall(SYS_pidfd_open, parent, 0) > 0 ? 0 : -1);
    REFUSED(syscall(SYS_pidfd_send_signal, 0, 0, NULL, 0));
    REFUSED(prlimit(parent, RLIMIT_CORE, &limit, NULL));
    REFUSED(process_vm_writev(parent, &here, 1, &there, 1, 0));
    REFUSED(fcntl(0, F_SETSIG, SIGSTOP));
    REFUSED(ioctl(0, TIOCSTI, &byte));
#undef REFUSED
    return 0;
}

/* A child of its own is traced and ended as ever. */
static bool can_trace_others(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    return ptrace(PTRACE_SEIZE, child, NULL, NULL) == 0 && kill(child, SIGKILL) == 0 &&
           waitpid(child, &status, 0) == child;
}

static int be_confined(void)
{
    const pid_t parent = getppid();
    if (confine(parent) < 0)
        return NO_SANDBOX;
    const int number = try_all(parent);
    return number ? number : can_trace_others() ? 0 : OTHER_FAILURE;
}

static int be_confined_child(void)
{
    const pid_t parent = getppid();
    int status;
    if (confine(parent) < 0)
        return NO_SANDBOX;
    /* A process that it starts is as far from that parent. */
    const pid_t child = fork();
    if (child == 0)
        _exit(try_all(parent));
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                    : OTHER_FAILURE;
}

TEST(test_confine)
{
    const int status = in_child(be_confined);
    if (status == NO_SANDBOX)
        skip();
    assert_int_equal(status, 0);
    assert_int_equal(in_child(be_confined_child), 0);
}

/* Starts a group of two processes, on a leash; each has the end of a pipe. */
static pid_t start_group(int end, int leash[2])
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    const pid_t leader = fork();
    if (leader == 0) {
        setpgid(0, 0);
        if (fork() >= 0 && write(ready[1], "", 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    close(end);
    leash_open(leash, leader);
    return leader;
}

/* Returns when nobody has the other end any more. */
static void wait_for_end(const int pair[2])
{
    char byte;
    assert_int_equal(read(pair[0], &byte, 1), 0);
    close(pair[0]);
}

TEST(test_leash)
{
    int pair[2], leash[2], status;
    assert_int_equal(pipe(pair), 0);
    const pid_t leader = start_group(pair[1], leash);
    leash_close(leash);
    assert_int_equal(leash[0], -1);
    wait_for_end(pair);
    assert_int_equal(waitpid(leader, &status, 0), leader);
    assert_int_equal(WTERMSIG(status), SIGKILL);
}

/* Not even the end by SIGKILL leaves a process of the group. */
TEST(test_leash_of_a_killed_one)
{
    int pair[2], leash[2], status;
    assert_int_equal(pipe(pair), 0);
    const pid_t owner = fork();
    if (owner == 0) {
        start_group(pair[1], leash);
        raise(SIGKILL);
    }
    close(pair[1]);
    assert_int_equal(waitpid(owner, &status, 0), owner);
    wait_for_end(pair);
}
