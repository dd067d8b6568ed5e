/* SPDX-License-Identifier: Apache-2.0 */
/* A thread at a breakpoint: its call is told, stepped, or goes on. */
#include "program_private.h"

#include <link.h>
#include <math.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "numbers.h"

enum { DEFAULT_STEPS = 30000, WINDOWS = 8, WINDOW_STEPS = 600 };
/* A window comes after a random while of up to so long, twice as long each time. */
enum { FIRST_WINDOW_NS = 500000 };
/* A trace that ended early must have so many instructions to tell anything. */
enum { SEEN_LEAST = 200 };
enum { RETURN_NS = 1000000000 };
#define RESULT_NS INT64_C(10000000000)

/* ---- past a breakpoint ---- */

/* The usual first instructions of a function need no step: endbr64, and push of a general
 * register. */
static bool emulate(const struct child *child, struct user_regs_struct *r,
                    const unsigned char *code)
{
    static const unsigned char endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    const unsigned high = code[0] == 0x41, number = (code[high] & 7u) + 8 * high;
    struct known known;
    if (!memcmp(code, endbr64, sizeof endbr64)) {
        r->rip += sizeof endbr64;
        return true;
    }
    if ((code[high] & 0xf8) != 0x50 || number == GPR_RSP)
        return false;
    known_take(&known, r);
    const uint64_t to = r->rsp - sizeof(uint64_t);
    if (pwrite(child->memory_fd, &known.value[number], sizeof(uint64_t), (off_t)to) !=
        sizeof(uint64_t))
        return false;
    r->rsp = to;
    r->rip += 1 + high;
    return true;
}

/* The thread stands at the address of a breakpoint, whose byte it must execute. */
static void pass(const struct held *held, struct child *child, uint64_t address)
{
    struct thread *const thread = held->thread;
    struct breakpoint *breakpoint = space_find(thread->space, address);
    struct user_regs_struct *const r = &child->registers;
    unsigned char code[4] = {0};
    thread->again = 0;
    if (!breakpoint || !breakpoint->in) {
        thread->again = address;
        thread->again_rsp = r->rsp;
        child_set_registers(child);
        thread_resume(thread, 0);
        return;
    }
    child_read(child, address, code, sizeof code);
    code[0] = breakpoint->replaced;
    if (emulate(child, r, code)) {
        child_set_registers(child);
        thread_resume(thread, 0);
        return;
    }
    child_set_registers(child);
    held->program->cost.open |= thread->space->users > 1;
    space_lift(thread->space, breakpoint);
    const int status = child_step(child);
    if (thread->gone)
        return;
    thread->stray |= status < 0;
    if ((breakpoint = space_find(thread->space, address)))
        space_settle(thread->space, breakpoint);
    if (thread->inner)
        space_lift_inner(thread->space, false);
    if (status == 0 && r->rip == address) {
        /* A signal comes first, and the call after it. */
        thread->again = address;
        thread->again_rsp = r->rsp;
    }
    if (status == 0)
        thread_resume(thread, child->signal);
}

/* Registers can be read in a stop that nobody has taken from waitpid yet, too. */
static bool has_news(pid_t thread)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)thread, &info,
                  WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
           info.si_pid;
}

/* A thread that was traced may still run, too long for us: what it stops at later is
 * ours, and it may have come to a breakpoint already. */
static void let_go(struct thread *thread, struct child *child)
{
    const bool runs_on =
        ptrace(PTRACE_GETREGS, thread->id, NULL, &child->registers) < 0 ||
        has_news(thread->id);
    thread->stray |= runs_on;
    clear_debug_registers(thread->id);
    if (runs_on)
        return;
    child->registers.eflags &= ~STEP_FLAG;
    child_set_registers(child);
    thread_resume(thread, child->signal);
}

/* ---- what a call returns ---- */

