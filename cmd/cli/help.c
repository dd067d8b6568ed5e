/* SPDX-License-Identifier: Apache-2.0 */

#include "args.h"
#include "op_row.h"
#include "page.h"

enum { TEXT_COLUMN = 28, SHORT_COLUMN = 17 };

/* Options that are worth trying with every op. */
static const char *const all_examples[] = {
    "--isa=all --cache=cold",
    "--events=cycles,instructions --json=run.json",
    "--plugin=./mine.so --dry-run",
};

/* Those of one op alone. */
static void print_own_examples(const struct page *page, const struct op_row *row)
{
    for (const char *const *options = row ? row->examples : NULL; options && *options;
         options++)
        page_example(page, row->op->name, *options);
}

/* An op of a plug-in needs that plug-in in all of them. */
static void print_op_examples(const struct page *page, const char *op, const char *usage)
{
    char words[200];
    print_own_examples(page, op_row_find(op));
    snprintf(words, sizeof words, "%.80s%s%.100s", op, *usage ? " " : "", usage);
    for (size_t i = 0; i < ARRAY_LEN(all_examples) - (*usage ? 1 : 0); i++)
        page_example(page, words, all_examples[i]);
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

static void print_options(const struct page *page, unsigned mask,
                          const struct simdbench_op *op)
{
    const char *group = "";
    if (page->roff)
        page_heading(page, 0, "Options");
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (!(row->commands & mask))
            continue;
        if (strcmp(group, row->group) != 0)
            page_heading(page, 1, group = row->group);
        const bool shapes = op && strcmp(row->name, "sizes") == 0;
        char own[300];
        if (shapes)
            space_commas(op->default_shapes, own, sizeof own);
        const char *const fallback = shapes ? own : row->fallback;
        const char *const known = known_values(op, row->name);
        const char letter[] = {'-', option_letter(row->name), ',', ' ', '\0'};
        char left[80], text[600];
        snprintf(left, sizeof left, "%s--%s%s%s", letter[1] ? letter : "", row->name,
                 row->value ? "=" : "", row->value ? row->value : "");
        snprintf(text, sizeof text, "%s%s%s%s%s%s", row->help, known ? " Known: " : "",
                 known ? known : "", fallback ? " (default: " : "",
                 fallback ? fallback : "", fallback ? ")" : "");
        page_entry(page, left, text);
    }
}

static void print_ops(const struct page *page)
{
    for (const struct simdbench_op *const *op = op_list(); *op; op++)
        page_entry(page, (*op)->name, (*op)->summary);
}

/* The texts of a page of the manual that the tables do not have. */
static const struct {
    const char *name, *meaning;
} exit_statuses[] =
    {
        {"0", "all that was asked for was done"},
        {"1", "ab, compare: a case regressed; study with --expect: a claim is refuted or "
              "contested; report --by=host: a file was left out"},
        {"2", "bad usage, a bad file, or output that could not be written"},
        {"3", "with --strict: a case of ab or compare is inconclusive or unusable, a "
              "claim of study is undecided or not measurable"},
        {"4", "a result was wrong, a case failed, or one is above its limit"},
        {"5", "nothing was measured (all cases were skipped) or compared"},
        {"6", "other runs kept the CPUs for longer than --wait"},
        {"128+N", "stopped by signal N, with what was measured until then in the files"},
},
  variables[] =
      {
          {"SIMDBENCH_HISTORY", "the database of `simdbench history` without --history"},
          {"SIMDBENCH_LOCKS",
           "the folder of locks on CPUs; empty: runs do not wait for each other"},
          {"SIMDBENCH_MODULES",
           "folders with modules that --baseline finds by name, with : between them"},
          {"SIMDBENCH_PROJECT", "a project file, or no, where there is no --project"},
          {"NO_COLOR", "not empty: tables without colour"},
          {"XDG_CONFIG_HOME", "in place of ~/.config"},
          {"XDG_CACHE_HOME", "in place of ~/.cache"},
          {"XDG_STATE_HOME", "in place of ~/.local/state"},
},
  files[] = {
      {".simdbench.json", "the project file: defaults of options, see there"},
      {"~/.config/simdbench/threads.json",
       "from which size on several threads are faster, as `simdbench threads` found"},
      {"~/.cache/simdbench/", "what is known of this machine's counters; may be deleted"},
      {"~/.local/state/simdbench/trusted/",
       "copies of the files that `simdbench trust` was given"},
};
#define PRINT_TABLE(page, title, table)                            \
    do {                                                           \
        page_heading(page, 0, title);                              \
        for (size_t i = 0; i < ARRAY_LEN(table); i++)              \
            page_entry(page, (table)[i].name, (table)[i].meaning); \
    } while (0)

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

