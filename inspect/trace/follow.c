/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's end of a marked call: all of it, or windows of some. */
#include "numbers.h"
#include "trace.h"

#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

enum {
    DEFAULT_STEPS = 30000,
    DEFAULT_WINDOWS = 20,
    DEFAULT_WINDOW_STEPS = 600,
    DEFAULT_TIMEOUT_S = 60
};
/* From when on a call is long; what it takes to stop one. */
#define LONG_CALL_NS 2e7
#define STOP_NS 2e4
enum { TRIES = 20, PATIENT_ROUNDS = 64 };

int inspect_attach(pid_t child, struct error *error)
{
    if (ptrace(PTRACE_SEIZE, child, NULL, (long)PTRACE_O_EXITKILL) == 0)
        return 0;
    const int code = errno;
    const int tracer = code == EPERM ? inspect_told(child, "TracerPid") : 0;
    if (tracer)
        return error_set(error, -EBUSY,
                         tracer == getpid()
                             ? "its own code asked to be traced (PTRACE_TRACEME), so "
                               "nobody can trace it here"
                             : "its own code lets process %d trace it",
                         tracer);
    return error_set(
        error, -code, "the system forbids ptrace of a child: %s%s", strerror(code),
        code == EPERM ? " (kernel.yama.ptrace_scope above 2, or a sandbox)" : "");
}

/* ---- markers ---- */

int tracer_go_to_marker(struct tracer *tracer, bool begin)
{
    struct child *child = &tracer->child;
    const struct user_regs_struct *r = &child->registers;
    for (;;) {
        /* At first it runs; the first marker shows where they are. */
        const int status = child->stops ? child_continue(child) : child_wait(child, -1);
        if (status < 0)
            return tracer_gone(tracer, status);
        if (child->trapped && !tracer->end) {
            struct code code;
            unsigned char bytes[CODE_BYTES_MAX];
            const size_t n = child_read(child, r->rip, bytes, sizeof bytes);
            if (code_decode(bytes, n, r->rip, &code) < 0 || !code.is_call)
                return error_set(tracer->error, -EPROTO, "no marker, but a stop");
            tracer->begin = r->rip - 1;
            tracer->end = r->rip + code.length;
        }
        if (r->rip == (begin ? tracer->begin : tracer->end) + 1)
            return 0;
    }
}

int tracer_set_calls(struct tracer *tracer, uint64_t calls)
{
    struct child *child = &tracer->child;
    if (child->registers.rip == tracer->end)
        child->registers.rip++;
    child->registers.rbx = calls;
    const int status = child_set_registers(child);
    return status < 0 ? tracer_gone(tracer, status) : 0;
}

/* ---- all of a call ---- */

int tracer_begin_call(struct tracer *tracer)
{
    int status = tracer_go_to_marker(tracer, true);
    if (status == 0 && (status = child_advance(&tracer->child)) < 0)
        return tracer_gone(tracer, status);
    return status;
}

static int trace_whole(struct tracer *tracer)
{
    const int status = tracer_begin_call(tracer);
    tracer->memory.stack_top = tracer->child.registers.rsp;
    return status == 0 ? tracer_run(tracer) : status;
}

/* ---- windows ---- */

/* True of what is around the calls. */
static bool is_between(const struct tracer *tracer, uint64_t pc)
{
    enum { REST_BYTES = 16 };
    return pc + REST_BYTES >= tracer->begin && pc <= tracer->end + REST_BYTES;
}

/* Up to a stop; -EAGAIN: it runs, or has used so much time since. While it waits it is
 * left alone, as a stop takes time of its own, too. */
static int wait_for(struct child *child, int64_t since, double ns, double look_ns)
{
    for (;;) {
        const int status = child_wait(child, ns > 0 ? (int64_t)look_ns : 0);
        if (status == -EAGAIN && now_ns() > child->deadline)
            return -ETIMEDOUT;
        if (status != -EAGAIN || task_state(child->pid) == 'R' ||
            (double)(child_ns(child) - since) >= ns - STOP_NS)
            return status;
    }
}

