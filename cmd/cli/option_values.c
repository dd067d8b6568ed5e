/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "team.h"

enum { ALIGN_MAX = 2 << 20, NS_PER_MS = 1000000 };

int option_value_error(const struct option_row *row, const char *value,
                       struct error *error, const char *format, ...)
{
    char why[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    return error_set(error, -EINVAL, "--%s=%.80s: %s", row->name, value, why);
}

int option_set_flag(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    (void)value;
    (void)error;
    *OPTION_FIELD(bool, options, row) = true;
    return 0;
}

int option_set_text(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    char **const field = OPTION_FIELD(char *, options, row);
    (void)error;
    free(*field);
    *field = must_have(strdup(value));
    return 0;
}

/* One item that holds the value as it is. */
int option_add_item(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    (void)error;
    text_list_add(OPTION_FIELD(struct text_list, options, row), value);
    return 0;
}

/* One item for each piece between commas. */
int option_add_items(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct text_list *const list = OPTION_FIELD(struct text_list, options, row);
    for (const char *at = value;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0)
            return option_value_error(row, value, error,
                                      "an item is empty: look for a comma too many");
        text_list_add_n(list, at, length);
        at += length;
        if (!*at)
            return 0;
    }
}

/* "2%", "0.5%": a share of one. */
int option_set_percent(const struct option_row *row, const char *value,
                       struct options *options, struct error *error)
{
    char *end;
    const double percent = strtod(value, &end);
    if (strcmp(value + strspn(value, "0123456789."), "%") != 0 || *end != '%')
        return option_value_error(row, value, error, "expected a percentage, as in 2%%");
    if (!(percent >= 0.01 && percent <= 100))
        return option_value_error(row, value, error, "expected 0.01%% to 100%%");
    *OPTION_FIELD(double, options, row) = percent / 100;
    return 0;
}

int option_add_sizes(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct error why;
    const int rc = sizes_expand(value, &options->sizes, &why);
    if (rc != 0)
        option_value_error(row, value, error, "%s", why.text);
    return rc;
}

/* NAME[,option=value...] */
int option_add_module(const struct option_row *row, const char *value,
                      struct options *options, struct error *error)
{
    const char *at = value + strcspn(value, ",");
    if (at == value)
        return option_value_error(row, value, error, "the name is missing");
    while (*at) {
        const char *const option = at + 1;
        const size_t name = strcspn(option, "=,"), length = strcspn(option, ",");
        if (name == 0 || option[name] != '=')
            return option_value_error(
                row, value, error,
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
    int *const cpu = must_have(calloc(CPUS_MAX, sizeof *cpu));
    const int rc = cpus_parse(value, cpu, CPUS_MAX, &n, &why);
    if (rc != 0) {
        free(cpu);
        option_value_error(row, value, error, "%s", why.text);
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
               ? option_value_error(row, value, error, "%s", reason)
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
        return option_value_error(row, item, error, "must be from 1 to %d threads",
                                  TEAM_MAX);
    for (size_t i = 0; i < options->n_threads; i++)
        if (options->threads[i] == (uint32_t)n)
            return 0;
    if (options->n_threads == THREADS_MAX)
        return option_value_error(row, item, error, "more than %d numbers of threads",
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
        option_value_error(row, value, error, "%s", why.text);
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
        return option_value_error(row, value, error,
                                  "must be a power of two from 1 to 2Mi");
    options->align = (uint64_t)n;
    return 0;
}

/* A count within bounds, both included. With fewer processes nothing can be told apart
 * from chance. */
int option_set_count(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    static const struct {
        size_t field;
        int lowest, highest;
    } counts[] = {{offsetof(struct options, rounds), 1, 100000},
                  {offsetof(struct options, processes), 8, 1000},
                  {offsetof(struct options, gates), 1, 10000}};
    int64_t n;
    size_t i = 0;
    const int rc = read_whole(row, value, &n, error);
    if (rc != 0)
        return rc;
    while (counts[i].field != row->field)
        i++;
    if (n < counts[i].lowest || n > counts[i].highest)
        return option_value_error(row, value, error, "must be from %d to %d",
                                  counts[i].lowest, counts[i].highest);
    *OPTION_FIELD(uint32_t, options, row) = (uint32_t)n;
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
            return option_value_error(row, value, error,
                                      "expected percentages, as in 0,1.5,4");
        if (percent > 100)
            return option_value_error(row, value, error, "expected 0%% to 100%%");
        for (size_t i = 0; i < options->n_effects; i++)
            if (!(fabs(options->effect[i] - percent / 100) > 0))
                return option_value_error(row, value, error, "%g is there twice",
                                          percent);
        if (options->n_effects == EFFECTS_MAX)
            return option_value_error(row, value, error, "more than %d effects",
                                      EFFECTS_MAX);
        options->effect[options->n_effects++] = percent / 100;
        at = end + (*end == '%');
        if (!*at)
            return 0;
        if (*at != ',')
            return option_value_error(row, value, error,
                                      "expected percentages, as in 0,1.5,4");
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
        return option_value_error(row, value, error,
                                  "is not a whole number, decimal or 0x and hexadecimal");
    errno = 0;
    const uint64_t seed = strtoull(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return option_value_error(row, value, error, "is larger than 2^64-1");
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
        return option_value_error(row, value, error, "%s", reason);
    if (ns < NS_PER_MS || ns > (int64_t)86400000 * NS_PER_MS)
        return option_value_error(row, value, error, "must be from 1ms to 1440min");
    *OPTION_FIELD(int64_t, options, row) = ns;
    return 0;
}
