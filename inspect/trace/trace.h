/* SPDX-License-Identifier: Apache-2.0 */
/* The traced process, and what follows it. */
#pragma once

#include <sys/user.h>

#include "inspect_private.h"

/* ---- child.c: the traced process ---- */

enum { BREAKPOINTS_MAX = 96, DEBUG_REGISTERS = 4 };
struct child {
    pid_t pid;
    int memory_fd;        /* /proc/PID/mem */
    unsigned threads;     /* as it was opened */
    bool debug_registers; /* breakpoints by these, as other threads run the same code */
    bool no_breakpoints;  /* they failed */
    size_t n_armed;
    uint64_t armed[BREAKPOINTS_MAX];
    unsigned char replaced[BREAKPOINTS_MAX];
    struct user_regs_struct registers;
    uint64_t stops;
    bool looked;      /* since it was attached */
    bool trapped;     /* it stopped as was asked for, not because of a signal */
    int signal;       /* to be delivered when it goes on */
    int64_t deadline; /* nanoseconds of the monotonic clock */
    bool (*stop)(void *context);
    void *stop_context;
    /* Waits in place of child_wait(), where other threads are traced too; NULL: none. */
    int (*wait)(struct child *child, int64_t wait_ns);
    void *wait_context;
    int request; /* the way in which it went on last */
};
int64_t now_ns(void);
/* A clock that runs while the child does, where that is known. */
int64_t child_ns(const struct child *child);
/* The state of a thread, as /proc has it: 'R' runs; 0: it is not there. */
char task_state(pid_t thread);
int child_open(struct child *child, pid_t pid);
void child_close(struct child *child);
/* Lets it go on by one instruction, or up to a stop, and reads its registers. 0; -ECHILD:
 * it died; -ETIMEDOUT; -EINTR. */
int child_step(struct child *child);
/* One step that is taken: a signal that comes before it is delivered first. */
int child_advance(struct child *child);
/* Goes on up to a breakpoint; a signal that comes before it is delivered. */
int child_continue(struct child *child);
/* The two halves of a way to a stop. Waits for a stop at most `wait_ns`, then -EAGAIN;
 * -1: up to the deadline. */
int child_resume(struct child *child);
int child_wait(struct child *child, int64_t wait_ns);
int child_interrupt(struct child *child);
int child_set_registers(struct child *child);
size_t child_read(const struct child *child, uint64_t address, void *to, size_t n);
/* After a stop with that status: what si_status of waitid() says. */
int child_take_stop(struct child *child, int status);
/* Most breakpoints that it can have. */
size_t child_breakpoints(const struct child *child);
/* Arms breakpoints; false, and never again, if it cannot have them. */
bool child_arm(struct child *child, const uint64_t *address, size_t n);
void child_disarm(struct child *child);
unsigned child_threads(const struct child *child);

/* ---- replay.c: addresses of what ran without being stepped ---- */

/* General registers, as far as they are known. */
struct known {
    uint64_t value[GPR_COUNT], fs, gs;
    uint32_t mask;
};
void known_take(struct known *known, const struct user_regs_struct *registers);
/* An instruction changes them. */
void known_compute(struct known *known, const struct code *code);
bool known_address(const struct known *known, const struct code *code,
                   const struct access *access, uint64_t *address);

/* ---- path.c: code that ran once runs again up to where it may leave ---- */

struct path {
    uint32_t n;
    bool blind;   /* some of its places are unknown when it runs */
    bool loop;    /* its end is its beginning */
    uint64_t end; /* the address behind it */
    bool counted; /* a loop: some register changes by the same amount in each turn */
    uint32_t n_exits;
    uint32_t *node;
    uint64_t *exit; /* address off the path where the branch at that place may go, or 0 */
};
/* Makes a path of the first `n` nodes of a list; less, if it could not be told where it
 * was left. NULL: nothing is left of it, or no memory. */
struct path *path_make(const struct nodes *nodes, const uint32_t *list, uint32_t n,
                       uint64_t end, bool loop, size_t exits_max);
void path_free(struct path *path);
/* The place where the path was left, by the address where it stopped: the number of its
 * nodes that executed in the last turn; -1: it is nowhere. */
int64_t path_position(const struct nodes *nodes, const struct path *path, uint64_t pc);
/* Full turns of a loop before it was left, after `position` nodes of its last turn; -1:
 * no register tells. */
int64_t path_turns(const struct nodes *nodes, const struct path *path, uint32_t position,
                   const struct user_regs_struct *before,
                   const struct user_regs_struct *after);

/* ---- tracer.c: follows one call ---- */

enum { CALLS_MAX = 256, RECORDING_MAX = 2048 };
struct frame {
    uint64_t return_address, context; /* of where the call came from */
};
struct tracer {
    struct child child;
    struct nodes nodes;
    struct memory memory;
    struct frame frame[CALLS_MAX];
    uint32_t n_frames;
    uint64_t context;
    uint32_t last;      /* node that executed last, or NO_NODE */
    bool dirty;         /* upper halves of vector registers, as far as known */
    bool decided;       /* the call has made them dirty or clean */
    uint64_t as_before; /* SSE instructions until then, which met them as a call begins */
    bool step_all;
    uint64_t begin, end; /* addresses of the markers before and behind the call */
    uint64_t entry_rsp;  /* of a call without markers: it ends above this; or 0 */
    uint64_t max_steps, instructions, system_calls, transitions, replayed;
    uint64_t looked; /* instructions that were stepped for places that are unknown else */
    uint32_t look;   /* and how many come before a path may run again */
    uint32_t recording[RECORDING_MAX], n_recorded, mark;
    uint32_t recorded_calls; /* calls that did not return within the recording */
    struct order order;
    struct error *error;
};
/* The error of a child that ended, or does not answer. */
int tracer_gone(const struct tracer *tracer, int status);
/* Code ran unseen: nothing that was known of it is true any more. */
void tracer_forget(struct tracer *tracer);
/* True behind the call. */
bool tracer_is_done(const struct tracer *tracer);
/* From where the child stands to the end of the call. -E2BIG: it takes more steps. */
int tracer_run(struct tracer *tracer);
/* So many instructions, each a step; fewer if the call ends. */
int tracer_window(struct tracer *tracer, uint64_t instructions);

/* ---- follow.c: the child's calls, between two markers ---- */

/* Lets it go on to a stop behind the marker that begins a call, or ends one. */
int tracer_go_to_marker(struct tracer *tracer, bool begin);
/* Tells the child how many calls are to come; behind the marker of an end. */
int tracer_set_calls(struct tracer *tracer, uint64_t calls);
/* To the first instruction of the next call. */
int tracer_begin_call(struct tracer *tracer);

/* nodes.c: a branch went there so often in a row. */
void rows_take(struct rows *rows, uint32_t to, uint64_t times);

/* ---- order.c ---- */

/* Cycles of a call, if it is made again and again, each with new arguments; 0: it is too
 * long, or was not seen whole. */
double order_again(const struct tracer *tracer, const struct inspect_window *window,
                   bool memory);

/* ---- turns.c ---- */

/* Sets call_instructions of a census; 0: it cannot be known. */
int tracer_estimate_call(struct tracer *tracer, const struct inspect_options *options,
                         struct inspect_census *census);
