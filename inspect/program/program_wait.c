/* SPDX-License-Identifier: Apache-2.0 */
/* A thread as a struct child, which waits while all others are served. */
#include "program_private.h"

#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>

#define RESUME_FLAG UINT64_C(0x10000)
enum { LOOK_NS = 20000000, HANDLER_NS = 200000000, HALT_NS = 2000000000 };

static void poke_debug_register(pid_t id, size_t number, uint64_t value)
{
    ptrace(PTRACE_POKEUSER, id, offsetof(struct user, u_debugreg) + number * sizeof(long),
           value);
}

void clear_debug_registers(pid_t id)
{
    poke_debug_register(id, 7, 0);
}

static void set_debug_register(pid_t id, uint64_t address)
{
    poke_debug_register(id, 0, address);
    poke_debug_register(id, 7, 1);
}

enum trap { TRAP_OURS, TRAP_INNER, TRAP_OF_PROGRAM };

/* A call within the one that is awaited, or in a handler of a signal, may come to a
 * breakpoint: it is taken out, and the thread goes back to what stood there. */
static enum trap trap_of(struct thread *thread, struct user_regs_struct *r)
{
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info) < 0 ||
        (info.si_code > 0 && info.si_code != SI_KERNEL)) /* of steps, debug registers */
        return TRAP_OURS;
    struct breakpoint *const breakpoint = info.si_code == SI_KERNEL && thread->space
                                              ? space_find(thread->space, r->rip - 1)
                                              : NULL;
    if (!breakpoint)
        return TRAP_OF_PROGRAM;
    space_lift(thread->space, breakpoint);
    breakpoint->inner = thread->inner = true;
    r->rip--;
    ptrace(PTRACE_SETREGS, thread->id, NULL, r);
    return TRAP_INNER;
}

/* A handler of a signal runs as fast as without us: it is over when the thread is back
 * where it was. True if it has begun, or ended, or the thread goes on otherwise. */
static bool handles(struct thread *thread, const struct child *child)
{
    const int signal = WSTOPSIG(thread->status), event = thread->status >> 16;
    struct user_regs_struct r;
    if (event || ptrace(PTRACE_GETREGS, thread->id, NULL, &r) < 0)
        return false;
    const enum trap trap = signal == SIGTRAP ? trap_of(thread, &r) : TRAP_OF_PROGRAM;
    if (trap == TRAP_INNER) {
        ptrace(thread->handling ? PTRACE_CONT : (enum __ptrace_request)child->request,
               thread->id, NULL, 0L);
        return true;
    }
    if (trap == TRAP_OF_PROGRAM) {
        if (child->request == PTRACE_SINGLESTEP && !thread->handling) {
            thread->handling = r.rip;
            thread->handling_rsp = r.rsp;
            thread->handling_since = now_ns();
            set_debug_register(thread->id, r.rip);
            /* Coming back with this flag, it would not stop. */
            r.eflags &= ~(RESUME_FLAG | STEP_FLAG);
            ptrace(PTRACE_SETREGS, thread->id, NULL, &r);
        }
        ptrace(PTRACE_CONT, thread->id, NULL, (long)signal);
        return true;
    }
    if (!thread->handling)
        return false;
    if (r.rip == thread->handling && r.rsp == thread->handling_rsp) {
        thread->handling = 0;
        clear_debug_registers(thread->id);
        ptrace(PTRACE_SINGLESTEP, thread->id, NULL, 0L);
    } else {
        ptrace(PTRACE_CONT, thread->id, NULL, 0L);
    }
    return true;
}

/* Waits while other threads are served. */
static int thread_wait(struct child *child, int64_t wait_ns)
{
    const struct held *const held = child->wait_context;
    struct thread *const thread = held->thread;
    const int64_t until = wait_ns < 0 ? child->deadline : now_ns() + wait_ns;
    int status = -EAGAIN;
    while (status == -EAGAIN) {
        const int64_t left = until - now_ns();
        if (thread->gone || thread->execs) {
            status = -ECHILD;
        } else if (thread->stopped) {
            thread->stopped = false;
            thread->execs = thread->status >> 16 == PTRACE_EVENT_EXEC;
            if (!thread->execs &&
                !thread_passes(held->program, thread, thread->status, child->request) &&
                !handles(thread, child)) {
                thread->paused &= thread->status >> 16 != PTRACE_EVENT_STOP;
                status = child_take_stop(child, thread->status >> 8);
            }
        } else if (left <= 0 ||
                   (thread->handling && now_ns() - thread->handling_since > HANDLER_NS)) {
            status = -ETIMEDOUT;
        } else if (child->stop && child->stop(child->stop_context)) {
            status = -EINTR;
        } else {
            program_turn(held->program, left < LOOK_NS ? left : LOOK_NS);
        }
    }
    return status == -ETIMEDOUT && wait_ns >= 0 ? -EAGAIN : status;
}

struct child child_of(const struct held *held)
{
    return (struct child){.pid = held->thread->id,
                          .memory_fd = held->thread->space->memory_fd,
                          .debug_registers = true,
                          .looked = true,
                          .deadline = now_ns() + TRACE_NS,
                          .wait = thread_wait,
                          .wait_context = (void *)held};
}

int thread_halt(struct program *program, struct thread *thread, struct child *child)
{
    struct held held = {program, thread};
    *child = child_of(&held);
    child->request = PTRACE_CONT;
    thread->awaited = thread->paused = true;
    int status = ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL) < 0
                     ? -ECHILD
                     : child_wait(child, HALT_NS);
    if (status == 0)
        clear_debug_registers(thread->id);
    thread->awaited = false;
    return thread->execs ? 0 : status;
}

/* A program under a tracer has no debug registers of its own. An interrupt may come while
 * the trap of one is on its way: then the thread stops for the interrupt first, and for
 * the trap when it goes on. */
bool thread_strays(const struct thread *thread)
{
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info) < 0 ||
        (info.si_code != TRAP_HWBKPT && !(thread->stray && info.si_code == TRAP_TRACE)))
        return false;
    clear_debug_registers(thread->id);
    return true;
}
