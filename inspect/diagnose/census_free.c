/* SPDX-License-Identifier: Apache-2.0 */
#include "inspect.h"

void inspect_census_free(struct inspect_census *census)
{
    for (size_t i = 0; i < census->n_loops; i++)
        FREE_EACH(census->loop[i].where, census->loop[i].source, census->loop[i].path,
                  census->loop[i].dearest_form);
    for (size_t i = 0; i < census->n_lines; i++)
        FREE_EACH(census->line[i].text, census->line[i].source, census->line[i].callee,
                  census->line[i].form);
    FREE_EACH(census->loop, census->line, census->modules, census->name_out,
              census->producer, census->straight.dearest_form);
    *census = (struct inspect_census){.n_loops = 0};
}
