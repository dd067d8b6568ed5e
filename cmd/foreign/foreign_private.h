/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of room foreign: functions of a program, calls that were traced,
 * rules about them. */
#pragma once

#include <sys/stat.h>

#include "foreign/foreign.h"
#include "library_files.h"
#include "numbers.h"
#include "program.h"

/* ---- functions (targets.c) ---- */

/* A call that was traced. */
struct seen {
    struct program_call call;
    char *error; /* reason why nothing is known of it; NULL */
    bool whole, returned, cut;
    double instructions, seconds;
    double binding; /* of them the loader's, that looked up functions; 0: hardly any */
    char isa[64];
    unsigned bits;         /* of the widest vectors that are more than a few; 0: none */
    double vector, scalar; /* vector instructions of all; of floats and vectors, those on
                              single floats, 1 if there are neither */
    char *loop, *source;   /* hottest, or NULL; source NULL: unknown */
    double loop_share, turn, spills, calls; /* of it; NaN: there is no loop */
    bool spills_exact;  /* all spills were seen; else they are an estimate */
    unsigned arguments; /* mask */
};

/* A call that was captured. */
struct captured {
    uint64_t argument[PROGRAM_WORDS], caller;
    unsigned layout;    /* the number of the layout of its memory */
    double ns, stop_ns; /* NaN: not known */
};

/* Calls of one shape, of which some are kept with their operands. */
enum { KEPT_SHAPES_MAX = 64 };
struct kept_shape {
    int64_t dimension[DIMENSIONS_MAX];
    uint64_t seen;
    struct kept_call *call;
    size_t n;
};

/* A place at which a file is mapped. */
struct placed {
    unsigned layout; /* the number of the layout: which files lie where in a memory */
    struct symbol_file *file;
    uint64_t bias, end;
};

struct symbol_file {
    char *path;
    const char *name;  /* without folders */
    struct stat state; /* when it was read */
    struct library library;
    bool is_loader;            /* the dynamic linker */
    struct target **target;    /* by name, then those that resolvers chose */
    struct target **ascending; /* those that have a name, by address */
    size_t n, n_ascending;
};

struct target {
    struct symbol_file *file;
    const char *name, *demangled; /* demangled: of C++ or Rust; NULL */
    char *chosen;                 /* by a resolver: the symbol that ran, or where; NULL */
    uint64_t address;             /* in the file */
    bool resolver;
    bool is_main; /* and a glob with wildcards means it: its call has all others in it */
    uint64_t calls, calls_at_trace;
    bool resting, rested; /* its breakpoint is out; was: there were more calls */
    int64_t wake, rest_ns;
    uint64_t next; /* this call is traced again */
    struct seen *seen;
    size_t n_seen;
    struct captured *captured;
    size_t n_captured;
    struct kept_shape *kept;
    size_t n_kept;
    uint64_t not_kept; /* calls that are not as the prototype says */
    char *why_not;     /* of the first of these; NULL: its operands could not be read */
    uint64_t no_room;  /* calls of a shape that could not be kept */
};

struct rule;
struct foreign {
    const struct options *options;
    struct program_owner owner;
    struct text_list globs;
    struct rule *rules;
    size_t n_rules;
    struct program *program;
    struct symbol_file **file;
    size_t n_files, n_targets;
    struct placed *placed;
    size_t n_placed;
    bool capturing;
    const struct declaration *declaration; /* of --prototype, or NULL */
    uint64_t kept_bytes;
    uint64_t random;
    int64_t until; /* of an attached process; 0 */
    unsigned signals;
    bool spent;  /* tracing took too long in all: breakpoints are out */
    bool missed; /* functions may have been called while no breakpoint was in */
    bool ended;
    int status; /* of the program, as wait() tells it; -1: unknown */
};
/* Calls `each` for all functions in the order in which they were found. */
#define EACH_TARGET(foreign, target)                                             \
    for (size_t file_ = 0; file_ < (foreign)->n_files; file_++)                  \
        for (struct target **at_ = (foreign)->file[file_]->target,               \
                           **end_ = at_ ? at_ + (foreign)->file[file_]->n : at_, \
                           *target;                                              \
             at_ < end_ && (target = *at_); at_++)
/* The same for those that a report shows. */
#define EACH_SHOWN(foreign, target) \
    EACH_TARGET(foreign, target)    \
    if ((target)->calls && !(target)->resolver)

/* As program_owner wants it. */
void targets_find(void *context, struct program *program, struct program_space *space,
                  const char *path, uint64_t bias, uint64_t end);
/* A resolver chose the code at `address` of the process. */
void targets_chosen(struct foreign *foreign, struct program_space *space,
                    struct target *resolver, uint64_t address);
