/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "costs/costs.h"
#include "process/process.h"
#include "worker/worker.h"

static const char file_name[] = "instructions.json";

struct costs {
    cJSON *hosts, *forms; /* forms: an entry of this host in `hosts` */
    bool changed;
    const char *made_up; /* for a test, or NULL */
};

static const char *made_up(void)
{
    return getenv("SIMDBENCH_TEST_COSTS");
}

bool costs_are_made_up(void)
{
    return made_up() != NULL;
}

struct costs *costs_open(const char *fingerprint)
{
    struct costs *const costs = must_have(calloc(1, sizeof *costs));
    costs->made_up = made_up();
    costs->hosts =
        costs->made_up ? must_have(cJSON_CreateObject()) : host_file_load(file_name);
    cJSON *const host = host_file_make(costs->hosts, fingerprint);
    costs->forms = message_get(host, COSTS_MEMBER);
    if (!cJSON_IsObject(costs->forms)) {
        cJSON_DeleteItemFromObjectCaseSensitive(host, COSTS_MEMBER);
        costs->forms = must_have(cJSON_AddObjectToObject(host, COSTS_MEMBER));
    }
    return costs;
}

void costs_close(struct costs *costs)
{
    if (costs && costs->changed && !costs->made_up)
        host_file_save(file_name, costs->hosts);
    else if (costs)
        cJSON_Delete(costs->hosts);
    free(costs);
}

/* ---- made up ---- */

static double made_up_cycles(const char *rules, const char *name)
{
    char text[512];
    char *rest = text, *rule;
    snprintf(text, sizeof text, "%s", rules);
    while ((rule = strsep(&rest, ","))) {
        char *const value = strchr(rule, '=');
        if (!value)
            continue;
        *value = '\0';
        if (text_glob(rule, name))
            return strtod(value + 1, NULL);
    }
    return 1;
}

static void make_up(const char *rules, const struct passport_form *form,
                    struct passport *passport)
{
    passport_make_up(form, made_up_cycles(rules, form->name), passport);
}

/* ---- measured ---- */

static void keep(struct costs *costs, const struct passport_form *form,
                 const struct passport *passport)
{
    cJSON_DeleteItemFromObjectCaseSensitive(costs->forms, form->name);
    cJSON_AddItemToObject(costs->forms, form->name, cost_json(passport));
    costs->changed = true;
}

/* Measures the forms at the indices `missing`. */
static int measure(struct costs *costs, const struct passport_form *forms,
                   const size_t *missing, size_t n, passport_done *done, void *context,
                   struct passport *passports, struct error *error)
{
    FREED_BY(free_memory) struct passport_form *wanted =
        must_have(calloc(n + 1, sizeof *wanted));
    FREED_BY(free_memory) struct passport *measured =
        must_have(calloc(n + 1, sizeof *measured));
    for (size_t i = 0; i < n; i++)
        wanted[i] = forms[missing[i]];
    const int status =
        n ? passport_measure(wanted, n, measured, done, context, error) : 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        passports[missing[i]] = measured[i];
        keep(costs, &wanted[i], &measured[i]);
    }
    return status;
}

int costs_of(struct costs *costs, const struct passport_form *forms, size_t n, bool again,
             passport_done *done, void *context, struct passport *passports,
             struct error *error)
{
    FREED_BY(free_memory) size_t *missing = must_have(calloc(n + 1, sizeof *missing));
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        if (costs->made_up)
            make_up(costs->made_up, &forms[i], &passports[i]);
        else if (again ||
                 !cost_read(message_get(costs->forms, forms[i].name), &passports[i]))
            missing[n_missing++] = i;
    }
    return measure(costs, forms, missing, n_missing, done, context, passports, error);
}
