/* SPDX-License-Identifier: Apache-2.0 */
/* Confines a worker: it cannot reach the process that started it, and its children end
 * with it. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* In a worker, for itself and all that it starts: system calls that trace, stop, signal
 * or limit `parent` fail with EPERM from here on. Zero, or -errno: this system has no
 * such filters (seccomp). Stays over exec. */
int confine(pid_t parent);

/* In a worker, for what it loads next (enclose.c): a system call that starts a thread, a
 * process or a timer, reaches another process or changes a clock, kills it with SIGSYS.
 * Then, when all is loaded: no file can be opened any more (EACCES). Zero, or -errno as
 * of confine(). */
int enclose_helpers(void);
int enclose_files(void);
/* Before that: its environment and command line say nothing of simdbench any more. */
void hide_names(void);

/* Filters add up. */
struct sock_filter;
int filter_install(const struct sock_filter *code, size_t n);

/* In the parent: once both descriptors are closed, by leash_close() or by the end of this
 * process, however it ends, the process group `group` is killed. */
void leash_open(int leash[2], pid_t group);
void leash_close(int leash[2]);
