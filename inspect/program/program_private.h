/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by program*.c: threads, memories with their breakpoints, and stops. */
#pragma once

#include "program.h"
#include "trace/trace.h"

/* ---- memories (program_space.c) ---- */

struct breakpoint {
    uint64_t address; /* first, for count_below() */
    void *watched;    /* NULL: the loader's */
    unsigned char replaced;
    bool wanted, in; /* wanted: in unless a call is traced */
    bool inner;      /* calls whose return is waited for come here: out meanwhile */
};
struct object {
    uint64_t base, inode, end;
};
struct program_space {
    struct program_space *next;
    unsigned users; /* threads */
    unsigned layout;
    int memory_fd;
    unsigned held; /* calls that are traced: no breakpoint is in */
    struct breakpoint *breakpoint;
    size_t n;
    struct object *object;
    size_t n_objects;
    uint64_t r_debug; /* address, or 0 */
};
struct program_space *space_new(struct program *program, pid_t pid);
/* The copy that a fork made. */
struct program_space *space_copy(struct program *program,
                                 const struct program_space *from, pid_t pid);
void space_leave(struct program *program, struct program_space *space); /* a user does */
struct breakpoint *space_find(const struct program_space *space, uint64_t address);
/* Puts a breakpoint in if it is wanted and may be, else takes it out. */
void space_settle(struct program_space *space, struct breakpoint *breakpoint);
void space_settle_all(struct program_space *space);
/* A part was mapped again: the loader maps a whole file, then its segments over it. */
void space_renew(struct program_space *space, uint64_t from, uint64_t bytes);
/* Takes it out for the moment. */
void space_lift(struct program_space *space, struct breakpoint *breakpoint);
/* The same of all that calls came to within others, or puts them in again. */
void space_lift_inner(struct program_space *space, bool out);
/* Tells the owner of files that were mapped since the last time (program_objects.c). */
void space_look(struct program *program, struct program_space *space, pid_t pid);
/* True if one of the files that are known has that address; and if it is the loader. */
bool space_has(const struct program_space *space, uint64_t address);
bool space_in_loader(const struct program_space *space, uint64_t address);

/* ---- threads ---- */

struct thread {
    struct thread *next;
    pid_t id, process;
    struct program_space *space; /* NULL: nobody knows yet who made it */
    bool stopped;                /* `status` is to be looked at by who awaits it */
    bool gone, awaited;
    bool waiting;   /* newly made, and stopped until its maker told */
    bool loading;   /* stops at system calls, as the loader is at work */
    bool paused;    /* by PTRACE_INTERRUPT */
    bool sampled;   /* and the owner wants to know where */
    int64_t cpu_ns; /* CPU time at the last such stop */
    bool execs;     /* stopped, while it was awaited, as another program */
    bool stray; /* it was too slow: a step or a debug register of ours stops it later */
    bool inner; /* it came to another breakpoint while it was awaited */
    int status;
    /* The call that it is at: it comes back after a signal, and counts once. */
    uint64_t again, again_rsp;
    uint64_t handling,
        handling_rsp;       /* place at which a handler interrupted a step, or 0 */
    int64_t handling_since; /* one that takes long may never come back */
};

struct program {
    const struct program_owner *owner;
    struct thread *threads;
    struct program_space *spaces;
    pid_t main;
    bool started; /* by us; else attached to */
    bool executed, ended, tracing, leaving;
    int status;
    uint64_t results; /* calls whose return was waited for */
    unsigned awaited; /* of these, now */
    unsigned layouts; /* so far */
    int errors;       /* end of a pipe that tells why a command could not be started */
    sigset_t mask;    /* of before */
    struct program_cost cost;
};

/* Takes one stop or end of a thread and deals with it; false: there was none within
 * `ns`. */
bool program_turn(struct program *program, int64_t ns);
/* The same of each thread, as often as it has one: those that turns take may be of others
 * again and again. */
void program_take_all(struct program *program);
struct thread *thread_find(const struct program *program, pid_t id);
struct thread *thread_new(struct program *program, pid_t id); /* NULL: no memory */
void thread_resume(struct thread *thread, int signal);
/* Takes the event of a thread that nobody awaits (program_stops.c). */
void thread_stopped(struct program *program, struct thread *thread, int status);
/* One that is awaited: true if it is dealt with, and the thread goes on as `request`. */
bool thread_passes(struct program *program, struct thread *thread, int status,
                   int request);

/* ---- a thread at a breakpoint (program_call.c) ---- */

/* A trap: true if it was one of ours, and the thread goes on. */
bool thread_trapped(struct program *program, struct thread *thread);

/* ---- a thread as a struct child (program_wait.c) ---- */

/* A step of popf leaves this flag to the program, and so does each step after it: it is
 * taken out before a handler of a signal runs, and when the thread is let go. */
#define STEP_FLAG UINT64_C(0x100)
#define TRACE_NS INT64_C(5000000000)
struct held {
    struct program *program;
    struct thread *thread;
};

/* It may take TRACE_NS. */
struct child child_of(const struct held *held);
void clear_debug_registers(pid_t id);
/* True of a trap by a debug register, or by a step of a thread that strays: ours. */
bool thread_strays(const struct thread *thread);
/* Stops a thread that runs, wherever it is. 0, -ECHILD, -EAGAIN. */
int thread_halt(struct program *program, struct thread *thread, struct child *child);