/* Lets it run until it stops, or has used so much time of its own, which is then gone:
 * it waits, or other processes run meanwhile, the longer the less often one looks. */
static int run_for(struct child *child, double *ns)
{
    for (unsigned round = 0;; round++) {
        const int64_t began = child_ns(child);
        const unsigned patience = 1 + round / PATIENT_ROUNDS;
        const double look_ns = *ns * patience;
        int status = child_resume(child) ?: wait_for(child, began, *ns, look_ns);
        const bool runs = status == -EAGAIN;
        if (runs)
            status = child_interrupt(child);
        *ns -= (double)(child_ns(child) - began);
        if (status < 0 || !runs || child->trapped || child->signal || *ns <= STOP_NS)
            return status;
    }
}

/* A while of its own time, in which calls may begin and end; then it stops in one. */
static int let_run(struct tracer *tracer, double ns)
{
    struct child *child = &tracer->child;
    bool within = !is_between(tracer, child->registers.rip);
    for (;;) {
        int status = run_for(child, &ns);
        if (status < 0)
            return tracer_gone(tracer, status);
        const uint64_t pc = child->registers.rip;
        if (pc == tracer->end + 1 &&
            (status = tracer_set_calls(tracer, INSPECT_CALLS)) < 0)
            return status;
        within = pc == tracer->begin + 1 || (within && pc != tracer->end + 1);
        if (ns <= STOP_NS)
            return within && !is_between(tracer, pc) ? 0 : tracer_begin_call(tracer);
    }
}

/* To a random place of a call that is short: `share` of its time, from its beginning on.
 * It takes a while to stop it, in which some calls end: then others begin. */
static int stop_within(struct tracer *tracer, double share, double call_ns)
{
    struct child *child = &tracer->child;
    const double wait_ns = share * (call_ns + STOP_NS) - STOP_NS;
    for (int tries = 0; tries < TRIES && wait_ns > 0; tries++) {
        double left_ns = wait_ns;
        int status = tracer_go_to_marker(tracer, true);
        if (status == 0)
            status = run_for(child, &left_ns);
        if (status < 0)
            return tracer_gone(tracer, status);
        if (!is_between(tracer, child->registers.rip))
            return 0;
    }
    return tracer_begin_call(tracer);
}

/* The call that was given up ends, and the next one tells how long one takes, and how
 * much time of its own. */
static int time_call(struct tracer *tracer, double *ns, double *own_ns)
{
    int status = tracer_go_to_marker(tracer, false)
                     ?: tracer_set_calls(tracer, INSPECT_CALLS)
                     ?: tracer_go_to_marker(tracer, true);
    const int64_t began = now_ns(), own = child_ns(&tracer->child);
    if (status == 0)
        status = tracer_go_to_marker(tracer, false);
    *ns = (double)(now_ns() - began);
    *own_ns = (double)(child_ns(&tracer->child) - own);
    return status == 0 ? tracer_set_calls(tracer, INSPECT_CALLS) : status;
}

/* Each window in a call of its own, or all of them spread over a long one, which may wait
 * most of the time. */
static int trace_windows(struct tracer *tracer, const struct inspect_options *options,
                         unsigned windows)
{
    const uint64_t steps = options->window_steps ?: DEFAULT_WINDOW_STEPS;
    uint64_t random = options->seed;
    double call_ns = 0, own_ns = 0;
    int status = time_call(tracer, &call_ns, &own_ns);
    tracer->step_all = true;
    for (unsigned i = 0; i < windows && status == 0; i++) {
        const double share = (double)(random_next(&random) >> 11) * 0x1p-53;
        status = call_ns < LONG_CALL_NS ? stop_within(tracer, share, own_ns)
                                        : let_run(tracer, 2 * share * own_ns / windows);
        tracer_forget(tracer);
        if (status == 0)
            status = tracer_window(tracer, steps);
        if (status == 0 && nodes_end_window(&tracer->nodes, i, windows) < 0)
            status = error_set(tracer->error, -ENOMEM, "out of memory");
    }
    if (status == 0 && tracer->child.registers.rip != tracer->end)
        status = tracer_go_to_marker(tracer, false);
    return status;
}

