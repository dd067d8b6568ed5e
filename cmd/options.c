/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

enum { ROUNDS_MAX = 100000, ALIGN_MAX = 2 << 20, NS_PER_MS = 1000000 };

__attribute__((format(printf, 4, 5))) static int value_error(const struct option_row *row,
                                                             const char *value,
                                                             struct error *error,
                                                             const char *format, ...)
{
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return error_set(error, -EINVAL, "--%s=%.80s: %s", row->name, value, why);
}

static int no_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "out of memory for options");
}

#define FIELD(type, options, row) ((type *)((char *)(options) + (row)->field))

static int set_flag(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    (void)value;
    (void)error;
    *FIELD(bool, options, row) = true;
    return 0;
}

static int set_text(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    char **const field = FIELD(char *, options, row);
    char *const copy = strdup(value);
    if (!copy)
        return no_memory(error);
    free(*field);
    *field = copy;
    return 0;
}

/* One item that holds the value as it is. */
static int add_item(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    return text_list_add(FIELD(struct text_list, options, row), value) ? no_memory(error)
                                                                       : 0;
}

/* One item for each piece between commas. */
static int add_items(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct text_list *const list = FIELD(struct text_list, options, row);
    for (const char *at = value;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0)
            return value_error(row, value, error,
                               "an item is empty: look for a comma too many");
        if (text_list_add_n(list, at, length) != 0)
            return no_memory(error);
        at += length;
        if (!*at)
            return 0;
    }
}

static int add_isas(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    const size_t first = options->isas.n;
    int rc = add_items(row, value, options, error);
    struct text_list known = {0};

    if (rc == 0)
        rc = text_list_add(&known, "auto") || text_list_add(&known, "all");
    for (size_t i = 0; i < isa_count() && rc == 0; i++)
        rc = text_list_add(&known, isa_get(i)->name);
    for (size_t i = first; i < options->isas.n && rc == 0; i++) {
        const char *const isa = options->isas.item[i];
        char near[100], all[200] = "";
        bool found = false;
        for (size_t k = 0, used = 0; k < known.n; k++) {
            found = found || strcmp(known.item[k], isa) == 0;
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "",
                                     known.item[k]);
        }
        text_list_near(&known, isa, near, sizeof near);
        if (!found)
            rc = value_error(row, isa, error, "no such instruction set%s%s%s (known: %s)",
                             near[0] ? "; did you mean " : "", near, near[0] ? "?" : "",
                             all);
    }
    text_list_free(&known);
    return rc;
}

static int add_sizes(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct error why;
    const int rc = sizes_expand(value, &options->shapes, &why);
    if (rc != 0)
        value_error(row, value, error, "%s", why.text);
    return rc;
}

/* NAME[,option=value...] */
static int add_module(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const char *at = value + strcspn(value, ",");
    if (at == value)
        return value_error(row, value, error, "the name is missing");
    while (*at) {
        const char *const option = at + 1;
        const size_t name = strcspn(option, "=,"), length = strcspn(option, ",");
        if (name == 0 || option[name] != '=')
            return value_error(row, value, error,
                               "'%.*s' is not option=value; to name several, give --%s "
                               "once for each",
                               (int)(length < 60 ? length : 60), option, row->name);
        at = option + length;
    }
    return add_item(row, value, options, error);
}

static int set_cpu(const struct option_row *row, const char *value,
                   struct options *options, struct error *error)
{
    struct error why;
    size_t n = 0;
    int *const cpu = calloc(CPUS_MAX, sizeof *cpu);
    if (!cpu)
        return no_memory(error);
    const int rc = cpus_parse(value, cpu, CPUS_MAX, &n, &why);
    if (rc != 0) {
        free(cpu);
        value_error(row, value, error, "%s", why.text);
        return rc;
    }
    free(options->cpu);
    options->cpu = cpu;
    options->n_cpu = n;
    return 0;
}

static int read_whole(const struct option_row *row, const char *value, int64_t *number,
                      struct error *error)
{
    const char *reason = "";
    return number_parse(value, strlen(value), number, &reason)
               ? value_error(row, value, error, "%s", reason)
               : 0;
}

static int set_threads(const struct option_row *row, const char *value,
                       struct options *options, struct error *error)
{
    int64_t n;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    if (n == 0)
        return value_error(row, value, error, "at least one thread must do the work");
    if (n > 1)
        return value_error(row, value, error, "only one thread is measured so far");
    options->threads = 1;
    return 0;
}

