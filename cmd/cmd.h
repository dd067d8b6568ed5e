/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asked: argv -> options -> plan -> run -> text. The only folder that prints or
 * exits, and the only one that sees more than one of the others.
 */
#ifndef SIMDBENCH_CMD_H
#define SIMDBENCH_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "error.h"
#include "kernels.h"
#include "perfctr.h"
#include "reports.h"

enum exit_status {
    EXIT_OK = 0,
    EXIT_REGRESSED = 1,
    EXIT_USAGE = 2,         /* bad usage, bad file, unwritable output */
    EXIT_UNDECIDED = 3,     /* --strict: a comparison is inconclusive or unusable */
    EXIT_WRONG = 4,         /* a case was wrong or failed */
    EXIT_NOTHING = 5,       /* nothing was measured or compared */
    EXIT_INTERRUPTED = 128, /* main() adds the number of the signal */
};

/* What this build is (version.c). */
struct version {
    const char *number, *commit, *compiler, *flags;
};
extern const struct version simdbench_version;

/* ---- text lists (text_list.c) ---- */

struct text_list {
    char **item;
    size_t n;
};
int text_list_add(struct text_list *list, const char *text); /* copies; -ENOMEM */
int text_list_add_n(struct text_list *list, const char *text, size_t length);
bool text_list_has(const struct text_list *list, const char *text);
int text_list_add_once(struct text_list *list, const char *text); /* unless it has it */
/* Adds what stands between any of the separators; `text` may be NULL. */
int text_list_split(struct text_list *list, const char *text, const char *separators);
void text_list_cut(struct text_list *list, size_t n); /* drops all but the first n */
void text_list_free(struct text_list *list);
/* Writes up to three members of `list` that are spelled much like `word`: "avx2, avx512";
 * or an empty string. */
void text_list_near(const struct text_list *list, const char *word, char *out,
                    size_t size);
/* Glob with * ? and [..]; * also matches '/'. */
bool text_glob(const char *pattern, const char *text);

/* ---- sizes (sizes.c) ---- */

/* Expands "64..512" (doubling), "64..512:64" (step), "1k..1M*10" (factor) and
 * "64,100,64x32x128" (suffixes k M G decimal, Ki Mi Gi binary) and appends one text per
 * shape, suffixes resolved: "64", "128", ... A range includes its end if it hits it, else
 * it ends below. Items that begin with a letter ("n16c3h224w224") are passed on as they
 * are for the op to parse. -EINVAL with the item and what is wrong, and `shapes` is as it
 * was; at most SIZES_MAX shapes in the list. */
enum { SIZES_MAX = 10000 };
int sizes_expand(const char *text, struct text_list *shapes, struct error *error);

/* ---- options (args.c) ---- */

/* A file that the run is written to. */
struct output {
    enum format format;
    char *file;
    char *argument; /* what asked for it: "--json=run.json", for messages */
};

enum { THREADS_MAX = 64 }; /* thread counts in one run */
enum { EFFECTS_MAX = 16 };

struct options {
    char *command; /* an op's name, or "report", "list", "doctor", "license",
                      "worker" */
    bool is_op;
    bool suite;             /* every op's list of shapes called "suite" */
    struct text_list files; /* what stands on the command line without a name */
    struct text_list isas;  /* as written: "auto", "all", names */
    struct text_list types, semirings, variants, filters;
    /* What to run, all three together; the op's default if they are empty. */
    struct text_list sizes;       /* expanded */
    struct text_list shapes;      /* --shape: for the op to parse */
    struct text_list shape_lists; /* --shapes: names and files */
    struct text_list layouts;     /* names and "all"; empty: all that have kernels */
    struct text_list inputs;      /* empty: the op's default */
    struct text_list baselines;   /* NAME[,option=value...] each; "none" */
    struct text_list plugins;     /* FILE.so[,option=value...] each */
    struct text_list events;
    struct text_list counters; /* names of groups of events, "all" */
    char *uarch;               /* whose groups are listed; NULL: this machine's */
    int *cpu;                  /* --cpu=LIST; n_cpu = 0: choose one */
    size_t n_cpu;
    uint32_t threads[THREADS_MAX]; /* --threads: each is a group of its own */
    size_t n_threads;
    bool all_threads; /* --threads-threshold=off: also where fewer are faster */
    bool scaling;     /* threads: nothing is printed while it runs */
    bool cold;        /* --cache=cold */
    bool huge_pages;  /* --pages=2m */
    uint64_t align;   /* --align, 64 */
    int64_t time_per_case_ns;
    uint32_t rounds; /* 0: from time_per_case */
    uint64_t seed;
    bool seed_given;
    bool check_full;
    bool multiplex;         /* events take turns within a batch */
    bool accuracy;          /* errors, not times */
    bool argmax;            /* gemm means gemm_argmax */
    int64_t timeout_ns;     /* of one call */
    struct output *outputs; /* files */
    size_t n_outputs;
    char *history;      /* SQLite database */
    char *label;        /* what is being measured, in the user's words */
    char *json;         /* license, its own document; NULL: none */
    enum format format; /* what standard output gets */
    bool format_given;
    bool dry_run, in_process, quiet, pathologies;
    bool quick;                 /* license: the clock alone */
    double threshold;           /* of a change, 0.02 */
    bool strict;                /* inconclusive and unusable cases fail */
    uint32_t processes;         /* ab: of the first look; 0: 16 */
    uint32_t gates;             /* selftest: for each effect; 0: its default */
    double effect[EFFECTS_MAX]; /* selftest: shares of work that are added; 0.02 */
    size_t n_effects;           /* 0: its default */
};

