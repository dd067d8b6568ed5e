/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by client.c (a question, its answer), client_process.c, client_step.c and
 * relay.c. */
#pragma once

#include "worker/worker.h"

bool client_is_foreign(const struct worker *worker);
/* Starts its process; worker_kill() ends it. 0, or an error. */
int client_spawn(struct worker *worker, struct error *error);
/* The socket of a dead worker stays open while a process that it forked has it. */
bool client_is_dead(const struct worker *worker);
/* Tells why a worker is gone, for people. */
void client_describe_death(struct worker *worker, const char *doing, struct error *error);
/* The two halves of worker_ask() in another process; the request stays the caller's.
 * `begin`: when the first one was called; no request: the greeting. */
int client_send(struct worker *worker, cJSON *request, struct error *error);
int client_take_reply(struct worker *worker, const cJSON *request, int64_t begin,
                      int64_t timeout_ns, cJSON **reply, struct error *error);
/* The errno and the text of a reply that says "ok": false. */
int client_reply_error(const cJSON *reply, const char *otherwise, struct error *error);

/* relay.c: what a worker prints is passed on to standard error, without what could
 * control a terminal, a line at a time, and not endlessly. */
/* A pipe whose other end is for the worker: -errno if there is none. */
int relay_open(struct relay *relay, int *end);
/* Passes on what is there; never blocks. `name` is the worker's. */
void relay_pass(struct relay *relay, const char *name);
/* Passes on the rest. */
void relay_close(struct relay *relay, const char *name);
