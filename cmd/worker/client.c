/* SPDX-License-Identifier: Apache-2.0 */
#include "client_private.h"
#include "process/process.h"
#include "relay.h"
#include "service.h"
#include "worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Importing a large library takes an interpreter seconds, on a loaded machine many. */
enum {
    START_TIMEOUT_S = 20,
    START_FOREIGN_TIMEOUT_S = 90,
    LINE_MAX_BYTES = 64 << 20,
    REAP_MS = 2000
};

extern char **environ;

struct worker *worker_new(const char *name, const char *path,
                          const struct simdbench_option *options, size_t n_options,
                          int memory_fd)
{
    struct worker *worker = must_have(calloc(1, sizeof *worker));
    worker->fd = worker->relay.fd = -1;
    worker->memory_fd = memory_fd;
    worker->info.name = must_have(strdup(name));
    worker->info.path = path ? must_have(strdup(path)) : NULL;
    worker->info.options = must_have(calloc(n_options + 1, sizeof *options));
    worker->info.n_options = n_options;
    for (size_t i = 0; i < n_options; i++)
        worker->info.options[i] =
            (struct simdbench_option){.size = sizeof *options,
                                      .name = must_have(strdup(options[i].name)),
                                      .value = must_have(strdup(options[i].value))};
    return worker;
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
    for (size_t i = 0; i < info->n_options; i++) {
        free((void *)(uintptr_t)info->options[i].name);
        free((void *)(uintptr_t)info->options[i].value);
    }
    void *const rest[] = {info->options,   info->name,     info->path,   info->version,
                          info->core,      info->isa,      info->detail, info->advice,
                          worker->program, worker->buffer, worker};
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
    if (!ended)
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

/* Its socket stays open while a process that it forked has it. */
static bool is_dead(const struct worker *worker)
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
static const int not_for_workers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTTOU};

/* Starts the program with the socket and the memory file as descriptors 3 and 4; what it
 * prints goes to `output`. */
static int spawn_program(struct worker *worker, const char *const *argv, int socket,
                         int memory, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t blocked;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, output, 2);
    posix_spawn_file_actions_adddup2(&actions, socket, 3);
    posix_spawn_file_actions_adddup2(&actions, memory, 4);
    /* A signal to the parent means the run, which ends in its own way. In a process group
     * of its own, a worker takes along all that it starts, and still writes to a
     * terminal.
     */
    sigemptyset(&blocked);
    for (size_t i = 0; i < ARRAY_LEN(not_for_workers); i++)
        sigaddset(&blocked, not_for_workers[i]);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &blocked);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    int status = posix_spawn(&worker->info.pid, program_of(worker), &actions, &attributes,
                             (char **)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static int spawn(struct worker *worker, struct error *error)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return error_set(error, -errno, "socketpair: %s", strerror(errno));
    /* Descriptors 3 and 4 in the child; moved away first, as either may hold the other.
     */
    int socket = fcntl(pair[1], F_DUPFD_CLOEXEC, 10);
    int memory = fcntl(worker->memory_fd, F_DUPFD_CLOEXEC, 10);
    int end = -1;
    const int output =
        relay_open(&worker->relay, &end) < 0 ? -1 : fcntl(end, F_DUPFD_CLOEXEC, 10);
    close(pair[1]);
    close(end);
    char parent[24];
    snprintf(parent, sizeof parent, "--parent=%d", (int)getpid());
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
    int status = socket < 0 || memory < 0 || output < 0
                     ? EMFILE
                     : spawn_program(worker, argv, socket, memory, output);
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

/* Waits until there is something to read. A worker that takes too long is killed. */
static int await(struct worker *worker, int64_t deadline, const char *doing,
                 struct error *error)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = worker->fd, .events = POLLIN},
                               {.fd = worker->relay.fd, .events = POLLIN}};
        int64_t left = deadline - clock_now();
        if (interrupted_by)
            return error_set(error, -EINTR, "interrupted");
        bool dead = is_dead(worker);
        /* A reply that came in time counts, though this process was stopped until later.
         */
        int ready = poll(fds, ARRAY_LEN(fds),
                         dead || left <= 0   ? 0
                         : left > 1000000000 ? 1000
                                             : (int)(left / 1000000) + 1);
        if (ready > 0 && fds[1].revents)
            relay_pass(&worker->relay, worker->info.name);
        if (ready > 0 && fds[0].revents)
            return 0;
        /* A sandbox may forbid it. */
        if (ready < 0 && errno != EINTR) {
            const int code = errno;
            worker_kill(worker);
            return error_set(error, -code, "%s: cannot wait for '%s': poll: %s",
                             worker->info.name, doing, strerror(code));
        }
        if (ready >= 0 && dead) {
            client_describe_death(worker, doing, error);
            return -ECONNRESET;
        }
        if (ready >= 0 && left <= 0) {
            worker_kill(worker);
            return -ETIMEDOUT;
        }
    }
}