/* Reads argv. Returns 0; 1 if help or version was printed and the program is done; a
 * negative errno with an error that names flag and value (its text is empty if usage was
 * already printed because there were no arguments). Afterwards options hold something to
 * free only if it returned 0. The command may be any word: what is no command of
 * simdbench itself has is_op set, and may turn out to be no op. `worker` is not for this
 * function: worker_main() reads its own arguments. */
int args_parse(int argc, char **argv, struct options *options, struct error *error);
void options_free(struct options *options);
/* Appends the commands that are no ops, for near matches of an unknown op. */
int args_commands(struct text_list *names);
/* The op that a word means: own ones may be written as they are spoken, gemm-backward. */
const char *args_op_name(const char *word);
/* Prints a line to standard error, without what could control a terminal: it may quote
 * what was typed or what a module said. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/* Terminal facts: is `file` a terminal that wants colour (NO_COLOR, TERM=dumb), how wide.
 */
bool terminal_colour(FILE *file);
int terminal_width(FILE *file);

/* ---- catalog (catalog.c): everything that can be run, whoever offers it ---- */

struct worker;

/* A kernel that somebody offers. */
struct offer {
    struct worker *worker;                               /* who runs it */
    uint32_t index;                                      /* its number there */
    char *op, *semiring, *isa, *variant, *layout, *roof; /* NULL where there is none */
    uint32_t type, flags;
    double max_ulp, mean_ulp; /* 0: not stated */
    bool is_baseline, is_roof;
};

struct catalog {
    int memory_fd;           /* the operands of the group at hand; all workers map it */
    struct worker **workers; /* own kernels first */
    size_t n_workers;
    struct offer *offers;
    size_t n_offers;
    struct text_list missing; /* why a default baseline is not there: a line each */
};

/* A shape as its op understands it. */
struct shape_info {
    struct simdbench_shape shape;
    char text[256];  /* canonical */
    char layout[64]; /* empty: the op has only one */
    double ops, bytes;
    struct operands_map map; /* operands without offsets */
};

/* Starts (or, in process, makes) one worker for own kernels and one per baseline and
 * plug-in, and asks what they offer. -ENOENT for a baseline that is not there. */
int catalog_make(const struct options *options, struct catalog *catalog,
                 struct error *error);
void catalog_free(struct catalog *catalog);
/* Is that one of the baselines that an op has when the user names none? */
bool catalog_is_usual(const char *op, const struct worker *baseline);
/* The worker that brings an op (own or a module's); NULL if nobody does. */
struct worker *catalog_op_owner(const struct catalog *catalog, const char *op);
/* All names of ops on offer. */
int catalog_ops(const struct catalog *catalog, struct text_list *ops);
/* Asks the op about a shape, in that layout if it is not NULL. */
int catalog_shape(const struct catalog *catalog, const char *op, uint32_t type,
                  const char *text, const char *layout, struct shape_info *info,
                  struct error *error);
/* What the op says of itself in a field of struct simdbench_op ("inputs"), or NULL. */
const char *catalog_op_text(const struct catalog *catalog, const char *op,
                            const char *field);
/* Calls `each` for every shape list of the op. */
void catalog_each_list(const struct catalog *catalog, const char *op,
                       void (*each)(const char *name, const char *summary,
                                    const char *shapes, void *context),
                       void *context);

/* ---- workers (worker.c: the process itself; client.c: the parent's end) ---- */

/* One process (or, in process, none) that runs kernels; docs/protocol.md. All calls below
 * return 0 or: -EPROTO it spoke nonsense, -ECONNRESET it died, -ETIMEDOUT it was killed
 * because it hung, or the errno that it answered with; the error says why. */
struct worker_info {
    char *name; /* "simdbench", "openblas,coretype=SkylakeX" */
    char *path; /* shared object, NULL: own kernels */
    struct simdbench_option *options;
    size_t n_options;
    char *version, *core, *isa, *detail; /* NULL if unknown */
    char *advice; /* what to type for a better choice of core, or NULL */
    bool is_baseline;
    pid_t pid;
};
const struct worker_info *worker_info(const struct worker *worker);
/* The program behind `simdbench worker --fd=N ...`; never prints. */
int worker_main(int argc, char **argv);

