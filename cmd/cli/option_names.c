/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are one or some of a list of names: choices, instruction sets, groups of
 * counters, formats. */

#include "args.h"
#include "words.h"

/* Names that other programs have for a value of an option. */
static const struct meant {
    const char *option, *words, *value;
} meant[] = {
    {"isa", "native,host,widest", "auto"},
    {"isa", "none,generic", "scalar"},
    {"isa", "sse,sse3,ssse3,sse4,sse4.1,sse4.2,sse41,sse42,x86-64-v2", "sse2"},
    {"isa", "avx,fma,fma3,x86-64-v3", "avx2"},
    {"isa", "avx512f,avx-512,x86-64-v4", "avx512"},
    {"counters", "cycles,instructions", "core"},
    {"isa", "avx512vnni,avx512_vnni", "avx512+vnni"},
    {"type", "float,float32,fp32,single", "f32"},
    {"type", "double,float64,fp64", "f64"},
    {"type", "int,int32", "i32"},
    {"type", "int64,long", "i64"},
    {"format", "md", "markdown"},
    {"format", "xml", "junit"},
    {"format", "text,txt", "table"},
    {"format", "pdf,png", "svg"},
};

static int expect_no_other_name(const struct given *given)
{
    for (size_t i = 0; i < ARRAY_LEN(meant); i++)
        if (!strcmp(meant[i].option, given->row->name) &&
            words_have(meant[i].words, given->value))
            return given_error(given, "write --%s=%s", given->row->name, meant[i].value);
    return 0;
}

/* -EINVAL with near matches and all names, unless the list has the value. */
static int expect_known(const struct given *given, const struct text_list *known,
                        const char *noun)
{
    char why[400];
    if (text_list_has(known, given->value))
        return 0;
    const int rc = expect_no_other_name(given);
    if (rc != 0)
        return rc;
    text_list_unknown(known, given->value, noun, why, sizeof why);
    return given_error(given, "%s", why);
}

void names_isas(struct text_list *names)
{
    text_list_add(names, "auto");
    text_list_add(names, "all");
    for (size_t i = 0; i < isa_count(); i++)
        text_list_add(names, isa_get(i)->name);
}

int option_add_isas(const struct given *given)
{
    const struct text_list *const list = OPTION_FIELD(struct text_list, given);
    const size_t first = list->n;
    FREED_BY(text_list_free) struct text_list known = {0};
    struct given one = *given;
    struct error why;
    int rc = option_add_items(given);
    names_isas(&known);
    for (size_t i = first; i < list->n && rc == 0; i++) {
        one.value = list->item[i];
        if (strchr(one.value, '+') || isa_elsewhere(one.value))
            rc = isa_check(one.value, &why) < 0 ? given_error(&one, "%s", why.text) : 0;
        else
            rc = expect_known(&one, &known, "instruction set");
    }
    return rc;
}

int option_add_types(const struct given *given)
{
    const struct text_list *const list = OPTION_FIELD(struct text_list, given);
    struct given one = *given;
    int rc = option_add_items(given);
    for (size_t i = 0; i < list->n && rc == 0; i++) {
        one.value = list->item[i];
        rc = expect_no_other_name(&one);
    }
    return rc;
}

void names_counters(struct text_list *names)
{
    text_list_add(names, "all");
    for (size_t g = 0; g < counter_group_count(); g++)
        text_list_add(names, counter_group_get(g)->name);
}

int option_add_counters(const struct given *given)
{
    const struct text_list *const list = OPTION_FIELD(struct text_list, given);
    const size_t first = list->n;
    FREED_BY(text_list_free) struct text_list known = {0};
    struct given one = *given;
    int rc = option_add_items(given);
    names_counters(&known);
    if (given->row->commands & COMMAND_EXPLAIN)
        text_list_add(&known, "none");
    for (size_t i = first; i < list->n && rc == 0; i++) {
        one.value = list->item[i];
        rc = expect_known(&one, &known, "group");
    }
    return rc;
}

void names_uarchs(struct text_list *names)
{
    for (size_t i = 0; i < uarch_count(); i++)
        text_list_add(names, uarch_get(i)->name);
}

int option_set_uarch(const struct given *given)
{
    FREED_BY(text_list_free) struct text_list known = {0};
    names_uarchs(&known);
    const int rc =
        uarch_find(given->value) ? 0 : expect_known(given, &known, "microarchitecture");
    return rc ? rc : option_set_text(given);
}