static bool run_to(struct child *child, uint64_t address, uint64_t above)
{
    int status = 0;
    while (status == 0 &&
           !(child->registers.rip == address && child->registers.rsp > above)) {
        if (child_arm(child, &address, 1)) {
            status = child_continue(child);
            child_disarm(child);
        } else {
            status = child_step(child);
        }
    }
    return status == 0;
}

/* The time for which a stopped thread ran, without that for which it waited for a CPU. 0
 * where the system does not tell it. */
static int64_t ran_ns(const struct thread *thread)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)thread->id);
    const int64_t ran = file_number("", path);
    return ran > 0 ? ran : 0;
}

/* The first instruction alone tells what a stop costs. */
static bool run_call(struct held *held, struct child *child, struct program_call *call)
{
    const uint64_t rsp = child->registers.rsp, number = ++held->program->results;
    const int64_t now = now_ns(), began = ran_ns(held->thread);
    if (child_step(child) < 0)
        return false;
    held->program->cost.seconds += 3e-9 * (double)(now_ns() - now);
    const int64_t stepped = began ? ran_ns(held->thread) : now_ns();
    const bool returned = run_to(child, call->caller, rsp);
    const bool alone = held->program->results == number && !held->thread->inner;
    const int64_t ended = began ? ran_ns(held->thread) : now_ns();
    const bool timed = alone && stepped && ended;
    call->stop_ns = timed ? (double)(stepped - (began ?: now)) : NAN;
    call->ns = timed ? (double)(ended - stepped) : NAN;
    return returned;
}

static void take_result(struct held *held, struct child *child, void *watched,
                        struct program_call *call)
{
    struct program *const program = held->program;
    struct thread *const thread = held->thread;
    const struct program_owner *const owner = program->owner;
    struct program_space *const space = thread->space;
    struct breakpoint *breakpoint = space_find(space, call->address);
    /* The memory stays, whatever becomes of its threads. */
    space->users++;
    child->deadline = now_ns() + RESULT_NS;
    if (breakpoint)
        space_lift(space, breakpoint);
    space_lift_inner(space, true);
    child_set_registers(child);
    program->awaited++;
    const bool returned = run_call(held, child, call);
    program->awaited--;
    if ((breakpoint = space_find(space, call->address)))
        space_settle(space, breakpoint);
    space_lift_inner(space, false);
    if (!thread->gone && !thread->execs) {
        /* The loader's may be among them. */
        if (thread->inner)
            space_look(program, space, thread->id);
        if (returned)
            owner->returned(owner->context, program, space, watched, call,
                            child->registers.rax);
        let_go(thread, child);
    }
    space_leave(program, space);
}

/* ---- a call that is followed ---- */

/* A thread within a system call is left alone: it might end with EINTR. */
static bool runs(pid_t thread)
{
    char path[48], text[16];
    snprintf(path, sizeof path, "/proc/%d/syscall", (int)thread);
    return file_read("", path, text, sizeof text) > 0 && !strncmp(text, "running", 7);
}

/* Lets a long call run for a while. False: it has ended, or is good for no window. */
static bool let_run(struct tracer *tracer, int64_t ns)
{
    struct child *const child = &tracer->child;
    const struct held *const held = child->wait_context;
    if (!child_arm(child, &tracer->end, 1))
        return false;
    int status = child_resume(child) ?: child_wait(child, ns);
    if (status == -EAGAIN) {
        if (!runs(child->pid)) {
            child_wait(child, RETURN_NS);
            child_disarm(child);
            return false;
        }
        held->thread->paused = true;
        status = child_interrupt(child);
    }
    child_disarm(child);
    tracer_forget(tracer);
    return status == 0 && !tracer_is_done(tracer);
}

