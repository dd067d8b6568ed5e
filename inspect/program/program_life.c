/* SPDX-License-Identifier: Apache-2.0 */
/* A program as it begins, runs and is left. */
#include "program_private.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    OPTIONS = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
              PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD,
    TURN_NS = 20000000,
    KILL_NS = 2000000000,
    PASSES = 20
};

struct program_cost program_cost(const struct program *program)
{
    return program->cost;
}

bool program_ended(const struct program *program, int *status)
{
    *status = program->started && program->ended ? program->status : -1;
    return program->ended;
}

void program_signal(const struct program *program, int number)
{
    if (program->started && !program->ended)
        kill(program->main, number);
}

void program_kill(struct program *program)
{
    const int64_t until = now_ns() + KILL_NS;
    while (program->started && program->threads && now_ns() < until) {
        for (const struct thread *thread = program->threads; thread;
             thread = thread->next)
            if (!thread->gone)
                kill(thread->id, SIGKILL);
        program_turn(program, TURN_NS);
    }
}

/* ---- beginning ---- */

static struct program *program_new(const struct program_owner *owner, struct error *error)
{
    struct program *const program = calloc(1, sizeof *program);
    sigset_t blocked;
    if (!program) {
        no_memory(error);
        return NULL;
    }
    program->owner = owner;
    program->errors = -1;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &program->mask);
    return program;
}

static int thread_add(struct program *program, pid_t id, pid_t process,
                      struct program_space *space)
{
    struct thread *const thread = space ? thread_new(program, id) : NULL;
    if (!thread)
        return -ENOMEM;
    thread->process = process;
    thread->space = space;
    space->users++;
    return 0;
}

/* In the child: waits until it is traced, and becomes the command. */
static void become(char *const *argv, const struct program *program, int go, int errors)
{
    char byte;
    int code = 0;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    sigprocmask(SIG_SETMASK, &program->mask, NULL);
    if (read(go, &byte, 1) == 1) {
        execvp(argv[0], argv);
        code = errno;
    }
    if (write(errors, &code, sizeof code) < 0)
        raise(SIGABRT);
    raise(SIGKILL);
}

/* One that has ended may be there until somebody waits for it: its state is read before
 * it is asked for, or it could go between the two. */
static bool ends(pid_t thread)
{
    const char state = task_state(thread);
    return kill(thread, 0) < 0 ? errno == ESRCH : state == 'Z' || state == 'X';
}

static int seize(pid_t thread, int more, struct error *error)
{
    if (ptrace(PTRACE_SEIZE, thread, NULL, (long)(OPTIONS | more)) == 0)
        return 0;
    const int refusal = errno, code = refusal == EPERM && ends(thread) ? ESRCH : refusal;
    const pid_t tracer = code == EPERM ? inspect_told(thread, "TracerPid") : 0;
    if (tracer == getpid())
        return -EALREADY; /* a thread that is traced made it */
    if (tracer)
        return error_set(error, -EBUSY, "process %d traces it already", (int)tracer);
    return error_set(error, -code, "the system forbids to trace process %d: %s%s",
                     (int)thread, strerror(code),
                     code == EPERM ? "; it must be yours, and kernel.yama.ptrace_scope "
                                     "0, or let simdbench start it"
                                   : "");
}

int program_start(char *const *argv, const struct program_owner *owner,
                  struct program **out, struct error *error)
{
    struct program *const program = program_new(owner, error);
    int go[2] = {-1, -1}, errors[2] = {-1, -1};
    int status = program ? 0 : -ENOMEM;
    if (status == 0 && (pipe2(go, O_CLOEXEC) < 0 || pipe2(errors, O_CLOEXEC) < 0))
        status = error_set(error, -errno, "pipe: %s", strerror(errno));
    if (program)
        program->errors = errors[0];
    const pid_t child = status == 0 ? fork() : -1;
    if (child == 0) {
        close(go[1]);
        become(argv, program, go[0], errors[1]);
    }
    if (status == 0 && child < 0)
        status = error_set(error, -errno, "fork: %s", strerror(errno));
    close(go[0]);
    close(errors[1]);
    if (status == 0 && (status = seize(child, PTRACE_O_EXITKILL, error)) < 0) {
        close(go[1]);
        waitpid(child, NULL, 0);
        go[1] = -1;
    }
    if (status == 0) {
        program->main = child;
        program->started = true;
        program->cost.processes = 1;
        status = thread_add(program, child, child, space_new(program, child)) < 0
                     ? no_memory(error)
                 : write(go[1], "", 1) == 1 ? 0
                                            : error_set(error, -EPIPE, "no child");
    }
    close(go[1]);
    if (status < 0) {
        program_close(program);
        return status;
    }
    *out = program;
    return 0;
}