/* Adds the words of "a|b|c", or of "a|b|c[:FILE]". */
static void add_words(struct text_list *known, const char *words)
{
    for (size_t length; *words && *words != '[';
         words += length + (words[length] == '|')) {
        length = strcspn(words, "|[");
        text_list_add_n(known, words, length);
    }
}

/* The number of the value among the row's words, or -EINVAL. */
static int choice(const struct given *given)
{
    FREED_BY(text_list_free) struct text_list known = {0};
    char hint[120];

    add_words(&known, given->row->value);
    for (size_t i = 0; i < known.n; i++)
        if (strcmp(known.item[i], given->value) == 0)
            return (int)i;
    if (strcmp(given->row->name, "format") == 0 && strchr(given->value, ':'))
        return given_error(given,
                           "takes no file; --json=FILE or --output=FILE writes one");
    text_list_hint(&known, given->value, hint, sizeof hint);
    return given_error(given, "must be one of %s%s", given->row->value, hint);
}

/* For pairs of which the first is the default. */
int option_set_second(const struct given *given)
{
    const int which = choice(given);
    if (which < 0)
        return which;
    *OPTION_FIELD(bool, given) = which == 1;
    return 0;
}

int option_set_choice(const struct given *given)
{
    const int which = choice(given);
    return which < 0 ? which : option_set_text(given);
}

static int add_output(const struct given *given, enum format format, const char *file)
{
    struct options *const options = given->options;
    if (!strcmp(file, "-"))
        return given_error(given,
                           "write --format=%s for standard output (./- would be a file)",
                           format_name(format));
    for (size_t i = 0; i < options->n_outputs; i++)
        if (strcmp(options->outputs[i].file, file) == 0)
            return given_error(given, "%.100s names the same file",
                               options->outputs[i].argument);
    must_grow(options->outputs, options->n_outputs);
    struct output *const output = &options->outputs[options->n_outputs++];
    *output = (struct output){.format = format, .file = must_have(strdup(file))};
    must(asprintf(&output->argument, "--%s=%s", given->row->name, given->value));
    return 0;
}

int option_add_output(const struct given *given)
{
    enum format format;
    const int rc = format_find(given->row->name, &format);
    return rc ? rc : add_output(given, format, given->value);
}

int option_set_output(const struct given *given)
{
    enum format format;
    if (format_find(given->value, &format) == 0)
        return given_error(given,
                           "is the name of a file here: --format=%s prints that format "
                           "(./%s would be a file)",
                           given->value, given->value);
    return option_set_text(given);
}

void names_formats(struct text_list *names)
{
    for (enum format format = 0; format < FORMATS; format++)
        text_list_add(names, format_name(format));
}

int option_add_format(const struct given *given)
{
    const char *const colon = strchr(given->value, ':');
    FREED_BY(text_list_free) struct text_list known = {0};
    enum format format;
    char name[32];

    snprintf(name, sizeof name, "%.*s", (int)strcspn(given->value, ":"), given->value);
    if (strchr(given->row->value, '|'))
        add_words(&known, given->row->value);
    else
        names_formats(&known);
    /* The name of a file may have commas. */
    const char *comma = strchr(given->value, ',');
    for (; comma; comma = strchr(comma + 1, ',')) {
        char second[32];
        snprintf(second, sizeof second, "%.*s", (int)strcspn(comma + 1, ":,"), comma + 1);
        if (text_list_has(&known, second))
            return given_error(given, "write one option for each: --%s=%.*s --%s=%s",
                               given->row->name, (int)(comma - given->value),
                               given->value, given->row->name, comma + 1);
    }
    struct given named = *given;
    named.value = name;
    const int rc = expect_known(&named, &known, "format");
    if (rc != 0 || format_find(name, &format) != 0)
        return rc;
    if (colon && !colon[1])
        return given_error(given, "the name of the file is missing");
    if (colon)
        return add_output(given, format, colon + 1);
    if (given->options->format_given)
        return given_error(given,
                           "standard output gets --format=%s already; name a file, as "
                           "in --format=%s:FILE",
                           format_name(given->options->format), name);
    given->options->format_given = true;
    given->options->format = format;
    return 0;
}

int option_set_format(const struct given *given)
{
    const int which = choice(given);
    given->options->format_given = true;
    return which < 0 ? which : format_find(given->value, &given->options->format);
}
