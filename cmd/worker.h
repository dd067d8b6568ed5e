/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two ends of the worker protocol (docs/protocol.md) inside cmd: the service answers
 * requests in whatever process it lives in, the client asks and survives its death.
 * A request and a reply are one JSON object a line.
 */
#ifndef SIMDBENCH_WORKER_H
#define SIMDBENCH_WORKER_H

#include <signal.h>

#include <cjson/cJSON.h>

#include "cmd.h"

enum { WORKER_PROTOCOL = 1 };

/* ---- JSON helpers (message.c); all tolerate NULL and wrong types ---- */

cJSON *message_new(const char *verb);                            /* {"do": verb} */
const char *message_text(const cJSON *object, const char *name); /* NULL if absent */
double message_number(const cJSON *object, const char *name, double otherwise);
bool message_true(const cJSON *object, const char *name);
void message_add_u64(cJSON *object, const char *name,
                     uint64_t value); /* decimal string */
/* Reads what message_add_u64 wrote, and whole numbers; `otherwise` if it is neither. */
uint64_t message_u64(const cJSON *object, const char *name, uint64_t otherwise);
cJSON *message_operands(const struct operands_map *map);
int message_read_operands(const cJSON *array, struct operands_map *map);
cJSON *message_dims(const struct simdbench_shape *shape);
int message_read_dims(const cJSON *array, struct simdbench_shape *shape);

/* ---- service (service.c, service_case.c) ---- */

struct service;

/* `path` NULL: own kernels. Loads and opens the module in this process. */
int service_new(struct service **service, const char *path,
                const struct simdbench_option *const *options, size_t n_options,
                int memory_fd, struct error *error);
void service_free(struct service *service);
/* Always returns an object: {"ok": true, ...} or {"ok": false, "errno": n, "error":
 * text}. */
cJSON *service_handle(struct service *service, const cJSON *request);

/* ---- client (client.c) ---- */

struct worker {
    struct worker_info info;
    char *program;         /* another simdbench that is started; NULL: this one */
    struct service *local; /* in process: no other process */
    int fd;                /* socket to the worker; -1 when there is none */
    int memory_fd;
    double asked;       /* the number of the last request */
    cJSON *description; /* what it answered to describe */
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
bool worker_alive(const struct worker *worker);
void worker_kill(struct worker *worker);
void worker_free(struct worker *worker);
/* Sends a request (freed in any case) and waits for its reply. A reply that says "ok":
 * false comes back as its errno with `reply` still set, so that its fields can be read;
 * free it. */
int worker_ask(struct worker *worker, cJSON *request, int64_t timeout_ns, cJSON **reply,
               struct error *error);

/* ---- what a catalog is made of (catalog.c) ---- */

/* "NAME[,option=value...]" in parts that point into `text`, which is cut up. */
struct module_spec {
    char *name;
    struct simdbench_option option[32];
    size_t n_options;
};
int module_spec_parse(char *text, const char *flag, struct module_spec *spec,
                      struct error *error);
/* The catalog frees the worker, and so does this if it fails; NULL is out of memory. */
int catalog_add_worker(struct catalog *catalog, struct worker *worker);
/* Appends the kernels of a description; -EPROTO if it makes no sense. */
int catalog_add_offers(struct catalog *catalog, struct worker *worker,
                       const cJSON *description);
void offer_free(const struct offer *offer);

/* The signal that asked to stop, or SIGPIPE once nobody reads standard output;
 * worker_ask returns -EINTR then. */
extern volatile sig_atomic_t interrupted_by;

#endif
