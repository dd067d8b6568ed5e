/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "args.h"

enum { TEXT_COLUMN = 28, WIDTH = 80, WIDTH_MAX = 100 };

/* Options that are worth trying: the first ones say something to gemm alone. */
static const char *const op_examples[] = {
    "--isa=avx512 --sizes=64..512",
    "--isa=all --type=f32,f64 --semiring=maxplus --sizes=256",
    "--sizes=64x32x128,65,127 --filter='*/fma@*'",
    "--baseline=openblas --baseline=openblas,coretype=SkylakeX",
    "--isa=all --cache=cold",
    "--events=cycles,instructions --json=run.json",
    "--plugin=./mine.so --dry-run",
};
enum { GEMM_EXAMPLES = 4 };

/* Prints words between `column` and the right edge, the cursor being at `at`. */
static void wrap(FILE *file, const char *text, int at, int column)
{
    const int terminal = terminal_width(file);
    const int wanted = terminal ? terminal : WIDTH;
    const int width = wanted > WIDTH_MAX ? WIDTH_MAX : wanted;
    bool first = true;

    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (at > column && !first && at + 1 + length > width) {
            fprintf(file, "\n%*s", column, "");
            at = column;
            first = true;
        }
        at += fprintf(file, "%s%.*s", first ? "" : " ", length, text);
        first = false;
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

/* A word at the left and its text beside it, or below it if it is too long for that. */
static void entry(FILE *file, const char *left, const char *text, int column)
{
    int at = fprintf(file, "  %s", left);
    if (at + 2 > column) {
        fputc('\n', file);
        at = 0;
    }
    fprintf(file, "%*s", column - at, "");
    wrap(file, text, column, column);
}

static void print_op_examples(FILE *file, const char *op)
{
    const bool gemm = strcmp(op, "gemm") == 0;
    for (size_t i = gemm ? 0 : GEMM_EXAMPLES; i < ARRAY_LEN(op_examples); i++)
        fprintf(file, "  simdbench %s %s\n", op, op_examples[i]);
}

static void print_options(FILE *file, unsigned mask, const struct simdbench_op *op)
{
    const char *group = "";
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->commands & mask))
            continue;
        if (strcmp(group, row->group) != 0) {
            group = row->group;
            fprintf(file, "\n%s:\n", group);
        }
        const bool shapes = op && strcmp(row->name, "sizes") == 0;
        const char *const fallback = shapes ? op->default_shapes : row->fallback;
        char left[80], text[400];
        snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? "=" : "",
                 row->value ? row->value : "");
        snprintf(text, sizeof text, "%s%s%s%s", row->help, fallback ? " (default: " : "",
                 fallback ? fallback : "", fallback ? ")" : "");
        entry(file, left, text, TEXT_COLUMN);
    }
}

static void print_commands(FILE *file)
{
    fputs("\nOps that can be measured (a module given by --plugin may bring more):\n",
          file);
    for (const struct simdbench_op *const *op = op_list(); *op; op++)
        entry(file, (*op)->name, (*op)->summary, TEXT_COLUMN);
    fputs("\nOther commands:\n", file);
    for (const struct command_row *row = command_rows; row->name; row++) {
        char left[80];
        snprintf(left, sizeof left, "%s %s", row->name, row->usage);
        entry(file, left, row->summary, TEXT_COLUMN);
    }
    entry(file, "help [COMMAND]", "this text, or the options of a command", TEXT_COLUMN);
}

void help_short(FILE *file)
{
    fputs(
        "Usage: simdbench COMMAND [OPTION...]\n"
        "  simdbench gemm --isa=avx512 --sizes=64..512    measure\n"
        "  simdbench list                                 what can be measured\n"
        "  simdbench doctor                               what this machine does to it\n"
        "  simdbench --help                               all commands\n",
        file);
}

void help_all(FILE *file)
{
    fputs("simdbench measures SIMD kernels: how fast they are, and how fast they could "
          "be.\n\nUsage: simdbench COMMAND [OPTION...]\n",
          file);
    print_commands(file);
    fputs("\nExamples:\n", file);
    print_op_examples(file, "gemm");
    for (const struct command_row *row = command_rows; row->name; row++)
        fprintf(file, "  simdbench %s\n", row->examples[0]);
    fputs("\nsimdbench COMMAND --help explains the options of a command.\n", file);
}

void help_command(FILE *file, const char *name)
{
    const struct command_row *const command = command_find(name);
    const struct simdbench_op *const op = command ? NULL : op_find(name);
    char plain[128];

    text_plain(name, plain, sizeof plain);
    if (command) {
        fprintf(file, "simdbench %s: %s\n\nUsage: simdbench %s%s%s [OPTION...]\n", plain,
                command->summary, plain, command->usage[0] ? " " : "", command->usage);
    } else {
        fprintf(file, "simdbench %s: %s\n\nUsage: simdbench %s [OPTION...]\n", plain,
                op ? op->summary : "no op of simdbench itself; a module may bring it",
                plain);
        if (op)
            fprintf(file, "A size is %s.\n", op->shape_help);
    }
    fputs("Every option may also be written as two words: --option value.\n", file);
    print_options(file, command ? command->mask : COMMAND_OP, op);
    fputs("\nExamples:\n", file);
    if (!command)
        print_op_examples(file, plain);
    for (size_t i = 0; command && i < ARRAY_LEN(command->examples); i++)
        if (command->examples[i])
            fprintf(file, "  simdbench %s\n", command->examples[i]);
}

void help_version(FILE *file)
{
    fprintf(file, "simdbench %s (commit %s)\ncompiler: %s\nflags: %s\nplug-in ABI: %u\n",
            simdbench_version.number, simdbench_version.commit,
            simdbench_version.compiler, simdbench_version.flags, SIMDBENCH_ABI);
}
