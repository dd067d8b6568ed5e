/* SPDX-License-Identifier: Apache-2.0 */
/* The process of a worker: how it begins, and how it ends. */
#include "client_private.h"
#include "process/process.h"
#include "worker/service/confine.h"
#include "worker/service/service.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REAP_MS = 2000 };

struct worker *worker_new(const char *name, const char *path,
                          const struct simdbench_option *options, size_t n_options,
                          int memory_fd)
{
    struct worker *worker = must_have(calloc(1, sizeof *worker));
    worker->fd = worker->relay.fd = worker->leash[0] = worker->leash[1] = -1;
    worker->memory_fd = memory_fd;
    worker->info.name = must_have(strdup(name));
    worker->info.path = copy_text(path);
    worker->info.options = must_have(calloc(n_options + 1, sizeof *options));
    worker->info.n_options = n_options;
    for (size_t i = 0; i < n_options; i++)
        worker->info.options[i] =
            (struct simdbench_option){.size = sizeof *options,
                                      .name = must_have(strdup(options[i].name)),
                                      .value = must_have(strdup(options[i].value))};
    return worker;
}

struct worker *worker_twin(const struct worker *worker)
{
    const struct worker_info *const info = &worker->info;
    struct worker *const twin = worker_new(info->name, info->path, info->options,
                                           info->n_options, worker->memory_fd);
    for (size_t i = 0; i < info->n_lenders; i++) {
        must_grow(twin->info.lender, i);
        twin->info.lender[twin->info.n_lenders++] = info->lender[i];
    }
    return twin;
}

struct worker *worker_new_program(const char *name, const char *program, int memory_fd)
{
    struct worker *worker = worker_new(name, NULL, NULL, 0, memory_fd);
    worker->program = must_have(strdup(program));
    return worker;
}

/* Waits for the end of a child, but not forever: a driver may hold it, and a process that
 * gave up its socket may go on. */
static bool reap(pid_t pid, int *status)
{
    for (int i = 0; i < REAP_MS; i++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        /* A stop that nobody had looked at is no end. */
        if (got == pid && !WIFSTOPPED(*status))
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        usleep(1000);
    }
    return false;
}

void worker_kill(struct worker *worker)
{
    if (worker->local)
        service_free(worker->local);
    worker->local = NULL;
    if (worker->fd >= 0)
        close(worker->fd);
    worker->fd = -1;
    if (worker->info.pid > 0) {
        int status;
        /* With all that it started: a worker is the leader of its group. */
        kill(-worker->info.pid, SIGKILL);
        leash_close(worker->leash);
        reap(worker->info.pid, &status);
    }
    relay_close(&worker->relay, worker->info.name);
    worker->info.pid = 0;
    worker->used = 0;
}

void worker_free(struct worker *worker)
{
    if (!worker)
        return;
    worker_kill(worker);
    struct worker_info *info = &worker->info;
    for (size_t i = 0; i < info->n_options; i++)
        FREE_EACH((void *)(uintptr_t)info->options[i].name,
                  (void *)(uintptr_t)info->options[i].value);
    void *const rest[] = {info->options, info->lender,    info->name,      info->path,
                          info->version, info->core,      info->isa,       info->detail,
                          info->advice,  info->by_itself, worker->program, worker->buffer,
                          worker};
    cJSON_Delete(worker->description);
    for (size_t i = 0; i < ARRAY_LEN(rest); i++)
        free(rest[i]);
}

bool worker_alive(const struct worker *worker)
{
    return worker->local || worker->fd >= 0;
}

void client_describe_death(struct worker *worker, const char *doing, struct error *error)
{
    int status = 0;
    pid_t pid = worker->info.pid;
    const char *name = worker->info.name;
    /* The socket closes an instant before the process can be reaped. */
    const bool ended = reap(pid, &status);
    relay_pass(&worker->relay, name);
    const char *const last = worker->relay.last, *const said = *last ? ": " : "";
    if (ended && WIFEXITED(status) && !*last && client_is_foreign(worker) &&
        !strcmp(doing, "start"))
        error_set(error, 0,
                  "%s: a program that ended without a word, with status %d: it is no "
                  "worker of simdbench (docs/protocol.md)",
                  name, WEXITSTATUS(status));
    else if (!ended)
        error_set(error, 0, "%s: worker closed its connection in '%s'%s%s", name, doing,
                  said, last);
    else if (WIFSIGNALED(status))
        error_set(error, 0, "%s: worker died of signal %d (%s) in '%s'%s%s", name,
                  WTERMSIG(status), strsignal(WTERMSIG(status)), doing, said, last);
    else
        error_set(error, 0, "%s: worker exited with status %d in '%s'%s%s", name,
                  WEXITSTATUS(status), doing, said, last);
    worker_kill(worker);
}

