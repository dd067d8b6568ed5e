/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls inside a program that knows nothing of this one: it is started, or a running one
 * is attached to, with all its threads and children. Breakpoints stand at the functions
 * that its owner watches, and a call of them can be stepped and taken a census of. Only
 * the thread that calls is stopped for it. Signals, forks, execs and exits go on as
 * without us. x86-64 and Zydis as for inspect.h; else all of it fails with the reason.
 */
#pragma once

#include "inspect.h"

struct program;
/* Memory that breakpoints are in: of a process, or of several that share it. */
struct program_space;

/* Registers with arguments, and words on the stack behind them. */
enum { PROGRAM_ARGUMENTS = 6, PROGRAM_WORDS = PROGRAM_ARGUMENTS + 10 };
struct program_call {
    pid_t process, thread;
    uint64_t address;
    uint64_t caller; /* the address that it returns to */
    /* rdi, rsi, rdx, rcx, r8, r9; then those of the stack */
    uint64_t argument[PROGRAM_WORDS];
    bool busy; /* the return of another call is waited for, which might wait for this one
                */
    /* The time of PROGRAM_RESULT, once it has returned, with a stop; and that of a stop
     * at the next instruction, which does nothing else. NaN: other threads were served
     * meanwhile. */
    double ns, stop_ns;
};

/* An event of a call, and all that was seen of it. */
struct program_trace {
    struct inspect_census census;
    const char *error;  /* reason why there is no census; NULL: there is one */
    unsigned arguments; /* bit i: it read the i-th argument register before writing it */
    bool returned;      /* it was followed to its end */
    bool cut;           /* only its beginning was seen, which tells nothing of the rest */
    bool alone;         /* no other thread of its process ran meanwhile */
    double seconds;     /* delay of its thread */
};

enum program_want {
    PROGRAM_PASS,  /* it goes on */
    PROGRAM_TRACE, /* follow this call */
    PROGRAM_RESULT /* run it, and tell what it returns */
};

/* The owner's part. `watched` is what program_watch() was given. All of them are called
 * while the thread in question is stopped. */
struct program_owner {
    void *context;
    /* A file with code was mapped, up to `end`; addresses of its symbols plus `bias` are
     * those of the process. */
    void (*object)(void *context, struct program *program, struct program_space *space,
                   const char *path, uint64_t bias, uint64_t end);
    enum program_want (*called)(void *context, void *watched,
                                const struct program_call *call);
    void (*traced)(void *context, struct program *program, void *watched,
                   const struct program_call *call, const struct program_trace *trace);
    /* Within a traced call, before it is told, another watched function was entered. */
    void (*entered)(void *context, void *watched, uint64_t times);
    void (*returned)(void *context, struct program *program, struct program_space *space,
                     void *watched, const struct program_call *call, uint64_t result);
    /* A thread that runs is at this address, and took so much CPU time since it was seen
     * last; about every `sample_ns`. NULL: never. */
    void (*sampled)(void *context, const struct program_space *space, uint64_t address,
                    int64_t cpu_ns);
    int64_t sample_ns;
    /* Asked 50 times a second: true ends program_run(). */
    bool (*stop)(void *context, struct program *program);
    struct inspect_options trace; /* of each call; `stop` and costs are not used */
};

/* Starts a command, which waits before its first instruction; or attaches to a process.
 * -EPERM, -ESRCH, -ENOTSUP, ... The owner must live as long as the program. */
int program_start(char *const *argv, const struct program_owner *owner,
                  struct program **program, struct error *error);
int program_attach(pid_t pid, const struct program_owner *owner, struct program **program,
                   struct error *error);
/* Until the command or process has ended, or the owner says so. -ENOENT and the like:
 * the command could not be started. */
int program_run(struct program *program, struct error *error);
/* True once it has ended; `status` is that of wait(), -1 if it is not known. */
bool program_ended(const struct program *program, int *status);
/* Takes all breakpoints out and lets go of everything that still runs. */
void program_close(struct program *program); /* NULL is allowed */

/* A memory has files where that had them which it is a copy of, with the same number. */
unsigned program_layout(const struct program_space *space);
/* A breakpoint at an address; false: there can be none. The first one at an address
 * counts. */
bool program_watch(struct program *program, struct program_space *space, uint64_t address,
                   void *watched);
/* The function that the loader calls before and after it maps files, and its
 * struct r_debug, or 0. */
void program_watch_loader(struct program *program, struct program_space *space,
                          uint64_t address, uint64_t r_debug);
/* Breakpoints with that `watched`, in all memories, are put in or taken out. */
void program_watch_all(struct program *program, const void *watched, bool on);
/* Reads memory of a process that is stopped or not; how many bytes it got. */
size_t program_read(pid_t process, uint64_t address, void *to, size_t n);
/* Signals are passed to the command that was started. */
void program_signal(const struct program *program, int number);
/* Ends a command that was started, and all processes that it made. */
void program_kill(struct program *program);
/* Stops, threads and processes so far, and seconds for which threads were held up. */
struct program_cost {
    uint64_t stops, threads, processes;
    double seconds;
    bool open; /* other threads ran while a breakpoint was out for the step of one */
};
struct program_cost program_cost(const struct program *program);
