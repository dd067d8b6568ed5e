/* SPDX-License-Identifier: Apache-2.0 */
/* Stops of threads: what each of them means, and that the thread goes on. */
#include "program_private.h"

#include <linux/kcmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files.h"

/* As PTRACE_O_TRACESYSGOOD marks system calls. */
enum { SYSCALL_STOP = SIGTRAP | 0x80 };

struct thread *thread_find(const struct program *program, pid_t id)
{
    for (struct thread *thread = program->threads; thread; thread = thread->next)
        if (thread->id == id && !thread->gone)
            return thread;
    return NULL;
}

struct thread *thread_new(struct program *program, pid_t id)
{
    struct thread *const thread = calloc(1, sizeof *thread);
    if (!thread)
        return NULL;
    thread->id = id;
    thread->next = program->threads;
    program->cost.threads++;
    program->threads = thread;
    return thread;
}

void thread_resume(struct thread *thread, int signal)
{
    const enum __ptrace_request how = thread->loading ? PTRACE_SYSCALL : PTRACE_CONT;
    ptrace(how, thread->id, NULL, (long)signal);
}

static void thread_gone(struct program *program, struct thread *thread)
{
    struct program_space *const space = thread->space;
    thread->gone = true;
    thread->space = NULL;
    if (space)
        space_leave(program, space);
}

/* Those that nobody looks at any more. */
static void sweep(struct program *program)
{
    for (struct thread **at = &program->threads; *at;) {
        struct thread *const thread = *at;
        if (thread->gone && !thread->awaited) {
            *at = thread->next;
            free(thread);
        } else {
            at = &thread->next;
        }
    }
}

/* ---- new threads and processes ---- */

static bool shares_memory(pid_t a, pid_t b, bool otherwise)
{
    const long order = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
    return order < 0 ? otherwise : order == 0;
}

static void adopt_one(struct program *program, const struct thread *maker, pid_t id,
                      int event)
{
    struct thread *thread = thread_find(program, id);
    const bool waits = thread && thread->waiting;
    if (thread && !waits)
        return;
    thread = thread ?: thread_new(program, id);
    if (!thread)
        return;
    thread->process = inspect_told(thread->id, "Tgid") ?: thread->id;
    thread->loading = maker->loading && thread->process == maker->process;
    if (maker->space) {
        const bool same =
            shares_memory(maker->id, thread->id, event != PTRACE_EVENT_FORK);
        thread->space =
            same ? maker->space : space_copy(program, maker->space, thread->id);
        if (thread->space)
            thread->space->users++;
        if (!same && thread->space)
            space_settle_all(thread->space);
    }
    program->cost.processes += thread->process == thread->id;
    thread->waiting = false;
    if (waits)
        thread_resume(thread, 0); /* else its first stop is still to come */
}

/* A thread was made by another one; it waits for us, or will. */
static void adopt(struct program *program, const struct thread *maker, int event)
{
    unsigned long id = 0;
    if (ptrace(PTRACE_GETEVENTMSG, maker->id, NULL, &id) == 0 && id)
        adopt_one(program, maker, (pid_t)id, event);
}

/* A maker that was killed tells nothing: what waits is taken to be its. */
static void adopt_waiting(struct program *program, const struct thread *maker)
{
    for (struct thread *thread = program->threads; thread; thread = thread->next)
        if (thread->waiting && !thread->gone)
            adopt_one(program, maker, thread->id, PTRACE_EVENT_FORK);
}

/* ---- exec ---- */

static int64_t cpu_time(const struct thread *thread)
{
    char path[40], text[80];
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)thread->id);
    return file_read("", path, text, sizeof text) > 0 ? strtoll(text, NULL, 10) : 0;
}

static void take_exec(struct program *program, struct thread *thread)
{
    for (struct thread *other = program->threads; other; other = other->next)
        if (other != thread && !other->gone && other->process == thread->process)
            thread_gone(program, other);
    if (thread->space)
        space_leave(program, thread->space);
    thread->space = space_new(program, thread->id);
    if (!thread->space)
        return;
    thread->space->users++;
    thread->again = 0;
    thread->sampled = false;
    thread->cpu_ns = program->owner->sampled ? cpu_time(thread) : 0;
    program->executed |= thread->process == program->main;
    thread->loading = true;
    space_look(program, thread->space, thread->id);
    /* Without a loader nothing more will come. */
    thread->loading = thread->space->r_debug != 0;
}