bool client_is_dead(const struct worker *worker)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)worker->info.pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           info.si_pid == worker->info.pid;
}

bool client_is_foreign(const struct worker *worker)
{
    return worker->info.path && module_is_foreign(worker->info.path);
}

static const char *program_of(const struct worker *worker)
{
    return client_is_foreign(worker) ? worker->info.path : worker->program ?: "/proc/self/exe";
}

/* The standard streams, the socket and the memory of a new process. */
struct streams {
    int output, socket, memory;
};

/* In the new process: becomes the program, or returns errno. A signal to the parent means
 * the run, which ends in its own way. In a process group of its own, a worker takes along
 * all that it starts, and still writes to a terminal. */
static int become(const struct worker *worker, const char *const *argv,
                  const struct streams *streams, pid_t parent)
{
    static const int not_for_workers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTOU};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (size_t i = 0; i < ARRAY_LEN(not_for_workers); i++)
        sigaddset(&blocked, not_for_workers[i]);
    const int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || dup2(streams->output, 1) < 0 ||
        dup2(streams->output, 2) < 0 || dup2(streams->socket, 3) < 0 ||
        dup2(streams->memory, 4) < 0 || setpgid(0, 0) < 0 ||
        sigprocmask(SIG_SETMASK, &blocked, NULL) < 0)
        return errno;
    if (null > 4)
        close(null);
    /* This program does so itself: it keeps the privileges that its file may give it. */
    if (client_is_foreign(worker) || worker->program)
        confine(parent);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        return ESRCH;
    execv(program_of(worker), (char **)(uintptr_t)argv);
    return errno;
}

/* Starts the program. 0, or errno. */
static int spawn_program(struct worker *worker, const char *const *argv,
                         const struct streams *streams)
{
    int pair[2], status = 0, ended;
    const pid_t parent = getpid();
    if (pipe2(pair, O_CLOEXEC) < 0)
        return errno;
    /* A number above all descriptors of the worker. */
    const int tell = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
    close(pair[1]);
    const pid_t pid = tell < 0 ? -1 : fork();
    if (pid == 0) {
        status = become(worker, argv, streams, parent);
        _exit(write(tell, &status, sizeof status) == sizeof status ? 127 : 126);
    }
    if (pid < 0)
        status = errno;
    close(tell);
    /* Nothing is written, and the pipe is closed, when the program begins. */
    if (pid > 0 && read(pair[0], &status, sizeof status) != sizeof status)
        status = 0;
    close(pair[0]);
    if (status && pid > 0)
        waitpid(pid, &ended, 0);
    if (status)
        return status;
    worker->info.pid = pid;
    leash_open(worker->leash, pid);
    return 0;
}

int client_spawn(struct worker *worker, struct error *error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set(error, -errno, "socketpair: %s", strerror(errno));
    /* Descriptors 3 and 4 of the child. Both move away first: one may be the other. */
    int socket = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
    int memory = fcntl(worker->memory_fd, F_DUPFD_CLOEXEC, 10);
    int end = -1;
    const int output =
        relay_open(&worker->relay, &end) < 0 ? -1 : fcntl(end, F_DUPFD_CLOEXEC, 10);
    close(pair[1]);
    close(end);
    char parent[24];
    snprintf(parent, sizeof parent, PARENT_FORMAT, (int)getpid());
    const char *argv[128];
    size_t n = 0;
    argv[n++] = client_is_foreign(worker) ? worker->info.path : "simdbench";
    if (!client_is_foreign(worker))
        argv[n++] = "worker";
    argv[n++] = parent;
    if (worker->info.path && !client_is_foreign(worker))
        argv[n++] = worker->info.path;
    for (size_t i = 0; i < worker->info.n_options && n < ARRAY_LEN(argv) - 3; i++) {
        argv[n++] = worker->info.options[i].name;
        argv[n++] = worker->info.options[i].value;
    }
    argv[n] = NULL;
    const struct streams streams = {output, socket, memory};
    int status = socket < 0 || memory < 0 || output < 0
                     ? EMFILE
                     : spawn_program(worker, argv, &streams);
    close(socket);
    close(memory);
    close(output);
    if (status) {
        close(pair[0]);
        relay_close(&worker->relay, worker->info.name);
        worker->info.pid = 0;
        return error_set(error, -status, "cannot start %s: %s%s",
                         client_is_foreign(worker) || worker->program ? program_of(worker)
                                                                      : "a worker",
                         strerror(status),
                         client_is_foreign(worker) && status == ENOENT
                             ? " (is the interpreter of its first line installed?)"
                             : "");
    }
    worker->fd = pair[0];
    return 0;
}
