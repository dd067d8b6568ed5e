/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "costs/costs.h"
#include "numbers.h"
#include "process/process.h"
#include "worker/worker.h"

static const char file_name[] = "instructions.json";

struct costs {
    cJSON *hosts, *host, *forms; /* host: of this one, in `hosts`; forms: in `host` */
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

/* An object of that name, which is made if there is none. */
static cJSON *member_of(cJSON *host, const char *name)
{
    cJSON *const member = message_get(host, name);
    if (cJSON_IsObject(member))
        return member;
    cJSON_DeleteItemFromObjectCaseSensitive(host, name);
    return must_have(cJSON_AddObjectToObject(host, name));
}

struct costs *costs_open(const char *fingerprint)
{
    struct costs *const costs = must_have(calloc(1, sizeof *costs));
    costs->made_up = made_up();
    costs->hosts =
        costs->made_up ? must_have(cJSON_CreateObject()) : host_file_load(file_name);
    costs->host = host_file_make(costs->hosts, fingerprint);
    costs->forms = member_of(costs->host, COSTS_MEMBER);
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

/* ---- kept ---- */

/* More digits are noise. */
static double rounded(double cycles)
{
    return round(cycles * 1000) / 1000;
}

cJSON *cost_json(const struct passport *passport)
{
    cJSON *const value = must_have(cJSON_CreateObject());
    if (!passport->known) {
        cJSON_AddStringToObject(value, "reason", passport->reason);
        return value;
    }
    cJSON_AddNumberToObject(value, "throughput", rounded(passport->throughput));
    cJSON_AddNumberToObject(value, "units", passport->units);
    cJSON_AddNumberToObject(value, "steps", passport->steps);
    cJSON *const links = cJSON_AddArrayToObject(value, "links");
    FOR_EACH (const struct passport_link, link, passport->link, passport->n_links) {
        const double numbers[] = {link->from, link->to, link->address,
                                  rounded((double)link->cycles),
                                  rounded((double)link->full)};
        cJSON_AddItemToArray(links, cJSON_CreateDoubleArray(numbers, ARRAY_LEN(numbers)));
    }
    return value;
}

static bool is_cost(double cycles)
{
    return cycles >= 0 && cycles < 1e9;
}

static bool read_link(const cJSON *value, struct passport_link *link)
{
    double number[5];
    for (int i = 0; i < 5; i++) {
        const cJSON *const item = cJSON_GetArrayItem(value, i);
        if (!cJSON_IsNumber(item))
            return false;
        number[i] = item->valuedouble;
    }
    if (!(number[0] >= 0 && number[0] < 16 && number[1] >= 0 && number[1] < 16) ||
        !is_cost(number[3]) || !is_cost(number[4]))
        return false;
    *link = (struct passport_link){.from = (uint8_t)number[0],
                                   .to = (uint8_t)number[1],
                                   .address = number[2] != 0,
                                   .cycles = (float)number[3],
                                   .full = (float)number[4]};
    return true;
}

bool cost_read(const cJSON *value, struct passport *passport)
{
    const char *const reason = message_text(value, "reason");
    const cJSON *item;
    *passport = (struct passport){.throughput = message_number(value, "throughput", NAN)};
    if (reason)
        snprintf(passport->reason, sizeof passport->reason, "%s", reason);
    if (reason)
        return true;
    const double units = message_number(value, "units", NAN);
    if (!is_cost(passport->throughput) || !(units >= 0 && units < 1 << PASSPORT_UNITS))
        return false;
    passport->units = (unsigned)units;
    passport->steps = message_number(value, "steps", NAN);
    if (!is_cost(passport->steps))
        return false;
    cJSON_ArrayForEach (item, message_get(value, "links")) {
        if (passport->n_links == PASSPORT_LINKS ||
            !read_link(item, &passport->link[passport->n_links]))
            return false;
        passport->n_links++;
    }
    passport->known = true;
    return true;
}

/* ---- measured ---- */

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
        cJSON_DeleteItemFromObjectCaseSensitive(costs->forms, wanted[i].name);
        cJSON_AddItemToObject(costs->forms, wanted[i].name, cost_json(&measured[i]));
        costs->changed = true;
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
            passport_make_up(&forms[i], made_up_cycles(costs->made_up, forms[i].name),
                             &passports[i]);
        else if (again ||
                 !cost_read(message_get(costs->forms, forms[i].name), &passports[i]))
            missing[n_missing++] = i;
    }
    return measure(costs, forms, missing, n_missing, done, context, passports, error);
}

/* ---- rates of a core ---- */

/* The last numbers of an array, the older ones first. */
static size_t last_numbers(const cJSON *array, double *number, size_t most)
{
    const cJSON *item;
    size_t n = 0;
    cJSON_ArrayForEach (item, array) {
        if (!cJSON_IsNumber(item) || !is_cost(item->valuedouble))
            continue;
        if (n == most)
            memmove(number, number + 1, --n * sizeof *number);
        number[n++] = item->valuedouble;
    }
    return n;
}

void costs_of_core(struct costs *costs, int cpu, double *value, const bool *alone)
{
    enum { KEPT = 9 };
    char name[64];
    snprintf(name, sizeof name, "rates of CPU %d by 2", cpu);
    cJSON *const rates = member_of(costs->host, name);
    for (size_t i = 0; i < core_rate_count(); i++) {
        double number[KEPT];
        const char *const rate = core_rate_name(i);
        const bool known = alone[i] && is_cost(value[i]);
        size_t n =
            last_numbers(message_get(rates, rate), number, known ? KEPT - 1 : KEPT);
        if (known) {
            number[n++] = value[i];
            cJSON_DeleteItemFromObjectCaseSensitive(rates, rate);
            cJSON_AddItemToObject(rates, rate, cJSON_CreateDoubleArray(number, (int)n));
            costs->changed = true;
        }
        qsort(number, n, sizeof *number, by_double);
        /* Between two medians, the better one. */
        const bool cost = !strncmp(rate, "cost_", 5);
        if (n)
            value[i] = number[(n - cost) / 2];
    }
}

/* ---- of instructions that were executed ---- */

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
                                  .units = passport->units,
                                  .steps = passport->steps};
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
