/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The option table (options.c) and what reads it: parsing (argument.c, args.c), the
 * project file (project.c), help (help.c), what a shell completes (complete.c), and the
 * readers of values (option_values.c, option_names.c).
 */
#pragma once

#include "cli/cli.h"
#include "kernels.h"
#include "perfctr.h"

/* The commands that an option belongs to. */
enum command_mask {
    COMMAND_OP = 1 << 0,
    COMMAND_REPORT = 1 << 1,
    COMMAND_LIST = 1 << 2,
    COMMAND_DOCTOR = 1 << 3,
    COMMAND_LICENSE = 1 << 4,
    COMMAND_SUITE = 1 << 5, /* all */
    COMMAND_AB = 1 << 6,
    COMMAND_COMPARE = 1 << 7,
    COMMAND_SELFTEST = 1 << 8,
    COMMAND_HISTORY = 1 << 9,
    COMMAND_THREADS = 1 << 10,
    COMMAND_EXPLAIN = 1 << 11,
    COMMAND_STUDY = 1 << 12,
    COMMAND_COMPLETION = 1 << 13,
    COMMAND_MAN = 1 << 14,
    COMMAND_NEW_PLUGIN = 1 << 15,
    COMMAND_TRUST = 1 << 16,
    COMMAND_CALL = 1 << 17,
    COMMAND_AUDIT = 1 << 18,
    COMMAND_PROVE = 1 << 19,
    COMMAND_JUDGE = 1 << 20,
    COMMAND_CAPTURE = 1 << 21,
    COMMAND_ALL = (1 << 22) - 1,
};

/* The commands that take a function and its prototype. An option that exactly these have
 * is about the function. */
#define DECLARERS (COMMAND_CALL | COMMAND_AB | COMMAND_EXPLAIN | COMMAND_AUDIT)

/* The power of an option that a project file sets, see project.c. */
enum option_power {
    NEEDS_TRUST, /* decides an exit status, the time of a command, or the files that are
                    read: only a trusted file may set it */
    HARMLESS,    /* any file may set it */
    RUNS_CODE,   /* a trusted file may set it, for commands that measure */
    BY_NAME,     /* harmless if it is the plain name of a module, else RUNS_CODE */
    WRITES,      /* RUNS_CODE, and the path is below the folder of the file */
    TYPED,       /* only the command line may set it */
};

/* One option as it was given. */
struct given {
    const struct option_row *row;
    const char *value; /* NULL for a flag */
    struct options *options;
    struct error *error;
};

/* Reads the value into the options. */
typedef int option_setter(const struct given *given);

struct option_row {
    const char *name;     /* without the dashes */
    const char *value;    /* name of its value, "a|b" if it is one of these; NULL:
                             a flag that takes none */
    const char *group;    /* heading in the help */
    unsigned commands;    /* enum command_mask */
    const char *fallback; /* its default in words, NULL: none worth saying */
    const char *help;     /* one or two sentences */
    option_setter *set;   /* NULL for --help and --version, which end the program */
    size_t field;         /* offset in struct options of what a shared setter sets */
    enum option_power power;
};

/* In the order of the help text; ends with a row without a name. */
extern const struct option_row option_rows[];
/* The row of that name for these commands, or NULL. `name` ends after `length` bytes. */
const struct option_row *option_find(const char *name, size_t length, unsigned commands);

/* The letter that is short for an option, as in -q; '\0': none. */
char option_letter(const char *name);

/* One argument, as a word, an option with or without its value, or "--". */
struct argument {
    const char *name; /* of the option; NULL: a word */
    size_t length;
    const char *value; /* after '='; NULL: none */
};
struct argument argument_read(const char *text);
/* True if the word after argument i is its value: "--json --quiet" forgot one,
 * "--json=--quiet" did not. */
bool argument_takes_next(const struct option_row *row, const struct argument *argument,
                         int argc, char **argv, int i);

/* Options can be read only when their command is known. */
struct glance {
    int command; /* index of its word, 0: none */
    bool help, version;
};
struct glance glance_at(int argc, char **argv);

/* The option that takes its value from the next word if `text` is the word before, or
 * NULL. */
const struct option_row *option_wants_next(const char *text, unsigned commands);

