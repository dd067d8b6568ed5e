/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Room cli: from argv to struct options, with the errors and the help that a user reads.
 * It starts nothing and measures nothing.
 */
#pragma once

#include "reports.h"
#include "request/request.h"

/* A file that the run is written to. */
struct output {
    enum format format;
    char *file;
    char *argument; /* asked for it: "--json=run.json", for messages */
};

enum { EFFECTS_MAX = 16 };

/* The user's word on a file that may ask for code to run or files to write. */
enum trust {
    TRUST_NO,
    TRUST_CHANGED, /* `simdbench trust`, but the file had other bytes then */
    TRUST_KEPT,    /* `simdbench trust` */
    TRUST_NAMED,   /* it is named by --project or SIMDBENCH_PROJECT */
};

/* Options of `call` about a function, beside its prototype; NULL: not given. */
struct call_options {
    char *reference, *tolerance, *roof, *work;
    char *save;        /* the file that the declaration goes to */
    uint32_t overread; /* bytes that it may read behind an array */
    bool reset;        /* arrays that it reads and writes are the same in each call */
};

/* Options of `prove` and `capture`. */
enum { REPLAY_MAX = 1000 };
struct prove_options {
    struct text_list functions, rules;
    uint32_t calls;  /* of each function that are traced; 0: the usual */
    uint32_t pid;    /* 0: a command */
    uint32_t replay; /* capture: calls of each shape whose operands are kept; 0: none */
    char *prototype;
};

struct options {
    char *command; /* an op's name, or "report", "list", "doctor", "license",
                      "worker" */
    int argc;      /* the command line, as it was written */
    char **argv;
    bool is_op;
    bool help;              /* --help of an op that a plug-in may bring: see help_op() */
    struct text_list files; /* words on the command line that are no options */
    struct request request; /* the cases that are measured, if any */
    struct how how;
    char *uarch;        /* its groups are listed; NULL: this machine */
    bool threads_given; /* by --threads */
    bool seed_given;
    bool argmax;            /* gemm means gemm_argmax */
    struct output *outputs; /* files */
    size_t n_outputs;
    char *history;      /* SQLite database */
    char *output;       /* --output: in place of standard output */
    char *label;        /* names what is measured, in the user's words */
    char *node;         /* name of this machine; NULL: what Slurm or the host says */
    char *query;        /* report: bare numbers of the cases whose ids match; NULL: no */
    char *value;        /* name of the number; NULL: median_ns */
    char *by;           /* report: "host"; NULL: by case */
    enum format format; /* goes to standard output */
    bool format_given;
    bool all_code; /* --asm */
    bool dry_run, quiet;
    bool verbose;             /* all notes below a table on a terminal */
    bool quick;               /* license: the clock alone; study: its quick shapes */
    struct text_list claims;  /* study: ids; empty: all */
    bool expect_confirmed;    /* study: another verdict fails */
    char *lang;               /* new-plugin: "c", "cpp", "rust"; NULL: "c" */
    bool own_op;              /* new-plugin: an op of its own, not gemm */
    char *from, *link;        /* new-plugin: a prototype, and who has the function */
    char *project;            /* --project, a file or "no"; NULL: to be found */
    char *project_file;       /* the file that was read; NULL: none */
    enum trust project_trust; /* decides how much of it counts */
    struct project_default *defaults; /* all that it says */
    size_t n_defaults;
    struct text_list from_project; /* its options that count: "--sizes=64" */
    struct text_list left_out;     /* its other options for this command: "--plugin" */
    struct call_options call;
    const char *declares; /* an option of `call` that was typed, not set by the file */
    struct prove_options prove;
    /* judge: LIB[:FUNCTION] each */
    struct text_list candidates;
    bool list_trusted, revoke;  /* trust */
    double threshold;           /* of a change, 0.02 */
    char *dispatcher;           /* audit: its variant; NULL: by the rule */
    char *relative_to;          /* a row that others are held against; NULL: none */
    bool strict;                /* inconclusive and unusable cases fail */
    bool gate_code;             /* cases whose code is worse fail */
    bool as_built;              /* ab: code stays where it is */
    bool placement_fails;       /* ab: cases that are PLACED fail */
    char *functions;            /* ab: the file that declares them */
    uint32_t processes;         /* ab: of the first look; 0: 16 */
    char *harness;              /* ab: programs of this one are compared; or NULL */
    char *pattern;              /* ab: reads what harness regex prints */
    char *build, *run;          /* ab: commits are compared, built and run so */
    char *relink;               /* ab: a program is linked with other places so */
    char *cwd_old, *cwd_new;    /* ab: folders of programs; NULL: this one */
    bool wall;                  /* ab: wall time of commands */
    int64_t slice_ns, time_ns;  /* ab: of a process; of all; 0: the usual */
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
/* Checks that files among the words exist and are of a kind that the command reads, and
 * that the first word is no value of an option. The error says what to type. */
int args_check_files(const struct options *options, struct error *error);
/* Is the word a prototype, no name of a case, an op or a file? */
bool is_prototype(const char *word);
/* Sets the defaults; no list has a member. */
void options_init(struct options *options);
void options_free(struct options *options);
/* Appends the commands that are no ops, for near matches of an unknown op. */
void args_commands(struct text_list *names);
/* Prints a page of the manual as roff: that of a command or op, or of simdbench (NULL).
 * -EINVAL: there is no such command. */
int help_manual(FILE *file, const char *name, struct error *error);
/* The help of an op, of which only the texts are used, and the plug-in that brings it;
 * NULL if none of those at hand does. */
struct simdbench_op;
void help_op(FILE *file, const struct simdbench_op *op, const char *plugin);
/* Names that this room does not know. */
struct complete_names {
    const struct text_list *topics, *studies;
};
/* Finds completions of the last of `n` words of a command line (without the program's
 * name): each is a word, a tab, and a meaning. Without any, the word may be a file. */
void args_complete(char *const *words, size_t n, const struct complete_names *names,
                   struct text_list *found);

/* ---- the project file, and files that the user trusts ---- */

/* The reason why a default of the project file does not count, or NULL (project.c). */
const char *project_doubt(const struct options *options,
                          const struct project_default *setting);
/* "--sizes=64 --quiet from FILE": the options that the project file sets for this
 * command, to be freed; NULL: none. */
char *project_told(const struct options *options);
/* The project file that is found from the working folder, and its bytes, to be freed;
 * NULL: there is none (project_file.c). */
int project_find(char **path, char **bytes, size_t *size, struct error *error);

/* A trusted file is kept as a copy (trusted.c). `path` is absolute, without links. */
enum trust trust_of(const char *path, const char *bytes, size_t size);
int trust_keep(const char *path, const char *bytes, size_t size, struct error *error);
int trust_revoke(const char *path, struct error *error);
/* Calls `each` for all of them, in no order. */
void trust_each(void (*each)(const char *path, enum trust trust, void *context),
                void *context);
/* Opens a regular file without waiting for anything, and reads it once; `beside`: more
 * flags for open(). -EBADF: it is no regular file. `facts` describe the file as it was
 * read. */
struct stat;
int regular_load(const char *path, int beside, size_t most, char **bytes, size_t *size,
                 struct stat *facts);