/* The loader maps code: its functions are watched before it runs their resolvers. */
static void take_syscall(struct program *program, struct thread *thread)
{
    struct user_regs_struct r;
    if (thread->space && ptrace(PTRACE_GETREGS, thread->id, NULL, &r) == 0 &&
        (r.orig_rax == SYS_mmap || r.orig_rax == SYS_mprotect) && r.rdx & PROT_EXEC) {
        space_look(program, thread->space, thread->id);
        space_renew(thread->space, r.rdi, r.rsi);
    }
    thread_resume(thread, 0);
}

/* ---- stops ---- */

static bool is_job_control(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN ||
           signal == SIGTTOU;
}

/* The owner asked where the thread is. On a busy machine it is asked late. */
static void tell_place(struct program *program, struct thread *thread)
{
    const int64_t now = thread->sampled ? cpu_time(thread) : 0;
    struct user_regs_struct r;
    if (thread->sampled && thread->space &&
        ptrace(PTRACE_GETREGS, thread->id, NULL, &r) == 0) {
        if (!space_has(thread->space, r.rip))
            space_look(program, thread->space, thread->id);
        program->owner->sampled(program->owner->context, thread->space, r.rip,
                                now - thread->cpu_ns);
    }
    thread->cpu_ns = thread->sampled ? now : thread->cpu_ns;
    thread->sampled = false;
}

static void take_event(struct program *program, struct thread *thread, int event,
                       int signal)
{
    switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE:
        adopt(program, thread, event);
        break;
    case PTRACE_EVENT_EXEC:
        take_exec(program, thread);
        break;
    case PTRACE_EVENT_STOP:
        if (is_job_control(signal)) {
            ptrace(PTRACE_LISTEN, thread->id, NULL, NULL);
            return;
        }
        thread->paused = false;
        tell_place(program, thread);
        break;
    default:
        break;
    }
    thread_resume(thread, 0);
}

void thread_stopped(struct program *program, struct thread *thread, int status)
{
    const int signal = WSTOPSIG(status), event = status >> 16;
    /* Another stop may take the place of the one that was asked for. */
    thread->sampled &= event == PTRACE_EVENT_STOP;
    if (event)
        take_event(program, thread, event, signal);
    else if (signal == SYSCALL_STOP)
        take_syscall(program, thread);
    else if (signal == SIGTRAP && thread_strays(thread))
        thread_resume(thread, 0);
    else if (signal != SIGTRAP || !thread_trapped(program, thread))
        thread_resume(thread, signal);
}

bool thread_passes(struct program *program, struct thread *thread, int status,
                   int request)
{
    const int signal = WSTOPSIG(status), event = status >> 16;
    const bool stop = event == PTRACE_EVENT_STOP,
               suspended = stop && is_job_control(signal);
    /* One that is suspended can be let go, and stays so, but cannot be followed. */
    if ((!event && signal != SYSCALL_STOP) ||
        (stop && thread->paused && (!suspended || program->leaving)))
        return false;
    if (suspended) {
        ptrace(PTRACE_LISTEN, thread->id, NULL, NULL);
        return true;
    }
    if (event && !stop)
        adopt(program, thread, event);
    ptrace((enum __ptrace_request)request, thread->id, NULL, 0L);
    return true;
}

/* ---- turns ---- */

static void take_end(struct program *program, struct thread *thread, pid_t id, int status)
{
    if (id == program->main) {
        program->ended = true;
        program->status = status;
    }
    if (!thread)
        return;
    if (WIFSIGNALED(status))
        adopt_waiting(program, thread);
    thread_gone(program, thread);
}

static void take(struct program *program, pid_t id, int status)
{
    struct thread *thread = thread_find(program, id);
    program->cost.stops++;
    if (!WIFSTOPPED(status)) {
        take_end(program, thread, id, status);
        return;
    }
    if (!thread) {
        thread = thread_new(program, id);
        if (thread)
            thread->waiting = true;
    } else if (thread->awaited) {
        thread->stopped = true;
        thread->status = status;
    } else {
        thread_stopped(program, thread, status);
    }
}

void program_take_all(struct program *program)
{
    int status;
    for (struct thread *thread = program->threads; thread; thread = thread->next)
        while (!thread->gone && waitpid(thread->id, &status, __WALL | WNOHANG) > 0)
            take(program, thread->id, status);
    sweep(program);
}

/* SIGCHLD, which is blocked, tells of a stop. */
bool program_turn(struct program *program, int64_t ns)
{
    int status;
    const struct timespec wait = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    pid_t id = waitpid(-1, &status, __WALL | WNOHANG);
    if (id == 0 && ns > 0) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigtimedwait(&signals, NULL, &wait);
        id = waitpid(-1, &status, __WALL | WNOHANG);
    }
    if (id < 0)
        program->ended |= errno == ECHILD;
    if (id <= 0)
        return false;
    take(program, id, status);
    sweep(program);
    return true;
}
