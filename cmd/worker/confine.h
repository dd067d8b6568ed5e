/* SPDX-License-Identifier: Apache-2.0 */
/* Confines a worker: it cannot reach the process that started it, and its children end
 * with it. */
#pragma once

#include <sys/types.h>

/* In a worker, for itself and all that it starts: system calls that trace, stop, signal
 * or limit `parent` fail with EPERM from here on. Zero, or -errno: this system has no
 * such filters (seccomp). Stays over exec. */
int confine(pid_t parent);

/* In the parent: once both descriptors are closed, by leash_close() or by the end of this
 * process, however it ends, the process group `group` is killed. */
void leash_open(int leash[2], pid_t group);
void leash_close(int leash[2]);
