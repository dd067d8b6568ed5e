/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a worker, and takes its answer. */
#include "client_private.h"
#include "files.h"
#include "process/process.h"
#include "reports.h"
#include "worker/service/service.h"

#include <poll.h>

/* Importing a large library takes an interpreter seconds, on a loaded machine many. */
enum { START_TIMEOUT_S = 20, START_FOREIGN_TIMEOUT_S = 90, LINE_MAX_BYTES = 64 << 20 };

/* Time for which the worker was ready and had no CPU is not its own: others had it. */
static int64_t waited_for_cpu(const struct worker *worker)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/schedstat", (int)worker->info.pid);
    return file_waited("", path);
}

/* Waits until there is something to read. A worker that takes too long is killed:
 * `deadline` is when it would be if it had waited for a CPU as long as `waited`. */
static int await(struct worker *worker, int64_t deadline, int64_t waited,
                 const char *doing, struct error *error)
{
    for (;;) {
        struct pollfd fds[] = {{.fd = worker->fd, .events = POLLIN},
                               {.fd = worker->relay.fd, .events = POLLIN}};
        int64_t left = deadline - clock_now();
        if (interrupted_by)
            return error_set(error, -EINTR, "interrupted");
        bool dead = client_is_dead(worker);
        /* A reply in time counts, although this process was stopped until later. */
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
            const int64_t before = waited;
            waited = waited_for_cpu(worker);
            deadline += waited - before;
            if (clock_now() < deadline)
                continue;
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
    const int64_t deadline = clock_now() + wait_ns, waited = waited_for_cpu(worker);
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
        int status = await(worker, deadline, waited, doing, error);
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
             ((!clock_script() || client_is_foreign(worker)) &&
              check_time(*reply, doing, spent_ns, &why) < 0))
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

/* This process knows what it offers, and how its ops read shapes, as a worker without a
 * module does. */
static struct service *service_here(const struct worker *worker, const cJSON *request)
{
    static struct service *here;
    const char *const verb = message_text(request, "do");
    if (worker_alive(worker) || worker->info.path || worker->program ||
        (strcmp(verb, "describe") != 0 && strcmp(verb, "shape") != 0))
        return worker->local;
    if (!here)
        must(service_new(&here, NULL, NULL, 0, -1, NULL));
    return here;
}

int worker_ask(struct worker *worker, cJSON *request, int64_t timeout_ns, cJSON **reply,
               struct error *error)
{
    struct service *const service = service_here(worker, request);
    int status = 0;
    *reply = NULL;
    if (interrupted_by)
        status = error_set(error, -EINTR, "interrupted");
    else if (service)
        *reply = service_handle(service, request);
    else
        status = exchange(worker, request, timeout_ns, reply, error);
    cJSON_Delete(request);
    return status < 0 || message_true(*reply, "ok")
               ? status
               : client_reply_error(*reply, "unknown error", error);
}

static int load(struct worker *worker, const struct worker_info *lender,
                struct error *error)
{
    const struct load_call call = {
        .path = lender->path, .option = lender->options, .n = lender->n_options};
    FREED_BY(json_delete) cJSON *reply = NULL;
    return worker_ask(worker, load_call(&call), START_TIMEOUT_S * INT64_C(1000000000),
                      &reply, error);
}

int worker_borrow(struct worker *worker, const struct worker *lender, struct error *error)
{
    struct worker_info *const info = &worker->info;
    for (size_t i = 0; i < info->n_lenders; i++)
        if (info->lender[i] == &lender->info)
            return 0;
    must_grow(info->lender, info->n_lenders);
    info->lender[info->n_lenders++] = &lender->info;
    return worker_alive(worker) ? load(worker, &lender->info, error) : 0;
}

static int start(struct worker *worker, bool in_process, struct error *error)
{
    const struct worker_info *info = &worker->info;
    if (in_process && !client_is_foreign(worker) && !worker->program)
        return service_new(&worker->local, info->path, info->options, info->n_options,
                           worker->memory_fd, error);
    int status = client_spawn(worker, error);
    if (status < 0)
        return status;
    FREED_BY(json_delete) cJSON *hello = NULL;
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
    }
    return status;
}

int worker_start(struct worker *worker, bool in_process, struct error *error)
{
    int status = start(worker, in_process, error);
    for (size_t i = 0; i < worker->info.n_lenders && status == 0; i++)
        status = load(worker, worker->info.lender[i], error);
    if (status < 0)
        worker_kill(worker);
    return status;
}
