/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room process: this program as the system sees it. Exit statuses, standard streams that
 * are closed, full or gone, signals that ask to stop, facts of the terminal, the version,
 * files that outlive it, locks on CPUs, growing lists of texts, and memory that is out.
 */
#pragma once

#include <signal.h>

#include "error.h"
#include "process/text_list.h"

enum exit_status {
    EXIT_OK = 0,
    EXIT_REGRESSED = 1,
    EXIT_USAGE = 2,         /* bad usage, bad file, unwritable output */
    EXIT_UNDECIDED = 3,     /* --strict: a comparison is inconclusive or unusable */
    EXIT_WRONG = 4,         /* a case was wrong or failed */
    EXIT_NOTHING = 5,       /* nothing was measured or compared */
    EXIT_BUSY = 6,          /* --wait: another run kept the CPUs */
    EXIT_INTERRUPTED = 128, /* main() adds the number of the signal */
};

/* cpu_lock_take() returns it, negative, if other runs kept the CPUs. No number of errno.h
 * is as large: EBUSY may come from a file, too. */
enum { CPUS_BUSY = 4096 };

/* `status` is an exit status, which is returned, or a negative errno: then prints the
 * error, unless a signal asked the program to stop. */
int exit_status_of(int status, const struct error *error);

/* The version of this build (version.c). */
struct version {
    const char *number, *commit, *compiler, *flags;
};
extern const struct version simdbench_version;

/* The signal that asked to stop, or SIGPIPE once nobody reads standard output;
 * worker_ask() returns -EINTR then. */
extern volatile sig_atomic_t interrupted_by;
/* Notes signals that ask to stop in `interrupted_by`. */
void signals_catch(void);

/* Before anything else: descriptors 0 to 2 are there, numbers are written in one way, and
 * what cannot be written is an error, not a signal. */
void standard_begin(void);
/* Makes sure that all output has arrived: 0, -EINTR if its reader has left, else why
 * not. */
int standard_flush(struct error *error);
/* The same after a writer failed with errno `code`; 0: it did not fail. */
int standard_failed(int code, struct error *error);

/* Prints a line to standard error. Characters that control a terminal are left out, as
 * the line may quote the user or a module. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* Prints such a line for each text: `before`, then the text. */
void complain_each(const char *before, const struct text_list *texts);
/* Prints a line to standard output without what could control a terminal; words that do
 * not fit into it go to lines that begin in column `indent`. */
__attribute__((format(printf, 2, 3))) void print_line(int indent, const char *format,
                                                      ...);
/* Replaces the last line of the terminal on standard error; does nothing where that is no
 * terminal. */
__attribute__((format(printf, 1, 2))) void progress_show(const char *format, ...);
/* Clears that line, if there is one; complain() does so, too. */
void progress_end(void);
/* Now, in UTC: 2024-01-31T12:00:00Z. */
void date_text(char text[24]);
/* True if `file` is a terminal that wants colour (NO_COLOR, TERM=dumb); its width. */
bool terminal_colour(FILE *file);
int terminal_width(FILE *file);

/* Finds the place of a file that outlives the program: simdbench/NAME under
 * $XDG_CACHE_HOME or ~/.cache (it can be measured again) or under $XDG_CONFIG_HOME or
 * ~/.config (it changes what runs do) or under $XDG_STATE_HOME or ~/.local/state (what
 * the user trusts). `make` makes the folders, too. -ENOENT: the user has no such place.
 */
enum state_kind { STATE_CACHE, STATE_CONFIG, STATE_TRUST };
int state_path(enum state_kind kind, const char *name, bool make, char *path, size_t size,
               struct error *error);

/* ---- one measurement at a time on each core (cpu_lock.c) ---- */

/* Locks on cores, which end with this process if not before. */
struct cpu_lock;
#define WAIT_FOREVER INT64_MAX
/* Writes the CPUs that this process may use, at most CPUS_MAX, in the order in which a
 * run takes them, and returns how many: the last one first, as interrupts and other
 * people's work prefer the first; then one of each core, and those that share a core with
 * them last. */
size_t cpu_order(int *cpu);
/* Locks the cores of `need` of `n` CPUs, the first that no other run of any user has or
 * waits for, and moves these to the front. Until then it waits in a queue, and tells so
 * on standard error. -CPUS_BUSY: they were not free within `wait_ns`; -EINTR. Where there
 * can be no locks it says so, unless `quiet`, and goes on: *lock is NULL then, and if
 * SIMDBENCH_LOCKS is empty. */
int cpu_lock_take(int *cpu, size_t n, size_t need, int64_t wait_ns, bool quiet,
                  struct cpu_lock **lock, struct error *error);
void cpu_lock_free(struct cpu_lock *lock); /* NULL is allowed */
/* True if calls of children of this process may run first (priority_raise()). */
bool priority_may(void);

/* Makes sure that the stack can grow as far as all commands need, and -ENOMEM if it must
 * not (ulimit -s). */
int stack_claim(struct error *error);
/* Makes room for one more than `n` members. */
#define must_grow(array, n) \
    ((array) = must_have(realloc((array), ((n) + 1) * sizeof *(array))))
