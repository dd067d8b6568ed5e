/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "team.h"

/* With fewer processes nothing can be told apart from chance. */
enum { PROCESSES_MIN = 8, PROCESSES_MAX = 1000 };
enum { GATES_MAX = 10000 };
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

int option_set_flag(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    (void)value;
    (void)error;
    *FIELD(bool, options, row) = true;
    return 0;
}

int option_set_text(const struct option_row *row, const char *value,
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
int option_add_item(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    return text_list_add(FIELD(struct text_list, options, row), value) ? no_memory(error)
                                                                       : 0;
}

/* One item for each piece between commas. */
int option_add_items(const struct option_row *row, const char *value,
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

/* -EINVAL with near matches and all names, unless the list has the word. */
static int expect_known(const struct option_row *row, const char *word,
                        const struct text_list *known, const char *what,
                        struct error *error)
{
    char near[100], all[200] = "";
    size_t used = 0;
    if (text_list_has(known, word))
        return 0;
    for (size_t i = 0; i < known->n && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                                 known->item[i]);
    text_list_near(known, word, near, sizeof near);
    return value_error(row, word, error, "no such %s%s%s%s (known: %s)", what,
                       near[0] ? "; did you mean " : "", near, near[0] ? "?" : "", all);
}

/* "2%", "0.5%": a share of one. */
int option_set_percent(const struct option_row *row, const char *value,
                       struct options *options, struct error *error)
{
    char *end;
    const double percent = strtod(value, &end);
    if (strcmp(value + strspn(value, "0123456789."), "%") != 0 || *end != '%')
        return value_error(row, value, error, "expected a percentage, as in 2%%");
    if (!(percent >= 0.01 && percent <= 100))
        return value_error(row, value, error, "expected 0.01%% to 100%%");
    *FIELD(double, options, row) = percent / 100;
    return 0;
}

int option_add_isas(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    const size_t first = options->isas.n;
    struct text_list known = {0};
    int rc = option_add_items(row, value, options, error);

    if (rc == 0 && (text_list_add(&known, "auto") || text_list_add(&known, "all")))
        rc = no_memory(error);
    for (size_t i = 0; i < isa_count() && rc == 0; i++)
        if (text_list_add(&known, isa_get(i)->name) != 0)
            rc = no_memory(error);
    for (size_t i = first; i < options->isas.n && rc == 0; i++)
        rc = expect_known(row, options->isas.item[i], &known, "instruction set", error);
    text_list_free(&known);
    return rc;
}

int option_add_counters(const struct option_row *row, const char *value,
                        struct options *options, struct error *error)
{
    const size_t first = options->counters.n;
    struct text_list known = {0};
    int rc = option_add_items(row, value, options, error);

    if (rc == 0 && text_list_add(&known, "all") != 0)
        rc = no_memory(error);
    for (size_t g = 0; g < counter_group_count() && rc == 0; g++)
        if (text_list_add(&known, counter_group_get(g)->name) != 0)
            rc = no_memory(error);
    for (size_t i = first; i < options->counters.n && rc == 0; i++)
        rc = expect_known(row, options->counters.item[i], &known, "group", error);
    text_list_free(&known);
    return rc;
}

int option_set_uarch(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct text_list known = {0};
    int rc = 0;
    for (size_t i = 0; i < uarch_count() && rc == 0; i++)
        rc = text_list_add(&known, uarch_get(i)->name);
    if (rc != 0)
        rc = no_memory(error);
    else if (!uarch_find(value))
        rc = expect_known(row, value, &known, "microarchitecture", error);
    text_list_free(&known);
    if (rc != 0)
        return rc;
    free(options->uarch);
    options->uarch = strdup(value);
    return options->uarch ? 0 : no_memory(error);
}

int option_add_sizes(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct error why;
    const int rc = sizes_expand(value, &options->sizes, &why);
    if (rc != 0)
        value_error(row, value, error, "%s", why.text);
    return rc;
}

/* NAME[,option=value...] */
int option_add_module(const struct option_row *row, const char *value,
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
    return option_add_item(row, value, options, error);
}

int option_set_cpu(const struct option_row *row, const char *value,
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

/* A number of threads, or `all`: one for each CPU that this process may use. */
static int add_threads(const struct option_row *row, const char *item,
                       struct options *options, struct error *error)
{
    int allowed[CPUS_MAX];
    int64_t n = (int64_t)cpus_allowed(allowed, CPUS_MAX);
    const int rc = strcmp(item, "all") ? read_whole(row, item, &n, error) : 0;
    if (rc != 0)
        return rc;
    if (n < 1 || n > TEAM_MAX)
        return value_error(row, item, error, "must be from 1 to %d threads", TEAM_MAX);
    for (size_t i = 0; i < options->n_threads; i++)
        if (options->threads[i] == (uint32_t)n)
            return 0;
    if (options->n_threads == THREADS_MAX)
        return value_error(row, item, error, "more than %d numbers of threads",
                           THREADS_MAX);
    options->threads[options->n_threads++] = (uint32_t)n;
    return 0;
}

int option_set_threads(const struct option_row *row, const char *value,
                       struct options *options, struct error *error)
{
    struct text_list items = {.n = 0};
    struct error why = {.text = ""};
    int rc = sizes_expand(value, &items, &why);
    if (rc != 0)
        value_error(row, value, error, "%s", why.text);
    options->n_threads = 0;
    for (size_t i = 0; i < items.n && rc == 0; i++)
        rc = add_threads(row, items.item[i], options, error);
    text_list_free(&items);
    return rc;
}

int option_set_align(const struct option_row *row, const char *value,
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

int option_set_rounds(const struct option_row *row, const char *value,
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

int option_set_processes(const struct option_row *row, const char *value,
                         struct options *options, struct error *error)
{
    int64_t n;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    if (n < PROCESSES_MIN || n > PROCESSES_MAX)
        return value_error(row, value, error, "must be from %d to %d", PROCESSES_MIN,
                           PROCESSES_MAX);
    options->processes = (uint32_t)n;
    return 0;
}

int option_set_gates(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    int64_t n;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    if (n < 1 || n > GATES_MAX)
        return value_error(row, value, error, "must be from 1 to %d", GATES_MAX);
    options->gates = (uint32_t)n;
    return 0;
}

/* "0,1.5,4": percents, with or without their sign. */
int option_set_effects(const struct option_row *row, const char *value,
                       struct options *options, struct error *error)
{
    options->n_effects = 0;
    for (const char *at = value;; at++) {
        char *end;
        const double percent = strtod(at, &end);
        if (end != at + strspn(at, "0123456789.") || end == at)
            return value_error(row, value, error, "expected percentages, as in 0,1.5,4");
        if (percent > 100)
            return value_error(row, value, error, "expected 0%% to 100%%");
        for (size_t i = 0; i < options->n_effects; i++)
            if (!(fabs(options->effect[i] - percent / 100) > 0))
                return value_error(row, value, error, "%g is there twice", percent);
        if (options->n_effects == EFFECTS_MAX)
            return value_error(row, value, error, "more than %d effects", EFFECTS_MAX);
        options->effect[options->n_effects++] = percent / 100;
        at = end + (*end == '%');
        if (!*at)
            return 0;
        if (*at != ',')
            return value_error(row, value, error, "expected percentages, as in 0,1.5,4");
    }
}

int option_set_seed(const struct option_row *row, const char *value,
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

int option_set_duration(const struct option_row *row, const char *value,
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
int option_set_second(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const int which = choice(row, value, error);
    if (which < 0)
        return which;
    *FIELD(bool, options, row) = which == 1;
    return 0;
}

static int add_output(const struct option_row *row, const char *value, enum format format,
                      const char *file, struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->n_outputs; i++)
        if (strcmp(options->outputs[i].file, file) == 0)
            return value_error(row, value, error, "%.100s names the same file",
                               options->outputs[i].argument);
    struct output *const outputs =
        realloc(options->outputs, (options->n_outputs + 1) * sizeof *outputs);
    if (!outputs)
        return no_memory(error);
    options->outputs = outputs;
    struct output *const output = &outputs[options->n_outputs++];
    *output = (struct output){.format = format, .file = strdup(file)};
    if (asprintf(&output->argument, "--%s=%s", row->name, value) < 0)
        output->argument = NULL;
    return output->file && output->argument ? 0 : no_memory(error);
}

int option_add_output(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    enum format format;
    const int rc = format_find(row->name, &format);
    return rc ? rc : add_output(row, value, format, value, options, error);
}

int option_add_format(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const char *const colon = strchr(value, ':');
    struct text_list known = {0};
    enum format format;
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(value, ":"), value);
    int rc = 0;
    for (format = 0; format < FORMATS && rc == 0; format++)
        rc = text_list_add(&known, format_name(format)) ? no_memory(error) : 0;
    if (rc == 0)
        rc = expect_known(row, name, &known, "format", error);
    text_list_free(&known);
    if (rc != 0 || format_find(name, &format) != 0)
        return rc;
    if (colon && !colon[1])
        return value_error(row, value, error, "the name of the file is missing");
    if (colon)
        return add_output(row, value, format, colon + 1, options, error);
    if (options->format_given)
        return value_error(row, value, error,
                           "standard output gets --format=%s already; name a file, as "
                           "in --format=%s:FILE",
                           format_name(options->format), name);
    options->format_given = true;
    options->format = format;
    return 0;
}

int option_set_format(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const int which = choice(row, value, error);
    if (which < 0)
        return which;
    options->format_given = true;
    return format_find(value, &options->format);
}