/* ---- */

static void tracer_reset(struct tracer *tracer)
{
    nodes_free(&tracer->nodes);
    tracer->order.n = 0;
    tracer_forget(tracer);
    tracer->instructions = tracer->system_calls = tracer->transitions = 0;
}

static int leave(struct tracer *tracer)
{
    const int status = tracer_set_calls(tracer, 1);
    if (status == 0 && ptrace(PTRACE_DETACH, tracer->child.pid, NULL, NULL) < 0)
        return tracer_gone(tracer, -ECHILD);
    return status;
}

static int trace(struct tracer *tracer, const struct inspect_options *options,
                 struct inspect_census *census)
{
    const unsigned windows = options->windows ?: DEFAULT_WINDOWS;
    const int64_t began = now_ns();
    FREED_BY(free_memory) struct code_cost *costs = NULL;
    int status = trace_whole(tracer);
    census->whole = status == 0;
    /* The next call of the same begins as this one ends. */
    if (status == 0 && tracer->dirty)
        tracer->transitions += tracer->as_before;
    if (status == -E2BIG && !options->whole_only) {
        tracer_reset(tracer);
        status = trace_windows(tracer, options, windows);
        census->windows = windows;
    }
    if (status < 0 && status != -E2BIG)
        return status;
    census->steps = tracer->child.stops;
    census->seconds = (double)(now_ns() - began) * 1e-9;
    census->threads = child_threads(&tracer->child);
    if (status == 0)
        costs = costs_take(&tracer->nodes, options, &tracer->child);
    if (status == 0)
        status = census_make(tracer, options, census)
                     ?: tracer_estimate_call(tracer, options, census);
    if (status == -E2BIG) {
        const int ended = tracer_go_to_marker(tracer, false);
        return ended < 0 ? ended : leave(tracer) < 0 ? -ECHILD : status;
    }
    return status < 0 ? status : leave(tracer);
}

/* This thread goes where the child runs: two that take turns are up to four times as fast
 * on one CPU. */
static void join_child(pid_t pid, cpu_set_t *before)
{
    cpu_set_t there;
    if (sched_getaffinity(0, sizeof *before, before) == 0 &&
        sched_getaffinity(pid, sizeof there, &there) == 0)
        (void)sched_setaffinity(0, sizeof there, &there);
}

int inspect_follow(pid_t pid, const struct inspect_options *options,
                   struct inspect_census *census, struct error *error)
{
    sigset_t blocked, before;
    cpu_set_t cpus = {0};
    FREED_BY(free_memory) struct tracer *tracer = calloc(1, sizeof *tracer);
    *census = (struct inspect_census){.whole = false};
    if (!tracer)
        return error_set(error, -ENOMEM, "out of memory");
    tracer->error = error;
    tracer->last = NO_NODE;
    tracer->mark = 1;
    tracer->step_all = options->step_all;
    tracer->max_steps = options->max_steps ?: DEFAULT_STEPS;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    join_child(pid, &cpus);
    child_open(&tracer->child, pid);
    tracer->child.stop = options->stop;
    tracer->child.stop_context = options->stop_context;
    tracer->child.deadline =
        now_ns() + (options->timeout_ns ?: DEFAULT_TIMEOUT_S * INT64_C(1000000000));
    const int status = trace(tracer, options, census);
    child_close(&tracer->child);
    sched_setaffinity(0, sizeof cpus, &cpus);
    sigprocmask(SIG_SETMASK, &before, NULL);
    nodes_free(&tracer->nodes);
    free(tracer->order.item);
    if (status < 0)
        inspect_census_free(census);
    return status;
}
