/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of room foreign: functions of a program, calls that were traced,
 * rules about them. */
#pragma once

#include "cli/cli.h"
#include "declare.h"
#include "foreign/foreign.h"
#include "process/process.h"
#include "program.h"
#include "reports.h"

/* ---- functions (targets.c) ---- */

/* A call that was traced. */
struct seen {
    struct program_call call;
    char *error; /* why nothing is known of it; NULL */
    bool whole, returned;
    double instructions, seconds;
    char isa[64];
    unsigned bits;         /* of the widest vectors that are more than a few; 0: none */
    double vector, scalar; /* vector instructions of all; of floats and vectors, those on
                              single floats, 1 if there are neither */
    char *loop, *source;   /* hottest, or NULL; source NULL: unknown */
    double loop_share, turn, spills, calls; /* of it; NaN: there is no loop */
    unsigned arguments;                     /* mask */
};

struct symbol_file {
    char *path;
    const char *name; /* without folders */
    struct library library;
    struct target **target;
    size_t n;
};

struct target {
    struct symbol_file *file;
    const char *name, *demangled; /* demangled: of C++ or Rust; NULL */
    char *chosen;                 /* by a resolver: the symbol that ran, or where; NULL */
    uint64_t address;             /* in the file */
    bool resolver;
    uint64_t calls, calls_at_trace;
    bool resting, rested; /* its breakpoint is out; was: there were more calls */
    int64_t wake, rest_ns;
    uint64_t next; /* this call is traced again */
    struct seen *seen;
    size_t n_seen;
};

struct foreign {
    const struct options *options;
    struct text_list globs;
    struct rule *rules;
    size_t n_rules;
    struct program *program;
    struct symbol_file **file;
    size_t n_files, n_targets;
    uint64_t random;
    int64_t began, until; /* until: of an attached process */
    unsigned signals;
    bool spent; /* tracing took too long in all: breakpoints are out */
    int status; /* of the program, as wait() tells it; -1: unknown */
};
/* Calls `each` for all functions in the order in which they were found. */
#define EACH_TARGET(foreign, target)                                          \
    for (size_t file_ = 0; file_ < (foreign)->n_files; file_++)               \
        for (struct target **at_ = (foreign)->file[file_]->target,            \
                           **end_ = at_ + (foreign)->file[file_]->n, *target; \
             at_ < end_ && (target = *at_); at_++)

/* As program_owner wants it. */
void targets_find(void *context, struct program *program, struct program_space *space,
                  const char *path, uint64_t bias);
/* A resolver chose the code at `address` of the process. */
void targets_chosen(struct foreign *foreign, struct program_space *space,
                    struct target *resolver, uint64_t bias, uint64_t address);
void targets_free(struct foreign *foreign);
/* The call that is judged: that with the most instructions; NULL: none was traced. */
const struct seen *target_seen(const struct target *target);
/* True of a function that a glob means: "GLOB" or "LIB:GLOB". */
bool target_matches(const char *glob, const struct symbol_file *file, const char *name,
                    const char *demangled);
/* -ENOENT: no function matches; the error has near names. */
int targets_check(const struct foreign *foreign, struct error *error);

/* ---- calls (prove_calls.c) ---- */

extern const struct program_owner foreign_owner;
/* Breakpoints come and go; true: enough was seen. */
bool calls_turn(struct foreign *foreign);

/* ---- rules (rules.c) ---- */

enum { CONDITIONS_MAX = 8 };
struct condition {
    int key, order;
    double number;
    char *text;   /* of object, target, isa */
    char *source; /* "bits>=512" */
};
struct rule {
    char *text, *glob;
    struct condition condition[CONDITIONS_MAX];
    size_t n;
    size_t kept, broken; /* functions, after rules_judge() */
};
/* -EINVAL with carets below what is wrong. */
int rule_parse(const char *text, struct rule *rule, struct error *error);
void rule_free(struct rule *rule);
/* Adds what a function that was called breaks of a rule, a sentence; false: the rule is
 * not about it, or is kept. */
bool rule_breaks(const struct rule *rule, const struct target *target,
                 struct buffer *text);
bool rule_is_about(const struct rule *rule, const struct target *target);
void rules_judge(struct foreign *foreign);

/* ---- reports (prove_report.c, prove_json.c, prove_run.c) ---- */

/* "ended with status 3", "was killed by signal 11 (SIGSEGV)" */
void prove_tell_end(const struct foreign *foreign, struct buffer *text);

int prove_write(const struct foreign *foreign, enum format format, FILE *file,
                struct error *error);
/* As a run, for JUnit and annotations: a case for each function. */
int prove_write_run(const struct foreign *foreign, enum format format, FILE *file,
                    struct error *error);
int prove_write_json(const struct foreign *foreign, FILE *file, struct error *error);
