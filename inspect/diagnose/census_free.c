/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

#include <stdlib.h>

void inspect_census_free(struct inspect_census *census)
{
    for (size_t i = 0; i < census->n_loops; i++) {
        free(census->loop[i].where);
        free(census->loop[i].source);
        free(census->loop[i].path);
        free(census->loop[i].dearest_form);
    }
    for (size_t i = 0; i < census->n_lines; i++) {
        free(census->line[i].text);
        free(census->line[i].source);
        free(census->line[i].form);
    }
    free(census->loop);
    free(census->line);
    free(census->modules);
    free(census->name_out);
    free(census->producer);
    *census = (struct inspect_census){.n_loops = 0};
}
