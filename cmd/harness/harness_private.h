/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by adapters.c (the table of harnesses), read_json.c, slice.c (one process),
 * words.c (commands), sides.c (the builds), checkout.c (commits), look.c (rounds),
 * pilot.c (how long it takes), notes.c and harness.c (the whole). */
#pragma once

#include <limits.h>

#include "harness/harness.h"

enum { SIDE_BASE, SIDE_HEAD, SIDE_CONTROL, SIDES };
/* Places of code in a line of 64 bytes; 0: as built. */
enum { PLACES = 4, PLACE_BYTES = 16 };
/* Processes of each build that a verdict needs. */
enum { PROCESSES_LEAST = 8 };

/* ---- documents (read_json.c); other texts are read by room readings ---- */

harness_reader read_json;

/* ---- adapters (adapters.c) ---- */

/* Rows of one name are of versions of the harness, the last one of the oldest. In
 * arguments {prefix} is what names of functions begin with, and {case} is what chooses
 * the case alone, {seconds} and {ms} are the length of a slice, {us} that of one of its
 * {count} repetitions. */
enum choice {
    CHOICE_EXPRESSION, /* a regular expression */
    CHOICE_PARTS,      /* an expression for each part of a name with slashes */
    CHOICE_TITLE,      /* an expression of a name that may be cut */
    CHOICE_NAME,       /* the name, without a last part "::t=4" */
};
struct adapter {
    const char *name;
    const char *mark, *other_mark; /* texts in its programs */
    const char *list;              /* arguments that tell the cases */
    harness_reader *list_reader;
    const char *run;        /* arguments that run one case, or all */
    harness_reader *reader; /* NULL: the number is the time of the process */
    bool one_case;          /* a process runs one case; else all */
    enum choice choice;
    const char *home;     /* environment variable of a folder to write to; or NULL */
    const char *hint;     /* what may be lacking if the list fails; or NULL */
    const char *none;     /* words of a program that does not have the case; or NULL */
    const char *failed;   /* end of an output that tells which cases failed; or NULL */
    uint32_t repetitions; /* most of a case in a process, whose median counts; 0: one */
    bool asks; /* its programs ask another one for its version before they measure */
};
/* Repetitions of the first process. */
enum { FIRST_REPETITIONS = 3 };
struct slice_length {
    int64_t ns;
    uint32_t parts, count; /* repetitions are such a part of it, and so many */
    const char *prefix;    /* of names of functions that are wanted, as filters have it */
};
/* The harness of a program with these bytes: of that name, or any if it is NULL. */
const struct adapter *adapter_find(const char *name, const char *bytes, size_t size);
bool adapter_has_versions(const struct adapter *adapter);
/* The arguments with what stands for {...}; appended to `words`. */
void adapter_words(const char *arguments, const char *name, enum choice choice,
                   const struct slice_length *slice, struct text_list *words);

/* ---- one process (slice.c) ---- */

struct slice_request {
    char *const *words;
    const struct text_list *variables; /* "NAME=value", of the environment */
    const char *cwd;                   /* or NULL */
    const char *home, *folder; /* variable of the environment and its value; or NULL */
    size_t padding; /* bytes of environment that move the stack; the same for no two */
    const int *cpu; /* n_cpu = 0: where it likes */
    size_t n_cpu;
    int64_t timeout_ns; /* 0: none */
    bool silent;        /* nobody reads what it prints */
    bool is_build;      /* what it prints is read if it fails, on both streams */
    bool is_measured;   /* what it leaves behind is ended: a build may start servers */
    bool cpu_counts;    /* CPU time of its children is wanted, so it waits for them */
    bool asks;          /* as in struct adapter */
    bool is_first; /* before programs of ordinary priority, if the system allows it */
    bool crowded;  /* one that ran in turn lost its CPU to others again and again */
};
struct slice {
    char *text;      /* its standard output */
    char *complaint; /* reason why it failed, with the last line of standard error; or
                        NULL */
    char *said;      /* the last line of standard error; or NULL */
    char *log;       /* the last lines of a build that failed; or NULL */
    int64_t wall_ns, cpu_ns; /* CPU time of it and of its children that have ended */
    double peak_bytes, faults;
    double own_bytes;  /* of this program, which a peak is never below */
    uint32_t evidence; /* of disturbance; 0: none */
    bool late;         /* it was ended at the timeout */
    bool crowded;      /* the program lost its CPU again and again; if it ran first:
                          as the request says */
    bool may_be_first; /* its first thread alone took CPU time, or nearly if it asks, and
                          not long, or where others took the CPU from it */
};
/* Runs a process until it ends. 0 also if it failed;
 * -EINTR; -errno if it could not begin. */
int slice_run(const struct slice_request *request, struct slice *slice,
              struct error *error);
void slice_free(struct slice *slice);

/* ---- builds (words.c, sides.c, checkout.c) ---- */

struct side {
    const char *name;             /* "base" */
    const char *command;          /* as given */
    char *commit;                 /* NULL: it is none */
    char cwd[PATH_MAX];           /* empty: this one */
    char path[PATH_MAX];          /* of its program; empty: a shell runs the command */
    char place[PLACES][PATH_MAX]; /* its programs by place; empty: that of `words` */
    char told[PATH_MAX + 32];
    struct text_list variables, words;
    struct elf_file file;
    char home[PATH_MAX];
};