/* ---- plan (plan.c) ---- */

struct plan_case {
    char *id;
    size_t offer;     /* index into the catalog */
    uint32_t threads; /* 0: those of the group */
    char *skip;       /* reason why it will not run, or NULL */
    char *limit_id;
};

struct plan_group {
    char *op;
    uint32_t type;
    struct shape_info shape;
    char *input; /* NULL: the op's default */
    uint32_t threads;
    struct plan_case *cases;
    size_t n_cases;
};

struct plan {
    struct plan_group *groups;
    size_t n_groups;
    struct text_list left_out; /* shapes that cannot have a layout that was asked for,
                                  ops of the suite that have nothing of what was */
};

/* The only place that filters: the plan of an op, or with options->suite those of all
 * ops that have a suite, joined. -EINVAL names unknown ISAs, types, semirings, variants,
 * layouts, shape lists; -ENOENT a selection that matches nothing; -ENOMEM sizes that do
 * not fit in memory. */
int plan_make(const struct options *options, const struct catalog *catalog,
              struct plan *plan, struct error *error);
void plan_free(struct plan *plan);
void plan_print(const struct plan *plan, FILE *file); /* --dry-run */
/* Roughly how long it will take: kernels are known only once they ran. */
double plan_seconds(const struct options *options, const struct plan *plan);

/* ---- what is counted (counted.c) ---- */

/* Appends the events of the groups of --counters to those of --events, each once, encoded
 * for this machine. -E2BIG for more than EVENTS_MAX. */
int counted_events(const struct options *options, struct event events[EVENTS_MAX],
                   size_t *n, struct error *error);
/* Calls `tell` for each group that this machine lacks, or has only in part. */
void counted_notes(const struct options *options,
                   void (*tell)(const char *group, const char *note));
/* Adds what can be derived from these events to a result. */
int counted_metrics(const struct options *options, const struct event *events, size_t n,
                    struct result *result);

/* ---- run (run.c): the only place that measures ---- */

/* Runs the plan and fills a run; returns an exit status. */
int run_plan(const struct options *options, struct catalog *catalog,
             const struct plan *plan, struct run *run, struct error *error);

/* ---- commands; each returns an exit status ---- */

int command_op(const struct options *options, int argc, char **argv);
/* signals.c: notes signals that ask to stop in `interrupted_by`. */
void signals_catch(void);
/* Before anything else: descriptors 0 to 2 are there, numbers are written in one way, and
 * what cannot be written is an error, not a signal. */
void standard_begin(void);
/* What was printed has arrived: 0, -EINTR if its reader has left, else why not. */
int standard_flush(struct error *error);
/* The same for a writer that failed: `code` is the first errno, 0 for none. */
int standard_failed(int code, struct error *error);

/* ---- where a run is written (outputs.c) ---- */

/* Can all files be written? */
int outputs_check(const struct options *options, struct error *error);
/* The JSON files alone, unless they are written to directly: what is left of a run that
 * dies later. */
int outputs_save(const struct options *options, const struct run *run,
                 struct error *error);
/* All files, and standard output unless it gets the table: for runs that print their
 * table as they go. */
int outputs_write(const struct options *options, const struct run *run,
                  struct error *error);
/* The same, and the table too. */
int outputs_print(const struct options *options, const struct run *run,
                  struct error *error);
/* run_describe.c: tool, host, settings, arguments. */
int run_describe(const struct options *options, const struct catalog *catalog, int argc,
                 char **argv, struct run *run);
/* Is there a place to write to? Found out before hours of measuring, not after. */
int check_writable(const char *flag, const char *path, struct error *error);
int command_report(const struct options *options);
/* Two builds, measured against each other. */
int command_ab(const struct options *options, int argc, char **argv);
/* Two runs from files, case by case. */
int command_compare(const struct options *options);
/* A run as text, by file_save. */
int report_save(const struct run *run, enum format format, const char *path,
                struct error *error);
int command_list(const struct options *options);
/* Lists the groups of counters of a CPU (NULL: this one) whose names match; returns how
 * many (info_groups.c). */
size_t groups_print(const char *uarch, const char *pattern);
int command_history(const struct options *options);
int command_doctor(const struct options *options);
int command_license(const struct options *options);
int command_threads(struct options *options, int argc, char **argv);
/* How often gates on this machine say what is true. */
int command_selftest(const struct options *options);
/* What the last selftest of this host said, a line; NULL: none is there. To be freed. */
char *selftest_known(const char *fingerprint);

/* Copies what perfctr knows of the host into the run (host_facts.c). */
int host_facts(const struct host *host, struct run *run);

#endif