/* First words of a command line, without the ops of plug-ins (command_table.c). */
void names_ops_and_commands(struct text_list *names);
/* Names that options know (option_names.c). */
void names_isas(struct text_list *names);
void names_counters(struct text_list *names);
void names_uarchs(struct text_list *names);
void names_formats(struct text_list *names);

/* Shared setters, which write where row->field says (option_values.c): `second` is for
 * pairs of which the first is the default, `items` are what stands between commas. */
option_setter option_set_flag, option_set_text, option_set_name, option_set_second,
    option_set_choice, option_set_output, option_set_duration, option_set_percent,
    option_set_count, option_add_item, option_add_items, option_add_module;
/* Setters of one option. */
option_setter option_add_isas, option_add_types, option_add_sizes, option_set_declared,
    option_set_cpu, option_set_threads, option_add_counters, option_set_uarch,
    option_set_tolerance, option_set_align, option_set_seed, option_set_format,
    option_set_effects, option_set_ulp, option_set_wait, option_set_sets;
/* --format=NAME[:FILE] of a run, and --NAME=FILE. */
option_setter option_add_format, option_add_output;

/* For setters. A shared setter writes to OPTION_FIELD. */
#define OPTION_FIELD(type, given) \
    ((type *)((char *)(given)->options + (given)->row->field))
/* -EINVAL and "--NAME=VALUE: why". */
#define given_error(given, why, ...)                                \
    invalid((given)->error, "--%s=%.80s: " why, (given)->row->name, \
            (given)->value __VA_OPT__(, ) __VA_ARGS__)

struct command_row {
    const char *name;
    unsigned mask;
    const char *usage;   /* the words after its name */
    const char *summary; /* one line */
    size_t min_words, max_words;
    const char *examples[5]; /* without the program's name; ends with NULL */
    const char *needs;       /* the words that it has to have; NULL: none */
    const char *about;       /* of these words; or NULL */
};

/* The commands that are no ops; ends with a row without a name. */
extern const struct command_row command_rows[];
/* NULL if it is none of those: then it should be an op. */
const struct command_row *command_find(const char *name);

/* ---- project file (project.c) ---- */

/* Finds the project file and sets the options of a command that are not in `given`, which
 * grows. -EINVAL, or what reading failed with: file, line and name. */
int project_apply(struct options *options, unsigned mask, struct text_list *given,
                  struct error *error);
/* Options of which only one counts have one name in `given`. */
const char *project_family(const char *option);
/* Finds a project file, that of the options or the nearest one, and reads it once: the
 * bytes are those that count. `path` is NULL if there is none. -errno and an error
 * (project_file.c). */
int project_load(const struct options *options, char **path, char **bytes, size_t *size,
                 enum trust *trust, struct error *error);
#define PROJECT_HELP                                                                   \
    ".simdbench.json, in the working folder or the nearest one above it, holds "       \
    "defaults of options: {\"global\": {\"quiet\": true}, \"gemm\": {\"sizes\": "      \
    "\"64..512\", \"plugin\": [\"./mine.so\"]}, \"ab\": {\"threshold\": \"1%\"}}. A "  \
    "section is global, a command or an op; that of the op counts before that of the " \
    "command, and this before global. Names are those of the options, a list repeats " \
    "an option, and files are as seen from the file's folder. What the command line "  \
    "says replaces what the file says. What runs code, writes files, decides an exit " \
    "status or how long a command takes counts only if you trust the file: by "        \
    "`simdbench trust`, until it changes, or by --project=FILE. --project=no ignores " \
    "it."

/* ---- help (help.c) ---- */

void help_short(FILE *file);
void help_all(FILE *file);
void help_command(FILE *file, const char *command);
void help_version(FILE *file);

/* -EINVAL if the word is a file that a command reads, and the error names that command;
 * else 0 (guess.c). */
int guess_file(const char *word, struct error *error);
/* The option whose value a word may be, such as "isa" for avx2; NULL: none. */
const char *guess_option(const char *word);
/* -EINVAL with a command to type if a word is no command and no op, and yet known. */
int guess_word(const char *word, struct error *error);
/* -EINVAL with LIB:NAME to type if a library and a function are words of their own, in
 * either order. */
int guess_place(const struct text_list *words, const struct command_row *command,
                struct error *error);
/* True if the last of several words is a prototype (args.c). */
bool ends_with_prototype(const struct text_list *words);
/* Writes that value as the option takes it: a range of sizes has dots. */
void guess_value(const char *word, char *value, size_t size);
