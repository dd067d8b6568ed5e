/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room worker: the two ends of the worker protocol (docs/protocol.md). A service answers
 * requests in whatever process it lives in; a client asks it and survives its death.
 * A request and a reply are one JSON object a line.
 */
#pragma once

#include <sys/types.h>

#include "inspect.h"
#include "worker/calls.h"
#include "worker/elf_file.h"

enum { WORKER_PROTOCOL = 1 };
/* The option with which simdbench starts its workers. */
#define PARENT_OPTION "--parent="
#define PARENT_FORMAT PARENT_OPTION "%d"

/* ---- JSON helpers (message.c); all tolerate NULL and wrong types ---- */

cJSON *message_new(const char *verb);                            /* {"do": verb} */
cJSON *message_ok(void);                                         /* {"ok": true} */
cJSON *message_get(const cJSON *object, const char *name);       /* NULL if absent */
const char *message_text(const cJSON *object, const char *name); /* the same */
double message_number(const cJSON *object, const char *name, double otherwise);
/* A number from 0 to INT_MAX; the nearest of these. */
int message_int(const cJSON *object, const char *name, int otherwise);
bool message_true(const cJSON *object, const char *name);
/* -EPROTO for what no worker can mean: an amount below 0 or beyond all counting, more
 * than ten thousand entries, an endless text; the error names it. */
int message_check(const cJSON *message, struct error *error);
void message_add_text(cJSON *object, const char *name, const char *text); /* not NULL */
void message_add_u64(cJSON *object, const char *name,
                     uint64_t value); /* decimal string */
/* Reads what message_add_u64 wrote, and whole numbers; `otherwise` if it is neither. */
uint64_t message_u64(const cJSON *object, const char *name, uint64_t otherwise);
/* Writes it as a line; -errno. */
int message_send(int socket, const cJSON *message);
/* Replaces a file by a document as a whole. */
int message_save(const cJSON *document, const char *path, struct error *error);
cJSON *message_operands(const struct operands_map *map);
int message_read_operands(const cJSON *array, struct operands_map *map);
cJSON *message_dims(const struct simdbench_shape *shape);
int message_read_dims(const cJSON *array, struct simdbench_shape *shape);

/* ---- what was measured on a host, until it boots again (host_file.c) ---- */

/* All hosts of file `name` in the cache, the caller's; an empty object if there is none
 * that can be read: what it had is measured again. */
cJSON *host_file_load(const char *name);
/* The entry that this host wrote since it booted, or NULL. */
cJSON *host_file_find(const cJSON *hosts, const char *fingerprint);
/* The same, in place of older entries if there is none. */
cJSON *host_file_make(cJSON *hosts, const char *fingerprint);
/* Replaces the file and frees `hosts`. If it cannot be written, the next run measures
 * again. */
void host_file_save(const char *name, cJSON *hosts);

/* ---- proofs of the events of a run (event_proofs.c) ---- */

struct proofs {
    bool loaded;
    size_t n; /* events */
    bool known[EVENTS_MAX];
    struct proof proof[EVENTS_MAX];
    struct slots slots; /* none announced: unknown */
};
/* Adds the known proofs of its events to a message of `setup`; reads the proofs of other
 * events from a reply: true if there were any. */
void proofs_add(cJSON *message, const struct proofs *proofs);
bool proofs_read(const cJSON *message, struct proofs *proofs);
/* Verdicts of this host since it booted: counters.json in the user's cache. Without a
 * place for it, or a fingerprint (NULL), nothing is known and nothing kept. */
void proofs_load(const char *fingerprint, const struct event *events, size_t n,
                 struct proofs *proofs);
void proofs_save(const char *fingerprint, const struct event *events,
                 const struct proofs *proofs);

/* ---- client (client.c, client_process.c) ---- */