/* All threads that a process has now; how many were new. */
static int seize_threads(struct program *program, struct program_space *space,
                         struct error *error)
{
    char path[40];
    int n = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)program->main);
    DIR *const folder = opendir(path);
    if (!folder)
        return error_set(error, -ESRCH, "there is no process %d", (int)program->main);
    for (const struct dirent *entry; n >= 0 && (entry = readdir(folder));) {
        const pid_t id = (pid_t)atoi(entry->d_name);
        if (id <= 0 || thread_find(program, id))
            continue;
        const int status = seize(id, 0, error);
        if (status == -EALREADY || (status == -ESRCH && id != program->main))
            continue; /* it ended meanwhile */
        n = status < 0                                          ? status
            : thread_add(program, id, program->main, space) < 0 ? -ENOMEM
                                                                : n + 1;
    }
    closedir(folder);
    return n;
}

int program_attach(pid_t pid, const struct program_owner *owner, struct program **out,
                   struct error *error)
{
    struct program *const program = program_new(owner, error);
    if (!program)
        return -ENOMEM;
    program->main = pid;
    program->executed = true;
    program->cost.processes = 1;
    struct program_space *const space = space_new(program, pid);
    int status = 1;
    /* Threads that a traced thread makes are traced from their beginning. */
    for (int pass = 0; pass < PASSES && status > 0; pass++)
        status = seize_threads(program, space, error);
    if (status >= 0 && (!space || space->memory_fd < 0))
        status = error_set(error, -EPERM, "the memory of process %d cannot be written",
                           (int)pid);
    if (status < 0) {
        program_close(program);
        return status;
    }
    space_look(program, space, pid);
    *out = program;
    return 0;
}

/* ---- running ---- */

static int start_error(const struct program *program, struct error *error)
{
    int code = 0;
    if (!program->started || program->executed ||
        read(program->errors, &code, sizeof code) != sizeof code || !code)
        return 0;
    return error_set(error, -code, "%s", strerror(code));
}

/* Threads that wait are left alone: their time is none of the program. */
static void sample(struct program *program)
{
    for (struct thread *thread = program->threads; thread; thread = thread->next) {
        if (thread->gone || thread->awaited || thread->waiting || thread->sampled ||
            thread->loading || !program->executed || task_state(thread->id) != 'R')
            continue;
        thread->sampled = ptrace(PTRACE_INTERRUPT, thread->id, NULL, NULL) == 0;
    }
}

int program_run(struct program *program, struct error *error)
{
    const struct program_owner *const owner = program->owner;
    const int64_t turn_ns = owner->sampled ? owner->sample_ns : TURN_NS;
    while (!program->ended && !owner->stop(owner->context, program)) {
        const int64_t until = now_ns() + turn_ns;
        int64_t left = turn_ns;
        if (owner->sampled)
            sample(program);
        while (!program->ended && (program_turn(program, left) || owner->sampled) &&
               (left = until - now_ns()) > 0)
            ;
    }
    return program->ended ? start_error(program, error) : 0;
}

/* ---- leaving ---- */

/* Those that stopped at a breakpoint are put back to where it was, by and by. */
static void drain(struct program *program)
{
    const int64_t until = now_ns() + 2 * TURN_NS;
    while (program->threads && now_ns() < until)
        program_turn(program, TURN_NS / 4);
    program_take_all(program);
}

/* A thread of a program that would end with us has to be stopped to be let go, and one
 * that has debug registers of ours. */
static void detach_all(struct program *program)
{
    for (struct thread *thread = program->threads; thread; thread = thread->next) {
        struct child child;
        if (!thread->gone && thread->space && (program->started || thread->stray) &&
            thread_halt(program, thread, &child) == 0)
            ptrace(PTRACE_DETACH, thread->id, NULL, (long)child.signal);
    }
}

void program_close(struct program *program)
{
    if (!program)
        return;
    program->leaving = true;
    for (struct program_space *space = program->spaces; space; space = space->next) {
        space->held++;
        space_settle_all(space);
    }
    drain(program);
    detach_all(program);
    while (program->threads) {
        FREED_BY(free_memory) struct thread *thread = program->threads;
        program->threads = thread->next;
        space_leave(program, thread->space);
    }
    while (program->spaces) {
        program->spaces->users = 1;
        space_leave(program, program->spaces);
    }
    if (program->errors >= 0)
        close(program->errors);
    sigprocmask(SIG_SETMASK, &program->mask, NULL);
    free(program);
}
