/* SPDX-License-Identifier: Apache-2.0 */
/* Private to worker/: what a worker prints is passed on to standard error, without what
 * could control a terminal, a line at a time, and not endlessly. */
#pragma once

#include "worker/worker.h"

/* A pipe whose other end is for the worker: -errno if there is none. */
int relay_open(struct relay *relay, int *end);
/* Passes on what is there; never blocks. `name` is the worker's. */
void relay_pass(struct relay *relay, const char *name);
/* Passes on the rest. */
void relay_close(struct relay *relay, const char *name);