/* A process that runs kernels (with --in-process: this process); docs/protocol.md. All
 * calls below return 0 or -EPROTO: its answer makes no sense, -ECONNRESET: it died,
 * -ETIMEDOUT: it hung and was killed, or the errno of its answer; the error says why. */
/* A timeout above this one, 30 years, counts as this one. */
#define WORKER_TIMEOUT_MAX_NS INT64_C(1000000000000000000)
struct worker_info {
    char *name; /* "simdbench", "openblas,coretype=SkylakeX" */
    char *path; /* shared object, NULL: own kernels */
    struct simdbench_option *options;
    size_t n_options;
    const struct worker_info **lender; /* whose ops its kernels compute, too */
    size_t n_lenders;
    char *version, *core, *isa, *detail; /* NULL if unknown */
    char *advice;    /* type this for a better choice of core; or NULL */
    char *by_itself; /* the core in whose place its options name another; or NULL */
    bool is_baseline;
    bool renamed; /* by the user, as=NAME: no option stands in the name */
    pid_t pid;
};

/* The reading end of a pipe that a worker prints to (relay.c); -1: there is none. */
struct relay {
    int fd;
    size_t passed; /* bytes so far */
    char line[1024];
    size_t used;
    char last[256]; /* the start of the last whole line, safe to print; or empty */
};

struct worker {
    struct worker_info info;
    struct relay relay;
    char *program;         /* another simdbench that is started; NULL: this one */
    struct service *local; /* in process: no other process */
    int fd;                /* socket to the worker; -1 when there is none */
    int memory_fd;
    int leash[2];       /* ends its process group when this process ends */
    double asked;       /* the number of the last request */
    cJSON *description; /* its answer to describe */
    char *buffer;
    size_t used, capacity;
};

/* Makes a worker for a module (or own kernels, path NULL) without starting it. */
struct worker *worker_new(const char *name, const char *path,
                          const struct simdbench_option *options, size_t n_options,
                          int memory_fd);
/* The same for all kernels of another simdbench executable. */
struct worker *worker_new_program(const char *name, const char *program, int memory_fd);
int worker_start(struct worker *worker, bool in_process, struct error *error);
/* From now on its process also has the module of `lender`, which outlives it. */
int worker_borrow(struct worker *worker, const struct worker *lender,
                  struct error *error);
/* Another process like it, which is not started. */
struct worker *worker_twin(const struct worker *worker);
bool worker_alive(const struct worker *worker);
void worker_kill(struct worker *worker);
void worker_free(struct worker *worker);
/* Sends a request (freed in any case) and waits for its reply. A reply that says "ok":
 * false comes back as its errno with `reply` still set, so that its fields can be read;
 * free it. */
int worker_ask(struct worker *worker, cJSON *request, int64_t timeout_ns, cJSON **reply,
               struct error *error);
/* Steps through one call of a case that was prepared, as inspect_follow() does it.
 * `call`: which case, and where the right outputs are; its number of calls does not
 * count. -ENOTSUP, -EPERM: not with this worker, or not here; -E2BIG as it says, the
 * worker is fine. After any other error the worker is gone, or was; -EDOM: its outputs
 * were wrong. Stop and timeout of the options are not used. A worker that was traced is
 * not to be timed. */
int worker_step(struct worker *worker, const struct step_call *call,
                const struct inspect_options *options, int64_t timeout_ns,
                struct inspect_census *census, struct error *error);
/* worker_ask() for a request whose reply says nothing more. */
static inline int worker_tell(struct worker *worker, cJSON *request, int64_t timeout_ns,
                              struct error *error)
{
    cJSON *reply = NULL;
    const int status = worker_ask(worker, request, timeout_ns, &reply, error);
    cJSON_Delete(reply);
    return status;
}

/* The reply to `objects` of this process (service_load.c). */
cJSON *objects_here(void);

/* ---- the process itself (worker.c) ---- */

/* The program behind `simdbench worker --fd=N ...`; never prints. */
int worker_main(int argc, char **argv);