struct harness_round {
    double ns[SIDES][PLACES], peak[SIDES], own[SIDES], faults[SIDES];
    uint32_t evidence;
    bool is_void; /* a process told no time */
};
struct harness_case {
    char *name;
    bool has[2];      /* base, head */
    char *skips;      /* both builds skip it, with these words; or NULL */
    uint32_t threads; /* by its own words; 0: not told */
    size_t result;
    bool active;
    bool wanted; /* in this look */
    struct harness_round *rounds;
    size_t n_rounds, n_void;   /* those that are void are not kept */
    int order[SIDES * PLACES]; /* first row of a square of as many rounds */
    size_t best[SIDES];        /* places at which each side is fastest */
    size_t turns;
    double listed_ns;     /* a time that was told when it was listed; or 0 */
    uint32_t repetitions; /* most in a process, by what the first one took; 0: unknown */
    double step_ns, least_ns; /* the last digit that was printed, the least time; or 0 */
    int64_t usual_ns[SIDES];  /* least time of a process of its unit; 0: none ran */
    bool crowded;             /* others took the CPU from one of them */
    bool not_first;           /* one of them was not to run before other programs */
};

struct harness {
    struct harness_request request;
    const struct adapter *adapter;
    struct side side[SIDES];
    char folder[PATH_MAX];
    int folder_lock;
    regex_t pattern;
    bool has_pattern;
    struct reading_form form;
    struct harness_case *cases;
    size_t n_cases;
    char prefix[100]; /* as in struct slice_length */
    struct harness_plan plan;
    int64_t slice_ns;
    bool copied; /* control is a copy of base */
    bool found;  /* a program has a case that it listed */
    size_t n_places;
    uint64_t random;
    /* while it is measured */
    struct run *run;
    const struct watcher *watcher;
    int64_t started;
    size_t n_taken, n_disturbed; /* rounds that count, and those with evidence */
    size_t n_late[SIDES];        /* processes that hung and ran again */
};

/* Words as a shell has them in that folder, or in this one if it is empty; first come
 * variables of the environment. False: only a shell can make something of the command. */
bool words_split(const char *command, const char *cwd, struct text_list *variables,
                 struct text_list *words);
/* Finds a program as execvp() does, with the side's variables and seen from its folder.
 */
bool words_program(const char *word, const struct text_list *variables, const char *cwd,
                   char *path, size_t size);
/* The program of a command, seen from that folder, or from this one if it is NULL. */
bool command_path(const char *command, const char *cwd, char *path, size_t size);
/* Finds both programs, and copies base. */
int sides_open(struct harness *harness, struct error *error);
/* Runs base again as control, without a copy of it. */
void side_uncopy(struct harness *harness);
void sides_close(struct harness *harness);
/* Runs a command. Its output becomes the caller's unless `text` is NULL. -EINVAL: it
 * failed; the last lines of a build are on standard error then. */
int command_run(const struct slice_request *request, char **text, struct error *error);
/* Writes both commits to folders of their own and builds them: command and cwd of the
 * sides are theirs then. */
int checkout_build(struct harness *harness, struct error *error);

/* Makes the programs of --relink (relink.c). */
int relink_open(struct harness *harness, struct error *error);
/* Finds the best place of each side in these rounds of a case. */
void relink_choose(struct harness *harness, size_t c, const size_t *number, size_t n);

/* Runs a side at a place with these arguments, and reads what it prints. -EPROTO: it
 * failed, or printed something else; the error says so without its name. */
int side_run(struct harness *harness, int which, size_t place, const char *arguments,
             harness_reader *reader, const char *name, struct readings *readings,
             struct slice *slice, struct error *error);

/* Appends the command of a process that runs a case, behind its variables. */
void side_words(const struct harness *harness, int which, size_t c,
                struct text_list *words);
/* Both are started with the same arguments and variables. */
bool same_arguments(const struct side *base, const struct side *head);
/* Finds cases whose code and data are the same in both programs (unchanged.c). */
void unchanged_find(struct harness *harness);
/* Finds, for cases that seem to have changed, what places alone could change
 * (hot_code.c). */
void places_bound(struct harness *harness);
/* Runs a process of the case, and tells the owner. False: it did not end, or not well. */
struct program_owner;
bool case_traced(struct harness *harness, size_t c, int which,
                 const struct program_owner *owner);

/* The cases [first, end) that one process runs. */
size_t unit_end(const struct harness *harness, size_t first);
bool unit_is_compared(const struct harness *harness, size_t first);
/* Runs the unit in one side at a place. Each of its cases has a reading then, be it a
 * failure. */
int unit_run(struct harness *harness, size_t first, int which, size_t place,
             struct readings *readings, struct slice *slice, struct error *error);

/* Ends a case: one side's fault. */
void case_fail(struct harness *harness, size_t c, int which, const char *reason);

/* Tells what else is known of a case that was measured (notes.c). */
void notes_add(struct harness *harness, size_t c);

/* The time of slices, and the change that can be found in a time (pilot.c). */
int harness_pilot(struct harness *harness, struct error *error);
/* Rounds until each open case has that many processes; derives their trials (look.c). */
int harness_look(struct harness *harness, uint32_t processes, int look,
                 struct error *error);
/* Counts the rounds that made trials, and those among them with evidence. */
void harness_count(struct harness *harness);