void targets_free(struct foreign *foreign);
/* "libz.so.1 inflate+0x80" of an address, to be freed. */
char *target_where(const struct foreign *foreign, unsigned layout, uint64_t address);
/* False: there were perhaps more calls of it. */
bool target_is_counted(const struct foreign *foreign, const struct target *target);
/* The loader's file has that address. */
bool target_in_loader(const struct foreign *foreign, uint64_t address);
/* The call that is judged: that with the most instructions, of those in which the loader
 * looked up no function if there are any; NULL: none was traced. */
const struct seen *target_seen(const struct target *target);
/* True of a function that a glob means: "GLOB" or "LIB:GLOB". */
bool target_matches(const char *glob, const struct symbol_file *file, const char *name,
                    const char *demangled);
/* Adds a sentence about files that were deleted, or that others hide; nothing: none. */
void targets_tell_unread(const struct foreign *foreign, struct buffer *text);
/* -ENOENT: no function matches; the error has near names. */
int targets_check(const struct foreign *foreign, struct error *error);

/* ---- calls (prove_calls.c) ---- */

extern const struct program_owner foreign_owner;

/* ---- a program (foreign_program.c) ---- */

/* For --pid: forks a child that traces the program. When the parent is killed, the child
 * takes its breakpoints out of the program. Returns -1 in the child; the parent waits for
 * the child and returns its exit status. */
int foreign_apart(const struct options *options);
/* The words of the command line: globs and rules. -EINVAL. */
int foreign_read(struct foreign *foreign, struct error *error);
/* Runs or watches it to its end. */
int foreign_run(struct foreign *foreign, struct error *error);
/* Exit status of the program as a shell has it; 0 of a process that was attached to. */
int foreign_status(const struct foreign *foreign);
/* Standard output is the program's, unless it is a process of somebody else. */
FILE *foreign_stream(const struct foreign *foreign);
void foreign_free(struct foreign *foreign);

/* ---- captured calls (capture_report.c, capture_declare.c) ---- */

void capture_write(const struct foreign *foreign, FILE *file);
int capture_write_json(const struct foreign *foreign, FILE *file, struct error *error);
/* The function with the most captured calls; NULL: none was captured. */
const struct target *capture_main(const struct foreign *foreign);
/* The word of a call that has an argument of a prototype, or -1. */
int capture_word(const struct declaration *declaration, uint32_t argument);
/* A register as the type of an integer has it: the rest of its bits may be anything. */
int64_t capture_value(const struct declared_argument *argument, uint64_t word);
/* Shapes that were asked for, those with the most time first, as text to be freed; each
 * has its part of the calls and of the time. */
struct asked {
    int64_t dimension[DIMENSIONS_MAX];
    double calls, time;
};
/* The shape of one call. False: a dimension is in no word. */
bool capture_shape(const uint64_t *word, const struct declaration *declaration,
                   struct asked *asked);
/* Most calls take longer than a stop. Else its cost, which is subtracted, leaves no more
 * than noise, and neither times nor shapes' shares of them are told. */
bool capture_time_is_known(const struct target *target);
size_t capture_shapes(const struct target *target, const struct declaration *declaration,
                      struct asked **asked);
void capture_tell_shape(const struct asked *asked, const struct declaration *declaration,
                        struct buffer *text);
/* Writes the declaration that measures what was captured; `context` is struct foreign. */
file_writer capture_declare;

/* ---- operands of calls (capture_keep.c) ---- */

/* Keeps what the arrays of this call hold, or not. */
void capture_keep(struct foreign *foreign, struct target *target,
                  const struct program_call *call);
size_t capture_kept(const struct target *target); /* their number */
bool capture_keeps(const struct target *target, const int64_t *dimension);
/* Beside a declaration; to be freed. */
char *capture_calls_file(const char *declaration);
file_writer capture_write_calls; /* those of a struct target */
void capture_forget(struct target *target);

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
bool rule_breaks(const struct foreign *foreign, const struct rule *rule,
                 const struct target *target, struct buffer *text);
void rules_judge(struct foreign *foreign);

/* ---- reports (prove_report.c, prove_json.c) ---- */

/* The end of the program, and the cost of the observation. */
void prove_tell_uncalled(const struct foreign *foreign, struct buffer *text);
void prove_tell_cost(const struct foreign *foreign, struct buffer *text);

/* `context` is struct foreign. */
int prove_write(const void *context, enum format format, FILE *file, struct error *error);
/* As a run, for JUnit and annotations: a case for each function. */
int prove_write_run(const struct foreign *foreign, enum format format, FILE *file,
                    struct error *error);
int prove_write_json(const struct foreign *foreign, FILE *file, struct error *error);
