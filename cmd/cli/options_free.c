/* SPDX-License-Identifier: Apache-2.0 */
/* Options before the command line is read, and after their use. */
#include <stdlib.h>
#include <string.h>

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

void options_free(struct options *options)
{
    struct text_list *const lists[] = {&options->files,           &options->claims,
                                       &options->prove.functions, &options->prove.rules,
                                       &options->from_project,    &options->left_out,
                                       &options->candidates};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++)
        text_list_free(lists[i]);
    request_free(&options->request);
    how_free(&options->how);
    FREE_EACH(options->command, options->uarch, options->history, options->label,
              options->node, options->query, options->value, options->by, options->output,
              options->lang, options->from, options->link, options->harness,
              options->pattern, options->build, options->run, options->relink,
              options->cwd_old, options->cwd_new, options->functions, options->dispatcher,
              options->relative_to, options->call.reference, options->call.tolerance,
              options->call.roof, options->call.work, options->call.save,
              options->prove.prototype, options->project, options->project_file);
    project_free(options->defaults, options->n_defaults);
    for (size_t i = 0; i < options->n_outputs; i++)
        FREE_EACH(options->outputs[i].file, options->outputs[i].argument);
    free(options->outputs);
    *options = (struct options){0};
}
