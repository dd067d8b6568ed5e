/* SPDX-License-Identifier: Apache-2.0 */
/* One argument of the command line, a glance at all of them, and the options that they
 * become. */

#include "args.h"

const struct option_row *option_find(const char *name, size_t length, unsigned commands)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if ((row->commands & commands) && strlen(row->name) == length &&
            memcmp(row->name, name, length) == 0)
            return row;
    return NULL;
}

void options_init(struct options *options)
{
    *options = (struct options){.threshold = 0.02, .format = FORMAT_TABLE};
    request_init(&options->request);
    how_init(&options->how);
}

/* Setters of texts, and of lists of texts, which the table tells. */
void options_free(struct options *options)
{
    static option_setter *const texts[] = {
        option_set_text,  option_set_name,     option_set_choice,   option_set_output,
        option_set_uarch, option_set_declared, option_set_tolerance};
    text_list_free(&options->files);
    text_list_free(&options->from_project);
    text_list_free(&options->left_out);
    for (const struct option_row *row = option_rows; row->name; row++) {
        void *const field = (char *)options + row->field;
        if (row->set == option_add_item)
            text_list_free(field);
        for (size_t i = 0; i < ARRAY_LEN(texts); i++)
            if (row->set == texts[i])
                string_set(field, NULL);
    }
    request_free(&options->request);
    how_free(&options->how);
    FREE_EACH(options->command, options->project_file);
    project_free(options->defaults, options->n_defaults);
    for (size_t i = 0; i < options->n_outputs; i++)
        FREE_EACH(options->outputs[i].file, options->outputs[i].argument);
    free(options->outputs);
    *options = (struct options){0};
}

static const struct {
    char letter;
    const char *name;
} letters[] = {
    {'V', "version"}, {'h', "help"}, {'n', "dry-run"}, {'o', "output"}, {'q', "quiet"}};

char option_letter(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(letters); i++)
        if (strcmp(letters[i].name, name) == 0)
            return letters[i].letter;
    return '\0';
}

/* "-oFILE", "-q"; a letter that no option has makes a word. */
static struct argument short_argument(const char *text)
{
    for (size_t i = 0; i < ARRAY_LEN(letters); i++)
        if (letters[i].letter == text[1])
            return (struct argument){letters[i].name, strlen(letters[i].name),
                                     text[2] ? text + 2 : NULL};
    return (struct argument){0};
}

struct argument argument_read(const char *text)
{
    if (text[0] != '-' || !text[1])
        return (struct argument){0};
    if (text[1] != '-')
        return short_argument(text);
    const size_t length = strcspn(text + 2, "=");
    return (struct argument){text + 2, length,
                             text[2 + length] ? text + 2 + length + 1 : NULL};
}

bool argument_takes_next(const struct option_row *row, const struct argument *argument,
                         int argc, char **argv, int i)
{
    return row && row->value && !argument->value && i + 1 < argc &&
           strncmp(argv[i + 1], "--", 2) != 0;
}

const struct option_row *option_wants_next(const char *text, unsigned commands)
{
    const struct argument argument = argument_read(text);
    const struct option_row *const row =
        argument.name ? option_find(argument.name, argument.length, commands) : NULL;
    return row && row->value && !argument.value ? row : NULL;
}

struct glance glance_at(int argc, char **argv)
{
    struct glance glance = {0};
    bool words_only = false;

    for (int i = 1; i < argc; i++) {
        const struct argument argument = argument_read(argv[i]);
        if (words_only || !argument.name) {
            if (!glance.command && !glance.help && strcmp(argv[i], "help") == 0)
                glance.help = true;
            else if (!glance.command && (words_only || argv[i][0] != '-'))
                glance.command = i;
            continue;
        }
        const struct option_row *const row =
            option_find(argument.name, argument.length, COMMAND_ALL);
        words_only = argument.length == 0;
        if (row && !row->set && !argument.value) {
            glance.help = glance.help || strcmp(row->name, "help") == 0;
            glance.version = glance.version || strcmp(row->name, "version") == 0;
        } else if (argument_takes_next(row, &argument, argc, argv, i)) {
            i++;
        }
    }
    return glance;
}
