/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are one or some of a list of names: choices, instruction sets, groups of
 * counters, formats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

/* -EINVAL with near matches and all names, unless the list has the word. */
static int expect_known(const struct option_row *row, const char *word,
                        const struct text_list *known, const char *noun,
                        struct error *error)
{
    char why[400];
    if (text_list_has(known, word))
        return 0;
    text_list_unknown(known, word, noun, why, sizeof why);
    return option_value_error(row, word, error, "%s", why);
}

/* Adds what stands between commas, if each word is known. Frees `known`. */
static int add_known(const struct option_row *row, const char *value,
                     struct text_list *known, const char *noun, struct options *options,
                     struct error *error)
{
    const struct text_list *const list = OPTION_FIELD(struct text_list, options, row);
    const size_t first = list->n;
    int rc = option_add_items(row, value, options, error);
    for (size_t i = first; i < list->n && rc == 0; i++)
        rc = expect_known(row, list->item[i], known, noun, error);
    text_list_free(known);
    return rc;
}

int option_add_isas(const struct option_row *row, const char *value,
                    struct options *options, struct error *error)
{
    struct text_list known = {0};
    text_list_add(&known, "auto");
    text_list_add(&known, "all");
    for (size_t i = 0; i < isa_count(); i++)
        text_list_add(&known, isa_get(i)->name);
    return add_known(row, value, &known, "instruction set", options, error);
}

int option_add_counters(const struct option_row *row, const char *value,
                        struct options *options, struct error *error)
{
    struct text_list known = {0};
    text_list_add(&known, "all");
    for (size_t g = 0; g < counter_group_count(); g++)
        text_list_add(&known, counter_group_get(g)->name);
    return add_known(row, value, &known, "group", options, error);
}

int option_set_uarch(const struct option_row *row, const char *value,
                     struct options *options, struct error *error)
{
    struct text_list known = {0};
    for (size_t i = 0; i < uarch_count(); i++)
        text_list_add(&known, uarch_get(i)->name);
    const int rc = uarch_find(value)
                       ? 0
                       : expect_known(row, value, &known, "microarchitecture", error);
    text_list_free(&known);
    return rc ? rc : option_set_text(row, value, options, error);
}

/* The number of the value among the row's "a|b|c", or -EINVAL. */
static int choice(const struct option_row *row, const char *value, struct error *error)
{
    struct text_list known = {0};
    int found = -1, rc = 0;

    for (const char *at = row->value; *at;) {
        const size_t length = strcspn(at, "|");
        text_list_add_n(&known, at, length);
        if (strcmp(known.item[known.n - 1], value) == 0)
            found = (int)known.n - 1;
        at += length + (at[length] == '|');
    }
    if (found < 0) {
        char hint[120];
        text_list_hint(&known, value, hint, sizeof hint);
        rc = option_value_error(row, value, error, "must be one of %s%s", row->value,
                                hint);
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
    *OPTION_FIELD(bool, options, row) = which == 1;
    return 0;
}

static int add_output(const struct option_row *row, const char *value, enum format format,
                      const char *file, struct options *options, struct error *error)
{
    for (size_t i = 0; i < options->n_outputs; i++)
        if (strcmp(options->outputs[i].file, file) == 0)
            return option_value_error(row, value, error, "%.100s names the same file",
                                      options->outputs[i].argument);
    options->outputs = must_have(
        realloc(options->outputs, (options->n_outputs + 1) * sizeof *options->outputs));
    struct output *const output = &options->outputs[options->n_outputs++];
    *output = (struct output){.format = format, .file = must_have(strdup(file))};
    must(asprintf(&output->argument, "--%s=%s", row->name, value));
    return 0;
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
    for (format = 0; format < FORMATS; format++)
        text_list_add(&known, format_name(format));
    const int rc = expect_known(row, name, &known, "format", error);
    text_list_free(&known);
    if (rc != 0 || format_find(name, &format) != 0)
        return rc;
    if (colon && !colon[1])
        return option_value_error(row, value, error, "the name of the file is missing");
    if (colon)
        return add_output(row, value, format, colon + 1, options, error);
    if (options->format_given)
        return option_value_error(
            row, value, error,
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
