/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "args.h"

enum { TEXT_COLUMN = 28, WIDTH = 80, WIDTH_MAX = 100 };

/* Options that are worth trying with one op. */
static const struct {
    const char *op, *options;
} op_examples[] = {
    {"gemm", "--isa=avx512 --sizes=64..512"},
    {"gemm", "--isa=all --type=f32,f64 --semiring=maxplus --sizes=256"},
    {"gemm", "--sizes=64x32x128,65,127 --filter='*/fma@*'"},
    {"gemm", "--type=i32,i64 --sizes=b8x64x64x64,256"},
    {"gemm", "--baseline=openblas --baseline=openblas,coretype=SkylakeX"},
    {"gemm", "--argmax --isa=all --sizes=256"},
    {"gemm_argmax", "--sizes=256 --input=uniform:-1..1,ties"},
    {"gemm_backward", "--isa=all --type=f32,f64 --sizes=256"},
    {"relu", "--sizes=1k..16M*4"},
    {"relu", "--layout=inplace --type=f32,f64 --sizes=1M"},
    {"tanh", "--sizes=1k..1M*10 --input=normal,uniform:-8..8,saturated"},
    {"tanh", "--accuracy --isa=all"},
    {"conv", "--shape=n16c16h512w512k16r3s3"},
    {"conv", "--shapes=resnet50,mobilenet --layout=nchw16c"},
    {"conv", "--shapes=my_layers.txt --isa=all --dry-run"},
};
/* And with all of them. */
static const char *const all_examples[] = {
    "--isa=all --cache=cold",
    "--events=cycles,instructions --json=run.json",
    "--plugin=./mine.so --dry-run",
};

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
    for (size_t i = 0; i < ARRAY_LEN(op_examples); i++)
        if (strcmp(op_examples[i].op, op) == 0)
            fprintf(file, "  simdbench %s %s\n", op, op_examples[i].options);
    for (size_t i = 0; i < ARRAY_LEN(all_examples); i++)
        fprintf(file, "  simdbench %s %s\n", op, all_examples[i]);
}

/* The values that an option has for this op, if the op names them. */
static const char *known_values(const struct simdbench_op *op, const char *option)
{
    if (op && strcmp(option, "input") == 0)
        return op->inputs;
    return op && strcmp(option, "layout") == 0 ? op->layouts : NULL;
}

/* "64,100" as "64, 100", which can be wrapped. */
static void space_commas(const char *text, char *out, size_t size)
{
    size_t used = 0;
    for (; *text && used + 3 < size; text++) {
        out[used++] = *text;
        if (*text == ',' && text[1] != ' ')
            out[used++] = ' ';
    }
    out[used] = '\0';
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
        char own[300];
        if (shapes)
            space_commas(op->default_shapes, own, sizeof own);
        const char *const fallback = shapes ? own : row->fallback;
        const char *const known = known_values(op, row->name);
        char left[80], text[600];
        snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? "=" : "",
                 row->value ? row->value : "");
        snprintf(text, sizeof text, "%s%s%s%s%s%s", row->help, known ? " Known: " : "",
                 known ? known : "", fallback ? " (default: " : "",
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

static const struct {
    const char *status, *meaning;
} exit_statuses[] = {
    {"0", "all that was asked for was done"},
    {"1", "ab, compare: a case regressed; study with --expect: a claim is refuted or "
          "contested"},
    {"2", "bad usage, a bad file, or output that could not be written"},
    {"3",
     "with --strict: a case of ab or compare is inconclusive or unusable, a claim of "
     "study is undecided or not measurable"},
    {"4", "a result was wrong, a case failed, or one is above its limit"},
    {"5", "nothing was measured (all cases were skipped) or compared"},
    {"6", "other runs kept the CPUs for longer than --wait"},
    {"128+N", "stopped by signal N, with what was measured until then in the files"},
};

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
    for (size_t i = 0; i < ARRAY_LEN(op_examples); i++)
        if (op_find(op_examples[i].op))
            fprintf(file, "  simdbench %s %s\n", op_examples[i].op,
                    op_examples[i].options);
    for (const struct command_row *row = command_rows; row->name; row++)
        fprintf(file, "  simdbench %s\n", row->examples[0]);
    fputs("\nExit status:\n", file);
    for (size_t i = 0; i < ARRAY_LEN(exit_statuses); i++)
        entry(file, exit_statuses[i].status, exit_statuses[i].meaning, TEXT_COLUMN);
    fputs("\nsimdbench COMMAND --help explains the options of a command.\n", file);
}

void help_command(FILE *file, const char *name)
{
    const struct command_row *const command = command_find(name);
    const struct simdbench_op *const op = command ? NULL : op_find(name);
    char plain[128], text[600];

    text_plain(name, plain, sizeof plain);
    if (command) {
        fprintf(file, "simdbench %s: %s\n\nUsage: simdbench %s%s%s [OPTION...]\n", plain,
                command->summary, plain, command->usage[0] ? " " : "", command->usage);
    } else {
        fprintf(file, "simdbench %s: %s\n\nUsage: simdbench %s [OPTION...]\n", plain,
                op ? op->summary : "no op of simdbench itself; a module may bring it",
                plain);
        snprintf(text, sizeof text, "A size is %s.", op ? op->shape_help : "");
        if (op)
            wrap(file, text, 0, 0);
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