/* Windows at random times of a call that has too many steps. */
static void look_into(struct tracer *tracer, const struct inspect_options *options)
{
    uint64_t random = options->seed ^ (uint64_t)now_ns();
    int64_t ns = FIRST_WINDOW_NS;
    tracer->step_all = true;
    for (unsigned i = 0; i < (options->windows ?: WINDOWS); i++, ns *= 2) {
        if (!let_run(tracer, (int64_t)(random_next(&random) % (uint64_t)ns) + ns / 4) ||
            tracer_window(tracer, options->window_steps ?: WINDOW_STEPS) < 0)
            return;
        if (tracer_is_done(tracer))
            return;
    }
}

/* Bit i: of rdi, rsi, rdx, rcx, r8, r9, read before anything wrote it. The loader ends
 * the search: where it finds a function at its first call it saves all. */
static unsigned arguments_of(const struct nodes *nodes, const struct program_space *space)
{
    static const uint8_t gpr[PROGRAM_ARGUMENTS] = {7, 6, 2, 1, 8, 9};
    uint64_t written = 0;
    unsigned found = 0;
    for (uint32_t i = 0; i < nodes->n; i++) {
        const struct code *const code = &nodes->node[i].code;
        if (space_in_loader(space, code->address))
            break;
        for (unsigned k = 0; k < PROGRAM_ARGUMENTS; k++)
            if ((code->reads | code->address_reads) >> gpr[k] & ~(written >> gpr[k]) & 1)
                found |= 1u << k;
        written |= code->writes;
    }
    return found;
}

static void follow(struct tracer *tracer, const struct inspect_options *options,
                   struct program_trace *trace, struct error *error)
{
    const struct thread *const thread =
        ((struct held *)tracer->child.wait_context)->thread;
    int status = tracer_run(tracer);
    trace->returned = status == 0;
    trace->cut = status < 0 && status != -E2BIG;
    if (status == -E2BIG && tracer->child.pid)
        look_into(tracer, options);
    /* The part until then is known. */
    if (thread->gone || thread->execs) {
        trace->error = thread->gone ? "its thread ended within it"
                                    : "another program took its place";
        return;
    }
    if (status < 0 && tracer->instructions < SEEN_LEAST) {
        trace->error = error->text;
        return;
    }
    trace->census.whole = status == 0;
    trace->census.steps = tracer->child.stops;
    trace->arguments = arguments_of(&tracer->nodes, thread->space);
    if (census_make(tracer, options, &trace->census) < 0)
        trace->error = error->text;
}

/* No breakpoint is in while a call is traced: its instructions tell which functions it
 * came to. */
static void tell_entered(const struct program *program, const struct program_space *space,
                         const struct program_call *call,
                         const struct inspect_census *census)
{
    const struct program_owner *const owner = program->owner;
    FOR_EACH (const struct inspect_line, line, census->line, census->n_lines) {
        const bool itself = line->address == call->address;
        const struct breakpoint *const breakpoint =
            line->executed > itself ? space_find(space, line->address) : NULL;
        if (breakpoint && breakpoint->watched)
            owner->entered(owner->context, breakpoint->watched, line->executed - itself);
    }
}

static void take_trace(struct held *held, struct child *child, void *watched,
                       const struct program_call *call)
{
    struct program *const program = held->program;
    struct thread *const thread = held->thread;
    struct program_space *const space = thread->space;
    const struct program_owner *const owner = program->owner;
    struct tracer *const tracer = calloc(1, sizeof *tracer);
    struct program_trace trace = {.error = NULL};
    struct error error = {.text = ""};
    const int64_t began = now_ns();
    if (!tracer) {
        pass(held, child, call->address);
        return;
    }
    /* The memory stays, whatever becomes of its threads. */
    const bool alone = space->users++ == 1;
    const uint64_t threads = program->cost.threads;
    space->held++;
    program->tracing = true;
    space_settle_all(space);
    tracer->child = *child;
    tracer->child.deadline = began + (owner->trace.timeout_ns ?: TRACE_NS);
    tracer->error = &error;
    tracer->last = NO_NODE;
    tracer->mark = 1;
    tracer->max_steps = owner->trace.max_steps ?: DEFAULT_STEPS;
    tracer->end = call->caller;
    tracer->entry_rsp = tracer->memory.stack_top = child->registers.rsp;
    child_set_registers(&tracer->child);
    follow(tracer, &owner->trace, &trace, &error);
    trace.seconds = (double)(now_ns() - began) * 1e-9;
    program->cost.seconds += trace.seconds;
    trace.alone = alone && program->cost.threads == threads;
    if (!trace.error)
        tell_entered(program, space, call, &trace.census);
    owner->traced(owner->context, program, watched, call, &trace);
    inspect_census_free(&trace.census);
    program->tracing = false;
    space->held--;
    if (!program->leaving)
        space_settle_all(space);
    if (!thread->gone && !thread->execs) {
        space_look(program, space, thread->id);
        let_go(thread, &tracer->child);
    }
    nodes_free(&tracer->nodes);
    FREE_EACH(tracer->order.item, tracer);
    space_leave(program, space);
}

