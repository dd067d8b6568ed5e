/* SPDX-License-Identifier: Apache-2.0 */
/* The traced process: stops, registers, memory, breakpoints. */
#include "trace.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

enum { INT3 = 0xcc, LOOK_NS = 20000000 };

int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Its own time is up to date while it does not run. Wall time where other threads run
 * too: the clock of the process has theirs. */
int64_t child_ns(const struct child *child)
{
    clockid_t clock;
    struct timespec used;
    if (child->threads > 1 || clock_getcpuclockid(child->pid, &clock) != 0 ||
        clock_gettime(clock, &used) < 0)
        return now_ns();
    return used.tv_sec * INT64_C(1000000000) + used.tv_nsec;
}

char task_state(pid_t thread)
{
    char path[40], text[80];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)thread);
    const ssize_t n = file_read("", path, text, sizeof text);
    const char *const name = n > 0 ? strrchr(text, ')') : NULL;
    return name && name[1] ? name[2] : 0;
}

int child_open(struct child *child, pid_t pid)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
    child->pid = pid;
    child->memory_fd = open(path, O_RDWR | O_CLOEXEC);
    child->threads = child_threads(child);
    child->debug_registers = child->threads > 1;
    return 0;
}

void child_close(struct child *child)
{
    if (child->memory_fd >= 0)
        close(child->memory_fd);
    child->memory_fd = -1;
}

static bool is_armed(const struct child *child, uint64_t address)
{
    for (size_t i = 0; i < child->n_armed; i++)
        if (child->armed[i] == address)
            return true;
    return false;
}

/* An int3 stops behind itself: the process goes back to what stood there. */
static int step_back(struct child *child)
{
    if (!child->trapped || child->debug_registers ||
        !is_armed(child, child->registers.rip - 1))
        return 0;
    child->registers.rip--;
    return child_set_registers(child);
}

int child_take_stop(struct child *child, int status)
{
    const int signal = status & 0xff, event = status >> 8;
    child->stops++;
    child->trapped = signal == SIGTRAP && !event;
    child->signal = event || signal == SIGTRAP ? 0 : signal;
    if (ptrace(PTRACE_GETREGS, child->pid, NULL, &child->registers) < 0)
        return errno == ESRCH ? -ECHILD : -errno;
    return step_back(child);
}

/* 1: it stopped, and `status` says why; 0: it runs; -ECHILD: it died, and stays to be
 * reaped by whoever started it. A stop is over when it goes on, so it is left too. */
static int look(const struct child *child, int *status)
{
    siginfo_t info = {.si_pid = 0};
    if (waitid(P_PID, (id_t)child->pid, &info,
               WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) < 0)
        return errno == EINTR ? 0 : -errno;
    *status = info.si_status;
    return info.si_pid == 0 ? 0 : info.si_code == CLD_TRAPPED ? 1 : -ECHILD;
}

/* SIGCHLD, which is blocked meanwhile, tells of a stop; it may be lost. */
int child_wait(struct child *child, int64_t wait_ns)
{
    if (child->wait)
        return child->wait(child, wait_ns);
    const int64_t until = wait_ns < 0 ? child->deadline : now_ns() + wait_ns;
    sigset_t stopped;
    sigemptyset(&stopped);
    sigaddset(&stopped, SIGCHLD);
    int64_t left = wait_ns < 0 || wait_ns > LOOK_NS ? LOOK_NS : wait_ns;
    for (;;) {
        const struct timespec time = {.tv_nsec = left};
        int status = 0;
        /* The first stop may have come before the signal was blocked. */
        if (child->looked)
            sigtimedwait(&stopped, NULL, &time);
        child->looked = true;
        const int found = look(child, &status);
        if (found)
            return found < 0 ? found : child_take_stop(child, status);
        if (child->stop && child->stop(child->stop_context))
            return -EINTR;
        left = until - now_ns();
        if (left <= 0)
            return wait_ns < 0 ? -ETIMEDOUT : -EAGAIN;
        left = left > LOOK_NS ? LOOK_NS : left;
    }
}

