/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a command line that is being typed, by the tables. */

#include "args.h"

/* The line so far, and what was found. */
struct completion {
    struct text_list *found;
    const struct complete_names *names;
    const struct command_row *command; /* NULL: none yet, or an op */
    const char *word;                  /* the command as typed; NULL: none yet */
    const struct simdbench_op *op;     /* NULL: unknown */
    size_t words;                      /* behind the command */
    unsigned mask;
    const char *before; /* of the last word, which stays: "--isa=avx2," */
    const char *typed;  /* the rest of it */
};

/* `end` tells what has to follow: "=", or "". */
static void add(const struct completion *c, const char *text, const char *end,
                const char *help)
{
    FREED_BY(free_memory) char *line = NULL;
    if (strncmp(text, c->typed, strlen(c->typed)) != 0)
        return;
    must(asprintf(&line, "%s%s%s\t%s", c->before, text, end, help ? help : ""));
    text_list_add_once(c->found, line);
}

static void add_list(const struct completion *c, const struct text_list *list)
{
    for (size_t i = 0; list && i < list->n; i++)
        add(c, list->item[i], "", NULL);
}

/* The words between the separators, without names of values, which are in capitals. */
static void add_split(const struct completion *c, const char *text,
                      const char *separators)
{
    FREED_BY(text_list_free) struct text_list words = {0};
    text_list_split(&words, text, separators);
    for (size_t i = 0; i < words.n; i++)
        if (!strpbrk(words.item[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
            add(c, words.item[i], "", NULL);
}

/* ---- names of things ---- */

static void add_ops(const struct completion *c)
{
    for (const struct simdbench_op *const *op = op_list(); *op; op++)
        add(c, (*op)->name, "", (*op)->summary);
}

static void add_commands(const struct completion *c)
{
    add_ops(c);
    for (const struct command_row *row = command_rows; row->name; row++)
        add(c, row->name, "", row->summary);
}

static void add_module(const char *name, const char *path, void *context)
{
    add(context, name, "", path);
}

static void add_event(const char *name, const char *description, void *context)
{
    add(context, name, "", description);
}

static void kernel_id(const struct simdbench_kernel *kernel, char *id, size_t size)
{
    snprintf(id, size, "%s/%s%s%s/%s/%s@", kernel->op, kernel->semiring ?: "",
             kernel->semiring ? "-" : "", type_name(kernel->type), kernel->isa,
             kernel->variant);
}

/* The op's own shapes, as they stand in ids. */
static void add_shapes(const struct completion *c, const char *id,
                       const struct simdbench_op *op)
{
    FREED_BY(text_list_free) struct text_list shapes = {0};
    char why[200], whole[400], text[200];
    if (sizes_expand(op->default_shapes, &shapes, NULL) != 0)
        return;
    for (size_t i = 0; i < shapes.n; i++) {
        struct simdbench_shape shape;
        if (op->parse(shapes.item[i], &shape, why, sizeof why) != 0)
            continue;
        op->format(&shape, text, sizeof text);
        snprintf(whole, sizeof whole, "%s%s", id, text);
        add(c, whole, "", NULL);
    }
}

static bool is_wanted(const struct completion *c, const struct simdbench_kernel *kernel)
{
    return !c->op || strcmp(kernel->op, c->op->name) == 0;
}

/* Own kernels; `shapes`: then also what stands behind the @. */
static void add_ids(const struct completion *c, bool shapes)
{
    char id[200];
    for (const struct simdbench_kernel *const *k = kernel_list(); *k; k++) {
        kernel_id(*k, id, sizeof id);
        if (!is_wanted(c, *k) || strncmp(id, c->typed, strcspn(c->typed, "@")) != 0)
            continue;
        if (shapes && strchr(c->typed, '@'))
            add_shapes(c, id, op_find((*k)->op));
        else
            add(c, id, shapes ? "" : "*", NULL);
    }
}

/* ---- values of options ---- */

/* `part`: the place of a text in a kernel; 0: its type. */
static void add_parts(const struct completion *c, size_t part)
{
    for (const struct simdbench_kernel *const *k = kernel_list(); *k; k++) {
        const char *const text = part ? *(const char *const *)((const char *)*k + part)
                                      : type_name((*k)->type);
        if (is_wanted(c, *k) && text)
            add(c, text, "", NULL);
    }
}

static void add_known(const struct completion *c, void (*known)(struct text_list *names))
{
    FREED_BY(text_list_free) struct text_list names = {0};
    known(&names);
    add_list(c, &names);
}

static void add_baselines(const struct completion *c)
{
    module_each(add_module, (void *)c);
    add(c, "none", "", NULL);
}

static void add_events(const struct completion *c)
{
    event_each(NULL, add_event, (void *)c, NULL);
}

static void add_filters(const struct completion *c)
{
    add_ids(c, false);
}

static void add_shape_lists(const struct completion *c)
{
    for (const struct simdbench_shape_list *const *list = c->op ? c->op->lists : NULL;
         list && *list; list++)
        add(c, (*list)->name, "", (*list)->summary);
}

/* Values of options: a part of all kernels, names, words in a text of the op, or what
 * `add` adds. */
static const struct value_source {
    const char *option;
    bool all; /* "all" is a value, too */
    bool of_kernels;
    size_t part;
    void (*known)(struct text_list *names);
    size_t words;
    void (*add)(const struct completion *c);
} sources[] = {
    {"isa", .known = names_isas},
    {"type", true, .of_kernels = true},
    {"semiring", true, true, .part = offsetof(struct simdbench_kernel, semiring)},
    {"variants", false, true, .part = offsetof(struct simdbench_kernel, variant)},
    {"sizes", .words = offsetof(struct simdbench_op, default_shapes)},
    {"layout", true, .words = offsetof(struct simdbench_op, layouts)},
    {"input", .words = offsetof(struct simdbench_op, inputs)},
    {"shapes", .add = add_shape_lists},
    {"filter", .add = add_filters},
    {"baseline", .add = add_baselines},
    {"events", .add = add_events},
    {"counters", .known = names_counters},
    {"uarch", .known = names_uarchs},
    {"threads", .all = true},
};

static void add_source(const struct completion *c, const struct value_source *source)
{
    if (c->op && source->words)
        add_split(c, *(const char *const *)((const char *)c->op + source->words) ?: "",
                  ", ");
    if (source->of_kernels)
        add_parts(c, source->part);
    if (source->known)
        add_known(c, source->known);
    if (source->add)
        source->add(c);
    if (source->all)
        add(c, "all", "", NULL);
}

/* The value of an option, its part behind the last comma if it is a list. Names of files
 * are the shell's own business. */
static void complete_value(struct completion *c, const struct option_row *row,
                           const char *before, const char *typed)
{
    const char *const comma = strstr(row->value, "LIST") ? strrchr(typed, ',') : NULL;
    FREED_BY(free_memory) char *kept = NULL;
    must(asprintf(&kept, "%s%.*s", before, comma ? (int)(comma + 1 - typed) : 0, typed));
    c->before = kept;
    c->typed = comma ? comma + 1 : typed;
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (strcmp(sources[i].option, row->name) == 0)
            add_source(c, &sources[i]);
    add_split(c, row->value, "|");
    if (strcmp(row->name, "format") == 0 && strncmp(row->value, "NAME", 4) == 0)
        add_known(c, names_formats);
}

/* ---- words ---- */

static void complete_option(const struct completion *c)
{
    for (const struct option_row *row = option_rows; row->name; row++) {
        char text[80];
        snprintf(text, sizeof text, "--%s", row->name);
        if (c->word ? row->commands & c->mask : row->commands == COMMAND_ALL)
            add(c, text, row->value ? "=" : "", row->help);
    }
}

static void complete_word(const struct completion *c)
{
    if (!c->word) {
        add_commands(c);
        add(c, "help", "", "the options of a command");
        return;
    }
    switch (c->command ? c->command->mask : 0) {
    case COMMAND_AB:
        if (c->words == 2)
            add_ops(c);
        return;
    case COMMAND_EXPLAIN:
        if (strchr(c->typed, '/'))
            add_ids(c, true);
        else
            add_ops(c);
        return;
    case COMMAND_THREADS:
        add_ops(c);
        return;
    case COMMAND_MAN:
        add_commands(c);
        return;
    case COMMAND_STUDY:
        add_list(c, c->names->studies);
        add(c, "all", "", NULL);
        return;
    case COMMAND_LIST:
        if (c->words == 0)
            add_list(c, c->names->topics);
        return;
    case COMMAND_DOCTOR:
    case COMMAND_COMPLETION: {
        char usage[80];
        snprintf(usage, sizeof usage, "%s", c->command->usage);
        if (c->words == 0)
            add_split(c, usage, "[]|");
        return;
    }
    default:
        if (strcmp(c->word, "help") == 0)
            add_commands(c);
    }
}

/* Finds the command among the words before the last one, and how many follow it. Returns
 * the option whose value the last word is, or NULL. */
static const struct option_row *read_words(struct completion *c, char *const *words,
                                           size_t n)
{
    const struct option_row *wants = NULL;
    for (size_t i = 0; i + 1 < n; i++) {
        if (wants) {
            wants = NULL;
        } else if (words[i][0] == '-') {
            wants = option_wants_next(words[i], c->mask);
        } else if (c->word) {
            c->words++;
        } else {
            c->word = words[i];
            c->command = command_find(words[i]);
            c->op = op_find(request_op_name(words[i]));
            c->mask = c->command                      ? c->command->mask
                      : strcmp(words[i], "help") == 0 ? 0
                                                      : COMMAND_OP;
        }
    }
    return wants;
}

void args_complete(char *const *words, size_t n, const struct complete_names *names,
                   struct text_list *found)
{
    struct completion c = {
        .found = found, .names = names, .mask = COMMAND_ALL, .before = ""};
    if (n == 0)
        return;
    const struct option_row *const row = read_words(&c, words, n);
    const char *const last = words[n - 1], *const equals = strchr(last, '=');
    c.typed = last;
    if (row && strncmp(last, "--", 2) != 0) {
        complete_value(&c, row, "", last);
    } else if (last[0] != '-') {
        complete_word(&c);
    } else if (!equals) {
        complete_option(&c);
    } else if (strncmp(last, "--", 2) == 0) {
        char before[80];
        const struct option_row *const named =
            option_find(last + 2, (size_t)(equals - last - 2), c.mask);
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - last), last);
        if (named && named->value)
            complete_value(&c, named, before, equals + 1);
    }
}