static const char purpose[] =
    "simdbench measures SIMD kernels: how fast they are, and how fast they could be.";

void help_all(FILE *file)
{
    const struct page page = {.file = file, .column = SHORT_COLUMN};
    page_text(&page, purpose);
    fputs("\nUsage: simdbench COMMAND [OPTION...]\n", file);
    page_heading(&page, 0, "Ops that can be measured (--plugin brings more)");
    print_ops(&page);
    page_heading(&page, 0, "Other commands");
    for (const struct command_row *row = command_rows; row->name; row++)
        page_entry(&page, row->name, row->summary);
    fputs("\nsimdbench COMMAND --help explains the options of a command, with examples.\n"
          "simdbench man | man -l - tells of files, settings and the exit status.\n",
          file);
}

/* NAME and synopsis, or the first lines of the help. */
static void print_head(const struct page *page, const char *name, const char *summary,
                       const char *usage)
{
    char title[200], dashed[128];
    if (!page->roff) {
        snprintf(title, sizeof title, "simdbench %s: %s", name, summary);
        page_line(page, title);
        snprintf(title, sizeof title, "Usage: simdbench %s%s%s [OPTION...]", name,
                 usage[0] ? " " : "", usage);
        fputc('\n', page->file);
        page_line(page, title);
        return;
    }
    snprintf(dashed, sizeof dashed, "%s", name);
    for (char *at = dashed; (at = strchr(at, '_'));)
        *at = '-';
    snprintf(title, sizeof title, "simdbench-%s", dashed);
    page_title(page, title);
    page_heading(page, 0, "Name");
    fprintf(page->file, "simdbench\\-%s \\- ", dashed);
    page_line(page, summary);
    page_heading(page, 0, "Synopsis");
    snprintf(title, sizeof title, "simdbench %s%s%s [OPTION...]", name,
             usage[0] ? " " : "", usage);
    page_term(page, title);
    page_heading(page, 0, "Description");
}

static void print_examples(const struct page *page, const struct command_row *command,
                           const char *op, const char *usage)
{
    page_heading(page, 0, "Examples");
    if (!command)
        print_op_examples(page, op, usage);
    for (size_t i = 0; command && i < ARRAY_LEN(command->examples); i++)
        if (command->examples[i])
            page_example(page, command->examples[i], "");
}

/* `plugin` brings the op; NULL: simdbench does, or nobody that is known. */
static void print_command(const struct page *page, const char *name,
                          const struct simdbench_op *op, const char *plugin)
{
    const struct command_row *const command = command_find(name);
    char plain[128], text[600], usage[100] = "";

    text_plain(name, plain, sizeof plain);
    if (!command && (plugin || !op))
        snprintf(usage, sizeof usage, "--plugin=%.80s", plugin ?: "FILE.so");
    print_head(page, plain,
               command ? command->summary
               : op    ? op->summary
                       : "no op of simdbench itself; a plug-in may bring it",
               command ? command->usage : usage);
    if (plugin)
        snprintf(text, sizeof text, "The op is brought by the plug-in %s.", plugin);
    else
        snprintf(text, sizeof text, "With its plug-in, --help tells of its sizes.");
    if (usage[0])
        page_text(page, text);
    snprintf(text, sizeof text, "A size is %s.", op ? op->shape_help : "");
    if (op)
        page_text(page, text);
    if (command && command->about)
        page_text(page, command->about);
    page_text(page, "Every option may also be written as two words: --option value. "
                    "--no-NAME takes back an option that has no value.");
    /* On a terminal examples are on the first screen; a manual ends with them. */
    if (!page->roff)
        print_examples(page, command, plain, usage);
    print_options(page, command ? command->mask : COMMAND_OP, op);
    if (page->roff)
        print_examples(page, command, plain, usage);
}