static int go_on(struct child *child, int how)
{
    if (ptrace((enum __ptrace_request)how, child->pid, NULL, (long)child->signal) < 0)
        return errno == ESRCH ? -ECHILD : -errno;
    child->signal = 0;
    child->request = how;
    return 0;
}

int child_step(struct child *child)
{
    return go_on(child, PTRACE_SINGLESTEP) ?: child_wait(child, -1);
}

/* Goes on past all signals, which are delivered. */
static int go_past_signals(struct child *child, int how)
{
    for (;;) {
        const int status = go_on(child, how) ?: child_wait(child, -1);
        if (status < 0 || child->trapped)
            return status;
        if (child->stop && child->stop(child->stop_context))
            return -EINTR;
        if (now_ns() > child->deadline)
            return -ETIMEDOUT;
    }
}

int child_advance(struct child *child)
{
    return go_past_signals(child, PTRACE_SINGLESTEP);
}

int child_resume(struct child *child)
{
    return go_on(child, PTRACE_CONT);
}

int child_continue(struct child *child)
{
    return go_past_signals(child, PTRACE_CONT);
}

int child_interrupt(struct child *child)
{
    if (ptrace(PTRACE_INTERRUPT, child->pid, NULL, NULL) < 0)
        return errno == ESRCH ? -ECHILD : -errno;
    return child_wait(child, -1);
}

int child_set_registers(struct child *child)
{
    return ptrace(PTRACE_SETREGS, child->pid, NULL, &child->registers) < 0 ? -errno : 0;
}

size_t child_read(const struct child *child, uint64_t address, void *to, size_t n)
{
    const struct iovec here = {.iov_base = to, .iov_len = n};
    const struct iovec there = {.iov_base = (void *)(uintptr_t)address, .iov_len = n};
    const ssize_t got = process_vm_readv(child->pid, &here, 1, &there, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

/* ---- breakpoints ---- */

size_t child_breakpoints(const struct child *child)
{
    return child->no_breakpoints    ? 0
           : child->debug_registers ? DEBUG_REGISTERS
                                    : BREAKPOINTS_MAX;
}

static bool poke(const struct child *child, size_t number, uint64_t value)
{
    const size_t at = offsetof(struct user, u_debugreg) + number * sizeof(long);
    return ptrace(PTRACE_POKEUSER, child->pid, at, value) == 0;
}

/* Bits 0, 2, 4, 6 of number 7 turn them on, for execution of a byte. */
static bool poke_all(struct child *child)
{
    uint64_t control = 0;
    bool done = true;
    for (size_t i = 0; i < child->n_armed; i++) {
        done &= poke(child, i, child->armed[i]);
        control |= UINT64_C(1) << 2 * i;
    }
    return done && poke(child, 7, control);
}

static bool write_byte(const struct child *child, uint64_t address, unsigned char byte)
{
    return pwrite(child->memory_fd, &byte, 1, (off_t)address) == 1;
}

bool child_arm(struct child *child, const uint64_t *address, size_t n)
{
    static const unsigned char int3 = INT3;
    child->n_armed = 0;
    bool done = n <= child_breakpoints(child);
    for (size_t i = 0; i < n && done; i++) {
        child->armed[i] = address[i];
        done = child->debug_registers ||
               (child_read(child, address[i], &child->replaced[i], 1) == 1 &&
                write_byte(child, address[i], int3));
        child->n_armed += done;
    }
    if (done && child->debug_registers)
        done = poke_all(child);
    if (!done)
        child_disarm(child);
    child->no_breakpoints |= !done;
    return done;
}

void child_disarm(struct child *child)
{
    if (child->debug_registers)
        poke(child, 7, 0);
    for (size_t i = 0; i < child->n_armed && !child->debug_registers; i++)
        write_byte(child, child->armed[i], child->replaced[i]);
    child->n_armed = 0;
}

unsigned child_threads(const struct child *child)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)child->pid);
    return (unsigned)folder_count(path) ?: 1;
}