/* ---- the loader ---- */

static void take_loader(const struct held *held, struct child *child, uint64_t address)
{
    struct program_space *const space = held->thread->space;
    int state = RT_CONSISTENT;
    space_look(held->program, space, held->thread->id);
    if (space->r_debug)
        program_read(held->thread->id, space->r_debug + offsetof(struct r_debug, r_state),
                     &state, sizeof state);
    held->thread->loading = state == RT_ADD;
    pass(held, child, address);
}

/* ---- */

static struct program_call call_of(const struct thread *thread,
                                   const struct user_regs_struct *r)
{
    struct program_call call = {
        .process = thread->process,
        .thread = thread->id,
        .address = r->rip,
        .argument = {r->rdi, r->rsi, r->rdx, r->rcx, r->r8, r->r9},
    };
    uint64_t stack[1 + PROGRAM_WORDS - PROGRAM_ARGUMENTS] = {0};
    program_read(thread->id, r->rsp, stack, sizeof stack);
    call.caller = stack[0];
    memcpy(&call.argument[PROGRAM_ARGUMENTS], &stack[1], sizeof stack - sizeof *stack);
    return call;
}

static void take_call(struct held *held, struct child *child,
                      const struct breakpoint *breakpoint)
{
    struct thread *const thread = held->thread;
    struct program *const program = held->program;
    void *const watched = breakpoint->watched;
    struct program_call call = call_of(thread, &child->registers);
    call.busy = program->awaited > 0;
    const bool again =
        thread->again == call.address && thread->again_rsp == child->registers.rsp;
    const enum program_want want =
        again || program->leaving
            ? PROGRAM_PASS
            : program->owner->called(program->owner->context, watched, &call);
    if (want == PROGRAM_TRACE && !program->tracing)
        take_trace(held, child, watched, &call);
    else if (want == PROGRAM_RESULT)
        take_result(held, child, watched, &call);
    else
        pass(held, child, call.address);
}

bool thread_trapped(struct program *program, struct thread *thread)
{
    struct held held = {program, thread};
    siginfo_t info;
    if (!thread->space || ptrace(PTRACE_GETSIGINFO, thread->id, NULL, &info) < 0 ||
        info.si_code != SI_KERNEL)
        return false;
    struct child child = child_of(&held);
    if (ptrace(PTRACE_GETREGS, thread->id, NULL, &child.registers) < 0)
        return false;
    const struct breakpoint *const breakpoint =
        space_find(thread->space, child.registers.rip - 1);
    if (!breakpoint)
        return false;
    child.registers.rip--;
    thread->awaited = true;
    thread->inner = false;
    if (thread->stray)
        clear_debug_registers(thread->id);
    if (breakpoint->watched)
        take_call(&held, &child, breakpoint);
    else
        take_loader(&held, &child, child.registers.rip);
    thread->awaited = false;
    thread->handling = 0; /* one that did not come back is waited for no more */
    if (thread->execs && !thread->gone)
        thread_stopped(program, thread, thread->status);
    thread->execs = false;
    return true;
}