static int set_align(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    int64_t n;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    if (n < 1 || n > ALIGN_MAX || (n & (n - 1)) != 0)
        return value_error(row, value, error, "must be a power of two from 1 to 2Mi");
    options->align = (uint64_t)n;
    return 0;
}

static int set_rounds(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    int64_t n;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    if (n < 1 || n > ROUNDS_MAX)
        return value_error(row, value, error, "must be from 1 to %d", ROUNDS_MAX);
    options->rounds = (uint32_t)n;
    return 0;
}

static int set_seed(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    const bool hex = value[0] == '0' && (value[1] == 'x' || value[1] == 'X');
    const char *const digits = hex ? value + 2 : value;
    const size_t length = strlen(digits);
    const char *const known = hex ? "0123456789abcdefABCDEF" : "0123456789";

    if (length == 0 || strspn(digits, known) != length)
        return value_error(row, value, error,
                           "is not a whole number, decimal or 0x and hexadecimal");
    errno = 0;
    const uint64_t seed = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return value_error(row, value, error, "is larger than 2^64-1");
    options->seed = seed;
    options->seed_given = true;
    return 0;
}

static int set_duration(const struct option_row *row, const char *value,
                        struct options *options, struct error *error)
{
    const char *reason = "";
    int64_t ns;
    if (duration_parse(value, &ns, &reason) != 0)
        return value_error(row, value, error, "%s", reason);
    if (ns < NS_PER_MS || ns > (int64_t)86400000 * NS_PER_MS)
        return value_error(row, value, error, "must be from 1ms to 1440min");
    *FIELD(int64_t, options, row) = ns;
    return 0;
}

/* Which of the row's "a|b|c" it is, or -EINVAL. */
static int choice(const struct option_row *row, const char *value, struct error *error)
{
    struct text_list known = {0};
    int found = -1, rc = 0;

    for (const char *at = row->value; rc == 0 && *at;) {
        const size_t length = strcspn(at, "|");
        rc = text_list_add_n(&known, at, length);
        if (rc == 0 && strcmp(known.item[known.n - 1], value) == 0)
            found = (int)known.n - 1;
        at += length + (at[length] == '|');
    }
    if (rc != 0) {
        rc = no_memory(error);
    } else if (found < 0) {
        char near[100];
        text_list_near(&known, value, near, sizeof near);
        rc = value_error(row, value, error, "must be one of %s%s%s%s", row->value,
                         near[0] ? "; did you mean " : "", near, near[0] ? "?" : "");
    }
    text_list_free(&known);
    return rc ? rc : found;
}

/* For pairs of which the first is the default. */
static int set_second(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const int which = choice(row, value, error);
    if (which < 0)
        return which;
    *FIELD(bool, options, row) = which == 1;
    return 0;
}

static int set_format(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const int which = choice(row, value, error);
    if (which < 0)
        return which;
    options->format_given = true;
    return format_find(value, &options->format);
}

#define AT(field) offsetof(struct options, field)
#define RUN "What to run"
#define COMPARE "Compare with"
#define CONDITIONS "Under which conditions"
#define MEASURE "How to measure"
#define OUTPUT "Output"
#define OTHER "Other"
#define REPORTS (COMMAND_OP | COMMAND_REPORT)
#define RUNNERS (COMMAND_OP | COMMAND_LIST)