/* Waits for one line; it stays in the buffer, terminated. Returns its length plus one. */
static ssize_t read_line(struct worker *worker, int64_t timeout_ns, const char *doing,
                         struct error *error)
{
    const int64_t wait_ns =
        timeout_ns < WORKER_TIMEOUT_MAX_NS ? timeout_ns : WORKER_TIMEOUT_MAX_NS;
    const int64_t deadline = clock_now() + wait_ns;
    size_t searched = 0;
    for (;;) {
        char *end = worker->used > searched
                        ? memchr(worker->buffer + searched, '\n', worker->used - searched)
                        : NULL;
        if (end) {
            *end = '\0';
            return end - worker->buffer + 1;
        }
        searched = worker->used;
        if (worker->used + 1 >= worker->capacity) {
            size_t capacity = worker->capacity ? worker->capacity * 2 : 65536;
            char *buffer =
                capacity > LINE_MAX_BYTES ? NULL : realloc(worker->buffer, capacity);
            if (!buffer) {
                worker_kill(worker);
                return error_set(error, -EPROTO, "%s: endless reply to '%s'",
                                 worker->info.name, doing);
            }
            worker->buffer = buffer;
            worker->capacity = capacity;
        }
        int status = await(worker, deadline, doing, error);
        if (status == -ETIMEDOUT)
            error_set(error, status, "%s: no answer to '%s' within %.3g s%s, killed",
                      worker->info.name, doing, (double)timeout_ns * 1e-9,
                      strcmp(doing, "load") ? " (--timeout)" : "");
        if (status < 0)
            return status;
        ssize_t got = read(worker->fd, worker->buffer + worker->used,
                           worker->capacity - worker->used - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            client_describe_death(worker, doing, error);
            return -ECONNRESET;
        }
        worker->used += (size_t)got;
    }
}

/* A batch takes no longer than its answer. Clocks may run a little apart. */
static int check_time(const cJSON *reply, const char *doing, double spent_ns,
                      struct error *error)
{
    const double ns = strcmp(doing, "batch") ? 0 : message_number(reply, "ns", 0);
    return ns > 1.01 * spent_ns + 1e6
               ? error_set(error, -EPROTO, "'ns' is %g: it came after %.0f", ns, spent_ns)
               : 0;
}

int client_send(struct worker *worker, cJSON *request, struct error *error)
{
    if (worker->fd < 0)
        return error_set(error, -ECONNRESET, "%s: worker is gone", worker->info.name);
    cJSON_AddNumberToObject(request, "id", ++worker->asked);
    /* A worker that is gone is found out by reading. */
    const int sent = message_send(worker->fd, request);
    must(sent == -ENOMEM ? sent : 0);
    return 0;
}

int client_take_reply(struct worker *worker, const cJSON *request, int64_t begin,
                      int64_t timeout_ns, cJSON **reply, struct error *error)
{
    const char *doing = request ? message_text(request, "do") : "start";
    ssize_t length = read_line(worker, timeout_ns, doing, error);
    const double spent_ns = (double)(clock_now() - begin);
    if (length < 0)
        return (int)length;
    *reply = cJSON_Parse(worker->buffer);
    worker->used -= (size_t)length;
    memmove(worker->buffer, worker->buffer + length, worker->used);
    double id =
        message_number(*reply, "id", client_is_foreign(worker) ? worker->asked : 0);
    const bool is_object = cJSON_IsObject(*reply);
    struct error why = {.text = ""};
    int status = 0;
    if (!is_object || (request && id != worker->asked))
        status = error_set(error, -EPROTO,
                           is_object ? "%s: what it answered to '%s' was not asked"
                                     : "%s: no JSON object in reply to '%s'",
                           worker->info.name, doing);
    else if (message_check(*reply, &why) < 0 ||
             check_time(*reply, doing, spent_ns, &why) < 0)
        status = error_set(error, -EPROTO, "%s: it cannot be that in reply to '%s' %s",
                           worker->info.name, doing, why.text);
    if (status == 0)
        return 0;
    cJSON_Delete(*reply);
    *reply = NULL;
    worker_kill(worker);
    return status;
}

static int exchange(struct worker *worker, cJSON *request, int64_t timeout_ns,
                    cJSON **reply, struct error *error)
{
    const int64_t begin = clock_now();
    const int status = client_send(worker, request, error);
    return status < 0
               ? status
               : client_take_reply(worker, request, begin, timeout_ns, reply, error);
}

int client_reply_error(const cJSON *reply, const char *otherwise, struct error *error)
{
    const char *text = message_text(reply, "error");
    const int code = message_int(reply, "errno", EPROTO);
    return error_set(error, code > 0 ? -code : -EPROTO, "%s", text ? text : otherwise);
}

int worker_ask(struct worker *worker, cJSON *request, int64_t timeout_ns, cJSON **reply,
               struct error *error)
{
    int status = 0;
    *reply = NULL;
    if (interrupted_by)
        status = error_set(error, -EINTR, "interrupted");
    else if (worker->local)
        *reply = service_handle(worker->local, request);
    else
        status = exchange(worker, request, timeout_ns, reply, error);
    cJSON_Delete(request);
    return status < 0 || message_true(*reply, "ok")
               ? status
               : client_reply_error(*reply, "unknown error", error);
}

int worker_start(struct worker *worker, bool in_process, struct error *error)
{
    const struct worker_info *info = &worker->info;
    if (in_process && !client_is_foreign(worker) && !worker->program)
        return service_new(&worker->local, info->path, info->options, info->n_options,
                           worker->memory_fd, error);
    int status = spawn(worker, error);
    if (status < 0)
        return status;
    cJSON *hello = NULL;
    int64_t seconds =
        client_is_foreign(worker) ? START_FOREIGN_TIMEOUT_S : START_TIMEOUT_S;
    status = client_take_reply(worker, NULL, clock_now(), seconds * 1000000000LL, &hello,
                               error);
    if (status == 0) {
        const double protocol = message_number(hello, "protocol", 0);
        if (!message_true(hello, "ok"))
            status = client_reply_error(hello, "the worker could not start", error);
        else if (protocol != WORKER_PROTOCOL)
            status = error_set(error, -EPROTO, "%s: worker speaks protocol %g, not %d",
                               info->name, protocol, WORKER_PROTOCOL);
        if (status < 0)
            worker_kill(worker);
    }
    cJSON_Delete(hello);
    return status;
}