void help_command(FILE *file, const char *name)
{
    print_command(&(struct page){.file = file, .column = TEXT_COLUMN}, name,
                  command_find(name) ? NULL : op_find(name), NULL);
}

void help_op(FILE *file, const struct simdbench_op *op, const char *plugin)
{
    print_command(&(struct page){.file = file, .column = TEXT_COLUMN}, op->name,
                  plugin ? op : NULL, plugin);
}

/* simdbench(1) itself. */
static void print_manual(const struct page *page)
{
    page_title(page, "simdbench");
    page_heading(page, 0, "Name");
    page_line(page, "simdbench - measure SIMD kernels, and say why they are not faster");
    page_heading(page, 0, "Synopsis");
    page_term(page, "simdbench COMMAND [OPTION...]");
    page_heading(page, 0, "Description");
    page_text(page, purpose);
    page_text(page, "Each command has a page: `man simdbench-gemm`. One string names a "
                    "case everywhere: "
                    "[module[,option=value]...:]op/[semiring-]type/isa/"
                    "variant@shape[;setting=value]...");
    page_heading(page, 0, "Ops");
    print_ops(page);
    page_heading(page, 0, "Commands");
    for (const struct command_row *row = command_rows; row->name; row++) {
        char term[80];
        snprintf(term, sizeof term, "%s %s", row->name, row->usage);
        page_entry(page, term, row->summary);
    }
    page_heading(page, 0, "Project file");
    page_text(page, PROJECT_HELP);
    page_example(page, "list settings", "");
    PRINT_TABLE(page, "Exit status", exit_statuses);
    PRINT_TABLE(page, "Environment", variables);
    PRINT_TABLE(page, "Files", files);
    page_heading(page, 0, "Examples");
    for (const struct op_row *const *row = op_rows(); *row; row++)
        print_own_examples(page, *row);
    for (const struct command_row *row = command_rows; row->name; row++)
        page_example(page, row->examples[0], "");
}

int help_manual(FILE *file, const char *name, struct error *error)
{
    const struct page page = {.file = file, .roff = true};
    FREED_BY(text_list_free) struct text_list names = {0};
    char why[400];
    if (!name) {
        print_manual(&page);
        return 0;
    }
    names_ops_and_commands(&names);
    const bool known = command_find(name) || op_find(request_op_name(name));
    text_list_unknown(&names, name, "command", why, sizeof why);
    if (!known)
        return invalid(error, "%.60s: %s", name, why);
    print_command(&page, request_op_name(name), op_find(request_op_name(name)), NULL);
    page_heading(&page, 0, "See also");
    page_text(&page, "`simdbench`(1)");
    return 0;
}

void help_version(FILE *file)
{
    fprintf(file,
            "simdbench %s\nLicense Apache-2.0: "
            "<https://www.apache.org/licenses/LICENSE-2.0>\n"
            "There is NO WARRANTY, to the extent permitted by law.\n\n"
            "commit: %s\ncompiler: %s\nflags: %s\nplug-in ABI: %u\n",
            simdbench_version.number, simdbench_version.commit,
            simdbench_version.compiler, simdbench_version.flags, SIMDBENCH_ABI);
}