/* clang-format off */
const struct option_row option_rows[] = {
    {"isa", "LIST", RUN, COMMAND_OP, "auto",
     "Instruction sets: auto is the widest that this machine has, all is every one; "
     "`simdbench list isas` shows them. One that is missing here is skipped.",
     add_isas, AT(isas)},
    {"type", "LIST", RUN, COMMAND_OP, "f32",
     "Element types: f32, f64, or all.",
     add_items, AT(types)},
    {"semiring", "LIST", RUN, COMMAND_OP, "the op's first",
     "What stands for plus and times: maxplus, minplus, maxtimes, or all.", add_items,
     AT(semirings)},
    {"sizes", "LIST", RUN, COMMAND_OP, "the op's own",
     "Sizes: 64,100 or 64x32x128; 64..512 doubles, 64..512:64 steps, 1k..1M*10 "
     "multiplies, and a range that does not hit its end stops below it. k M G are 1000s, "
     "Ki Mi Gi are 1024s.",
     add_sizes, AT(shapes)},
    {"variants", "LIST", RUN, COMMAND_OP, "all", "Variants: the last part of a kernel's name.",
     add_items, AT(variants)},
    {"filter", "GLOB", RUN, COMMAND_OP, NULL,
     "Only cases whose id matches, as in 'gemm/max*/fma@*'; repeat it for more.", add_item,
     AT(filters)},
    {"pathologies", NULL, RUN, COMMAND_OP, NULL,
     "Include the kernels that are slow on purpose.", set_flag, AT(pathologies)},

    {"baseline", "NAME[,OPTION=VALUE]", COMPARE, RUNNERS, "openblas if it is there",
     "A library to compare with, or none; repeat it for more, also of the same library "
     "with other options.",
     add_module, AT(baselines)},
    {"plugin", "FILE.so[,OPTION=VALUE]", COMPARE, RUNNERS, NULL,
     "Kernels of your own; repeat it for more.", add_module, AT(plugins)},

    {"cpu", "LIST", CONDITIONS, COMMAND_OP, "chosen", "CPUs to run on, as in 2 or 0,2-5.",
     set_cpu, 0},
    {"threads", "N", CONDITIONS, COMMAND_OP, "1", "Threads that do the work: 1 so far.",
     set_threads, 0},
    {"cache", "hot|cold", CONDITIONS, COMMAND_OP, "hot",
     "Whether operands are in the caches when a call begins.", set_second, AT(cold)},
    {"pages", "4k|2m", CONDITIONS, COMMAND_OP, "4k",
     "Size of the pages that hold the operands.", set_second, AT(huge_pages)},
    {"align", "N", CONDITIONS, COMMAND_OP, "64",
     "Operands begin at a multiple of this: a power of two up to 2Mi.", set_align, 0},
    {"input", "NAME", CONDITIONS, COMMAND_OP, "the op's own",
     "Which values the operands hold.", set_text, AT(input)},
    {"seed", "N", CONDITIONS, COMMAND_OP, "random, recorded",
     "Fixes inputs, placement and order: decimal or 0x and hexadecimal.", set_seed, 0},

    {"events", "LIST", MEASURE, COMMAND_OP, NULL,
     "Hardware counters, as in cycles,instructions; `simdbench list events` shows them.",
     add_items, AT(events)},
    {"time-per-case", "TIME", MEASURE, COMMAND_OP, "100ms",
     "How long each case is measured.", set_duration, AT(time_per_case_ns)},
    {"rounds", "N", MEASURE, COMMAND_OP, "from the time",
     "How often the cases take turns; below 6 there is no interval.", set_rounds, 0},
    {"check", "auto|full", MEASURE, COMMAND_OP, "auto",
     "full compares every output with the reference, auto a sample of large ones.",
     set_second, AT(check_full)},
    {"timeout", "TIME", MEASURE, COMMAND_OP, "60s", "The longest that one call may take.",
     set_duration, AT(timeout_ns)},
    {"in-process", NULL, MEASURE, RUNNERS, NULL,
     "Run kernels in this process, for emulators and debuggers.", set_flag,
     AT(in_process)},

    {"json", "FILE", OUTPUT, REPORTS, NULL, "Also save the run as JSON.", set_text, AT(json)},
    {"markdown", "FILE", OUTPUT, REPORTS, NULL, "Also save the table as Markdown.", set_text,
     AT(markdown)},
    {"format", "table|markdown|json|csv", OUTPUT, REPORTS, "table",
     "What is printed on the terminal.", set_format, 0},
    {"format", "table|json", OUTPUT, COMMAND_DOCTOR, "table", "What is printed.",
     set_format, 0},
    {"dry-run", NULL, OUTPUT, COMMAND_OP, NULL, "Print the plan and measure nothing.",
     set_flag, AT(dry_run)},
    {"quiet", NULL, OUTPUT, COMMAND_OP, NULL, "No progress and no hints.", set_flag,
     AT(quiet)},

    {"help", NULL, OTHER, COMMAND_ALL, NULL, "Print this text.", NULL, 0},
    {"version", NULL, OTHER, COMMAND_ALL, NULL, "Print version and build.", NULL, 0},
    {0},
};
/* clang-format on */

const struct option_row *option_find(const char *name, size_t length, unsigned commands)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->commands & commands) && strlen(row->name) == length &&
            memcmp(row->name, name, length) == 0)
            return row;
    return NULL;
}
