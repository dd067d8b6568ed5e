/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "costs/costs.h"
#include "process/process.h"

static bool stop(void *context, size_t n)
{
    return interrupted_by != 0;
}

static size_t find(const struct passport_form *forms, size_t n, const char *name)
{
    size_t i = 0;
    while (i < n && strcmp(forms[i].name, name) != 0)
        i++;
    return i;
}

static void take(const struct passport_form *form, const struct passport *passport,
                 struct inspect_cost *cost)
{
    *cost = (struct inspect_cost){.known = passport->known,
                                  .throughput = passport->throughput,
                                  .units = passport->units};
    snprintf(cost->form, sizeof cost->form, "%s", form->name);
    for (size_t i = 0; i < passport->n_links && i < ARRAY_LEN(cost->link); i++) {
        const struct passport_link *const link = &passport->link[i];
        cost->link[cost->n_links++] = (struct inspect_cost_link){.from = link->from,
                                                                 .to = link->to,
                                                                 .address = link->address,
                                                                 .cycles = link->cycles,
                                                                 .full = link->full};
    }
}

void costs_of_code(void *context, const struct inspect_code *code, size_t n,
                   struct inspect_cost *costs)
{
    FREED_BY(free_memory) struct passport_form *forms =
        must_have(calloc(n + 1, sizeof *forms));
    FREED_BY(free_memory) struct passport *passports =
        must_have(calloc(n + 1, sizeof *passports));
    FREED_BY(free_memory) size_t *of = must_have(calloc(n + 1, sizeof *of));
    size_t n_forms = 0;
    for (size_t i = 0; i < n; i++) {
        struct passport_form form;
        of[i] = n;
        costs[i] = (struct inspect_cost){.throughput = NAN};
        if (passport_form(code[i].bytes, code[i].n, &form) < 0)
            continue;
        of[i] = find(forms, n_forms, form.name);
        if (of[i] == n_forms)
            forms[n_forms++] = form;
    }
    if (costs_of(context, forms, n_forms, false, stop, NULL, passports, NULL) == 0)
        for (size_t i = 0; i < n; i++)
            if (of[i] < n)
                take(&forms[of[i]], &passports[of[i]], &costs[i]);
}
