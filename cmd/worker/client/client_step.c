/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a worker for a call, and traces it meanwhile. */
#include "client_private.h"
#include "process/process.h"
#include "reports.h"

#include <poll.h>

/* True when the user wants to end, or the worker answers where it should be traced. */
static bool is_over(void *context)
{
    const struct worker *worker = context;
    struct pollfd answer = {.fd = worker->fd, .events = POLLIN};
    return interrupted_by || poll(&answer, 1, 0) > 0;
}

/* Death alone ends what is stopped somewhere within a call. */
static int give_up(struct worker *worker, const cJSON *request, int status,
                   struct error *error)
{
    FREED_BY(json_delete) cJSON *reply = NULL;
    if (status == -ECHILD) {
        client_describe_death(worker, "step", error);
        return -ECONNRESET;
    }
    if (status == -EINTR && !interrupted_by &&
        client_take_reply(worker, request, clock_now(), 0, &reply, error) == 0)
        status = client_reply_error(reply, "nothing was traced", error);
    worker_kill(worker);
    return status;
}

/* A wrong kernel may have overwritten anything in its process. */
static int take_wrong(struct worker *worker, const cJSON *reply, struct error *error)
{
    struct error why = {.text = ""};
    const int status = client_reply_error(reply, "unknown error", &why);
    worker_kill(worker);
    return error_set(error, status, "its traced call is wrong: %.400s", why.text);
}

static int trace(struct worker *worker, cJSON *request,
                 const struct inspect_options *options, struct inspect_census *census,
                 struct error *error)
{
    FREED_BY(json_delete) cJSON *reply = NULL;
    int status = client_send(worker, request, error);
    if (status < 0)
        return status;
    const int traced = inspect_follow(worker->info.pid, options, census, error);
    if (traced < 0 && traced != -E2BIG)
        return give_up(worker, request, traced, error);
    status = client_take_reply(worker, request, clock_now(), options->timeout_ns, &reply,
                               traced < 0 ? NULL : error);
    if (status == 0 && !message_true(reply, "ok"))
        status = take_wrong(worker, reply, error);
    if (status < 0)
        inspect_census_free(census);
    return status < 0 ? status : traced;
}

/* A process can see that it is traced, so the first call is not traced. The worker of an
 * older simdbench makes that call by itself. */
static int call_first(struct worker *worker, uint64_t number, int64_t timeout_ns,
                      struct error *error)
{
    cJSON *const request = step_call(&(struct step_call){.number = number});
    const int status = worker_tell(worker, request, timeout_ns, error);
    return status == -EINVAL ? 0 : status;
}

/* A process that somebody else may trace is of no use for the next case. */
static int attach(struct worker *worker, struct error *error)
{
    const int status = inspect_attach(worker->info.pid, error);
    if (status == -EBUSY)
        worker_kill(worker);
    return status;
}

/* The reason why a worker cannot be traced at all, or 0. */
static int refuse(const struct worker *worker, struct error *error)
{
    if (worker->local)
        return error_set(error, -ENOTSUP, "a process cannot trace itself (--in-process)");
    if (client_is_foreign(worker))
        return error_set(error, -ENOTSUP, "%s: a foreign worker marks no calls",
                         worker->info.name);
    return worker->fd < 0
               ? error_set(error, -ECONNRESET, "%s: worker is gone", worker->info.name)
               : 0;
}

int worker_step(struct worker *worker, const struct step_call *call,
                const struct inspect_options *options, int64_t timeout_ns,
                struct inspect_census *census, struct error *error)
{
    struct step_call traced = *call;
    traced.calls = INSPECT_CALLS;
    FREED_BY(json_delete) cJSON *request = step_call(&traced);
    struct inspect_options all = *options;
    *census = (struct inspect_census){.whole = false};
    all.stop = is_over;
    all.stop_context = worker;
    all.timeout_ns = timeout_ns;
    return refuse(worker, error)
               ?: call_first(worker, call->number, timeout_ns, error)
               ?: attach(worker, error)
               ?: trace(worker, request, &all, census, error);
}
